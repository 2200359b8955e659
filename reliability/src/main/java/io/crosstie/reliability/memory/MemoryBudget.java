// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound in bytes on what messages take in a node, whatever peers, channels and messages there are
 * (R24, R31). Everything is charged before it is taken, to the account of the peer that it is for.
 *
 * <p>Room is always left for others: a peer may take more while what it has is at most {@value
 * #ALPHA} times what is free (dynamic thresholds; Choudhury and Hahne 1998), and a small share in
 * any case; who is alone may take all. What only makes something quicker, a larger window or log,
 * leaves more: it grows no larger than a {@value #GROWTH_SHARE}th of what is free.
 *
 * <p>Any thread. Nothing waits, nothing is allocated.
 */
public final class MemoryBudget {
  /** By so much a peer may exceed what is free. */
  private static final int ALPHA = 4;

  private static final int GROWTH_SHARE = 4;

  /** The part of the bound that is kept for those who have less than their small share. */
  private static final int RESERVE = 8;

  /** The part of the bound that each peer gets in any case, as long as there is something. */
  private static final int LEAST_SHARE = 64;

  private static final long CLOSED = Long.MIN_VALUE;

  /** What one peer has. */
  public final class Account {
    private final AtomicLong charged = new AtomicLong();

    private Account() {}

    /** Takes so many bytes; false if there is no room, and nothing has changed. */
    public boolean tryTake(long bytes) {
      return take(bytes, 0);
    }

    /**
     * The same for something that grows.
     *
     * @param size that it will have
     * @param bytes what it needs more
     */
    public boolean tryGrow(long size, long bytes) {
      return take(bytes, size);
    }

    private boolean take(long bytes, long size) {
      while (true) {
        long before = used.get();
        long free = boundBytes - before - bytes;
        long mine = charged.get() + bytes;
        boolean fair =
            before == 0
                || mine <= boundBytes / LEAST_SHARE
                || mine / ALPHA <= free - boundBytes / RESERVE;
        if (free < 0 || !fair || size > (boundBytes - before) / GROWTH_SHARE) {
          if (size == 0) {
            refusals.incrementAndGet();
          }
          return false;
        }
        if (used.compareAndSet(before, before + bytes)) {
          if (add(bytes)) {
            return true;
          }
          used.addAndGet(-bytes);
          return false;
        }
      }
    }

    /** False if it is closed. */
    private boolean add(long bytes) {
      while (true) {
        long before = charged.get();
        if (before < 0) {
          return false;
        }
        if (before + bytes < 0) {
          throw new IllegalStateException("more is given back than was taken");
        }
        if (charged.compareAndSet(before, before + bytes)) {
          return true;
        }
      }
    }

    /** Gives bytes back that were taken. */
    public void give(long bytes) {
      if (add(-bytes)) {
        used.addAndGet(-bytes);
      }
    }

    /** Gives everything back, now and for ever: whoever holds something forgets it. */
    public void close() {
      long rest = charged.getAndSet(CLOSED);
      if (rest > 0) {
        used.addAndGet(-rest);
      }
    }

    /** Whether somebody waits for what others may give back. */
    public boolean isShort() {
      return isShort;
    }

    /** What it has, in bytes. */
    public long chargedBytes() {
      return Math.max(0, charged.get());
    }
  }

  private final long boundBytes;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();
  private volatile boolean isShort;

  /**
   * @param boundBytes 0 or more
   */
  public MemoryBudget(long boundBytes) {
    if (boundBytes < 0) {
      throw new IllegalArgumentException("boundBytes is negative: " + boundBytes);
    }
    this.boundBytes = boundBytes;
  }

  /** An account for another peer. */
  public Account account() {
    return new Account();
  }

  /** The bound. */
  public long boundBytes() {
    return boundBytes;
  }

  /** What was taken and not given back. */
  public long usedBytes() {
    return used.get();
  }

  /** How often something was refused that does not only grow. */
  public long refusals() {
    return refusals.get();
  }

  /** Somebody waits, or nobody does any more. */
  public void setShort(boolean on) {
    isShort = on;
  }
}
