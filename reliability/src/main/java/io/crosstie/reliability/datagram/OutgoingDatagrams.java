// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.datagram;

import io.crosstie.checksum.MemoryFaults;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.Signal;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.memory.MemoryBudget;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams on their way to one peer, until they leave: a ring that any thread fills, one at a
 * time, and the engine empties without ever waiting for them. What left is forgotten (R35).
 */
public final class OutgoingDatagrams implements Signal {
  private static final VarHandle TAIL;
  private static final VarHandle HEAD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(OutgoingDatagrams.class, "tail", long.class);
      HEAD = lookup.findVarHandle(OutgoingDatagrams.class, "head", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemoryBudget.Account account;
  private final Object lock = new Object(); // of those who offer; the engine never takes it
  private volatile long status = Status.CONNECTING;
  private volatile int longest;
  private volatile @Nullable DatagramRing ring; // none before it is needed
  private long offered;

  @SuppressWarnings("UnusedVariable") // through TAIL
  private long tail;

  @SuppressWarnings("UnusedVariable") // through HEAD
  private long head;

  // the engine's
  private long next;
  private long last;

  /** None; the account is charged for their memory. */
  public OutgoingDatagrams(MemoryBudget.Account account) {
    this.account = account;
  }

  // ---- what tells the engine ----

  private final AtomicBoolean signalled = new AtomicBoolean();
  private @Nullable Signal nextSignalled;
  private @Nullable Object signalOwner;

  @Override
  public boolean markSignalled() {
    return !signalled.getAndSet(true);
  }

  @Override
  public void clearSignal() {
    signalled.set(false);
  }

  @Override
  public @Nullable Signal nextSignalled() {
    return nextSignalled;
  }

  @Override
  public void setNextSignalled(@Nullable Signal next) {
    nextSignalled = next;
  }

  @Override
  public @Nullable Object signalOwner() {
    return signalOwner;
  }

  @Override
  public void setSignalOwner(Object owner) {
    signalOwner = owner;
  }

  // ---- any thread ----

  /**
   * Copies a datagram, unless it cannot be read: then what was thrown is passed on, and nothing has
   * changed.
   *
   * @return how many were offered with it, or a {@link Status}
   */
  public long offer(Pieces pieces) {
    synchronized (lock) {
      long refused = status;
      if (refused != 0) {
        return refused;
      }
      if (pieces.total() > longest) {
        return longest == 0 ? Status.CONNECTING : Status.TOO_LARGE;
      }
      DatagramRing to = ring;
      if (to == null) {
        to = DatagramRing.make(account, 0);
        if (to == null) {
          return Status.BACK_PRESSURED;
        }
        ring = to;
      }
      int length = (int) pieces.total();
      long end = (long) TAIL.get(this);
      long at = to.claim((long) HEAD.getAcquire(this), end, length);
      if (at < 0) {
        return Status.BACK_PRESSURED;
      }
      pieces.copyTo(to.memory(), to.at(at));
      if (pieces.isAnyNative()) {
        MemoryFaults.raise();
      }
      TAIL.setRelease(this, to.describe(end, at, pieces.headerLength(), length));
      return ++offered;
    }
  }

  /** The longest that may be offered now, its header included; 0 as long as none may. */
  public int longest() {
    return status == 0 ? longest : 0;
  }

  // ---- the engine ----

  /**
   * The peer has answered.
   *
   * @param takes whether it takes datagrams
   */
  public void connect(boolean takes) {
    if (status == Status.CONNECTING) {
      status = takes ? 0 : Status.UNSUPPORTED;
    }
  }

  /** So long is the longest that one packet of every rail carries, its header included. */
  public void setLongest(int bytes) {
    int most = Math.min(bytes, DatagramRing.MAX_LENGTH);
    if (longest != most) {
      longest = most;
    }
  }

  /** Nothing more is offered; what waits may still leave. */
  public void refuse(long why) {
    status = why;
  }

  /**
   * Nothing leaves any more.
   *
   * @return how many waited
   */
  public int end() {
    DatagramRing of = ring;
    if (of == null) {
      return 0;
    }
    int waited = 0;
    next = (long) HEAD.get(this);
    while (hasMore()) {
      take();
      waited++;
    }
    left();
    account.give(of.charged());
    ring = null;
    return waited;
  }

  private DatagramRing ring() {
    DatagramRing there = ring;
    if (there == null) {
      throw new IllegalStateException("no datagram waits");
    }
    return there;
  }

  /** Whether one waits that was not taken. */
  public boolean hasMore() {
    if (next == (long) TAIL.getAcquire(this)) {
      return false;
    }
    DatagramRing of = ring;
    if (of == null) {
      return false; // it was offered when all was over
    }
    long description = of.description(next);
    if (DatagramRing.isTurn(description)) {
      next = of.next(next, description);
    }
    return true;
  }

  /** Its length, header included. */
  public int nextLength() {
    return DatagramRing.length(ring().description(next));
  }

  /** The length of its header. */
  public int nextHeaderLength() {
    return DatagramRing.headerLength(ring().description(next));
  }

  /** Where its bytes begin in {@link #memory}. */
  public long nextAt() {
    return ring().at(next);
  }

  /** Where they lie, until {@link #left}. */
  public MemorySegment memory() {
    return ring().memory();
  }

  /** It is in a packet. */
  public void take() {
    last = next;
    next = ring().next(next, ring().description(next));
  }

  /** The packet leaves: all that was taken is forgotten. */
  public void left() {
    HEAD.setRelease(this, next);
  }

  /** The packet does not leave: what was taken waits as before. */
  public void takeBack() {
    next = (long) HEAD.get(this);
  }

  /** As a negative control: the last one that left waits again, if it is still there. */
  public void again() {
    DatagramRing of = ring;
    if (of != null && last < next && (long) TAIL.getAcquire(this) - last <= of.size()) {
      next = last;
      left();
    }
  }
}
