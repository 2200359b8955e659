// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import io.crosstie.checksum.Checksum;
import java.lang.foreign.MemorySegment;

/**
 * One path to one peer. It takes packets and may lose, repeat, reorder or corrupt them; it promises
 * nothing else unless its {@link RailAttributes} do.
 *
 * <p>Sending: {@link #claim} a stretch of the rail's own transmit memory, encode the packet in
 * place, {@link #commit} it (or {@link #abort}), go on with the next one, and {@link #flush} at the
 * end of the batch. One claim is open at a time.
 *
 * <p>Not thread safe; used by the thread that polls its port.
 */
public interface Rail extends PayloadWriter {
  /** {@link #claim} result: no room now; try again in a later duty cycle. */
  int WOULD_BLOCK = -1;

  /** {@link #claim} result: the rail is closed or dead and has to be replaced. */
  int CLOSED = -2;

  /** The port that this rail leaves from. */
  RailPort port();

  /** Where it leads. */
  RailAddress remoteAddress();

  /** Equal to the {@code source} of packets from the same sender on the same port. */
  long remoteKey();

  /**
   * Largest packet that this rail may be able to carry, in bytes; whether the path does is for the
   * core to probe.
   */
  int maxPacketLength();

  /**
   * Claims room for one packet in {@link #txMemory()}.
   *
   * @param length upper bound of the packet in bytes, 1 to {@link #maxPacketLength()}
   * @return offset of the packet in {@link #txMemory()}, or {@link #WOULD_BLOCK}, or {@link
   *     #CLOSED}
   */
  long claim(int length);

  /** The memory of the open claim. Writable between {@link #claim} and {@link #commit}. */
  MemorySegment txMemory();

  /**
   * Whether writing to {@link #txMemory()} may throw an InternalError, perhaps somewhat later,
   * since it is a file that another process can truncate. Such a rail is of no use afterwards.
   */
  default boolean canFault() {
    return false;
  }

  @Override
  default long put(
      Checksum checksum, long state, MemorySegment source, long offset, long at, long length) {
    return checksum.updateCopy(state, source, offset, txMemory(), at, length);
  }

  /**
   * Queues the claimed packet. It may leave at once or at {@link #flush}.
   *
   * @param length its real length in bytes, 1 to what was claimed
   */
  void commit(int length);

  /** Gives the open claim back unused. */
  void abort();

  /**
   * Pushes out what was committed, many packets per system call. What the kernel does not take now
   * is kept (bounded) and refuses further claims.
   */
  void flush();

  /**
   * A short packet is likely to be committed next, and at once: a rail in memory fetches the cache
   * line that it will lie in, for writing. Nothing else changes; may be called at any time.
   */
  default void prefetch() {}

  /**
   * For lossless rails: how many of the packets committed on this rail, counted from its beginning,
   * the peer's handler has returned from. Never decreases, never exceeds what was committed,
   * whatever the peer writes. Lossy rails return -1.
   */
  long consumed();

  /**
   * Whether {@link #pull} works: whether this process may read the memory of the peer's, as far as
   * is known now. Only rails within one host ever can.
   */
  default boolean pulls() {
    return false;
  }

  /**
   * Copies from the memory of the peer's process. Only that process is ever read, whatever the
   * address.
   *
   * @param address in the peer's process, as it gave it
   * @param destination native memory of this process
   * @param offset where the copy starts in it, in bytes
   * @param length in bytes
   * @return whether all of it came; if not, part of the destination may have been written, and
   *     {@link #pulls()} is false from now on, unless nothing but that memory cannot be read: it
   *     may be gone, as when a file was truncated that the peer's application had lent
   */
  default boolean pull(long address, MemorySegment destination, long offset, long length) {
    return false;
  }

  /**
   * Whether the rail is still of use; false once {@link LinkEvent#CLOSED} was reported or {@link
   * #close()} was called.
   */
  boolean isOpen();

  /** Closes this rail. Idempotent. Packets from its peer may still arrive at the port. */
  void close();
}
