// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

import io.crosstie.checksum.MemoryWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The native memory of a node for small messages that were received: chunks of two sizes, which go
 * round between its channels. A chunk that was given back is kept and taken again first, so that
 * the steady state allocates nothing, and what the pool has is never more than what was in use at
 * one time; what was of no use for a while is left to the collector ({@link #giveUnused}). Who
 * takes a chunk has charged it before.
 *
 * <p>The engine's thread; {@link #chunks} any thread that was told of the chunk. The collector
 * frees the memory once the node and all that may still read from it are gone.
 */
public final class ChunkPool {
  /** Holds any message up to the eager limit, and the messages of any one packet. */
  public static final int CHUNK_BYTES = 64 << 10;

  /** The first chunk of a channel that gets a short message. */
  public static final int SMALL_BYTES = 4 << 10;

  /** Memory in which messages lie one behind the other, each at a multiple of 8 bytes. */
  public static final class Chunk {
    public final int id;
    public final int size;
    public final MemorySegment memory;
    public final MemorySegment readOnly;
    public final MemoryWords words;

    /** Stretches in it that were not given back. */
    private int live;

    /** How far it is filled. */
    private int filled;

    private @Nullable Chunk nextFree;

    private Chunk(int id, int size) {
      this.id = id;
      this.size = size;
      this.memory = Arena.ofAuto().allocate(size, 64);
      this.readOnly = memory.asReadOnly();
      this.words = MemoryWords.of(memory);
    }

    /** Whether each stretch in it was given back. */
    public boolean isEmpty() {
      return live == 0;
    }

    /**
     * Claims a stretch behind the last one.
     *
     * @return its offset, or -1 if there is no room
     */
    public int claim(int bytes) {
      int at = filled;
      if (at + bytes > size) {
        return -1;
      }
      filled = at + bytes;
      live++;
      return at;
    }

    /** The stretch that was claimed last, at that offset, is to be claimed again; release it. */
    public void takeBack(int at) {
      filled = at;
    }

    /** Gives a stretch back; whether it was the last one. */
    public boolean release() {
      return --live <= 0;
    }

    /** An empty one is filled from its beginning again. */
    public void restart() {
      filled = 0;
    }
  }

  private static final int SCRATCH_BYTES = 256 << 10;

  /** Ids have 20 bits. */
  private static final int MOST_CHUNKS = 1 << 20;

  /** So much is kept though nobody needs it. */
  private static final long SPARE_BYTES = 256 << 10;

  private MemorySegment scratch = MemorySegment.NULL;
  private volatile @Nullable Chunk[] chunks = new Chunk[16];

  /** Ids from there on were never given. */
  private int count;

  /** Ids below, without a chunk: so many, none of them before the other. */
  private int gaps;

  private int firstGap;

  private @Nullable Chunk free;
  private @Nullable Chunk freeSmall;
  private final long mostSmallBytes;
  private long smallBytes;
  private long lentBytes;
  private long allocatedBytes;

  /** The least that was not lent at any time since {@link #giveUnused}. */
  private long leastFreeBytes;

  /**
   * An empty one.
   *
   * @param boundBytes what is lent at most; short chunks take an eighth of that at most, so that
   *     what is kept of one size never adds more than that to the other
   */
  public ChunkPool(long boundBytes) {
    this.mostSmallBytes = boundBytes / 8;
  }

  /** The size of the chunk that {@link #take} would lend. */
  public int sizeOf(boolean small) {
    boolean has = small && (freeSmall != null || smallBytes + SMALL_BYTES <= mostSmallBytes);
    return has ? SMALL_BYTES : CHUNK_BYTES;
  }

  /**
   * Lends an empty chunk.
   *
   * @param size as {@link #sizeOf} said
   * @return null if the system has no memory for another one
   */
  public @Nullable Chunk take(int size) {
    boolean small = size == SMALL_BYTES;
    Chunk chunk = small ? freeSmall : free;
    if (chunk == null) {
      chunk = allocate(size);
      if (chunk == null) {
        return null;
      }
    } else if (small) {
      freeSmall = chunk.nextFree;
    } else {
      free = chunk.nextFree;
    }
    chunk.nextFree = null;
    chunk.filled = 0;
    lentBytes += chunk.size;
    leastFreeBytes = Math.min(leastFreeBytes, allocatedBytes - lentBytes);
    return chunk;
  }

  private @Nullable Chunk allocate(int size) {
    try {
      @Nullable Chunk[] table = chunks;
      int id = gaps > 0 ? firstGap : count;
      while (gaps > 0 && table[id] != null) {
        id++;
      }
      if (id == MOST_CHUNKS) {
        return null;
      }
      if (id == table.length) {
        table = Arrays.copyOf(table, 2 * id);
      }
      Chunk chunk = new Chunk(id, size);
      table[id] = chunk;
      chunks = table; // what was written before is seen by whoever reads it
      if (gaps > 0) {
        gaps--;
        firstGap = id + 1;
      } else {
        count++;
      }
      allocatedBytes += size;
      smallBytes += size == SMALL_BYTES ? size : 0;
      return chunk;
    } catch (OutOfMemoryError e) {
      return null; // a refusal: the sender will try again
    }
  }

  /** Takes an empty chunk back. */
  public void give(Chunk chunk) {
    lentBytes -= chunk.size;
    if (chunk.size == SMALL_BYTES) {
      chunk.nextFree = freeSmall;
      freeSmall = chunk;
    } else {
      chunk.nextFree = free;
      free = chunk;
    }
  }

  /**
   * Leaves to the collector what nobody has needed since this was called last, but for a little.
   *
   * @return whether more is kept than that: to be called again a while later
   */
  public boolean giveUnused() {
    long unused = leastFreeBytes - SPARE_BYTES;
    while (unused > 0 && free != null) {
      Chunk chunk = free;
      free = chunk.nextFree;
      unused -= drop(chunk);
    }
    while (unused > 0 && freeSmall != null) {
      Chunk chunk = freeSmall;
      freeSmall = chunk.nextFree;
      smallBytes -= chunk.size;
      unused -= drop(chunk);
    }
    leastFreeBytes = allocatedBytes - lentBytes;
    return hasSpare();
  }

  /** Whether more is free than what is kept in any case. */
  public boolean hasSpare() {
    return allocatedBytes - lentBytes > SPARE_BYTES;
  }

  private long drop(Chunk chunk) {
    chunk.nextFree = null;
    chunks[chunk.id] = null;
    firstGap = gaps == 0 ? chunk.id : Math.min(firstGap, chunk.id);
    gaps++;
    allocatedBytes -= chunk.size;
    return chunk.size;
  }

  /**
   * Memory in which something is judged before it goes to its place, until the next call.
   *
   * @return null if it is longer than any part of a message, or there is no memory
   */
  public @Nullable MemorySegment scratch(int length) {
    if (scratch.byteSize() >= length) {
      return scratch;
    }
    if (length > SCRATCH_BYTES) {
      return null;
    }
    try {
      scratch = Arena.ofAuto().allocate(length > CHUNK_BYTES ? SCRATCH_BYTES : CHUNK_BYTES, 64);
      return scratch;
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** All chunks by their ids, those among them that the caller was told of. */
  @SuppressWarnings("NullAway") // those that are asked for are there
  public Chunk[] chunks() {
    return chunks;
  }

  /** What is lent, in bytes. */
  public long lentBytes() {
    return lentBytes;
  }

  /** What it has, in bytes: lent or kept. */
  public long allocatedBytes() {
    return allocatedBytes;
  }
}
