// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.OpenDescriptors;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.MemoryAbi;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments without a name: handed over, impossible to truncate, and refused if they are not. */
@Tag("R25")
class SealedSegmentTest {
  private static final long RING = 16 << 10;
  private static final long GENERATION = 0x1234_5678_9abc_def0L;
  private static final String SIZE = "size=16KiB";

  @TempDir Path base;
  private Libc libc;
  private Set<String> before = Set.of();

  @BeforeEach
  void nativeCalls() throws Exception {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    libc = new Libc();
    try (SocketChannel unused = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      // with its first channel the JVM makes a socket for itself, which it keeps
    }
    before = OpenDescriptors.now();
  }

  @AfterEach
  void nothingIsLeftOpen() throws Exception {
    if (libc != null) {
      assertEquals(Set.of(), OpenDescriptors.since(before));
    }
  }

  @Test
  void isWhatTwoPortsShareByDefault() throws Exception {
    try (End a = new End(base, "a", SIZE);
        End b = new End(base, "b", SIZE)) {
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      assertInstanceOf(SealedSegment.class, rail.segment());
      try (Stream<Path> files = Files.list(a.directory())) {
        assertFalse(files.anyMatch(file -> file.toString().contains("seg-")), "a file");
      }
      End.until("accepted", () -> End.claimable(rail), a, b);
      assertEquals(-1, rail.segment().descriptor()); // of no use any more
      End.send(rail, new byte[100]);
      End.until("arrived", () -> b.received == 1, b);
      assertEquals(1, a.port.counters().get(PortCounter.SEALED_RAILS));
      assertEquals(1, b.port.counters().get(PortCounter.SEALED_RAILS));
      rail.close();
      End.until("closed", () -> b.closedEvent(b.accepted), b);
      b.accepted.close();
      assertEquals(0, a.port.counters().get(PortCounter.SEALED_RAILS));
      assertEquals(0, b.port.counters().get(PortCounter.SEALED_RAILS));
    }
  }

  /** Where one side hands over, or takes, no descriptors, both use a file, whoever begins. */
  @ParameterizedTest
  @CsvSource({"memory=file,", ",memory=file", "sockets=nio,", ",sockets=nio"})
  void aFileServesThoseWhoTakeNoDescriptors(String first, String second) throws Exception {
    try (End a = new End(base, "a", SIZE + (first == null ? "" : "&" + first));
        End b = new End(base, "b", SIZE + (second == null ? "" : "&" + second))) {
      ShmRail rail = End.connect(a, b);
      assertInstanceOf(FileSegment.class, rail.segment());
      End.send(rail, new byte[100]);
      End.until("arrived", () -> b.received == 1, b);
      assertEquals(0, b.port.counters().get(PortCounter.SEALED_RAILS));
    }
  }

  @Test
  void nobodyCanTruncateIt() throws Exception {
    SealedSegment segment = SealedSegment.create(libc, base, "seg-x", RING, GENERATION);
    try {
      int fd = segment.descriptor();
      assertEquals(-Errno.EPERM, libc.ftruncate(fd, 0));
      assertEquals(-Errno.EPERM, libc.ftruncate(fd, SegmentLayout.totalBytes(RING) - 1));
      assertEquals(-Errno.EPERM, libc.fcntl(fd, MemoryAbi.F_ADD_SEALS, 0));
      assertEquals(SegmentLayout.totalBytes(RING), libc.fileBytes(fd));
      segment.memory().fill((byte) 1); // all of it is there
    } finally {
      segment.close();
    }
  }

  enum Handed {
    UNSEALED("sealed"),
    SHORT("bytes"),
    ANOTHER_GENERATION("generation"),
    A_FILE("sealed"),
    AN_EVENTFD("sealed"),
    GOOD("A");

    final String answer;

    Handed(String answer) {
      this.answer = answer;
    }
  }

  /** What a peer may hand over instead, each refused with its reason, and nothing stays open. */
  @ParameterizedTest
  @EnumSource(Handed.class)
  void whatIsNotSealedMemoryIsRefused(Handed what) throws Exception {
    try (End a = new End(base, "a", SIZE);
        End b = new End(base, "b", SIZE)) {
      int fd = make(what);
      FdSockets sockets = new FdSockets();
      LocalSocket socket = sockets.connect(PortDirectory.socket(b.directory()));
      byte[] offer = new Offer(GENERATION, RING, "seg-x", a.port.localAddress()).encode();
      assertEquals(offer.length, socket.write(offer, 0, offer.length, fd));
      assertEquals(0, libc.close(fd));
      b.poll();
      b.poll();
      byte[] answer = new byte[LocalSockets.BUFFER_BYTES];
      int length = socket.read(answer, 0, answer.length);
      String text = new String(answer, 0, Math.max(0, length), US_ASCII);
      assertTrue(text.contains(what.answer), text);
      assertEquals(what == Handed.GOOD ? 'A' : 'R', text.charAt(0));
      sockets.close();
      ShmRail rail = End.connect(a, b); // and a good one is taken
      End.send(rail, new byte[10]);
      End.until("arrived", () -> b.received == 1, b);
    }
  }

  private int make(Handed what) throws IOException {
    if (what == Handed.AN_EVENTFD) {
      return libc.eventfd(0, 0);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom("x");
      int flags = what == Handed.A_FILE ? 0 : MemoryAbi.MFD_ALLOW_SEALING;
      int fd = libc.memfdCreate(name, flags);
      long total = SegmentLayout.totalBytes(RING) - (what == Handed.SHORT ? 4096 : 0);
      assertEquals(0, libc.fallocate(fd, total));
      long address = libc.mmap(total, 3, MemoryAbi.MAP_SHARED, fd);
      try (Arena mapping = Arena.ofConfined()) {
        MemorySegment memory = libc.mapped(address, total, mapping);
        Segment.writeHeader(memory, RING, what == Handed.ANOTHER_GENERATION ? 7 : GENERATION);
      }
      if (what != Handed.UNSEALED && what != Handed.A_FILE) {
        assertEquals(0, libc.fcntl(fd, MemoryAbi.F_ADD_SEALS, MemoryAbi.F_SEAL_SHRINK));
      }
      return fd;
    }
  }

  /** Descriptors that come where none is expected, or without an offer, are not kept. */
  @Test
  void descriptorsAreNotKept() throws Exception {
    try (End b = new End(base, "b", SIZE);
        End file = new End(base, "c", SIZE + "&memory=file")) {
      for (End end : new End[] {b, file}) {
        FdSockets sockets = new FdSockets();
        int fd = make(Handed.GOOD);
        Set<String> open = OpenDescriptors.now();
        LocalSocket socket = sockets.connect(PortDirectory.socket(end.directory()));
        for (int i = 0; i < 5; i++) {
          assertEquals(1, socket.write(new byte[1], 0, 1, fd));
          end.nowNs += ShmPort.SLOW_NS; // it looks at its sockets
          end.poll();
        }
        assertTrue(
            OpenDescriptors.since(open).size() <= 3,
            "two ends of a socket and one descriptor at most");
        sockets.close();
        end.nowNs += ShmPort.SLOW_NS;
        end.poll();
        assertEquals(0, libc.close(fd));
      }
    }
  }

  /** Whatever the choice of stores, what is put in is what is handed up. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void payloadOfAnySizeArrives(boolean accelerated) throws Exception {
    Accelerator accelerator = accelerated ? Accelerators.find() : null;
    boolean streams = accelerated && Facility.onProcessor(accelerator != null, "streaming stores");
    try (End a = new End(base, "a", "", accelerator);
        End b = new End(base, "b", "");
        Arena arena = Arena.ofConfined()) {
      Checksum crc = Checksum.of(ChecksumKind.CRC32C, accelerator);
      ShmRail rail = End.connect(a, b);
      MemorySegment source = arena.allocate(64 << 10, 64);
      for (int i = 0; i < source.byteSize(); i++) {
        source.set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
      }
      for (int i = 0; i < 2000; i++) {
        int length = RingStores.LEAST_BYTES - 8 + i * 29 % 60_000;
        long at = rail.claim(length);
        long state = rail.put(crc, crc.begin(), source, 3, at, length);
        assertEquals(crc.compute(source, 3, length), crc.finish(state));
        rail.commit(length);
        rail.flush();
        b.poll();
        byte[] packet = b.packets.remove();
        assertEquals(
            -1,
            MemorySegment.mismatch(
                source, 3, 3 + length, MemorySegment.ofArray(packet), 0, packet.length));
      }
      assertEquals(streams, a.port.counters().get(PortCounter.STREAMED_BYTES) > 0);
    }
  }

  @Test
  void optionsAreChecked() {
    RailException e =
        assertThrows(
            RailException.class, () -> new End(base, "a", "sockets=nio&memory=sealed").close());
    assertTrue(e.getMessage().contains("memory=sealed"), e.getMessage());
    assertThrows(
        IllegalArgumentException.class, () -> new End(base, "a", "memory=anything").close());
  }
}
