// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A bounded pool of contiguous native memory, in which large messages are reassembled (R12, R24).
 *
 * <p>Buffers come in size classes of {@value #MIN_BUFFER_BYTES} bytes times a power of two. A
 * buffer that is lent out is charged with its whole size before any memory is taken; if that would
 * exceed the capacity there is no buffer. A buffer that was given back is retained for the next of
 * its class and not cleared; when the memory is wanted for another class, retained buffers are
 * freed, largest first. Hence {@code usedBytes + retainedBytes <= capacityBytes} at any time, and a
 * pool that was never used has taken nothing.
 *
 * <p>Each buffer has a shared arena of its own, so freeing it returns its memory at once, and rails
 * with threads of their own may read it. New memory is cleared by the JDK (about 0.1 ms for 1 MiB),
 * reused memory is not: it holds bytes of earlier messages.
 *
 * <p>One thread, the engine's. Allocates only when a class runs dry.
 */
public final class BufferPool implements AutoCloseable {
  /** The smallest buffer. */
  public static final long MIN_BUFFER_BYTES = 64 * 1024;

  /** Memory of the pool, lent to whoever took it until it is given back. */
  public static final class PooledBuffer {
    private final BufferPool owner;
    private final Arena arena;
    private final MemorySegment segment;
    private final int sizeClass;
    private boolean lent;
    private @Nullable PooledBuffer previous;
    private @Nullable PooledBuffer next;

    private PooledBuffer(BufferPool owner, Arena arena, MemorySegment segment, int sizeClass) {
      this.owner = owner;
      this.arena = arena;
      this.segment = segment;
      this.sizeClass = sizeClass;
    }

    /** The whole memory, {@link #capacity()} bytes; not to be touched once it was given back. */
    public MemorySegment segment() {
      return segment;
    }

    /** At least the length asked for. */
    public long capacity() {
      return segment.byteSize();
    }
  }

  private final long capacityBytes;
  private final long maxBufferBytes;
  // Retained buffers, one stack per class, and all lent ones; linked through the buffers
  // themselves.
  private final @Nullable PooledBuffer[] retained;
  private @Nullable PooledBuffer lent;
  private long usedBytes;
  private long retainedBytes;
  private boolean closed;

  /**
   * A pool whose buffers may be as large as the capacity allows.
   *
   * @param capacityBytes the bound on all memory together
   */
  public BufferPool(long capacityBytes) {
    this(capacityBytes, Long.highestOneBit(Math.max(capacityBytes, 1)));
  }

  /**
   * @param capacityBytes the bound on all memory together, 0 (no buffers at all) to 2^46
   * @param maxBufferBytes longer ones are never lent; rounded up to a size class
   */
  public BufferPool(long capacityBytes, long maxBufferBytes) {
    if (capacityBytes < 0 || capacityBytes > 1L << 46) {
      throw new IllegalArgumentException("capacityBytes must be from 0 to 2^46: " + capacityBytes);
    }
    if (maxBufferBytes <= 0 || maxBufferBytes > 1L << 46) {
      throw new IllegalArgumentException(
          "maxBufferBytes must be from 1 to 2^46: " + maxBufferBytes);
    }
    this.capacityBytes = capacityBytes;
    int classes = classOf(maxBufferBytes) + 1;
    this.maxBufferBytes = sizeOf(classes - 1);
    this.retained = new PooledBuffer[classes];
  }

  /** What {@link #take} would say now; lengths from 0. */
  public boolean canTake(long length) {
    if (length < 0) {
      throw new IllegalArgumentException("length is negative: " + length);
    }
    return !closed
        && length <= maxBufferBytes
        && usedBytes + sizeOf(classOf(length)) <= capacityBytes;
  }

  /** How many bytes a buffer of this length is charged with; length at most the maximum. */
  public static long chargeBytes(long length) {
    return sizeOf(classOf(length));
  }

  /**
   * Lends a buffer.
   *
   * @return null when the bound is reached, the length exceeds the largest class, or the pool is
   *     closed
   */
  public @Nullable PooledBuffer take(long length) {
    if (!canTake(length)) {
      return null; // R24
    }
    int sizeClass = classOf(length);
    long size = sizeOf(sizeClass);
    PooledBuffer buffer = retained[sizeClass];
    if (buffer != null) {
      retained[sizeClass] = buffer.next;
      retainedBytes -= size;
    } else {
      evictUntilRetained(capacityBytes - usedBytes - size);
      Arena arena = Arena.ofShared();
      try {
        buffer = new PooledBuffer(this, arena, arena.allocate(size, 64), sizeClass);
      } catch (Throwable e) {
        arena.close();
        throw e;
      }
    }
    usedBytes += size;
    buffer.lent = true;
    buffer.previous = null;
    buffer.next = lent;
    if (lent != null) {
      lent.previous = buffer;
    }
    lent = buffer;
    return buffer;
  }

  /**
   * Takes a buffer back. After {@link #close()} that is without effect.
   *
   * @throws IllegalArgumentException if it belongs to another pool
   * @throws IllegalStateException if it was given back already
   */
  public void give(PooledBuffer buffer) {
    if (buffer.owner != this) {
      throw new IllegalArgumentException("the buffer belongs to another pool");
    }
    if (closed) {
      return;
    }
    if (!buffer.lent) {
      throw new IllegalStateException("the buffer was given back already");
    }
    buffer.lent = false;
    if (buffer.previous == null) {
      lent = buffer.next;
    } else {
      buffer.previous.next = buffer.next;
    }
    if (buffer.next != null) {
      buffer.next.previous = buffer.previous;
    }
    usedBytes -= buffer.capacity();
    retainedBytes += buffer.capacity();
    buffer.previous = null;
    buffer.next = retained[buffer.sizeClass];
    retained[buffer.sizeClass] = buffer;
  }

  /** Frees retained buffers, largest first, until they hold no more than so many bytes. */
  private void evictUntilRetained(long bytes) {
    for (int c = retained.length - 1; c >= 0 && retainedBytes > bytes; c--) {
      PooledBuffer buffer = retained[c];
      while (buffer != null && retainedBytes > bytes) {
        retainedBytes -= buffer.capacity();
        buffer.arena.close();
        buffer = buffer.next;
      }
      retained[c] = buffer;
    }
  }

  /** Frees all retained memory; what is lent stays. */
  public void trim() {
    evictUntilRetained(0);
  }

  /** What is lent, in bytes. */
  public long usedBytes() {
    return usedBytes;
  }

  /** What was given back and is kept for reuse, in bytes. */
  public long retainedBytes() {
    return retainedBytes;
  }

  /** The bound on both together. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /**
   * Frees everything at once, lent buffers too: touching one then throws {@link
   * IllegalStateException}. A second call does nothing.
   *
   * @throws IllegalStateException if a native call of another thread still uses a buffer; all
   *     others have been freed
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    evictUntilRetained(0);
    IllegalStateException inUse = null;
    for (PooledBuffer buffer = lent; buffer != null; buffer = buffer.next) {
      try {
        buffer.arena.close();
      } catch (IllegalStateException e) {
        inUse = e;
      }
    }
    lent = null;
    usedBytes = 0;
    if (inUse != null) {
      throw inUse;
    }
  }

  private static int classOf(long length) {
    long blocks = (Math.max(length, 1) + MIN_BUFFER_BYTES - 1) / MIN_BUFFER_BYTES;
    return Long.SIZE - Long.numberOfLeadingZeros(blocks - 1);
  }

  private static long sizeOf(int sizeClass) {
    return MIN_BUFFER_BYTES << sizeClass;
  }
}
