// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real sockets, files and mappings of this very process, cut and given back. */
final class SaboteurTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration NEVER = Duration.ofMillis(100);

  @TempDir private Path folder;

  private static RailSpec railOf(DatagramChannel channel) throws IOException {
    InetSocketAddress address = (InetSocketAddress) channel.getLocalAddress();
    return RailSpec.udp("u", address.getAddress().getHostAddress(), address.getPort(), Map.of());
  }

  private static DatagramChannel bound(int port) throws IOException {
    DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
    channel
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
        .configureBlocking(false);
    return channel;
  }

  /** What arrives within that time, or null. */
  private static @Nullable Byte receive(DatagramChannel channel, Duration within)
      throws IOException {
    try (Selector selector = Selector.open()) {
      SelectionKey unused = channel.register(selector, SelectionKey.OP_READ);
      ByteBuffer buffer = ByteBuffer.allocate(16);
      if (selector.select(within.toMillis()) == 0 || channel.receive(buffer) == null) {
        return null;
      }
      return buffer.get(0);
    }
  }

  private static void send(DatagramChannel from, DatagramChannel to, int value) throws IOException {
    int unused = from.send(ByteBuffer.wrap(new byte[] {(byte) value}), to.getLocalAddress());
  }

  @Test
  void blackHoleSwallowsAndGivesBack() throws IOException {
    Facility.LINUX.require("black holes, and mappings made private");
    try (DatagramChannel a = bound(0);
        DatagramChannel b = bound(0);
        Saboteur saboteur = new Saboteur(List.of(railOf(b)))) {
      send(a, b, 1);
      assertEquals((byte) 1, receive(b, SOON));
      assertTrue(saboteur.cut("u", CutKind.BLACK_HOLE, true).startsWith("1 socket"));
      send(a, b, 2);
      assertNull(receive(b, NEVER));
      saboteur.restore("u");
      send(a, b, 3);
      assertEquals((byte) 3, receive(b, SOON));
    }
  }

  /** A library that opens its socket anew does not escape. */
  @Test
  void blackHoleHoldsForNewSockets() throws IOException {
    Facility.LINUX.require("black holes, and mappings made private");
    try (DatagramChannel a = bound(0);
        DatagramChannel old = bound(0);
        Saboteur saboteur = new Saboteur(List.of(railOf(old)))) {
      saboteur.cut("u", CutKind.BLACK_HOLE, true);
      int port = railOf(old).port();
      old.close();
      try (DatagramChannel b = bound(port)) {
        boolean deaf = false;
        long deadline = System.nanoTime() + SOON.toNanos();
        while (!deaf && System.nanoTime() < deadline) {
          send(a, b, 4);
          deaf = receive(b, NEVER) == null;
        }
        assertTrue(deaf, "the new socket still hears");
        saboteur.restore("u");
        send(a, b, 5);
        assertEquals((byte) 5, receive(b, SOON));
      }
    }
  }

  @Test
  void closedSocketIsGoneAndItsPortTaken() throws IOException {
    Facility.POSIX.require("what is closed behind a program's back");
    try (DatagramChannel a = bound(0)) {
      DatagramChannel b = bound(0);
      RailSpec rail = railOf(b);
      try (Saboteur saboteur = new Saboteur(List.of(rail))) {
        saboteur.cut("u", CutKind.CLOSE, true);
        assertThrows(IOException.class, () -> b.send(ByteBuffer.allocate(1), a.getLocalAddress()));
        assertThrows(BindException.class, () -> bound(rail.port()).close());
        saboteur.restore("u");
        b.close();
        try (DatagramChannel again = bound(rail.port())) {
          send(a, again, 6);
          assertEquals((byte) 6, receive(again, SOON));
        }
      }
    }
  }

  @Test
  void sameRailIsNotCutTwice() throws IOException {
    try (DatagramChannel b = bound(0);
        Saboteur saboteur = new Saboteur(List.of(railOf(b)))) {
      saboteur.cut("u", CutKind.BLACK_HOLE, true);
      assertThrows(IllegalArgumentException.class, () -> saboteur.cut("u", CutKind.CLOSE, true));
      assertThrows(IllegalArgumentException.class, () -> saboteur.cut("v", CutKind.CLOSE, true));
    }
  }

  @Test
  void doorbellIsHungUpAndFilesAreGone() throws IOException {
    Facility.POSIX.require("what is closed behind a program's back");
    Path base = Files.createDirectory(folder.resolve("rail"));
    Path socket = base.resolve("s");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        Saboteur saboteur = new Saboteur(List.of(RailSpec.sharedMemory("shm", base)))) {
      server.bind(UnixDomainSocketAddress.of(socket));
      try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(socket));
          SocketChannel accepted = server.accept()) {
        assertNotNull(accepted);
        saboteur.cut("shm", CutKind.CLOSE, true);
        assertFalse(Files.exists(base));
        assertEquals(-1, accepted.read(ByteBuffer.allocate(1)));
        assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        saboteur.restore("shm");
        assertTrue(Files.exists(base));
      }
    }
  }

  @Test
  void mappingBecomesPrivate() throws IOException {
    Facility.LINUX.require("black holes, and mappings made private");
    Path base = Files.createDirectory(folder.resolve("rail"));
    Path file = base.resolve("segment");
    try (Saboteur saboteur = new Saboteur(List.of(RailSpec.sharedMemory("shm", base)));
        FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      var map = channel.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 16);
      map.put(5, (byte) 1);
      Files.delete(file); // the library unlinks its segments
      String done = saboteur.cut("shm", CutKind.BLACK_HOLE, true);
      assertTrue(done.startsWith("1 mapping"), done);
      assertEquals(1, map.get(5), "what was there is still to be read");
      map.put(5, (byte) 2);
      ByteBuffer inFile = ByteBuffer.allocate(1);
      assertEquals(1, channel.read(inFile, 5));
      assertEquals(1, inFile.get(0), "what is written does not arrive");
      saboteur.restore("shm");
      assertTrue(Files.exists(base));
    }
  }

  @Test
  void closeLiftsEveryCut() throws IOException {
    Path base = Files.createDirectory(folder.resolve("rail"));
    Saboteur saboteur = new Saboteur(List.of(RailSpec.sharedMemory("shm", base)));
    saboteur.cut("shm", CutKind.CLOSE, true);
    assertFalse(Files.exists(base));
    saboteur.close();
    assertTrue(Files.exists(base));
  }
}
