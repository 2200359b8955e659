// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
 * <p>Neither taking new memory nor freeing some ever blocks ({@link PoolMemory}): a buffer that has
 * no memory yet is refused and asked for again ({@link #isFreeing()}). Memory that is used again
 * holds bytes of earlier messages.
 *
 * <p>One thread, the engine's, but for {@link #tryKeep} and what {@link Kept} says. Allocates only
 * when a class runs dry.
 */
public final class BufferPool implements AutoCloseable {
  /** The smallest buffer. */
  public static final long MIN_BUFFER_BYTES = 64 * 1024;

  /** Memory of the pool, lent to whoever took it until it is given back. */
  public static final class PooledBuffer {
    private final BufferPool owner;
    private final PoolMemory.Piece piece;
    private final MemorySegment segment;
    private final int sizeClass;
    private boolean lent;
    private @Nullable PooledBuffer previous;
    private @Nullable PooledBuffer next;

    private PooledBuffer(BufferPool owner, PoolMemory.Piece piece, int sizeClass) {
      this.owner = owner;
      this.piece = piece;
      this.segment = piece.segment();
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

  /**
   * A buffer that the application keeps after its message was consumed. It goes back once the
   * message was taken out of its queue and the application has released it, in either order.
   */
  public static final class Kept {
    private final PooledBuffer buffer;
    private final AtomicBoolean released = new AtomicBoolean();
    private @Nullable Kept nextReleased; // before it is on the stack
    private boolean isOut; // the engine's
    private boolean isBack;

    private Kept(PooledBuffer buffer) {
      this.buffer = buffer;
    }

    /** Any thread: the application needs it no more; false if it said so before. */
    public boolean release() {
      if (!released.compareAndSet(false, true)) {
        return false;
      }
      Kept first;
      do {
        first = buffer.owner.released.get();
        nextReleased = first;
      } while (!buffer.owner.released.compareAndSet(first, this));
      return true;
    }

    /** Any thread: whether it is released. */
    public boolean isReleased() {
      return released.get();
    }

    /**
     * The thread that kept it: the message is to be delivered again, and is not kept; false if the
     * application has released it already.
     */
    public boolean cancel() {
      if (!released.compareAndSet(false, true)) {
        return false;
      }
      long unused = buffer.owner.keptBytes.addAndGet(-buffer.capacity());
      return true;
    }

    /** The engine: the message is out of its queue. */
    public void out() {
      isOut = true;
      giveBack();
    }

    private void giveBack() {
      if (isOut && isBack) {
        long unused = buffer.owner.keptBytes.addAndGet(-buffer.capacity());
        buffer.owner.give(buffer);
      }
    }
  }

  /** The part of the capacity that applications may keep. */
  private static final int KEPT_SHARE = 2;

  private final AtomicLong keptBytes = new AtomicLong();

  /** A stack of those that were released and not taken back yet. */
  private final AtomicReference<@Nullable Kept> released = new AtomicReference<>();

  private final PoolMemory memory;
  private final long capacityBytes;
  private final long maxBufferBytes;
  // Retained buffers, one stack per class, and all lent ones; linked through the buffers
  // themselves.
  private final @Nullable PooledBuffer[] retained;
  private @Nullable PooledBuffer lent;

  /** One whose memory goes back to the system, a part at a time. */
  private @Nullable PooledBuffer freeing;

  private long usedBytes;

  /** What is being freed included: it is not back yet. */
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
   * The same with memory from elsewhere.
   *
   * @param memory is the pool's from now on, and closed with it
   */
  public BufferPool(long capacityBytes, PoolMemory memory) {
    this(capacityBytes, Long.highestOneBit(Math.max(capacityBytes, 1)), memory);
  }

  /**
   * @param capacityBytes the bound on all memory together, 0 (no buffers at all) to 2^46
   * @param maxBufferBytes longer ones are never lent; rounded up to a size class
   */
  public BufferPool(long capacityBytes, long maxBufferBytes) {
    this(capacityBytes, maxBufferBytes, new ArenaMemory());
  }

  private BufferPool(long capacityBytes, long maxBufferBytes, PoolMemory memory) {
    if (capacityBytes < 0 || capacityBytes > 1L << 46) {
      throw new IllegalArgumentException("capacityBytes must be from 0 to 2^46: " + capacityBytes);
    }
    if (maxBufferBytes <= 0 || maxBufferBytes > 1L << 46) {
      throw new IllegalArgumentException(
          "maxBufferBytes must be from 1 to 2^46: " + maxBufferBytes);
    }
    this.memory = memory;
    this.capacityBytes = capacityBytes;
    int classes = classOf(maxBufferBytes) + 1;
    this.maxBufferBytes = sizeOf(classes - 1);
    this.retained = new PooledBuffer[classes];
  }

  /**
   * Whether the bound permits a buffer of this length, from 0; {@link #take} may have to be asked
   * again until there is memory for it.
   */
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
   *     closed; also, though {@link #canTake} holds, while there is no memory for it: to be asked
   *     again in another duty cycle
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
      if (usedBytes + retainedBytes + size > capacityBytes) {
        return null; // what is being freed is not back yet
      }
      PoolMemory.Piece piece = memory.take(size);
      if (piece == null) {
        return null;
      }
      buffer = new PooledBuffer(this, piece, sizeClass);
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

  /**
   * Keeps a lent buffer for the application. Any thread.
   *
   * @return null if that would exceed half of the capacity, so that the largest message of the rest
   *     always comes to its turn (R31)
   */
  public @Nullable Kept tryKeep(PooledBuffer buffer) {
    long bytes = buffer.capacity();
    long before;
    do {
      before = keptBytes.get();
      if (before + bytes > capacityBytes / KEPT_SHARE) {
        return null;
      }
    } while (!keptBytes.compareAndSet(before, before + bytes));
    return new Kept(buffer);
  }

  /** Takes back what the application has released; whether there was any. In each duty cycle. */
  public boolean takeReleased() {
    if (released.get() == null) {
      return false;
    }
    for (Kept kept = released.getAndSet(null); kept != null; kept = kept.nextReleased) {
      kept.isBack = true;
      kept.giveBack();
    }
    return true;
  }

  /** What applications keep, in bytes; any thread. */
  public long keptBytes() {
    return keptBytes.get();
  }

  /**
   * Frees retained buffers, largest first, until they hold no more than so many bytes, or as many
   * of them as do not take long; the next call goes on.
   */
  private void evictUntilRetained(long bytes) {
    boolean goesOn = true;
    while (goesOn && retainedBytes > bytes) {
      if (freeing == null) {
        freeing = takeLargest();
      }
      goesOn = freeing != null && freeOne(freeing);
    }
  }

  private @Nullable PooledBuffer takeLargest() {
    for (int c = retained.length - 1; c >= 0; c--) {
      PooledBuffer buffer = retained[c];
      if (buffer != null) {
        retained[c] = buffer.next;
        buffer.next = null;
        return buffer;
      }
    }
    return null;
  }

  private boolean freeOne(PooledBuffer buffer) {
    if (!memory.free(buffer.piece)) {
      return false;
    }
    retainedBytes -= buffer.capacity();
    freeing = null;
    return true;
  }

  /** Whether memory is on its way back to the system; whoever asks for a buffer moves it on. */
  public boolean isFreeing() {
    return freeing != null;
  }

  /** What is lent, in bytes. */
  public long usedBytes() {
    return usedBytes;
  }

  /** What was given back and is kept for reuse, or not back at the system yet, in bytes. */
  public long retainedBytes() {
    return retainedBytes;
  }

  /** The bound on both together. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /** Frees everything, lent buffers too ({@link PoolMemory#close}). A second call does nothing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    lent = null;
    freeing = null;
    Arrays.fill(retained, null);
    usedBytes = 0;
    retainedBytes = 0;
    memory.close();
  }

  private static int classOf(long length) {
    long blocks = (Math.max(length, 1) + MIN_BUFFER_BYTES - 1) / MIN_BUFFER_BYTES;
    return Long.SIZE - Long.numberOfLeadingZeros(blocks - 1);
  }

  private static long sizeOf(int sizeClass) {
    return MIN_BUFFER_BYTES << sizeClass;
  }
}
