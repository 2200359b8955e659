// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.Rail;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.thread.OwnThreadDriver;
import java.lang.management.ManagementFactory;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** While packets flow, the threads that rails have for themselves allocate nothing. */
class OwnThreadSteadyStateTest extends OwnThreadFixture {
  private static final int BURSTS = 2_000;
  private static final int BURST = 8;
  private static final long LIMIT = BURSTS * BURST / 4;

  @Override
  RailDriver driver(String node) {
    return new OwnThreadDriver(new LinuxUdpDriver());
  }

  @Test
  void nothingIsAllocated() throws Exception {
    Pair pair = pair();
    Rail back = pair.b.port().connect(pair.a.port().localAddress());
    pair.a.countOnly = true;
    pair.b.countOnly = true;
    long[] ids = threads(Set.of(shown(pair.a.port()), shown(pair.b.port())));
    assertEquals(2, ids.length);
    byte[] packet = bytes(1, 100);
    long least = Long.MAX_VALUE;
    // the first rounds run in the interpreter
    long end = System.nanoTime() + 60_000_000_000L;
    for (int round = 0; least > LIMIT && (round < 100 || System.nanoTime() < end); round++) {
      long before = allocated(ids);
      for (int i = 0; i < BURSTS; i++) {
        long ofA = pair.a.count;
        long ofB = pair.b.count;
        for (int k = 0; k < BURST; k++) {
          send(pair.aToB, packet);
          send(back, packet);
        }
        pair.aToB.flush();
        back.flush();
        pump(() -> pair.a.count - ofA >= BURST / 2 && pair.b.count - ofB >= BURST / 2);
      }
      least = Math.min(least, allocated(ids) - before);
    }
    assertTrue(least <= LIMIT, least + " bytes for " + 2 * BURSTS * BURST + " packets");
  }

  /** The kernel shows so much of a thread's name, and the port gives it no more. */
  private static String shown(RailPort port) {
    String text = port.localAddress().text();
    return text.substring(Math.max(0, text.length() - 15));
  }

  private static long[] threads(Set<String> names) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> names.contains(thread.getName()))
        .mapToLong(Thread::threadId)
        .toArray();
  }

  private static long allocated(long[] ids) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes = 0;
    for (long id : ids) {
      bytes += threads.getThreadAllocatedBytes(id);
    }
    return bytes;
  }
}
