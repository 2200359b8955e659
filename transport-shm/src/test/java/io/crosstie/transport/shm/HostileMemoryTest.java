// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A peer that writes what it likes into the segment (R25). The victim must not throw, loop, or
 * deliver what is outside a ring; at worst it loses that rail, and another one works.
 */
@Tag("R25")
class HostileMemoryTest {
  private static final long RING = 16 << 10;
  private static final long[] VALUES = {
    -1, 1, 63, 64, Long.MIN_VALUE, Long.MAX_VALUE, RING, 1L << 32, 0x0100_0008L
  };

  @TempDir Path base;
  private End a;
  private End b;

  /** The option for the kind of segment; sealed memory where it can be had. */
  String memory() {
    return "";
  }

  @BeforeEach
  void open() throws Exception {
    a = new End(base, "a", "size=16KiB" + memory());
    b = new End(base, "b", "size=16KiB" + memory());
    b.onPacket =
        (end, memory, offset, length) -> {
          assertTrue(length >= 1 && length <= 4_088);
          assertTrue(offset >= SegmentLayout.RINGS_OFFSET && (offset & 7) == 0);
          assertTrue(offset + length <= SegmentLayout.totalBytes(RING));
        };
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  /**
   * Every word of the header and of both control areas, from the offering and from the accepting
   * side.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anyWordOfTheControlArea(boolean victimAccepted) throws Exception {
    for (long offset = 0; offset < SegmentLayout.RINGS_OFFSET; offset += 8) {
      long value = VALUES[(int) (offset / 8 % VALUES.length)];
      scribble(victimAccepted, offset, value);
    }
    for (long offset : new long[] {1024, 1032, 1152, 2048, 2056, 2176}) {
      for (long value : VALUES) {
        scribble(victimAccepted, offset, value);
      }
    }
  }

  private void scribble(boolean victimAccepted, long offset, long value) throws Exception {
    ShmRail ours = victimAccepted ? End.connect(a, b) : End.connect(b, a);
    ShmRail victim = exchange(ours, victimAccepted);
    ours.segment().memory().set(JAVA_LONG, offset, value);
    use(victim);
    ours.segment().memory().set(JAVA_LONG, offset, 0);
    use(victim);
    finish(ours, victim);
  }

  /**
   * Some packets each way, so that positions are not zero. Returns the rail of the end under
   * attack.
   */
  private ShmRail exchange(ShmRail ours, boolean victimAccepted) throws Exception {
    End other = victimAccepted ? b : a;
    End first = victimAccepted ? a : b;
    other.accepted = null;
    for (int i = 0; i < 5; i++) {
      End.send(ours, new byte[40 + 30 * i]);
    }
    End.until("arrived", () -> ours.consumed() == 5, other);
    for (int i = 0; i < 3; i++) {
      End.send(other.accepted, new byte[40 + 30 * i]);
    }
    End.until("answered", () -> other.accepted.consumed() == 3, first);
    return (ShmRail) (victimAccepted ? other.accepted : ours);
  }

  /** Everything that an engine does with a rail; bounded, and none of it may throw. */
  private void use(ShmRail victim) {
    long before = b.received;
    for (int i = 0; i < 40; i++) {
      assertTrue(b.poll() <= 64);
      long offset = victim.claim(1 + 100 * i);
      if (offset >= 0) {
        assertTrue(offset + 100L * i < SegmentLayout.totalBytes(RING));
        victim.commit(1 + 100 * i);
      }
      victim.flush();
      long consumed = victim.consumed();
      assertTrue(consumed >= 0 && consumed <= 8 + 100);
      boolean unused = b.port.prepareToBlock();
      b.port.afterBlock();
    }
    assertTrue(b.received - before <= 40 * 64);
  }

  /** The other rails of the port go on. */
  private void finish(ShmRail ours, ShmRail victim) {
    ours.close();
    victim.close();
    End.until("forgotten", () -> a.poll() + b.poll() == 0, a, b);
    a.packets.clear();
    b.packets.clear();
    a.events.clear();
    b.events.clear();
    assertFalse(victim.isOpen());
  }

  /** Forged and torn commit words, wherever a record may begin. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void anyCommitWord(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    int closed = 0;
    for (int i = 0; i < 300; i++) {
      ShmRail ours = End.connect(a, b);
      ShmRail victim = exchange(ours, true);
      MemorySegment memory = ours.segment().memory();
      long position = 64L * random.nextInt((int) (RING / 64));
      if (random.nextBoolean()) {
        position = 11 * 64; // where the victim reads next: behind records of 1, 2, 2, 3 and 3 lines
      }
      for (int k = 0; k < 20; k++) {
        memory.set(
            JAVA_LONG,
            SegmentLayout.RINGS_OFFSET + (position + 64L * k) % RING,
            forged(random, position + 64L * k));
      }
      use(victim);
      closed += victim.isOpen() ? 0 : 1;
      finish(ours, victim);
    }
    assertTrue(closed > 50, "the forged words were not met: " + closed);
  }

  private static long forged(SplittableRandom random, long position) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextLong();
      case 1 ->
          SegmentLayout.commitWord(position, SegmentLayout.KIND_PADDING, random.nextInt(1 << 24));
      case 2 ->
          SegmentLayout.commitWord(position, SegmentLayout.KIND_PACKET, random.nextInt(1 << 24));
      case 3 -> SegmentLayout.commitWord(position, random.nextInt(256), random.nextInt(4096));
      case 4 -> SegmentLayout.commitWord(position + RING, SegmentLayout.KIND_PACKET, 8);
      default -> SegmentLayout.commitWord(position, SegmentLayout.KIND_PACKET, 0) >>> 32;
    };
  }

  @Test
  void paddingForEverIsNoLoop() throws Exception {
    ShmRail ours = End.connect(a, b);
    MemorySegment memory = ours.segment().memory();
    memory.set(
        JAVA_LONG,
        SegmentLayout.RINGS_OFFSET,
        SegmentLayout.commitWord(0, SegmentLayout.KIND_PADDING, RING));
    b.poll();
    assertEquals(1, b.port.counters().get(PortCounter.DROPPED_IN));
  }

  /** A consumer that goes back, or ahead of what was published, or off the grid. */
  @ParameterizedTest
  @ValueSource(longs = {0, -64, 32, 384, 1L << 40, Long.MIN_VALUE})
  void anImpossiblePositionClosesTheRail(long position) throws Exception {
    ShmRail victim = End.connect(b, a);
    a.accepted = null;
    for (int i = 0; i < 5; i++) {
      End.send(victim, new byte[8]);
    }
    End.until("consumed", () -> victim.consumed() == 5, a);
    victim
        .segment()
        .memory()
        .set(JAVA_LONG, SegmentLayout.control(0) + SegmentLayout.POSITION, position);
    assertEquals(5, victim.consumed());
    b.poll();
    assertTrue(b.closedEvent(victim));
    assertFalse(victim.isOpen());
    assertEquals(Rail.CLOSED, victim.claim(8));
    assertEquals(5, victim.consumed());
    assertEquals(1, b.port.counters().get(PortCounter.LINK_EVENTS));
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 6, -1, Long.MAX_VALUE})
  void anImpossibleCountClosesTheRail(long count) throws Exception {
    ShmRail victim = End.connect(b, a);
    for (int i = 0; i < 5; i++) {
      End.send(victim, new byte[8]);
    }
    End.until("consumed", () -> victim.consumed() == 5, a);
    victim.segment().memory().set(JAVA_LONG, SegmentLayout.control(0) + SegmentLayout.COUNT, count);
    assertEquals(5, victim.consumed());
    b.poll();
    assertTrue(b.closedEvent(victim));
  }
}
