// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.benchmarks.process;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes UDP sockets of this process deaf, as a network does that swallows everything: the kernel
 * throws away what arrives, and nobody is told. The library takes no part in it.
 */
public final class BlackHole {
  private static final int ENOENT = 2; // there was no filter to take away
  private static final int SO_TYPE = 3;
  private static final int SO_ATTACH_FILTER = 26;
  private static final int SO_DETACH_FILTER = 27;
  private static final int SOCKADDR_UN_BYTES = 110;

  private BlackHole() {}

  /**
   * Cuts off, or gives back, every UDP socket of this process that is bound to the port.
   *
   * @return how many there are
   * @throws IOException if the kernel refuses
   */
  public static int set(int port, boolean deaf) throws IOException {
    Libc libc = new Libc();
    int count = 0;
    try (Arena arena = Arena.ofConfined();
        DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      MemorySegment address = arena.allocate(SOCKADDR_UN_BYTES, 8);
      for (Path entry : entries) {
        int fd = Integer.parseInt(String.valueOf(entry.getFileName()));
        if (libc.getOption(fd, SocketAbi.SOL_SOCKET, SO_TYPE) == SocketAbi.SOCK_DGRAM
            && libc.getsockname(fd, address) >= 0
            && port(address) == port) {
          check(deaf ? attach(libc, arena, fd) : detach(libc, fd), "set the filter of " + fd);
          count++;
        }
      }
    }
    return count;
  }

  private static int port(MemorySegment address) {
    int family = address.get(ValueLayout.JAVA_SHORT, 0);
    return family == SocketAbi.AF_INET || family == SocketAbi.AF_INET6
        ? address.get(ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2) & 0xFFFF
        : -1;
  }

  /** The classic BPF program "return 0": no byte of any packet is kept. */
  private static int attach(Libc libc, Arena arena, int fd) {
    MemorySegment instruction = arena.allocate(8, 8);
    instruction.set(ValueLayout.JAVA_SHORT, 0, (short) 6);
    MemorySegment program = arena.allocate(16, 8);
    program.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
    program.set(ValueLayout.ADDRESS, 8, instruction);
    return libc.setOption(fd, SocketAbi.SOL_SOCKET, SO_ATTACH_FILTER, program, 16);
  }

  private static int detach(Libc libc, int fd) {
    return libc.setOption(fd, SocketAbi.SOL_SOCKET, SO_DETACH_FILTER, 0);
  }

  private static void check(int result, String what) throws IOException {
    if (result < 0 && result != -ENOENT) {
      throw new IOException("cannot " + what + ": errno " + -result);
    }
  }
}
