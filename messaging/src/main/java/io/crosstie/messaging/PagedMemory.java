// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.memory.PoolMemory;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.MemoryAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Anonymous mappings: to take gigabytes costs one system call, and the kernel clears each page when
 * a fragment is copied to it, so the time that takes is spread over the arrival of the message. To
 * give memory back, its pages are dropped, {@value #PART_BYTES} bytes at a time; the addresses are
 * kept for the next of that size. So a view that an application has kept by mistake reads zeros, or
 * other messages, but never faults; in the end it throws.
 *
 * <p>The JVM's limit on direct memory does not count it; the pool has a bound of its own.
 */
final class PagedMemory implements PoolMemory {
  /** So much goes back within one call: some hundred microseconds. */
  static final long PART_BYTES = 4L << 20;

  private static final class Mapping implements Piece {
    private final MemorySegment segment;

    /** Bytes from the beginning that are back. */
    private long freed;

    Mapping(MemorySegment segment) {
      this.segment = segment;
    }

    @Override
    public MemorySegment segment() {
      return segment;
    }
  }

  private final Libc libc = new Libc();

  /** One for all mappings: to close it stops every thread of the JVM for an instant. */
  private @Nullable Arena arena;

  /** Addresses without pages, by their number of bytes. */
  private final Map<Long, ArrayDeque<Mapping>> empty = new HashMap<>();

  @Override
  public @Nullable Piece take(long bytes) {
    ArrayDeque<Mapping> known = empty.get(bytes);
    Mapping before = known == null ? null : known.pollLast();
    if (before != null) {
      before.freed = 0;
      return before;
    }
    long address =
        libc.mmap(
            bytes,
            MemoryAbi.PROT_READ | MemoryAbi.PROT_WRITE,
            MemoryAbi.MAP_PRIVATE | MemoryAbi.MAP_ANONYMOUS | MemoryAbi.MAP_NORESERVE,
            -1);
    if (address < 0) {
      return null;
    }
    Arena all = arena;
    if (all == null) {
      all = Arena.ofShared();
      arena = all;
    }
    return new Mapping(libc.mapped(address, bytes, all));
  }

  @Override
  public boolean free(Piece piece) {
    Mapping mapping = (Mapping) piece;
    long bytes = mapping.segment.byteSize();
    long part = Math.min(PART_BYTES, bytes - mapping.freed);
    int unused = libc.madvise(mapping.segment, mapping.freed, part, MemoryAbi.MADV_DONTNEED);
    mapping.freed += part;
    if (mapping.freed < bytes) {
      return false;
    }
    empty.computeIfAbsent(bytes, size -> new ArrayDeque<>()).addLast(mapping);
    return true;
  }

  @Override
  public void close() {
    Arena all = arena;
    arena = null;
    empty.clear();
    if (all != null) {
      MemoryThread.close(all);
    }
  }
}
