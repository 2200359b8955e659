// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static io.crosstie.transport.shm.SegmentLayout.LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;

/**
 * Reads the memory of peers' processes by process_vm_readv(2): one copy instead of two through a
 * ring. The system permits it between processes of one user unless a security module (Yama), a
 * container's filter or another PID namespace is in the way; whether it does is found out by
 * reading a word of each peer that the peer has told of.
 *
 * <p>The process that is read is the one that the kernel names at the other end of the doorbell. So
 * whatever a peer writes, nothing but its own memory can be read. One per port; the engine's thread
 * only.
 */
final class PeerMemory {
  private final Libc libc = new Libc();
  private final MemorySegment local;
  private final MemorySegment remote;
  private final MemorySegment word;
  private final MemorySegment probe;

  /**
   * @param random draws what is at the probe
   */
  PeerMemory(RandomGenerator random) {
    Arena arena = Arena.ofAuto();
    local = arena.allocate(SocketAbi.IOVEC_BYTES, 8);
    remote = arena.allocate(SocketAbi.IOVEC_BYTES, 8);
    word = arena.allocate(8, 8);
    probe = arena.allocate(8, 8);
    probe.set(JAVA_LONG, 0, random.nextLong() | 1);
  }

  /** Writes where the peer may try to read. */
  void offerProbe(MemorySegment segment, int direction) {
    long at = SegmentLayout.probe(direction);
    segment.set(JAVA_LONG, at + SegmentLayout.PROBE_VALUE, probe.get(JAVA_LONG, 0));
    LONG.setRelease(segment, at + SegmentLayout.PROBE_ADDRESS, probe.address());
  }

  /** Whether what the peer offered can be read, and is what it said. */
  boolean canRead(MemorySegment segment, int direction, int process) {
    long at = SegmentLayout.probe(direction);
    long address = (long) LONG.getAcquire(segment, at + SegmentLayout.PROBE_ADDRESS);
    long value = segment.get(JAVA_LONG, at + SegmentLayout.PROBE_VALUE);
    return address != 0
        && process > 0
        && read(process, address, word, 0, word.byteSize())
        && word.get(JAVA_LONG, 0) == value;
  }

  /** Whether the system lets a process be read at all. */
  boolean canReadItself(int self) {
    return read(self, probe.address(), word, 0, word.byteSize())
        && word.get(JAVA_LONG, 0) == probe.get(JAVA_LONG, 0);
  }

  /** Copies; false if not all of it could be read. */
  boolean read(int process, long address, MemorySegment into, long offset, long length) {
    long done = 0;
    while (done < length) {
      local.set(JAVA_LONG, 0, into.address() + offset + done);
      local.set(JAVA_LONG, 8, length - done);
      remote.set(JAVA_LONG, 0, address + done);
      remote.set(JAVA_LONG, 8, length - done);
      long n = libc.tryProcessVmReadv(process, local, 1, remote, 1);
      if (n <= 0) {
        return false;
      }
      done += n; // the kernel copies whole pages, and may stop in between
    }
    return true;
  }
}
