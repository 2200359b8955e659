// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.PortCounter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** While packets flow nothing is allocated and the system is not asked. */
class SteadyStateTest {
  private static final int PACKETS = 200_000;

  @TempDir Path base;

  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio"})
  void nothingIsAllocated(String sockets) throws Exception {
    try (End a = new End(base, "a", "sockets=" + sockets);
        End b = new End(base, "b", "sockets=" + sockets)) {
      ShmRail rail = End.connect(a, b);
      End.send(rail, new byte[1]);
      End.until("arrived", () -> b.received == 1, b);
      ShmRail back = (ShmRail) b.accepted;
      a.keep = false;
      b.keep = false;
      MemorySegment packet = Arena.ofAuto().allocate(64);
      var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      long allocated = Long.MAX_VALUE;
      // the first rounds run in the interpreter
      long end = System.nanoTime() + 60_000_000_000L;
      for (int k = 0; allocated >= PACKETS / 20 && (k < 100 || System.nanoTime() < end); k++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < PACKETS; i++) {
          send(rail, packet);
          b.port.poll(b.nowNs += 100, 16);
          send(back, packet);
          a.port.poll(a.nowNs += 100, 16);
          if (rail.consumed() == 0) {
            throw new AssertionError();
          }
          if (i % 64 == 0 && b.port.prepareToBlock()) {
            b.port.afterBlock();
          }
        }
        allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertTrue(allocated < PACKETS / 20, allocated + " bytes for " + PACKETS + " round trips");
      assertEquals(0, a.port.counters().get(PortCounter.DOORBELLS));
      assertEquals(0, a.port.counters().get(PortCounter.CLAIMS_REFUSED));
    }
  }

  private static void send(ShmRail rail, MemorySegment packet) {
    long offset = rail.claim(56);
    MemorySegment.copy(packet, 0, rail.txMemory(), offset, 56);
    rail.commit(56);
    rail.flush();
  }
}
