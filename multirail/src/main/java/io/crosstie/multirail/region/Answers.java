// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Does what a peer asks for in regions of this node, and answers. Room for each answer is charged
 * and taken before the request counts as received, and given back when the peer has the answer; a
 * peer that takes none is not served further. Engine thread.
 */
public final class Answers {
  /** So many may be on their way to one peer, or wait to be. */
  static final int MOST = 4096;

  /** Charged for one. */
  private static final long BYTES = 512;

  /** So many are kept for later. */
  private static final int MOST_FREE = 64;

  private static final VarHandle WORD = JAVA_LONG.varHandle();

  private final RegionTable regions;
  private final Supplier<String> peer;
  private final MemoryBudget.Account account;
  private final ToLongFunction<Put> channel;

  private @Nullable Answer reserved;
  private @Nullable Answer free;
  private int frees;
  private int outstanding;
  private @Nullable Answer firstUnsent;
  private @Nullable Answer lastUnsent;

  /**
   * For one connection.
   *
   * @param peer its name
   * @param account is charged for answers
   * @param channel sends one; gives a sequence, or a status
   */
  public Answers(
      RegionTable regions,
      Supplier<String> peer,
      MemoryBudget.Account account,
      ToLongFunction<Put> channel) {
    this.regions = regions;
    this.peer = peer;
    this.account = account;
    this.channel = channel;
  }

  /** Takes room for one more; false if there is none now. */
  boolean reserve() {
    if (outstanding == MOST || firstUnsent != null || !account.tryTake(BYTES)) {
      return false;
    }
    Answer one = free;
    if (one == null) {
      try {
        one = new Answer(this);
      } catch (OutOfMemoryError e) {
        account.give(BYTES);
        return false;
      }
    } else {
      free = one.next();
      frees--;
    }
    one.next(reserved);
    reserved = one;
    outstanding++;
    return true;
  }

  private Answer takeReserved() {
    Answer one = reserved;
    if (one == null) {
      throw new IllegalStateException("no room was taken");
    }
    reserved = one.next();
    one.next(null);
    return one;
  }

  /** That room is not needed after all. */
  void release() {
    recycle(takeReserved());
  }

  private void recycle(Answer one) {
    outstanding--;
    account.give(BYTES);
    one.say(0, 0, 0); // keeps no region
    if (frees < MOST_FREE) {
      one.next(free);
      free = one;
      frees++;
    }
  }

  /** How many are on their way, or wait to be. */
  public int outstanding() {
    return outstanding;
  }

  // ---- what is asked for ----

  /** See {@code PlacementTarget.execute}. */
  void execute(int kind, long key, long offset, MemorySegment request, long at) {
    Answer answer = takeReserved();
    long number = PlacedKind.number(request, at, 0);
    long first = PlacedKind.number(request, at, 1);
    boolean isGet = kind == PlacedKind.GET;
    ExportedRegion region = regions.get(key);
    int status = judge(region, isGet, offset, first);
    if (region == null || status != PlacedKind.DONE) {
      answer.say(number, status, 0);
    } else if (isGet) {
      answer.give(number, region, offset, first);
    } else {
      long second = kind == PlacedKind.COMPARE_AND_SET ? PlacedKind.number(request, at, 2) : 0;
      try {
        answer.say(number, status, operate(kind, region.memory(), offset, first, second));
      } catch (IllegalStateException | WrongThreadException e) { // its arena was closed
        regions.close(key);
        answer.say(number, MessageRefusedFrame.NO_REGION, 0);
      }
    }
    send(answer);
  }

  private int judge(@Nullable ExportedRegion region, boolean isGet, long offset, long length) {
    if (region == null) {
      return MessageRefusedFrame.NO_REGION;
    }
    if (!region.mayUse(peer.get(), isGet ? ExportedRegion.GET : ExportedRegion.ATOMIC)) {
      return MessageRefusedFrame.NO_RIGHT;
    }
    boolean holds = isGet ? region.holds(offset, length) : region.holdsWord(offset);
    return holds ? PlacedKind.DONE : MessageRefusedFrame.OUT_OF_REGION;
  }

  /** Between this node's threads and its peers alike. */
  private static long operate(int kind, MemorySegment in, long at, long first, long second) {
    return switch (kind) {
      case PlacedKind.FETCH_ADD -> (long) WORD.getAndAdd(in, at, first);
      case PlacedKind.COMPARE_AND_SET -> (long) WORD.compareAndExchange(in, at, first, second);
      case PlacedKind.SWAP -> (long) WORD.getAndSet(in, at, first);
      default -> throw new IllegalArgumentException("no operation " + kind);
    };
  }

  // ---- on its way ----

  private void send(Answer answer) {
    if (firstUnsent != null || !isGone(answer)) {
      Answer last = lastUnsent;
      if (last == null) {
        firstUnsent = answer;
      } else {
        last.next(answer);
      }
      lastUnsent = answer;
    }
  }

  /** Whether it has left, or never will; else there is no room now. */
  private boolean isGone(Answer answer) {
    long result = channel.applyAsLong(answer);
    if (result == Status.TOO_LARGE) {
      answer.say(answer.key(), MessageRefusedFrame.TOO_LONG, 0);
      result = channel.applyAsLong(answer);
    }
    if (result == Status.BACK_PRESSURED) {
      return false;
    }
    if (result < 0) {
      recycle(answer); // the connection is over
    }
    return true;
  }

  /** Whether some wait for room. */
  public boolean isAnyUnsent() {
    return firstUnsent != null;
  }

  /** Tries again to send those. */
  public void sendUnsent() {
    Answer first = firstUnsent;
    while (first != null) {
      Answer behind = first.next();
      first.next(null);
      if (!isGone(first)) {
        first.next(behind);
        return;
      }
      firstUnsent = behind;
      first = behind;
    }
    lastUnsent = null;
  }

  /** The peer has it, or it was given up. */
  void onComplete(Answer answer, @Nullable String error) {
    ExportedRegion from = answer.region();
    if (error == null || from == null || answer.reason() != 0) {
      recycle(answer); // or nobody waits for it any more
      return;
    }
    if (!from.memory().scope().isAlive()) {
      regions.close(from.key());
    }
    int why = from.isOpen() ? MessageRefusedFrame.NOT_WANTED : MessageRefusedFrame.NO_REGION;
    answer.say(answer.key(), why, 0);
    send(answer);
  }
}
