// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailUri;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ports and rails from their beginning to their end, with what they leave behind: nothing. */
class LifecycleTest {
  @TempDir Path base;
  private End a;
  private End b;

  @BeforeEach
  void open() throws Exception {
    a = new End(base, "a", "size=16KiB");
    b = new End(base, "b", "size=16KiB");
  }

  @AfterEach
  void close() throws Exception {
    a.close();
    b.close();
    assertEquals(List.of(), files(base));
  }

  private static List<Path> files(Path directory) throws Exception {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  @Test
  void filesArePrivateAndSegmentsLoseTheirNames() throws Exception {
    assertEquals("rwx------", permissions(a.directory()));
    try (End c = new End(base, "c", "size=16KiB&memory=file")) {
      Rail rail = c.port.connect(b.port.localAddress());
      List<Path> offered = files(c.directory());
      assertEquals(2, offered.size());
      assertEquals("rw-------", permissions(offered.getLast() /* "s" sorts before "seg-" */));
      assertEquals(SegmentLayout.totalBytes(16 << 10), Files.size(offered.getLast()));
      assertEquals(Rail.WOULD_BLOCK, rail.claim(8));
      List<Path> before = files(b.directory());
      End.until("accepted", () -> End.claimable(rail), c, b);
      assertEquals(List.of(PortDirectory.socket(c.directory())), files(c.directory()));
      assertEquals(before, files(b.directory()));
    }
  }

  private static String permissions(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void addressesNameTheHostAndTheFolder() {
    String text = a.port.localAddress().text();
    assertTrue(text.length() <= RailAddress.MAX_LENGTH);
    assertTrue(text.contains(base.toString()), text);
    assertNull(a.port.whyUnreachable(b.port.localAddress()));
    assertNull(a.port.whyUnreachable(a.port.localAddress()));
  }

  @Test
  void aPortSharesMemoryWithItself() throws Exception {
    ShmRail rail = End.connect(a, a);
    End.send(rail, new byte[] {1});
    End.until("arrived", () -> a.received == 1, a);
    assertTrue(a.accepted != rail);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasPublishedIsHandedUpBeforeTheEnd(boolean initiatorCloses) throws Exception {
    ShmRail rail = End.connect(a, b);
    End.send(rail, new byte[1]);
    End.until("arrived", () -> b.received == 1, b);
    Rail closing = initiatorCloses ? rail : b.accepted;
    Rail other = initiatorCloses ? b.accepted : rail;
    End end = initiatorCloses ? b : a;
    for (int i = 0; i < 9; i++) {
      End.send(closing, new byte[20 + i]);
    }
    long before = end.received;
    closing.close();
    closing.close();
    assertFalse(closing.isOpen());
    assertEquals(Rail.CLOSED, closing.claim(1));
    closing.commit(1);
    closing.flush();
    assertTrue(closing.consumed() >= 0);
    End.until("end", () -> end.closedEvent(other), end);
    assertEquals(9, end.received - before);
    assertFalse(other.isOpen());
    assertEquals(1, end.events.size());
    long consumed = other.consumed();
    other.close();
    assertEquals(consumed, other.consumed());
  }

  @Test
  void closingInsideAHandlerIsSafe() throws Exception {
    ShmRail rail = End.connect(a, b);
    b.onPacket =
        (end, memory, offset, length) -> {
          end.accepted.close();
          assertEquals(7, memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, offset));
        };
    End.send(rail, new byte[] {7});
    End.send(rail, new byte[] {7});
    End.until("end", () -> a.closedEvent(rail), a, b);
    assertEquals(1, b.received);

    ShmRail second = End.connect(a, b);
    b.onPacket = (end, memory, offset, length) -> end.port.close();
    End.send(second, new byte[] {7});
    End.until("end", () -> a.closedEvent(second), a, b);
    assertEquals(2, b.received);
    assertEquals(0, b.poll());
    assertTrue(b.port.prepareToBlock());
    b.port.afterBlock();
    RailException e =
        assertThrows(RailException.class, () -> b.port.connect(a.port.localAddress()));
    assertTrue(e.getMessage().contains("closed"), e.getMessage());
  }

  @Test
  void anOfferThatNobodyAnswersEnds() throws Exception {
    try (End c = new End(base, "c", "size=16KiB&memory=file")) {
      ShmRail rail = (ShmRail) c.port.connect(b.port.localAddress());
      c.poll();
      c.nowNs += ShmPort.CONNECT_TIMEOUT_NS + 1;
      End.until("given up", () -> c.closedEvent(rail), c);
      assertEquals(Rail.CLOSED, rail.claim(8));
      rail.close();
      assertEquals(1, files(c.directory()).size());
      b.poll(); // finds the file gone
      assertEquals(0, b.received);
    }
  }

  /** What was to be its first packet may have been overwritten; the peer makes another segment. */
  @Test
  void aSegmentThatStaysSilentEndsWithinSeconds() throws Exception {
    ShmRail rail = End.connect(a, b);
    b.nowNs += 2_000_000_000L;
    b.poll();
    a.poll();
    assertFalse(a.closedEvent(rail), "in good time");
    b.nowNs += 2_000_000_000L;
    End.until("the other side has given it up", () -> a.closedEvent(rail), a, b);
    assertEquals(0, b.received);
    ShmRail second = End.connect(a, b);
    End.send(second, new byte[] {7});
    End.until("a packet", () -> b.received == 1, a, b);
    b.nowNs += 10_000_000_000L;
    b.poll();
    a.poll();
    assertFalse(a.closedEvent(second), "what was accepted may be silent");
  }

  @Test
  void manyOffersAtOnceWaitForRoomInTheBacklog() throws Exception {
    Rail[] rails = new Rail[3 * LocalSockets.BACKLOG];
    for (int i = 0; i < rails.length; i++) {
      rails[i] = a.port.connect(b.port.localAddress());
    }
    End.until("all accepted", () -> Stream.of(rails).allMatch(End::claimable), a, b);
  }

  @Test
  void aPeerThatEndsBeforeItAcceptsRefuses() throws Exception {
    ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
    RailAddress gone = b.port.localAddress();
    b.close();
    End.until("refused", () -> a.closedEvent(rail), a);
    assertTrue(a.events.contains(new End.Event(rail, LinkEvent.REFUSED)));
    RailException e = assertThrows(RailException.class, () -> a.port.connect(gone));
    assertTrue(e.getMessage().contains("gone"), e.getMessage());
  }

  @Test
  void aSegmentThatCarriesNothingTimesOut() throws Exception {
    ShmRail silent = End.connect(a, b);
    ShmRail used = End.connect(a, b);
    End.send(used, new byte[1]);
    End.until("arrived", () -> b.received == 1, b);
    for (int second = 0; second < 32; second++) {
      b.nowNs += ShmPort.SLOW_NS;
      b.poll();
    }
    End.until("given up", () -> a.closedEvent(silent), a, b);
    assertTrue(used.isOpen());
    assertTrue(b.accepted.isOpen());
    assertEquals(List.of(), b.events); // the core never knew it
  }

  @Test
  void theNumberOfSegmentsIsBounded() throws Exception {
    try (End c = new End(base, "c", "size=16KiB&segments=2")) {
      End.connect(a, c);
      ShmRail second = End.connect(a, c);
      ShmRail third = (ShmRail) a.port.connect(c.port.localAddress());
      End.until("refused", () -> a.closedEvent(third), a, c);
      assertTrue(third.reason().contains("segments="), third.reason());
      RailException e =
          assertThrows(RailException.class, () -> c.port.connect(a.port.localAddress()));
      assertTrue(e.getMessage().contains("segments="), e.getMessage());
      second.close();
      End.until("room", () -> connects(c), a, c);
    }
  }

  private boolean connects(End c) {
    try {
      c.port.connect(a.port.localAddress()).close();
      return true;
    } catch (RailException e) {
      return false;
    }
  }

  /** Somebody moves the folder away under a live port, and back. */
  @Test
  void aFolderThatVanishesEndsThePort() throws Exception {
    ShmRail rail = End.connect(a, b);
    End.send(rail, new byte[1]);
    End.until("arrived", () -> b.received == 1, b);
    Path home = b.directory();
    Path away = base.resolve("away");
    Files.move(home, away);
    RailAddress address = b.port.localAddress();
    assertThrows(RailException.class, () -> a.port.connect(address));

    b.nowNs += ShmPort.SLOW_NS;
    End.until("noticed", () -> b.closedEvent(null) && a.closedEvent(rail), a, b);
    assertTrue(b.closedEvent(b.accepted));
    assertFalse(b.accepted.isOpen());
    assertThrows(RailException.class, () -> b.port.connect(a.port.localAddress()));
    assertEquals(2, b.events.size());
    b.close();

    Files.move(away, home); // the socket in it refuses: nobody listens any more
    assertThrows(RailException.class, () -> a.port.connect(address));
    try (End again = new End(base, "b", "size=16KiB", 99)) {
      assertFalse(Files.exists(home)); // swept
      End.connect(a, again);
    }
  }

  @Test
  void aSocketThatIsUnlinkedEndsThePort() throws Exception {
    b.poll(); // tells it the time
    Files.delete(PortDirectory.socket(b.directory()));
    b.nowNs += ShmPort.SLOW_NS;
    End.until("noticed", () -> b.closedEvent(null), b);
  }

  @Test
  void portsOfOneSeedGetFoldersOfTheirOwn() throws Exception {
    try (End c = new End(base, "c", "", 5);
        End d = new End(base, "c", "", 5)) {
      assertFalse(c.directory().equals(d.directory()));
      End.connect(c, d);
    }
  }

  @Test
  void nodeNamesAreMadePlain() throws Exception {
    try (End c = new End(base, "../ü /x".repeat(9), "")) {
      assertEquals(base, c.directory().getParent());
      End.connect(c, a);
    }
  }

  @Test
  void foldersWithOddNamesWork() throws Exception {
    Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    boolean umlauts = names.newEncoder().canEncode("ü"); // in the POSIX locale no file can have one
    Path odd = Files.createDirectory(base.resolve(umlauts ? "a b%ü" : "a b%"));
    try (End c = new End(odd, "c", "");
        End d = new End(odd, "d", "")) {
      ShmRail rail = End.connect(c, d);
      End.send(rail, new byte[1]);
      End.until("arrived", () -> d.received == 1, d);
      assertEquals(c.port.localAddress(), d.accepted.remoteAddress());
    }
    Files.delete(odd);
  }

  @Test
  void whatCannotBeOpenedSaysWhy() throws Exception {
    assertOpenFails("shm:relative", "absolute");
    assertOpenFails("shm:" + base + "/none", "does not exist");
    assertOpenFails("shm:" + base + "?size=3MiB", "size=2048KiB");
    assertOpenFails("shm:" + base + "?size=1", "size");
    assertOpenFails("shm:" + base + "?colour=red", "colour");
    assertOpenFails("shm:" + base + "?sockets=raw", "auto, fd or nio");
    assertOpenFails("shm:" + base + "?driver=udp", "driver");
    Path deep = Files.createDirectories(base.resolve("x".repeat(100)));
    assertOpenFails("shm:" + deep, "shorter name");
    Files.delete(deep);
  }

  private static void assertOpenFails(String uri, String part) {
    Exception e =
        assertThrows(
            Exception.class,
            () ->
                new ShmDriver()
                    .open(RailUri.parse(uri), new PortContext("x", 1, 1), new NoHandler()));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void whatCannotBeReachedSaysWhy() {
    RailAddress here = b.port.localAddress();
    assertWhy("udp://[::1]:7", "udp");
    assertWhy("shm:x", "no address");
    assertWhy(here.text().replaceFirst("shm:[0-9a-z]+", "shm:" + "1".repeat(32)), "another host");
    assertWhy(here.text() + "0", "gone");
    assertWhy(here.text().replaceFirst("\\.[0-9a-f]+:", ".1:") + "0", "mount namespace");
    assertWhy(here.text() + "/../" + b.directory().getFileName(), "no address");
  }

  private void assertWhy(String address, String part) {
    String why = a.port.whyUnreachable(new RailAddress(address));
    assertTrue(why != null && why.contains(part), address + ": " + why);
  }
}
