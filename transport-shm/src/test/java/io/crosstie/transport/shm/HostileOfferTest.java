// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.RailAddress;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Offers of segments that must be refused (R25), each with its reason. */
@Tag("R25")
class HostileOfferTest {
  private static final long RING = 16 << 10;
  private static final long GENERATION = 0x1234_5678_9abc_def0L;

  enum Fault {
    NONE("A"),
    NO_FILE("NoSuchFile"),
    DIRECTORY("regular"),
    SYMLINK("regular"),
    SHORT("bytes"),
    LONG("bytes"),
    EMPTY("bytes"),
    MAGIC("magic"),
    VERSION("version"),
    GENERATION_OF_ANOTHER("generation"),
    RING_OF_ANOTHER("ring size"),
    OWNER("uid");

    final String answer;

    Fault(String answer) {
      this.answer = answer;
    }
  }

  @TempDir Path base;
  private End a;
  private End b;

  @BeforeEach
  void open() throws Exception {
    a = new End(base, "a", "size=16KiB");
    b = new End(base, "b", "size=16KiB");
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void aFileThatIsNotWhatItShouldBe(Fault fault) throws Exception {
    Path file = a.directory().resolve("seg-x");
    make(file, fault);
    String answer = offer(new Offer(GENERATION, RING, "seg-x", a.port.localAddress()).encode());
    assertTrue(answer.contains(fault.answer), answer);
    assertEquals(fault == Fault.NONE ? 'A' : 'R', answer.charAt(0));
    exchangeWorks();
  }

  private static void make(Path file, Fault fault) throws IOException {
    ByteBuffer header =
        ByteBuffer.allocate(32)
            .order(ByteOrder.nativeOrder())
            .putLong(fault == Fault.MAGIC ? 1 : SegmentLayout.MAGIC)
            .putLong(fault == Fault.VERSION ? 2 : SegmentLayout.VERSION)
            .putLong(fault == Fault.GENERATION_OF_ANOTHER ? 7 : GENERATION)
            .putLong(fault == Fault.RING_OF_ANOTHER ? 2 * RING : RING)
            .flip();
    long size =
        switch (fault) {
          case SHORT -> SegmentLayout.totalBytes(RING) - 4096;
          case LONG -> SegmentLayout.totalBytes(RING) + 1;
          case EMPTY -> 0;
          default -> SegmentLayout.totalBytes(RING);
        };
    Path target = fault == Fault.SYMLINK ? file.resolveSibling("elsewhere") : file;
    switch (fault) {
      case NO_FILE -> {
        return;
      }
      case DIRECTORY -> {
        Files.createDirectory(file);
        return;
      }
      default -> {
        try (FileChannel channel =
            FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
          channel.write(header, 0);
          channel.write(ByteBuffer.allocate(1), Math.max(0, size - 1));
          channel.truncate(size);
        }
      }
    }
    if (fault == Fault.SYMLINK) {
      Files.createSymbolicLink(file, target);
    }
    if (fault == Fault.OWNER) {
      Facility.OWNERS.require("a segment of another user");
      Files.setAttribute(file, "unix:uid", 12345, LinkOption.NOFOLLOW_LINKS);
    }
  }

  @Test
  void namesAndAddressesAreChecked() throws Exception {
    make(a.directory().resolve("seg-x"), Fault.NONE);
    RailAddress from = a.port.localAddress();
    for (String name : List.of("../seg-x", "/etc/passwd", ".", "", "seg_x", "SEG-X", "a\0b")) {
      assertRefused(new Offer(GENERATION, RING, name, from), "");
    }
    for (long ring : new long[] {0, -1, 1, RING - 1, RING + 64, 1L << 31, Long.MIN_VALUE}) {
      assertRefused(new Offer(GENERATION, ring, "seg-x", from), "ring");
    }
    assertRefused(new Offer(GENERATION, RING, "seg-x", new RailAddress("udp://[::1]:1")), "udp");
    assertRefused(new Offer(GENERATION, RING, "seg-x", new RailAddress("shm:nonsense")), "address");
    String otherBoot = from.text().replaceFirst("shm:[0-9a-z]+", "shm:" + "0".repeat(32));
    assertRefused(new Offer(GENERATION, RING, "seg-x", new RailAddress(otherBoot)), "another host");
    assertRefused(new Offer(GENERATION, RING, "seg-x", new RailAddress(from.text() + "0")), "gone");
    exchangeWorks();
  }

  private void assertRefused(Offer offer, String reason) throws Exception {
    String answer = offer(offer.encode());
    assertTrue(answer.startsWith("R") && answer.contains(reason), offer + ": " + answer);
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22})
  void garbageAndBitFlips(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] good = new Offer(GENERATION, RING, "seg-x", a.port.localAddress()).encode();
    for (int i = 0; i < 500; i++) {
      byte[] bytes = good.clone();
      if (random.nextInt(4) == 0) {
        random.nextBytes(bytes);
      }
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        bytes[random.nextInt(36)] ^= (byte) (1 << random.nextInt(8));
      }
      String unused = offer(bytes); // there is no such file, so that none can be accepted
    }
    assertEquals(0, b.events.size());
    exchangeWorks();
  }

  @Test
  void decodeNeedsAllOfIt() throws Exception {
    byte[] good = new Offer(GENERATION, RING, "seg-x", a.port.localAddress()).encode();
    for (int length = 0; length < good.length; length++) {
      assertNull(Offer.decode(good, length));
    }
    assertEquals(
        new Offer(GENERATION, RING, "seg-x", a.port.localAddress()),
        Offer.decode(good, good.length));
  }

  /** Connections that say nothing, or not enough, are bounded in number and in time. */
  @Test
  void silentConnectionsAreDropped() throws Exception {
    List<SocketChannel> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * Acceptor.MAX_PENDING; i++) {
        silent.add(dial());
        if (i % 2 == 0) {
          silent.getLast().write(ByteBuffer.wrap(new byte[i / 2]));
        }
        b.poll();
        if (i % 8 == 0) {
          exchangeWorks(); // a well-behaved peer gets through all the same
        }
      }
      b.nowNs += Acceptor.OFFER_TIMEOUT_NS;
      b.poll();
      b.poll();
      for (SocketChannel channel : silent) {
        assertTrue(read(channel).isEmpty());
      }
    } finally {
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
    exchangeWorks();
  }

  private SocketChannel dial() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    assertTrue(channel.connect(UnixDomainSocketAddress.of(PortDirectory.socket(b.directory()))));
    return channel;
  }

  /** What the port answers to these bytes; "" if it hangs up. */
  private String offer(byte[] bytes) throws IOException {
    try (SocketChannel channel = dial()) {
      channel.write(ByteBuffer.wrap(bytes));
      b.poll();
      b.poll();
      b.nowNs += Acceptor.OFFER_TIMEOUT_NS; // for offers that announce more than comes
      b.poll();
      return read(channel);
    }
  }

  private static String read(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    ByteBuffer answer = ByteBuffer.allocate(600);
    try {
      while (channel.read(answer) > 0) {
        // until there is no more, or the end
      }
    } catch (IOException e) {
      // hung up with unread bytes
    }
    return new String(answer.array(), 0, answer.position(), US_ASCII);
  }

  private void exchangeWorks() throws Exception {
    ShmRail rail = End.connect(a, b);
    long before = b.received;
    End.send(rail, new byte[100]);
    End.until("arrived", () -> b.received == before + 1, b);
    rail.close();
    End.until("closed", () -> b.poll() == 0, b);
  }
}
