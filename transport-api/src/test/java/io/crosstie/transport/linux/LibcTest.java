// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.Pollers;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibcTest {
  @TempDir private Path directory;

  private static Libc libc() {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    return new Libc();
  }

  @Test
  void isUsableOnLinux() {
    Facility.require(System.getProperty("os.name").equals("Linux"), "Linux");
    assertNull(Libc.whyUnavailable());
  }

  @Test
  void errorsAreNegativeErrno() {
    Libc libc = libc();
    assertEquals(-Errno.EBADF, libc.close(1_000_000));
    assertEquals(-Errno.EBADF, libc.read(1_000_000, MemorySegment.NULL, 0));
    assertEquals(-Errno.EAFNOSUPPORT, libc.socket(-1, SocketAbi.SOCK_DGRAM, 0));
  }

  @Test
  void aUnixSocketCarriesBytes() {
    Libc libc = libc();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = UnixAddress.path(arena, directory.resolve("door").toString());
      int listener = nonNegative(libc.socket(SocketAbi.AF_UNIX, SocketAbi.SOCK_STREAM, 0));
      assertEquals(0, libc.bind(listener, address));
      assertEquals(0, libc.listen(listener, 4));
      int client = nonNegative(libc.socket(SocketAbi.AF_UNIX, SocketAbi.SOCK_STREAM, 0));
      assertEquals(0, libc.connect(client, address));
      int server = nonNegative(libc.accept(listener, SocketAbi.SOCK_NONBLOCK));
      MemorySegment memory = arena.allocate(8, 8);
      assertEquals(-Errno.EAGAIN, libc.read(server, memory, 8));
      memory.set(JAVA_LONG, 0, 42);
      assertEquals(8, libc.write(client, memory, 8));
      memory.set(JAVA_LONG, 0, 0);
      assertEquals(8, libc.read(server, memory, 8));
      assertEquals(42, memory.get(JAVA_LONG, 0));
      assertEquals(0, libc.close(client));
      assertEquals(0, libc.read(server, memory, 8));
      assertEquals(0, libc.close(server));
      assertEquals(0, libc.close(listener));
      assertEquals(-Errno.EADDRINUSE, bindAgain(libc, address));
    }
  }

  @Test
  void anErrorThatASocketHasToTellIsTakenOnce() throws Exception {
    Libc libc = libc();
    assertEquals(-1, libc.tryTakeError(1_000_000));
    int fd = nonNegative(libc.socket(SocketAbi.AF_INET, SocketAbi.SOCK_DGRAM, 0));
    try (Arena arena = Arena.ofConfined();
        DatagramSocket gone = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      MemorySegment address = arena.allocate(16, 4);
      address.set(JAVA_SHORT, 0, (short) SocketAbi.AF_INET);
      address.set(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) gone.getLocalPort());
      MemorySegment.copy(MemorySegment.ofArray(new byte[] {127, 0, 0, 1}), 0, address, 4, 4);
      assertEquals(0, libc.connect(fd, address));
      gone.close();
      assertEquals(0, libc.tryTakeError(fd));
      assertEquals(8, libc.write(fd, address, 8));
      int error = 0;
      long endNs = System.nanoTime() + 60_000_000_000L;
      while (error == 0 && System.nanoTime() < endNs) { // the kernel may answer a little later
        error = libc.tryTakeError(fd);
        Thread.onSpinWait();
      }
      assertEquals(Errno.ECONNREFUSED, error);
      assertEquals(0, libc.tryTakeError(fd));
    } finally {
      assertEquals(0, libc.close(fd));
    }
  }

  private static int bindAgain(Libc libc, MemorySegment address) {
    int fd = nonNegative(libc.socket(SocketAbi.AF_UNIX, SocketAbi.SOCK_STREAM, 0));
    int result = libc.bind(fd, address);
    assertEquals(0, libc.close(fd));
    return result;
  }

  private static int nonNegative(int result) {
    assertTrue(result >= 0, () -> Errno.describe(-result));
    return result;
  }

  @Test
  void unixAddressesHaveTheirLimits() {
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(2 + 107 + 1, UnixAddress.path(arena, "x".repeat(107)).byteSize());
      assertThrows(IllegalArgumentException.class, () -> UnixAddress.path(arena, "x".repeat(108)));
      assertThrows(IllegalArgumentException.class, () -> UnixAddress.path(arena, ""));
      assertThrows(IllegalArgumentException.class, () -> UnixAddress.path(arena, "a\0b"));
    }
  }

  @Test
  void errnoHasNames() {
    assertEquals("EADDRINUSE", Errno.name(98));
    assertEquals("EADDRINUSE (address already in use)", Errno.describe(98));
    assertEquals("errno 4711", Errno.name(4711));
  }

  /** In a JVM of its own, since native access cannot be taken back. */
  @Test
  void deniedNativeAccessNamesTheFlag() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--illegal-native-access=deny",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path").replace("\n", File.pathSeparator),
                PrintWhyUnavailable.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.contains("--enable-native-access=ALL-UNNAMED"), output);
    assertTrue(output.contains("NioPoller"), output);
  }

  /** The other process of {@link #deniedNativeAccessNamesTheFlag}. */
  static final class PrintWhyUnavailable {
    private PrintWhyUnavailable() {}

    public static void main(String[] args) throws Exception {
      System.out.println(Libc.whyUnavailable());
      System.out.println(Pollers.create().getClass().getSimpleName());
    }
  }
}
