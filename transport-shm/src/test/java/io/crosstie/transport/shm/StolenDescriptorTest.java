// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.OpenDescriptors;
import io.crosstie.transport.linux.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody in this process puts other files in the place of our descriptors, as a drill does. */
class StolenDescriptorTest {
  private static final Path FDS = Path.of("/proc/self/fd");

  private static MethodHandle dup2;
  private static MethodHandle open;
  private static MethodHandle socket;
  private static MethodHandle close;

  @TempDir Path base;
  private Set<Integer> before;

  @BeforeAll
  static void linux() {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    dup2 = call("dup2", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    open = call("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    socket = call("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    close = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  }

  private static MethodHandle call(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), descriptor);
  }

  @BeforeEach
  void warmUp() throws Exception {
    exchangeOnce(); // classes and selectors that keep descriptors are loaded now
    before = sockets();
  }

  private void exchangeOnce() throws Exception {
    for (String kind : new String[] {"fd", "nio"}) {
      try (End a = new End(base, "a", "size=16KiB&sockets=" + kind);
          End b = new End(base, "b", "size=16KiB&sockets=" + kind)) {
        ShmRail unused = End.connect(a, b);
      }
    }
  }

  private static Set<Integer> sockets() throws IOException {
    Set<Integer> numbers = new TreeSet<>();
    try (Stream<Path> fds = Files.list(FDS)) {
      for (Path fd : fds.toList()) {
        if (isSocket(fd)) {
          numbers.add(Integer.parseInt(fd.getFileName().toString()));
        }
      }
    }
    return numbers;
  }

  private static boolean isSocket(Path fd) {
    try {
      return Files.readSymbolicLink(fd).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // that of the list itself
    }
  }

  private Set<Integer> newSockets() throws IOException {
    Set<Integer> now = sockets();
    now.removeAll(before);
    return now;
  }

  /** Lets selectors give back what was closed: the look of b's sweep at a, for one. */
  private static void settle(End a, End b) {
    for (int i = 0; i < 20; i++) {
      a.poll();
      b.poll();
    }
  }

  /** Puts /dev/null, or a socket that is not ours, in its place. */
  private static void steal(int fd, boolean bySocket) throws Throwable {
    int other;
    try (Arena arena = Arena.ofConfined()) {
      other =
          bySocket
              ? (int) socket.invokeExact(1, 1, 0)
              : (int) open.invokeExact(arena.allocateFrom("/dev/null"), 2);
    }
    assertTrue(other >= 0);
    assertEquals(fd, (int) dup2.invokeExact(other, fd));
    assertEquals(0, (int) close.invokeExact(other));
  }

  @ParameterizedTest
  @CsvSource({"fd,false", "fd,true", "nio,false"})
  void everySocketIsStolen(String kind, boolean bySocket) throws Throwable {
    Set<Integer> stolen;
    try (End a = new End(base, "a", "size=16KiB&sockets=" + kind);
        End b = new End(base, "b", "size=16KiB&sockets=" + kind)) {
      ShmRail rail = End.connect(a, b);
      End.send(rail, new byte[1]);
      End.until("arrived", () -> b.received == 1, b);
      settle(a, b);
      stolen = newSockets();
      assertEquals(4, stolen.size());
      for (int fd : stolen) {
        steal(fd, bySocket);
      }
      a.nowNs += ShmPort.SLOW_NS;
      b.nowNs += ShmPort.SLOW_NS;
      End.until("noticed", () -> a.closedEvent(null) && b.closedEvent(null), a, b);
      assertTrue(a.closedEvent(rail));
      assertTrue(b.closedEvent(b.accepted));
      assertFalse(rail.isOpen());
    }
    if (kind.equals("fd")) {
      for (int fd : stolen) { // numbers that were not ours any more were left alone
        assertEquals(0, (int) close.invokeExact(fd));
      }
    }
    exchangeOnce();
  }

  /** Only the doorbells: the ports go on and make new segments. */
  @ParameterizedTest
  @ValueSource(strings = {"fd", "nio"})
  void doorbellsAreStolen(String kind) throws Throwable {
    try (End a = new End(base, "a", "size=16KiB&sockets=" + kind);
        End b = new End(base, "b", "size=16KiB&sockets=" + kind)) {
      settle(a, b);
      Set<Integer> listeners = newSockets();
      ShmRail rail = End.connect(a, b);
      settle(a, b);
      Set<Integer> stolen = newSockets();
      stolen.removeAll(listeners);
      assertEquals(2, stolen.size());
      End.send(rail, new byte[1]); // still handed up
      for (int fd : stolen) {
        steal(fd, false);
      }
      a.nowNs += ShmPort.SLOW_NS;
      b.nowNs += ShmPort.SLOW_NS;
      End.until("noticed", () -> a.closedEvent(rail), a, b);
      End.until("arrived", () -> b.received == 1 && b.closedEvent(b.accepted), a, b);
      assertFalse(a.closedEvent(null) || b.closedEvent(null));
      ShmRail next = End.connect(a, b);
      End.send(next, new byte[1]);
      End.until("arrived", () -> b.received == 2, b);
    }
  }

  @Test
  void descriptorsReturnToTheirNumber() throws Exception {
    exchangeOnce(); // whatever is made once
    Set<String> before = OpenDescriptors.now();
    for (int i = 0; i < 20; i++) {
      exchangeOnce();
    }
    assertEquals(Set.of(), OpenDescriptors.since(before));
  }
}
