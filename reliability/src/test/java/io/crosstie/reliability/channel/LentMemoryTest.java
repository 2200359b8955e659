// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Accelerators;
import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.transport.PayloadWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packets with messages whose memory is a file that was truncated, mapped by the JDK or by the
 * application itself: then its segment does not tell. Each such message fails by itself, whichever
 * way its bytes go; no machine code and no intrinsic meets them, which would end this JVM.
 */
@Tag("R25")
class LentMemoryTest {
  private static final int SIZE = 1 << 20;
  private static final int PACKET = 64 << 10;
  private static final ChannelLimits LIMITS =
      new ChannelLimits(SIZE, PACKET, SIZE, SIZE, 4 * SIZE, 4 * SIZE);

  @TempDir private Path folder;

  private final NodeMemory.Share pool = new NodeMemory(1 << 26, new BufferPool(1 << 22)).share();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment packet = Arena.ofAuto().allocate(PACKET, 64);
  private final PacketAssembler assembler = new PacketAssembler();
  private final List<String> told = new ArrayList<>();
  private FileChannel file;
  private MemorySegment map;
  private MemorySegment unmarked;
  private ChannelCore channel;
  private long packets;

  @BeforeEach
  @SuppressWarnings("restricted") // as an application makes a segment of what it mapped itself
  void setUp() throws IOException {
    Path path = folder.resolve("lent");
    Files.write(path, new byte[SIZE]);
    file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    map = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
    unmarked = MemorySegment.ofAddress(map.address()).reinterpret(SIZE);
    assertFalse(unmarked.isMapped());
    open();
  }

  @AfterEach
  void tearDown() throws IOException {
    arena.close();
    file.close();
  }

  private void open() {
    channel = new ChannelCore(3, Priority.NORMAL, LIMITS, pool);
    channel.engine().connect(1L << 40, SIZE);
    channel.engine().sender().setUse(0);
    told.clear();
  }

  private long lend(MemorySegment memory, int length) {
    return channel.send(
        memory,
        memory.byteSize() - length,
        length,
        (seq, error) -> told.add(String.valueOf(error)));
  }

  /** How a message of a length goes into a packet: whole, as a fragment, or by reference. */
  private void fill(boolean byReference) {
    ChannelEngine engine = channel.engine();
    assembler.begin(PACKET, 1, 99, packets++);
    long length = engine.sender().nextLength() - engine.sender().nextOffset();
    if (byReference) {
      assertEquals(
          length, assembler.reference(engine, engine.sender().nextSequence(), 0, (int) length, 0));
      engine.sender().takeBytes(length);
    } else if (length <= PACKET - 200) {
      assertEquals(1, assembler.eagers(engine, PACKET - 200));
    } else {
      int took = assembler.fragment(engine, engine.sender().nextSequence(), 0, length, 0);
      assertTrue(took > 0);
      engine.sender().takeBytes(took);
    }
  }

  private int finish(MemorySegment into, Checksum checksum, int way) {
    PayloadWriter writer =
        (sum, state, source, offset, at, bytes) -> {
          assertFalse(source.isMapped());
          return sum.updateShared(state, source, offset, into, at, bytes, null);
        };
    return assembler.finish(into, 0, checksum, way == 1 ? writer : null);
  }

  private void settle() {
    ChannelEngine engine = channel.engine();
    while (engine.sender().isAbortDue()) {
      long unused = engine.sender().takeAbort();
    }
    long last = engine.sender().nextSequence() - 1;
    if (engine.sender().nextOffset() > 0) {
      engine.sender().takeBytes(engine.sender().nextLength() - engine.sender().nextOffset());
      last++;
    }
    assertEquals(1, engine.sender().onPeerState(last, last, 1L << 40));
    int unused = channel.reportCompletions(100);
  }

  @Test
  void aMessageInATruncatedFileFailsByItself() throws IOException {
    int[] lengths = {8, 100, 700, 5_000, 60_000, 200_000};
    // by compiled code, too, which goes on where interpreted code throws
    for (int i = 0; i < 12_000; i++) {
      int length = lengths[i % (i % 10 == 0 ? 6 : 4)];
      assertTrue(lend(i % 3 == 0 ? map : unmarked, length) > 0);
      fill(i % 7 == 0 && length > 1000);
      assertTrue(finish(packet, Checksum.of(ChecksumKind.CRC32C, Accelerators.find()), i % 2) > 0);
      settle();
    }
    FileChannel unused = file.truncate(0);
    for (ChecksumKind kind : ChecksumKind.values()) {
      Checksum checksum = Checksum.of(kind, Accelerators.find());
      for (MemorySegment memory : List.of(map, unmarked)) {
        for (int length : lengths) {
          for (int way = 0; way < 3; way++) {
            fails(memory, length, checksum, way);
          }
        }
      }
    }
  }

  private void fails(MemorySegment memory, int length, Checksum checksum, int way) {
    open();
    String found = checksum.kind() + ", " + length + " bytes, way " + way;
    assertEquals(1, lend(memory, length));
    fill(way == 2);
    assertEquals(-1, finish(packet, checksum, way), found);
    assertSame(channel.engine(), assembler.failedChannel(), found);
    assertEquals(1, assembler.failedSequence());
    channel.engine().sender().fail(1, assembler.failure());
    assertEquals(assembler.failure(), channel.engine().sent().error(1));
    settle();
    assertEquals(1, told.size(), found);
    assertTrue(told.getFirst().contains("file"), told::getFirst);
  }

  /** Of several messages in one packet the one that is gone is found. */
  @Test
  void theOneThatIsGoneIsFound() throws IOException {
    FileChannel unused = file.truncate(0);
    for (int gone = 0; gone < 6; gone++) {
      open();
      for (int i = 0; i < 6; i++) {
        assertTrue(i == gone ? lend(unmarked, 700) > 0 : lend(packet, 700) > 0);
        assertTrue(channel.offer(packet, 0, 50) > 0);
      }
      ChannelEngine engine = channel.engine();
      assembler.begin(PACKET, 1, 99, packets++);
      while (engine.sender().sendState() == ChannelSender.READY) {
        assertTrue(assembler.eagers(engine, 1000) > 0);
      }
      MemorySegment into = Arena.ofAuto().allocate(PACKET, 64);
      assertEquals(
          -1, finish(into, Checksum.of(ChecksumKind.CRC32C, Accelerators.find()), gone % 2));
      assertEquals(2 * gone + 1, assembler.failedSequence());
    }
  }

  /** The rail's own memory is gone, and no message is to blame, not even a lent one. */
  @Test
  void aRailThatIsGoneIsNotTheMessagesFault() throws IOException {
    assertEquals(1, lend(packet, 5_000));
    fill(false);
    FileChannel unused = file.truncate(0);
    for (int way = 0; way < 2; way++) {
      int by = way;
      assertThrows(
          InternalError.class,
          () -> finish(map, Checksum.of(ChecksumKind.CRC32C, Accelerators.find()), by));
      assertNull(assembler.failedChannel());
    }
  }

  @Test
  void aMessageInAnotherThreadsMemoryFails() throws InterruptedException {
    MemorySegment[] made = {MemorySegment.NULL};
    Thread other = new Thread(() -> made[0] = Arena.ofConfined().allocate(SIZE));
    other.start();
    other.join();
    for (int way = 0; way < 3; way++) {
      open();
      assertEquals(1, lend(made[0], 50_000));
      fill(way == 2);
      assertEquals(-1, finish(packet, Checksum.of(ChecksumKind.CRC32C, Accelerators.find()), way));
      assertTrue(assembler.failure().contains("thread"), assembler::failure);
    }
  }
}
