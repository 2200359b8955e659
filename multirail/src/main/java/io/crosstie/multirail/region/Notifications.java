// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Notifications of one peer on their way to the application: a ring that the engine fills and the
 * polling thread empties. Room is taken before a message is placed, so that what came never waits
 * without one; where there is none, because nobody polls, the packet is not acknowledged, and is
 * sent again.
 */
public final class Notifications {
  /** So many wait at most. */
  public static final int MOST = 1 << 10;

  private static final int MASK = MOST - 1;

  /** Longest one. */
  public static final int MAX_BYTES = 32;

  private static final VarHandle TAIL;
  private static final VarHandle HEAD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(Notifications.class, "tail", long.class);
      HEAD = lookup.findVarHandle(Notifications.class, "head", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The places, of which there are none before they are needed. */
  private static final class Ring {
    final @Nullable ExportedRegion[] region = new ExportedRegion[MOST];
    final long[] offset = new long[MOST];
    final long[] length = new long[MOST];
    final byte[] count = new byte[MOST];
    final MemorySegment bytes = MemorySegment.ofArray(new byte[MOST * MAX_BYTES]);
  }

  private @Nullable Ring ring; // published by the tail

  @SuppressWarnings("UnusedVariable") // through TAIL
  private long tail;

  @SuppressWarnings("UnusedVariable") // through HEAD
  private long head;

  private int reserved; // the engine's

  /** The engine: takes room for one; false if there is none. */
  boolean reserve() {
    if ((long) TAIL.get(this) + reserved - (long) HEAD.getAcquire(this) >= MOST) {
      return false;
    }
    if (ring == null) {
      try {
        ring = new Ring();
      } catch (OutOfMemoryError e) {
        return false; // it is sent again
      }
    }
    reserved++;
    return true;
  }

  /** The engine: gives it back. */
  void release() {
    reserved--;
  }

  /** The engine: tells one, in room that was taken. */
  void add(
      ExportedRegion region, long offset, long length, MemorySegment bytes, long at, int count) {
    Ring r = ring;
    if (r == null || reserved == 0) {
      throw new IllegalStateException("no room was taken");
    }
    reserved--;
    long last = (long) TAIL.get(this);
    int i = (int) last & MASK;
    r.region[i] = region;
    r.offset[i] = offset;
    r.length[i] = length;
    r.count[i] = (byte) count;
    MemorySegment.copy(bytes, JAVA_BYTE, at, r.bytes, JAVA_BYTE, (long) i * MAX_BYTES, count);
    TAIL.setRelease(this, last + 1);
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
      Ring r = ring;
      int i = (int) next & MASK;
      ExportedRegion region = r == null ? null : r.region[i];
      if (r == null || region == null) {
        throw new IllegalStateException("an empty place");
      }
      told++;
      try {
        handler.onNotification(
            region, r.offset[i], r.length[i], r.bytes, (long) i * MAX_BYTES, r.count[i]);
      } finally {
        r.region[i] = null;
        next++;
        HEAD.setRelease(this, next);
      }
    }
    return told;
  }
}
