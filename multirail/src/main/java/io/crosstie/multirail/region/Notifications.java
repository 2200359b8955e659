// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.reliability.memory.MemoryBudget;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Notifications of one peer on their way to the application: a ring that the engine fills and the
 * polling thread empties. Room is taken before a message is placed, so that what came never waits
 * without one; where there is none, because nobody polls, the packet is not acknowledged, and is
 * sent again. The ring grows with what waits, is charged to the peer before it does, and given back
 * when the connection is over and all was polled.
 */
public final class Notifications {
  /** So many wait at most. */
  public static final int MOST = 1 << 12;

  private static final int FIRST = 16;

  /** Longest one. */
  public static final int MAX_BYTES = 32;

  private static final VarHandle TAIL;
  private static final VarHandle HEAD;
  private static final VarHandle RING;
  private static final VarHandle CHARGED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(Notifications.class, "tail", long.class);
      HEAD = lookup.findVarHandle(Notifications.class, "head", long.class);
      RING = lookup.findVarHandle(Notifications.class, "ring", Ring.class);
      CHARGED = lookup.findVarHandle(Notifications.class, "charged", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The places, of which there are none before they are needed; then twice as many each time. */
  private static final class Ring {
    final @Nullable ExportedRegion[] region;
    final long[] offset;
    final long[] length;
    final byte[] count;
    final byte[] memory;
    final MemorySegment bytes;
    final MemorySegment readOnly;
    final int mask;

    Ring(int size) {
      region = new ExportedRegion[size];
      offset = new long[size];
      length = new long[size];
      count = new byte[size];
      memory = new byte[size * MAX_BYTES];
      bytes = MemorySegment.ofArray(memory);
      readOnly = bytes.asReadOnly();
      mask = size - 1;
    }

    static long bytes(int size) {
      return size * (3L * Long.BYTES + 1 + MAX_BYTES);
    }

    Ring twice(long from, long to) {
      Ring next = new Ring(2 * region.length);
      for (long n = from; n < to; n++) {
        int i = (int) n & mask;
        int k = (int) n & next.mask;
        next.set(k, region[i], offset[i], length[i], bytes, (long) i * MAX_BYTES, count[i]);
      }
      return next;
    }

    void set(
        int i,
        @Nullable ExportedRegion of,
        long itsOffset,
        long itsLength,
        MemorySegment from,
        long at,
        int bytesOfIt) {
      set(i, of, itsOffset, itsLength, bytesOfIt);
      MemorySegment.copy(from, JAVA_BYTE, at, bytes, JAVA_BYTE, (long) i * MAX_BYTES, bytesOfIt);
    }

    void set(int i, ExportedRegion of, long itsOffset, long itsLength, byte[] from, int bytesOfIt) {
      set(i, of, itsOffset, itsLength, bytesOfIt);
      System.arraycopy(from, 0, memory, i * MAX_BYTES, bytesOfIt);
    }

    private void set(
        int i, @Nullable ExportedRegion of, long itsOffset, long itsLength, int bytesOfIt) {
      region[i] = of;
      offset[i] = itsOffset;
      length[i] = itsLength;
      count[i] = (byte) bytesOfIt;
    }
  }

  private final MemoryBudget.Account account;
  private @Nullable Ring ring; // the engine's; also through RING

  @SuppressWarnings("UnusedVariable") // through CHARGED
  private long charged;

  private volatile boolean over;

  @SuppressWarnings("UnusedVariable") // through TAIL
  private long tail;

  @SuppressWarnings("UnusedVariable") // through HEAD
  private long head;

  private int reserved; // the engine's

  /**
   * None.
   *
   * @param account is charged for the ring
   */
  public Notifications(MemoryBudget.Account account) {
    this.account = account;
  }

  /** The engine: takes room for one; false if there is none. */
  boolean reserve() {
    long taken = (long) TAIL.get(this) + reserved - (long) HEAD.getAcquire(this);
    Ring r = ring;
    if (taken >= MOST || ((r == null || taken > r.mask) && !grow(r))) {
      return false;
    }
    reserved++;
    return true;
  }

  private boolean grow(@Nullable Ring before) {
    int size = before == null ? FIRST : 2 * before.region.length;
    long more = Ring.bytes(size) - (before == null ? 0 : Ring.bytes(before.region.length));
    if (over || !account.tryTake(more)) {
      return false;
    }
    Ring next;
    try {
      long from = (long) HEAD.getAcquire(this);
      next = before == null ? new Ring(size) : before.twice(from, (long) TAIL.get(this));
    } catch (OutOfMemoryError e) {
      account.give(more);
      return false; // it is sent again
    }
    long unused = (long) CHARGED.getAndAdd(this, more);
    RING.setRelease(this, next);
    return true;
  }

  /** The engine: the connection is over, and nothing is added any more. */
  public void end() {
    over = true;
    settle();
  }

  private void settle() {
    if (over && isEmpty()) {
      account.give((long) CHARGED.getAndSet(this, 0L));
    }
  }

  /** The engine: gives it back. */
  void release() {
    reserved--;
  }

  /** The engine: tells one, in room that was taken. */
  void add(
      ExportedRegion region, long offset, long length, MemorySegment bytes, long at, int count) {
    Ring r = reservedRing();
    long last = (long) TAIL.get(this);
    r.set((int) last & r.mask, region, offset, length, bytes, at, count);
    TAIL.setRelease(this, last + 1);
  }

  /** The same of one that is the first bytes of an array. */
  void add(ExportedRegion region, long offset, long length, byte[] bytes, int count) {
    Ring r = reservedRing();
    long last = (long) TAIL.get(this);
    r.set((int) last & r.mask, region, offset, length, bytes, count);
    TAIL.setRelease(this, last + 1);
  }

  private Ring reservedRing() {
    Ring r = ring;
    if (r == null || reserved == 0) {
      throw new IllegalStateException("no room was taken");
    }
    reserved--;
    return r;
  }

  /** Whether {@link #poll} would find something. Any thread. */
  public boolean isEmpty() {
    return (long) TAIL.getAcquire(this) == (long) HEAD.getOpaque(this);
  }

  /**
   * The polling thread: hands out up to so many.
   *
   * @return how many
   */
  public int poll(NotificationHandler handler, int limit) {
    long last = (long) TAIL.getAcquire(this);
    long next = (long) HEAD.get(this);
    int told = 0;
    while (next < last && told < limit) {
      Ring r = (Ring) RING.getAcquire(this); // or one before it, which has the same
      int i = r == null ? 0 : (int) next & r.mask;
      ExportedRegion region = r == null ? null : r.region[i];
      if (r == null || region == null) {
        throw new IllegalStateException("an empty place");
      }
      told++;
      try {
        handler.onNotification(
            region, r.offset[i], r.length[i], r.readOnly, (long) i * MAX_BYTES, r.count[i]);
      } finally {
        r.region[i] = null;
        next++;
        HEAD.setRelease(this, next);
      }
    }
    settle();
    return told;
  }
}
