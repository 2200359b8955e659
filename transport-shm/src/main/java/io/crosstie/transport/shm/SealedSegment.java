// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.MemoryAbi;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Memory without a name (memfd), sealed so that it can never become shorter, handed to the peer as
 * a descriptor. So nothing that the peer does to it can make a touch of the mapping fault, nothing
 * is left in any folder by a process that dies, and the room of /dev/shm, which containers have
 * little of, is not needed.
 */
final class SealedSegment extends Segment {
  private static final int SEALS =
      MemoryAbi.F_SEAL_SHRINK | MemoryAbi.F_SEAL_GROW | MemoryAbi.F_SEAL_SEAL;
  private static final int FLAGS = MemoryAbi.MFD_CLOEXEC | MemoryAbi.MFD_ALLOW_SEALING;

  private final Libc libc;
  private final String name;
  private int descriptor;

  private SealedSegment(
      Libc libc,
      String name,
      int descriptor,
      Arena arena,
      MemorySegment memory,
      long ringBytes,
      long generation) {
    super(arena, memory, ringBytes, generation);
    this.libc = libc;
    this.name = name;
    this.descriptor = descriptor;
  }

  /**
   * Makes it, with all of its pages reserved.
   *
   * @param port whose name people see who look at /proc
   * @param name of the segment
   * @throws IOException if the system has no such memory, or no room; nothing is left behind
   */
  static SealedSegment create(Libc libc, Path port, String name, long ringBytes, long generation)
      throws IOException {
    long total = SegmentLayout.totalBytes(ringBytes);
    int fd = memfd(libc, port.getFileName() + "-" + name);
    Arena arena = Arena.ofShared();
    try {
      check("fallocate", libc.fallocate(fd, total));
      check("fcntl(F_ADD_SEALS)", libc.fcntl(fd, MemoryAbi.F_ADD_SEALS, SEALS));
      MemorySegment memory = map(libc, fd, total, arena);
      writeHeader(memory, ringBytes, generation);
      return new SealedSegment(libc, name, fd, arena, memory, ringBytes, generation);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      int unused = libc.close(fd);
      throw e;
    }
  }

  private static int memfd(Libc libc, String name) throws IOException {
    try (Arena temporary = Arena.ofConfined()) {
      MemorySegment text = temporary.allocateFrom(name);
      int fd = libc.memfdCreate(text, FLAGS | MemoryAbi.MFD_NOEXEC_SEAL);
      if (fd == -Errno.EINVAL) {
        fd = libc.memfdCreate(text, FLAGS);
      }
      check("memfd_create", fd);
      return fd;
    }
  }

  /**
   * Maps what a peer handed over, after looking at everything about it (R25). The descriptor stays
   * the caller's.
   *
   * @throws IOException saying what is wrong with it
   */
  static SealedSegment open(Libc libc, String name, int fd, long ringBytes, long generation)
      throws IOException {
    if (!SegmentLayout.validRingBytes(ringBytes)) {
      throw new IOException("the ring has " + ringBytes + " bytes");
    }
    int seals = libc.fcntl(fd, MemoryAbi.F_GET_SEALS, 0);
    if (seals < 0 || (seals & MemoryAbi.F_SEAL_SHRINK) == 0) {
      throw new IOException("what was handed over is no memory that is sealed against truncation");
    }
    long total = SegmentLayout.totalBytes(ringBytes); // checked behind the seal, so it stays
    long bytes = libc.fileBytes(fd);
    if (bytes < total) {
      throw new IOException("it has " + bytes + " bytes and not " + total);
    }
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = map(libc, fd, total, arena);
      checkHeader(memory, ringBytes, generation);
      return new SealedSegment(libc, name, -1, arena, memory, ringBytes, generation);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private static MemorySegment map(Libc libc, int fd, long total, Arena arena) throws IOException {
    long address =
        libc.mmap(
            total,
            MemoryAbi.PROT_READ | MemoryAbi.PROT_WRITE,
            MemoryAbi.MAP_SHARED | MemoryAbi.MAP_POPULATE,
            fd);
    check("mmap", address);
    return libc.mapped(address, total, arena);
  }

  private static void check(String call, long result) throws IOException {
    if (result < 0) {
      throw new IOException(call + ": " + Errno.describe((int) -result));
    }
  }

  @Override
  String fileName() {
    return name;
  }

  @Override
  int descriptor() {
    return descriptor;
  }

  @Override
  boolean sealed() {
    return true;
  }

  @Override
  boolean truncated() {
    return false;
  }

  @Override
  void mappedByBoth() {
    if (descriptor >= 0) {
      int unused = libc.close(descriptor);
      descriptor = -1;
    }
  }
}
