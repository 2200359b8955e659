// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Does to this process's descriptors what no decent code does. */
final class Descriptors {
  private static final MethodHandle DUP2 =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("dup2"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  private Descriptors() {}

  /** The descriptor of the only UDP socket that this process bound to the port. */
  static int ofUdpPort(int port) throws IOException {
    List<Integer> found = allOfUdpPort(port);
    assertEquals(1, found.size(), "descriptors of port " + port);
    return found.getFirst();
  }

  /** The descriptors of the UDP sockets that this process bound to the port. */
  static List<Integer> allOfUdpPort(int port) throws IOException {
    List<Integer> found = new ArrayList<>();
    for (String table : new String[] {"/proc/self/net/udp", "/proc/self/net/udp6"}) {
      if (!Files.exists(Path.of(table))) {
        continue;
      }
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] fields = line.strip().split("\\s+", -1);
        if (fields.length > 9 && fields[1].endsWith(String.format(":%04X", port))) {
          found.addAll(withLink("socket:[" + fields[9] + "]"));
        }
      }
    }
    return found;
  }

  private static List<Integer> withLink(String target) throws IOException {
    List<Integer> found = new ArrayList<>();
    try (DirectoryStream<Path> fds = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path fd : fds) {
        if (Files.isSymbolicLink(fd) && target.equals(linkOf(fd))) {
          found.add(Integer.valueOf(fd.getFileName().toString()));
        }
      }
    }
    return found;
  }

  private static String linkOf(Path fd) {
    try {
      return Files.readSymbolicLink(fd).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** Whether the number is in use. */
  static boolean isOpen(int fd) {
    return Files.exists(Path.of("/proc/self/fd/" + fd), java.nio.file.LinkOption.NOFOLLOW_LINKS);
  }

  /** dup2(2). */
  static void dup2(int from, int to) {
    try {
      int result = (int) DUP2.invokeExact(from, to);
      assertTrue(result >= 0, "dup2");
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
