// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.datagram;

import io.crosstie.checksum.Checksum;
import io.crosstie.reliability.channel.FragmentSource;
import io.crosstie.reliability.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams that came from one peer, until they are polled: a ring that the engine fills and one
 * thread at a time empties. Where it is full the oldest give way (R35).
 *
 * <p>Both sides take the oldest one away by the same compare-and-set of the head. Who polls has
 * copied it before: if the engine was first, what was copied is of no use, and the next one is
 * looked at. So neither waits, and nothing is told that was written over.
 */
public final class IncomingDatagrams {
  /** The bound of what they take. */
  public static final long MOST_BYTES = DatagramRing.MOST_BYTES + DatagramRing.MAX_LENGTH;

  /** Result: it is kept. */
  public static final int KEPT = 0;

  /** Result: its bytes do not match their checksum, or could not be had. */
  public static final int CORRUPT = -1;

  /** Result: it was dropped itself, since there is no memory, or it is longer than is taken. */
  public static final int DROPPED = -2;

  private static final VarHandle TAIL;
  private static final VarHandle HEAD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(IncomingDatagrams.class, "tail", long.class);
      HEAD = lookup.findVarHandle(IncomingDatagrams.class, "head", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemoryBudget.Account account;
  private volatile @Nullable DatagramRing ring; // none before it is needed
  private boolean ended;
  private int gaveWay;

  @SuppressWarnings("UnusedVariable") // through TAIL
  private long tail;

  @SuppressWarnings("UnusedVariable") // through HEAD
  private long head;

  // of who polls: one datagram, out of the engine's way
  private @Nullable MemorySegment taken;
  private @Nullable MemorySegment readOnly;

  /** None; the account is charged for their memory. */
  public IncomingDatagrams(MemoryBudget.Account account) {
    this.account = account;
  }

  // ---- the engine ----

  /**
   * Keeps one, for which older ones may have to give way.
   *
   * @param length header included
   * @return {@link #KEPT}, {@link #CORRUPT} or {@link #DROPPED}
   */
  public int add(
      int headerLength, int length, int checksum, Checksum algorithm, FragmentSource source) {
    DatagramRing to = ring;
    if (to == null && !ended) {
      to = DatagramRing.make(account, DatagramRing.MAX_LENGTH);
      ring = to;
    }
    if (to == null || length > DatagramRing.MAX_LENGTH) {
      return DROPPED;
    }
    long end = (long) TAIL.get(this);
    long oldest = (long) HEAD.getAcquire(this);
    long at = to.claim(oldest, end, length);
    while (at < 0) {
      gaveWay += drop(to, oldest);
      oldest = (long) HEAD.getAcquire(this);
      at = to.claim(oldest, end, length);
    }
    long sum =
        length == 0
            ? Integer.toUnsignedLong(algorithm.compute(to.memory(), to.at(at), 0))
            : source.copy(to.memory(), to.at(at), length, algorithm);
    if (sum != Integer.toUnsignedLong(checksum)) {
      return CORRUPT;
    }
    TAIL.setRelease(this, to.describe(end, at, headerLength, length));
    return KEPT;
  }

  /** How many gave way since it was asked last. */
  public int takeGaveWay() {
    int gone = gaveWay;
    gaveWay = 0;
    return gone;
  }

  /**
   * Takes away the oldest one, unless it was taken just now.
   *
   * @param oldest where it begins, as it was read before the caller knew that something lies there:
   *     who polls may have taken all since
   * @return how many datagrams that were
   */
  private int drop(DatagramRing of, long oldest) {
    long description = of.description(oldest);
    boolean dropped = HEAD.compareAndSet(this, oldest, of.next(oldest, description));
    return dropped && !DatagramRing.isTurn(description) ? 1 : 0;
  }

  /**
   * The connection is over: nothing more is told.
   *
   * @return how many waited
   */
  public int end() {
    ended = true;
    DatagramRing of = ring;
    if (of == null) {
      return 0;
    }
    int waited = 0;
    long newest = (long) TAIL.get(this);
    for (long at = (long) HEAD.getAcquire(this); at != newest; at = (long) HEAD.getAcquire(this)) {
      waited += drop(of, at);
    }
    ring = null;
    account.give(of.charged());
    return waited;
  }

  /** What they take, in bytes; at most {@link #MOST_BYTES}. */
  public long bytes() {
    DatagramRing of = ring;
    return of == null ? 0 : of.charged();
  }

  // ---- who polls ----

  /** Whether {@link #poll} would find something. Any thread. */
  public boolean isEmpty() {
    return (long) TAIL.getAcquire(this) == (long) HEAD.getOpaque(this);
  }

  /**
   * Hands out up to so many, the oldest first. What the handler throws is passed on, and that
   * datagram was told.
   *
   * @return how many
   */
  public int poll(DatagramHandler handler, int limit) {
    int told = 0;
    while (told < limit) {
      long oldest = (long) HEAD.getAcquire(this);
      DatagramRing from = ring;
      if (from == null || oldest == (long) TAIL.getAcquire(this)) {
        return told;
      }
      long description = from.description(oldest);
      boolean isTurn = DatagramRing.isTurn(description);
      if (!isTurn && !from.isSound(oldest, description)) {
        continue; // it was written over: the head is elsewhere by now
      }
      int length = isTurn ? 0 : DatagramRing.length(description);
      MemorySegment.copy(from.memory(), from.at(oldest), taken(), 0, length);
      if (HEAD.compareAndSet(this, oldest, from.next(oldest, description)) && !isTurn) {
        told++;
        int header = DatagramRing.headerLength(description);
        handler.onDatagram(readOnly(), header, header, length - header);
      }
    }
    return told;
  }

  private MemorySegment taken() {
    MemorySegment to = taken;
    if (to == null) {
      to = Arena.ofAuto().allocate(DatagramRing.MAX_LENGTH, 64);
      taken = to;
    }
    return to;
  }

  private MemorySegment readOnly() {
    MemorySegment of = readOnly;
    if (of == null) {
      of = taken().asReadOnly();
      readOnly = of;
    }
    return of;
  }
}
