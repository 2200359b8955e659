// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A look at a port can be a system call, and is not worth it where nothing ever arrives. */
class IdlePortTest {
  private static final int STEP_NS = 1_000;

  private static void poll(MemoryNet net, Endpoint endpoint, int cycles) {
    for (int i = 0; i < cycles; i++) {
      net.nowNs += STEP_NS;
      endpoint.poll(net.nowNs);
    }
  }

  @Test
  void anIdlePortIsLookedAtLessOftenBesideABusyOne() throws RailException {
    Pair pair = new Pair(1);
    Endpoint right = pair.right.endpoint;
    pair.net.blackHole("mem://idle", true);
    right.addPort(pair.net.opener("mem://idle"), pair.net.nowNs);
    MemoryNet.Port busy = pair.net.ports.get("mem://0.right");
    MemoryNet.Port idle = pair.net.ports.get("mem://idle");
    poll(pair.net, right, 100);
    long before = idle.polls;
    long busyBefore = busy.polls;
    for (int i = 0; i < 50; i++) {
      pair.send(100);
      pair.left.endpoint.poll(pair.net.nowNs);
      poll(pair.net, right, 40);
    }
    assertEquals(2000, busy.polls - busyBefore);
    long looks = idle.polls - before;
    assertTrue(looks >= 20 && looks <= 70, looks + " looks in 2 ms at a port that was idle");

    for (int i = 0; i < 200; i++) { // nothing comes there for a long time
      pair.net.nowNs += 400_000;
      right.poll(pair.net.nowNs);
    }
    for (int i = 0; i < 260; i++) {
      if (i == 10) { // the other one is busy again
        before = idle.polls;
      }
      pair.send(100);
      pair.left.endpoint.poll(pair.net.nowNs);
      poll(pair.net, right, 40);
    }
    looks = idle.polls - before;
    assertTrue(looks >= 16 && looks <= 24, looks + " looks in 10 ms at a port that is silent");

    poll(pair.net, right, 200); // nobody is busy any more
    before = idle.polls;
    poll(pair.net, right, 100);
    assertEquals(100, idle.polls - before);
  }

  @Test
  void whatArrivesAtAnIdlePortWaitsForALookAtMost() throws RailException {
    Pair pair = new Pair(1);
    Endpoint right = pair.right.endpoint;
    right.addPort(pair.net.opener("mem://idle"), pair.net.nowNs);
    Pair.Side third = new Pair.Side(EndpointConfig.defaults("third", -1, 3), 3);
    third.endpoint.addPort(pair.net.opener("mem://third"), pair.net.nowNs);
    for (int i = 0; i < 10; i++) { // the one port is busy, the other gone cold
      pair.send(100);
      pair.left.endpoint.poll(pair.net.nowNs);
      poll(pair.net, right, 40);
    }
    third.endpoint.connect("right", List.of(new RailAddress("mem://idle")), pair.net.nowNs);
    for (int i = 0; i < 400 && Pair.active(third) == 0; i++) {
      pair.send(100);
      pair.left.endpoint.poll(pair.net.nowNs);
      third.endpoint.poll(pair.net.nowNs);
      poll(pair.net, right, 10);
    }
    assertEquals(1, Pair.active(third));
  }

  /** Where others compute, looking again and again takes time from whoever is to answer. */
  @Test
  void whoIsAboutToBlockLooksAtSharedMemoryOnce() throws RailException {
    MemoryNet net = new MemoryNet();
    Pair.Side side = new Pair.Side(EndpointConfig.defaults("idle", -1, 3), 3);
    side.endpoint.addPort(net.opener("mem://ring-shared"), net.nowNs);
    poll(net, side.endpoint, 100);
    MemoryNet.Port ring = net.ports.get("mem://ring-shared");
    long before = ring.polls;
    side.endpoint.poll(() -> net.nowNs, false);
    assertEquals(1, ring.polls - before);
    before = ring.polls;
    side.endpoint.poll(() -> net.nowNs, true);
    assertTrue(ring.polls - before > 10, "it may spin");
  }

  /** Or it would pass for a busy one, and the others would be looked at for ever. */
  @Test
  void aClosedPortIsNotBusy() throws RailException {
    Pair pair = new Pair(2);
    pair.net.ports.get("mem://1.right").failing = true;
    pair.net.refused.add("mem://1.right");
    Endpoint right = pair.right.endpoint;
    poll(pair.net, right, 1000);
    long before = pair.net.ports.get("mem://0.right").polls;
    poll(pair.net, right, 100);
    assertEquals(100, pair.net.ports.get("mem://0.right").polls - before);
  }
}
