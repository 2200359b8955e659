// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * The conformance suite of rails: a driver's test extends this class and says in the methods of
 * {@link RailFixture} how ports are opened. The packets' half is {@link RailPacketContract}; this
 * half is about opening, closing, coming back, and misuse: a claim of a wrong length is an {@link
 * IllegalArgumentException}, a call at the wrong moment an {@link IllegalStateException}. Rails
 * that an engine can wait for keep {@link WaitingRailContract} too.
 */
public abstract class RailContract extends RailPacketContract {
  @Test
  void aClosedRailRefusesClaimsAndNothingElse() throws Exception {
    Pair pair = pair();
    Rail rail = pair.aToB;
    Rail other = pair.a.port().connect(pair.b.port().localAddress());
    rail.close();
    rail.close();
    assertFalse(rail.isOpen());
    assertEquals(Rail.CLOSED, rail.claim(100));
    rail.flush();
    rail.abort();
    assertTrue(other.isOpen());
    send(other, bytes(1, 60));
    other.flush();
    pump(() -> !pair.b.packets.isEmpty());
    assertArrayEquals(bytes(1, 60), pair.b.packets.getFirst().bytes());
  }

  @Test
  void aRailClosedUnderAClaimDropsIt() throws Exception {
    Pair pair = pair();
    long unused = claim(pair.aToB, 100);
    pair.aToB.close();
    pair.aToB.abort();
    Rail other = pair.a.port().connect(pair.b.port().localAddress());
    send(other, bytes(1, 60));
    other.flush();
    pump(() -> !pair.b.packets.isEmpty());
    assertEquals(1, pair.b.packets.size());
  }

  @Test
  void aClosedPortIsQuietAndItsRailsAreClosed() throws Exception {
    Pair pair = pair();
    RailPort port = pair.a.port();
    port.close();
    port.close();
    assertFalse(pair.aToB.isOpen());
    assertEquals(Rail.CLOSED, pair.aToB.claim(10));
    pair.aToB.flush();
    pair.aToB.close();
    assertEquals(0, port.poll(nowNs(), 10));
    assertThrows(RailException.class, () -> port.connect(pair.b.port().localAddress()));
    assertEquals(0, port.counters().get(PortCounter.PACKETS_OUT));
  }

  @Test
  void aPortOpensAgainUnderTheSameAddress() throws Exception {
    Pair pair = pair();
    for (int round = 0; round < 5; round++) {
      send(pair.aToB, bytes(round, 70));
      pair.aToB.flush();
    }
    pump(() -> pair.b.packets.size() >= 5);
    RailAddress address = pair.b.port().localAddress();
    for (int round = 0; round < 3; round++) {
      pair.b.port().close();
      pollAll();
      Station again = stationAgain("b", address);
      assertEquals(address, again.port().localAddress());
      // the old rail may have died with its peer; a new one leads to the new port
      Rail fresh = pair.a.port().connect(address);
      Rail back = again.port().connect(pair.a.port().localAddress());
      send(fresh, bytes(100, 80));
      fresh.flush();
      int before = pair.a.packets.size();
      send(back, bytes(200, 90));
      back.flush();
      pump(() -> !again.packets.isEmpty() && pair.a.packets.size() > before);
      assertArrayEquals(bytes(100, 80), again.packets.getLast().bytes());
      assertArrayEquals(bytes(200, 90), pair.a.packets.getLast().bytes());
      again.port().close();
    }
  }

  @Test
  void theHandlerMayCloseThePort() throws Exception {
    Pair pair = pair();
    pair.b.reaction = (port, packet) -> port.close();
    for (int i = 0; i < 50; i++) {
      send(pair.aToB, bytes(i, 90));
    }
    pair.aToB.flush();
    pump(() -> !pair.b.packets.isEmpty());
    pollAll();
    assertEquals(1, pair.b.packets.size());
  }

  @Test
  void theHandlerMaySendAtOnce() throws Exception {
    Pair pair = pair();
    Rail back = pair.b.port().connect(pair.a.port().localAddress());
    pair.b.reaction =
        (port, packet) -> {
          long offset = back.claim(packet.bytes().length);
          if (offset >= 0) {
            write(back.txMemory(), offset, packet.bytes());
            back.commit(packet.bytes().length);
            back.flush();
          }
        };
    for (int i = 0; i < 20; i++) {
      send(pair.aToB, bytes(i, 50));
      pair.aToB.flush();
      int expected = i + 1;
      pump(() -> pair.a.packets.size() >= expected);
    }
    assertArrayEquals(bytes(19, 50), pair.a.packets.getLast().bytes());
  }

  @Test
  void whatNeedsAPacketIsRejectedOutsideTheHandler() throws Exception {
    Pair pair = pair();
    RailPort port = pair.a.port();
    assertThrows(IllegalStateException.class, port::accept);
    assertThrows(IllegalStateException.class, port::sourceAddress);
    MemorySegment packet = segment(bytes(1, 10));
    assertThrows(IllegalStateException.class, () -> port.reply(packet, 0, 10));
  }

  @Test
  void wrongLengthsAreRejected() throws Exception {
    Pair pair = pair();
    Rail rail = pair.aToB;
    assertThrows(IllegalArgumentException.class, () -> rail.claim(0));
    assertThrows(IllegalArgumentException.class, () -> rail.claim(-1));
    assertThrows(IllegalArgumentException.class, () -> rail.claim(rail.maxPacketLength() + 1));
    assertThrows(IllegalStateException.class, () -> rail.commit(1));
    long unused = claim(rail, 100);
    assertThrows(IllegalStateException.class, () -> rail.claim(100));
    assertThrows(IllegalArgumentException.class, () -> rail.commit(101));
    assertThrows(IllegalArgumentException.class, () -> rail.commit(0));
    rail.abort();
    AtomicReference<Throwable> caught = new AtomicReference<>();
    pair.b.reaction =
        (port, packet) -> {
          try {
            port.reply(segment(new byte[1201]), 0, 1201);
          } catch (IllegalArgumentException e) {
            caught.set(e);
          }
        };
    send(rail, bytes(1, 10));
    rail.flush();
    pump(() -> caught.get() != null);
  }

  @Test
  void waitingIsHarmlessWhenThereIsNothingToWaitFor() throws Exception {
    Pair pair = pair();
    try (Poller poller = poller()) {
      boolean attached = pair.a.port().attach(poller);
      pair.a.port().close();
      boolean unused = pair.a.port().prepareToBlock();
      pair.a.port().afterBlock();
      if (attached) {
        assertFalse(poller.await(0));
      }
    }
  }

  @Test
  void memoryOfAPacketIsReadable() throws Exception {
    Pair pair = pair();
    long[] sum = new long[1];
    Station c = new Station();
    PortHandler adder =
        new PortHandler() {
          @Override
          public void onPacket(
              RailPort port, MemorySegment memory, long offset, int length, long source) {
            for (int i = 0; i < length; i++) {
              sum[0] += memory.get(ValueLayout.JAVA_BYTE, offset + i) & 0xff;
            }
          }

          @Override
          public void onLinkEvent(RailPort port, Rail rail, LinkEvent event, int errno) {}
        };
    try (RailPort port = open("c", adder)) {
      c.attachTo(port);
      Rail rail = pair.a.port().connect(port.localAddress());
      byte[] ones = new byte[77];
      java.util.Arrays.fill(ones, (byte) 1);
      pump( // a rail that has to be accepted first needs this port polled too
          () -> {
            int unused = port.poll(nowNs(), 16);
            return claimAndAbort(rail);
          });
      send(rail, ones);
      rail.flush();
      pump(
          () -> {
            int unused = port.poll(nowNs(), 16);
            return sum[0] == 77;
          });
    }
  }
}
