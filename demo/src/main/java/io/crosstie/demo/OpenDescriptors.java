// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** This process's descriptors and mappings, as anybody can see them who looks at it. */
final class OpenDescriptors {
  private static final Path FOLDER = Path.of("/dev/fd");
  private static final Path MAPS = Path.of("/proc/self/maps");

  private OpenDescriptors() {}

  /** UDP sockets bound to the address, or to its port on every address. */
  static List<Integer> udpSockets(InetSocketAddress address) throws IOException {
    return select(
        fd ->
            Posix.localAddress(fd) instanceof InetSocketAddress local
                && local.getPort() == address.getPort()
                && (local.getAddress().isAnyLocalAddress()
                    || local.getAddress().equals(address.getAddress()))
                && Posix.isDatagramSocket(fd));
  }

  /**
   * Unix-domain sockets with a name in the folder, or connected to such a one.
   *
   * @param listeners whether to include those that wait for connections
   */
  static List<Integer> unixSockets(Path folder, boolean listeners) throws IOException {
    return select(
        fd ->
            (isIn(folder, Posix.localAddress(fd)) || isIn(folder, Posix.remoteAddress(fd)))
                && (listeners || Posix.remoteAddress(fd) != null));
  }

  private static boolean isIn(Path folder, @Nullable SocketAddress address) {
    return address instanceof UnixDomainSocketAddress unix && unix.getPath().startsWith(folder);
  }

  private static List<Integer> select(IntPredicate wanted) throws IOException {
    List<Integer> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(FOLDER)) {
      for (Path entry : entries) {
        int fd = Integer.parseInt(String.valueOf(entry.getFileName()));
        if (fd > 2 && wanted.test(fd)) {
          found.add(fd);
        }
      }
    }
    return found;
  }

  /** A stretch of memory that is a file. */
  record Mapping(long address, long length) {}

  /**
   * Shared mappings of files in the folder, also of files that have lost their names, and of memory
   * that is called after an entry of the folder. Linux.
   */
  static List<Mapping> mappings(Path folder) throws IOException {
    List<String> prefixes = new ArrayList<>();
    prefixes.add(folder + "/");
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      entries.forEach(entry -> prefixes.add("/memfd:" + entry.getFileName()));
    }
    List<Mapping> found = new ArrayList<>();
    for (String line : Files.readAllLines(MAPS)) {
      // 7f00-7f10 rw-s 00000000 00:16 12345   /dev/shm/…/name (deleted)
      String[] fields = line.split(" +", 6);
      if (fields.length == 6
          && fields[1].endsWith("s")
          && prefixes.stream().anyMatch(fields[5]::startsWith)) {
        int dash = fields[0].indexOf('-');
        long from = Long.parseUnsignedLong(fields[0], 0, dash, 16);
        long to = Long.parseUnsignedLong(fields[0], dash + 1, fields[0].length(), 16);
        found.add(new Mapping(from, to - from));
      }
    }
    return found;
  }
}
