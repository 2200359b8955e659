// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.Rail;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that cuts the file under the mapping costs the rail, not the process (R25). */
@Tag("R25")
class TruncationTest {
  private static final String SMALL = "size=16KiB&memory=file";

  @TempDir Path base;

  /**
   * Few turns run in the interpreter; many were compiled, where the JVM reports the fault later.
   */
  @ParameterizedTest
  @ValueSource(ints = {10, 200_000})
  void consumerSurvives(int warmUp) throws Exception {
    try (End a = new End(base, "a", SMALL);
        End b = new End(base, "b", SMALL)) {
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      try (FileChannel file = a.openSegmentFile()) {
        End.until("accepted", () -> End.claimable(rail), a, b);
        exchange(rail, a, b, warmUp);
        Rail accepted = b.accepted;
        assertTrue(accepted.isOpen());

        file.truncate(0);
        End.until("closed", () -> b.closedEvent(accepted) && a.closedEvent(rail), a, b);
        assertFalse(accepted.isOpen());
        assertEquals(Rail.CLOSED, accepted.claim(8));
        assertEquals(Rail.CLOSED, rail.claim(8));
        accepted.close();
        rail.close();
      }
      ShmRail next = End.connect(a, b);
      exchange(next, a, b, 10);
    }
  }

  /** Without housekeeping, which also looks at the file: the fault itself has to be caught. */
  @ParameterizedTest
  @ValueSource(ints = {10, 200_000})
  void faultsAreCaughtWhereTheyAreMade(int warmUp) throws Exception {
    try (End a = new End(base, "a", SMALL);
        End b = new End(base, "b", SMALL)) {
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      try (FileChannel file = a.openSegmentFile()) {
        End.until("accepted", () -> End.claimable(rail), a, b);
        exchange(rail, a, b, warmUp);
        ShmRail accepted = (ShmRail) b.accepted;
        file.truncate(0);
        int late = 0;
        int polls = 0;
        while (accepted.state() != ShmRail.State.FAILED && polls < 1_000) {
          polls++;
          try {
            polls += b.port.poll(b.nowNs, 64);
          } catch (InternalError told) {
            late++;
          }
        }
        int sends = 0;
        while (rail.state() != ShmRail.State.FAILED && sends < 1_000) {
          sends++;
          try {
            long offset = rail.claim(8);
            if (offset >= 0) {
              rail.commit(8);
              rail.flush();
            }
          } catch (InternalError told) {
            // compiled code may be told of a fault when it has left the rail's methods (txMemory)
            late++;
          }
        }
        assertEquals(ShmRail.State.FAILED, accepted.state());
        assertEquals(ShmRail.State.FAILED, rail.state(), "faults told late: " + late);
      }
    }
  }

  static void exchange(ShmRail rail, End a, End b, int packets) {
    byte[] packet = new byte[100];
    b.keep = true;
    End.send(rail, packet);
    End.until("first", () -> !b.packets.isEmpty(), b);
    b.packets.clear();
    b.keep = false;
    for (int i = 0; i < packets; i++) {
      End.send(rail, packet);
      b.poll();
      End.send(b.accepted, packet);
      a.poll();
    }
    b.keep = true;
    a.packets.clear();
  }
}
