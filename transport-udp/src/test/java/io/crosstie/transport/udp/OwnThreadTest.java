// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.OpenDescriptors;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Pollers;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.Station;
import io.crosstie.transport.thread.OwnThreadDriver;
import io.crosstie.transport.thread.PortLoop;
import io.crosstie.transport.thread.PortRunner;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** A driver that hangs, under a thread of its own: told, given up, replaced, and fenced off. */
class OwnThreadTest extends OwnThreadFixture {
  private static final long MS = 1_000_000L;
  private static final long PATIENCE_NS = 60_000 * MS;

  private final HangingDriver hanging = new HangingDriver();
  private long nowNs = System.nanoTime();

  @Override
  RailDriver driver(String node) {
    return node.equals("b") ? new OwnThreadDriver(hanging) : new LinuxUdpDriver();
  }

  @Override
  protected long nowNs() {
    return nowNs;
  }

  @Test
  void aThreadThatHangsIsGivenUpAndItsAddressTakenOver() throws Exception {
    Set<String> before = OpenDescriptors.now();
    Pair pair = pair();
    Rail back = pair.b.port().connect(pair.a.port().localAddress());
    send(pair.aToB, bytes(1, 100));
    pair.aToB.flush();
    send(back, bytes(2, 100));
    back.flush();
    pump(() -> !pair.b.packets.isEmpty() && !pair.a.packets.isEmpty());
    CountDownLatch gate = new CountDownLatch(1);
    hanging.gate = gate;
    assertFalse(pair.b.heard(LinkEvent.HUNG));
    long hangsSinceNs = System.nanoTime();
    while (!pair.b.heard(LinkEvent.HUNG)) {
      nowNs = System.nanoTime();
      assertTrue(nowNs - hangsSinceNs < PATIENCE_NS, "nobody noticed");
      pollAll();
    }
    RailAddress address = pair.b.port().localAddress();
    pair.b.port().close();
    assertFalse(back.isOpen());
    hanging.gate = null;
    Station again = stationAgain("b", address);
    assertEquals(address, again.port().localAddress());
    Rail fresh = pair.a.port().connect(address);
    Rail freshBack = again.port().connect(pair.a.port().localAddress());
    int packets = pair.a.packets.size();
    send(fresh, bytes(3, 100));
    fresh.flush();
    send(freshBack, bytes(4, 100));
    freshBack.flush();
    pump(() -> !again.packets.isEmpty() && pair.a.packets.size() > packets);
    assertArrayEquals(bytes(3, 100), again.packets.getFirst().bytes());
    assertArrayEquals(bytes(4, 100), pair.a.packets.getLast().bytes());

    int told = pair.b.packets.size() + pair.b.events.size();
    hanging.gate = new CountDownLatch(0); // so that its end is seen
    gate.countDown(); // it comes back from the dead
    hanging.closed.await();
    pollAll();
    assertEquals(told, pair.b.packets.size() + pair.b.events.size());
    send(fresh, bytes(5, 100));
    fresh.flush();
    pump(() -> again.packets.size() >= 2);
    closeAll();
    while (!OpenDescriptors.since(before).isEmpty()) {
      relax(); // the other threads close theirs
    }
  }

  @Test
  void patienceIsCountedInLooksSoThatAPauseOfTheProcessIsNoHang() throws Exception {
    Pair pair = pair();
    CountDownLatch gate = new CountDownLatch(1);
    hanging.gate = gate;
    for (int i = 0; i < 5; i++) {
      nowNs += 10_000 * MS;
      pollAll();
    }
    assertFalse(pair.b.heard(LinkEvent.HUNG));
    gate.countDown();
    hanging.gate = null;
    send(pair.aToB, bytes(1, 100));
    pair.aToB.flush();
    pump(() -> !pair.b.packets.isEmpty());
  }

  @Test
  void whereThereIsNoThreadToBeHadNothingIsLeftOpen() throws Exception {
    Facility.require(hanging.whyUnavailable() == null, hanging.whyUnavailable());
    Set<String> before = OpenDescriptors.now();
    OwnThreadDriver driver = new OwnThreadDriver(hanging, NoThread::new);
    RailException e =
        assertThrows(
            RailException.class,
            () ->
                driver.open(
                    RailUri.parse("udp://127.0.0.1:0"), new PortContext("x", 1, 2), new Station()));
    assertTrue(String.valueOf(e.getMessage()).contains("no thread"), e.getMessage());
    assertEquals(Set.of(), OpenDescriptors.since(before));
  }

  /** Runs nothing. */
  private record NoThread(Poller poller) implements PortRunner {
    NoThread() throws RailException {
      this(Pollers.create());
    }

    @Override
    public long nowNs() {
      return 0;
    }

    @Override
    public void start(String name, PortLoop loop) throws RailException {
      throw new RailException("no thread");
    }

    @Override
    public boolean tryLock(ReentrantLock lock) {
      return false;
    }

    @Override
    public boolean awaitEnd() {
      return true;
    }

    @Override
    public void discard() {
      poller.close();
    }
  }

  @Test
  void aDriverThatCannotBeSeveredIsRefused() {
    OwnThreadDriver driver = new OwnThreadDriver(new NettyUdpDriver(false));
    String why = driver.whyUnavailable();
    assertTrue(why != null && why.contains("thread=own"), why);
    RailException e =
        assertThrows(
            RailException.class,
            () ->
                driver.open(
                    RailUri.parse("udp://127.0.0.1:0"), new PortContext("x", 1, 2), new Station()));
    assertTrue(String.valueOf(e.getMessage()).contains("driver=linux"), e.getMessage());
  }
}
