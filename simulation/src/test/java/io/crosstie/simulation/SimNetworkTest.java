// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the simulated links do to packets is what they were told to do, and all of it is counted.
 */
class SimNetworkTest {
  private static final LinkModel MODEL = new LinkModel(100_000, 0, 1_000_000_000L, 1 << 20, 1500);

  private final SimClock clock = new SimClock();
  private final SimNetwork network = new SimNetwork(clock, new Trace(0, null), 7);
  private final List<Long> times = new ArrayList<>();
  private final List<byte[]> packets = new ArrayList<>();
  private final List<LinkEvent> events = new ArrayList<>();
  private SimPort a;
  private SimPort b;
  private Rail rail;
  private SimLink link;

  private final PortHandler handler =
      new PortHandler() {
        @Override
        public void onPacket(
            RailPort port, MemorySegment memory, long offset, int length, long source) {
          byte[] bytes = new byte[length];
          MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
          packets.add(bytes);
          times.add(clock.nowNs());
        }

        @Override
        public void onLinkEvent(RailPort port, Rail about, LinkEvent event, int errno) {
          events.add(event);
        }
      };

  private void open(LinkModel model) throws RailException {
    network.define("e0", model);
    RailAddress to = SimNetwork.address(false, "e0", "b");
    PortProfile profile = PortProfile.datagram(9000, 1 << 20, 1 << 20);
    a = network.open(SimNetwork.address(false, "e0", "a"), profile, handler, SimHost.of(() -> {}));
    b = network.open(to, profile, handler, SimHost.of(this::poll));
    rail = a.connect(to);
    link = network.link(a.localAddress(), to);
  }

  private void poll() {
    clock.after(0, () -> assertTrue(b.poll(clock.nowNs(), 64) >= 0));
  }

  private void send(int count, int length) {
    for (int i = 0; i < count; i++) {
      long offset = rail.claim(length);
      for (int j = 0; j < length; j++) {
        rail.txMemory().set(ValueLayout.JAVA_BYTE, offset + j, (byte) (i + j));
      }
      rail.commit(length);
      rail.flush();
      clock.runUntil(clock.nowNs() + 20_000);
    }
    clock.runUntil(clock.nowNs() + 100_000_000);
  }

  private void assertCloses() {
    assertEquals(0, link.underWay());
    assertEquals(packets.size(), link.get(LinkCounter.DELIVERED));
    assertEquals(
        link.get(LinkCounter.SENT) + link.get(LinkCounter.REPEATED) - link.drops(), packets.size());
  }

  @Test
  void delayAndRateDecideWhenAPacketArrives() throws Exception {
    open(MODEL);
    send(1, 1000);
    assertEquals(List.of(101_000L), times); // 1000 bytes at 1 GB/s take a microsecond
    assertCloses();
  }

  @Test
  void aQueueIsFinite() throws Exception {
    open(new LinkModel(0, 0, 1_000_000, 10_000, 1500));
    for (int i = 0; i < 50; i++) {
      assertTrue(rail.claim(1000) >= 0);
      rail.commit(1000);
    }
    rail.flush();
    clock.runUntil(1_000_000_000);
    assertEquals(10, packets.size());
    assertEquals(40, link.get(LinkCounter.QUEUE_FULL));
    assertCloses();
  }

  @Test
  void lossIsAboutAsFrequentAsTold() throws Exception {
    open(MODEL);
    link.faults(LinkFaults.NONE.withLoss(100_000));
    send(2000, 100);
    assertTrue(Math.abs(link.get(LinkCounter.LOST) - 200) < 60, link.get(LinkCounter.LOST) + "");
    assertCloses();
  }

  @Test
  void lossesInBurstsComeTogether() throws Exception {
    open(MODEL);
    link.faults(LinkFaults.NONE.withBursts(10_000, 100_000, 1_000_000));
    send(3000, 100);
    long lost = link.get(LinkCounter.LOST_IN_BURST);
    assertTrue(lost > 100 && lost < 900, lost + "");
    assertCloses();
  }

  @Test
  void repeatsAreCounted() throws Exception {
    open(MODEL);
    link.faults(LinkFaults.NONE.withRepeats(1_000_000));
    send(100, 100);
    assertEquals(200, packets.size());
    assertEquals(100, link.get(LinkCounter.REPEATED));
    assertCloses();
  }

  @Test
  void reorderingHoldsSomeUp() throws Exception {
    open(MODEL);
    link.faults(LinkFaults.NONE.withReordering(200_000, 100_000));
    send(500, 100);
    assertEquals(500, packets.size());
    int late = 0;
    for (int i = 1; i < packets.size(); i++) {
      late += packets.get(i)[0] - packets.get(i - 1)[0] == 1 ? 0 : 1;
    }
    assertTrue(late > 50, late + "");
    assertCloses();
  }

  @Test
  void withoutReorderingJitterKeepsTheOrder() throws Exception {
    open(new LinkModel(100_000, 90_000, 1_000_000_000L, 1 << 20, 1500));
    send(120, 100);
    for (int i = 0; i < packets.size(); i++) {
      assertEquals((byte) i, packets.get(i)[0]);
    }
  }

  @Test
  void damageChangesBitsAndIsCounted() throws Exception {
    open(MODEL);
    link.faults(LinkFaults.NONE.withDamage(1_000_000, 0, 0));
    send(50, 100);
    byte[] sent = new byte[100];
    for (int i = 0; i < 50; i++) {
      for (int j = 0; j < 100; j++) {
        sent[j] = (byte) (i + j);
      }
      byte[] got = packets.get(i);
      assertEquals(100, got.length);
      assertFalse(java.util.Arrays.equals(sent, got), "packet " + i);
    }
    link.faults(LinkFaults.NONE.withDamage(0, 0, 1_000_000));
    send(1, 100);
    assertTrue(packets.getLast().length < 100);
    assertCloses();
  }

  @Test
  void aCutTakesWhatIsOnItsWayAndAHealedLinkWorks() throws Exception {
    open(MODEL);
    assertTrue(rail.claim(10) >= 0);
    rail.commit(10);
    rail.flush();
    link.cut(true);
    send(3, 10);
    assertEquals(0, packets.size());
    link.cut(false);
    send(2, 10);
    assertEquals(2, packets.size());
    assertEquals(4, link.get(LinkCounter.CUT));
    assertCloses();
  }

  @Test
  void longPacketsVanishWhereTheMtuShrank() throws Exception {
    open(MODEL);
    send(1, 1500);
    link.model(MODEL.withMtu(1200));
    send(1, 1500);
    send(1, 1200);
    assertEquals(2, packets.size());
    assertEquals(1, link.get(LinkCounter.TOO_BIG));
    assertCloses();
  }

  @Test
  void whoKeepsAPacketAfterItsHandlerReturnedFindsRubbish() throws Exception {
    open(MODEL);
    MemorySegment[] kept = new MemorySegment[1];
    SimPort c =
        network.open(
            SimNetwork.address(false, "e0", "c"),
            PortProfile.datagram(1500),
            new PortHandler() {
              @Override
              public void onPacket(
                  RailPort port, MemorySegment memory, long offset, int length, long source) {
                kept[0] = memory.asSlice(offset, length);
              }

              @Override
              public void onLinkEvent(RailPort port, Rail about, LinkEvent event, int errno) {}
            },
            SimHost.of(() -> {}));
    Rail toC = a.connect(c.localAddress());
    long offset = toC.claim(4);
    toC.txMemory().set(ValueLayout.JAVA_INT_UNALIGNED, offset, 1);
    toC.commit(4);
    toC.flush();
    clock.runUntil(1_000_000);
    assertEquals(1, c.poll(clock.nowNs(), 8));
    byte[] rubbish = kept[0].toArray(ValueLayout.JAVA_BYTE);
    assertArrayEquals(new byte[] {(byte) 0xd5, (byte) 0xd5, (byte) 0xd5, (byte) 0xd5}, rubbish);
  }

  @Test
  void aPortThatFailedRefusesClaimsAndSaysSo() throws Exception {
    open(MODEL);
    b.fail();
    assertEquals(0, b.poll(0, 1));
    assertEquals(List.of(LinkEvent.CLOSED), events);
    send(1, 10);
    assertEquals(1, link.get(LinkCounter.NO_PORT));
    assertThrows(RailException.class, () -> b.connect(a.localAddress()));
    a.fail();
    assertEquals(Rail.CLOSED, rail.claim(10));
  }

  @Test
  void aCutRingClosesAtBothEnds() throws Exception {
    PortProfile memory = PortProfile.ring(PortProfile.RingProfile.plain(1 << 16, false));
    network.define("m0", new LinkModel(500, 0, 4_000_000_000L, 1 << 30, 1 << 20));
    SimPort x =
        network.open(SimNetwork.address(true, "m0", "x"), memory, handler, SimHost.of(() -> {}));
    SimPort y =
        network.open(SimNetwork.address(true, "m0", "y"), memory, handler, SimHost.of(() -> {}));
    Rail ring = x.connect(y.localAddress());
    clock.runUntil(10_000);
    assertEquals(0, y.poll(0, 8)); // maps the segment
    clock.runUntil(15_000);
    assertTrue(ring.claim(100) >= 0);
    ring.commit(100);
    clock.runUntil(20_000);
    network.cutRings(y.localAddress(), true);
    clock.runUntil(30_000);
    assertEquals(1, y.poll(0, 8)); // what had arrived is still handed up
    assertEquals(1, ring.consumed());
    assertEquals(0, x.poll(0, 8));
    assertEquals(Rail.CLOSED, ring.claim(1));
    assertEquals(List.of(LinkEvent.CLOSED), events);
    assertFalse(ring.isOpen());
    ring.close();
    assertEquals(0, network.ringCount());
  }
}
