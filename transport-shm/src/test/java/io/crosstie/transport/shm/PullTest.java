// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.testkit.Facility;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading the peer's memory; here the peer is this very process, which may always be read. */
class PullTest {
  private static final int LENGTH = 1_000_000;

  @TempDir Path base;

  /** Whether the system lets a process read another one at all. */
  private static void requirePermission(ShmRail rail) {
    Facility.require(rail.pulls(), "a system that permits process_vm_readv is needed");
  }

  @Test
  void bytesComeStraightOutOfThePeersMemory() throws Exception {
    try (End a = new End(base, "a", "copy=cma");
        End b = new End(base, "b", "copy=cma");
        Arena arena = Arena.ofConfined()) {
      ShmRail rail = End.connect(a, b);
      End.send(rail, new byte[1]);
      End.until("accepted", () -> b.received == 1, b);
      requirePermission(rail);
      assertTrue(b.accepted.pulls());
      assertEquals(1, a.port.counters().get(PortCounter.PULLING_RAILS));
      MemorySegment theirs = arena.allocate(LENGTH, 64);
      SplittableRandom random = new SplittableRandom(5);
      for (long at = 0; at < LENGTH; at += 8) {
        theirs.set(JAVA_LONG, at, random.nextLong());
      }
      MemorySegment ours = arena.allocate(LENGTH + 100, 64);
      assertTrue(b.accepted.pull(theirs.address() + 3, ours, 50, LENGTH - 3));
      assertEquals(-1, theirs.asSlice(3).mismatch(ours.asSlice(50, LENGTH - 3)));
      assertEquals(1, b.port.counters().get(PortCounter.PULLS));
      assertEquals(LENGTH - 3, b.port.counters().get(PortCounter.PULLED_BYTES));
      rail.close();
      End.until("closed", () -> b.closedEvent(b.accepted), b);
      assertFalse(b.accepted.pulls());
      assertEquals(0, b.port.counters().get(PortCounter.PULLING_RAILS));
    }
  }

  /**
   * Whatever address a peer names: no fault, no exception. It may have been memory of its
   * application that is gone, so all else is still read where it lies, as long as its probe is.
   */
  @ParameterizedTest
  @CsvSource({"0", "1", "-1", "-4096", "9223372036854775807", "-9223372036854775808", "4096"})
  @Tag("R25")
  void anyAddressIsHarmless(long address) throws Exception {
    try (End a = new End(base, "a", "copy=cma");
        End b = new End(base, "b", "copy=cma");
        Arena arena = Arena.ofConfined()) {
      ShmRail rail = End.connect(a, b);
      requirePermission(rail);
      MemorySegment ours = arena.allocate(8192);
      assertFalse(rail.pull(address, ours, 0, 8192));
      assertTrue(rail.pulls());
      assertEquals(1, a.port.counters().get(PortCounter.PULL_FAILURES));
      assertEquals(1, a.port.counters().get(PortCounter.PULLING_RAILS));
      MemorySegment theirs = arena.allocate(8192);
      theirs.fill((byte) 7);
      assertTrue(rail.pull(theirs.address(), ours, 0, 8192));
      assertEquals(-1, theirs.mismatch(ours));
      long at = SegmentLayout.probe(1) + SegmentLayout.PROBE_VALUE;
      MemorySegment segment = rail.segment().memory();
      segment.set(JAVA_LONG, at, ~segment.get(JAVA_LONG, at));
      assertFalse(rail.pull(address, ours, 0, 8192));
      assertFalse(rail.pulls(), "not even the probe can be read");
      assertEquals(0, a.port.counters().get(PortCounter.PULLING_RAILS));
      assertTrue(rail.isOpen());
      End.send(rail, new byte[100]);
      End.until("arrived", () -> b.received == 1, b);
    }
  }

  /** Who does not want it neither reads nor is read. */
  @ParameterizedTest
  @CsvSource({
    "copy=ring,copy=cma",
    "copy=cma,copy=ring",
    "sockets=nio,copy=cma",
    "copy=cma,sockets=nio"
  })
  void eitherSideCanDecline(String first, String second) throws Exception {
    try (End a = new End(base, "a", first);
        End b = new End(base, "b", second)) {
      ShmRail rail = End.connect(a, b);
      End.send(rail, new byte[1]);
      End.until("accepted", () -> b.received == 1, b);
      assertFalse(rail.pulls() || b.accepted.pulls());
      assertFalse(rail.pull(4096, MemorySegment.NULL, 0, 1));
    }
  }

  /** By default the ring is used where streaming stores can be made into it. */
  @ParameterizedTest
  @CsvSource({"memory=sealed, true", "memory=sealed, false", "memory=file, true"})
  void theQuickerWayIsTheDefault(String memory, boolean accelerated) throws Exception {
    Accelerator accelerator = accelerated ? Accelerators.find() : null;
    try (End always = new End(base, "a", "copy=cma&" + memory);
        End a = new End(base, "c", memory, accelerator);
        End b = new End(base, "d", memory)) {
      requirePermission(End.connect(always, b));
      boolean streams = memory.equals("memory=sealed") && accelerator != null;
      assertEquals(!streams, End.connect(a, b).pulls());
    }
  }

  /** A probe that is not what it was said to be is no permission. */
  @Test
  @Tag("R25")
  void aForgedProbeIsNotBelieved() throws Exception {
    try (End a = new End(base, "a", "copy=cma");
        End b = new End(base, "b", "copy=cma")) {
      requirePermission(End.connect(a, b));
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      rail.segment()
          .memory()
          .set(JAVA_LONG, SegmentLayout.probe(0) + SegmentLayout.PROBE_VALUE, 12);
      Rail before = b.accepted;
      End.until("accepted", () -> End.claimable(rail), a, b);
      End.send(rail, new byte[1]);
      End.until("arrived", () -> b.received == 1, b);
      assertNotSame(before, b.accepted);
      assertFalse(b.accepted.pulls());
      assertTrue(rail.pulls());
    }
  }

  @Test
  void optionsAreChecked() {
    assertThrows(IllegalArgumentException.class, () -> new End(base, "a", "copy=twice"));
    assertThrows(RailException.class, () -> new End(base, "a", "copy=cma&sockets=nio"));
  }
}
