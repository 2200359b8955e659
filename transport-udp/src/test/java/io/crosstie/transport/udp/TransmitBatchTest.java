// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How packets are grouped; a null rail stands for the one and only. */
class TransmitBatchTest {
  private static final SockAddr TARGET =
      SockAddr.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 9));

  private Arena arena;
  private TransmitBatch batch;

  @BeforeEach
  void allocate() {
    arena = Arena.ofConfined();
    batch = new TransmitBatch(arena, SocketAbi.AF_INET, 65507, false, false);
    batch.setSegmentation(true);
  }

  @AfterEach
  void release() {
    arena.close();
  }

  private void add(int... lengths) {
    for (int length : lengths) {
      assertTrue(batch.hasRoom(length));
      batch.add(null, TARGET, null, length);
    }
  }

  private int[] packetsOfGroups() {
    int[] packets = new int[batch.groups()];
    for (int i = 0; i < packets.length; i++) {
      packets[i] = batch.packets(batch.firstGroup() + i);
    }
    return packets;
  }

  private static int[] ints(int... values) {
    return values;
  }

  private static void assertSame(int[] expected, int[] actual) {
    org.junit.jupiter.api.Assertions.assertArrayEquals(expected, actual);
  }

  @Test
  void equalPacketsAndAShorterLastOneFormAGroup() {
    add(100, 100, 100, 60, 100, 100, 200);
    assertSame(ints(4, 2, 1), packetsOfGroups());
    assertEquals(360, batch.bytes(0));
  }

  @Test
  void aGroupHasAtMost64Packets() {
    for (int i = 0; i < 130; i++) {
      add(10);
    }
    assertSame(ints(64, 64, 2), packetsOfGroups());
  }

  @Test
  void aGroupFitsIntoOneDatagram() {
    add(30000, 30000);
    assertFalse(batch.hasRoom(30000));
    add(5507);
    assertSame(ints(3), packetsOfGroups());
    assertEquals(65507, batch.bytes(0));
    assertFalse(batch.hasRoom(30), "the memory is full");
  }

  @Test
  void withoutSegmentationEachPacketStandsAlone() {
    batch.setSegmentation(false);
    add(10, 10, 10);
    assertSame(ints(1, 1, 1), packetsOfGroups());
  }

  @Test
  void theNumberOfGroupsIsBounded() {
    batch.setSegmentation(false);
    for (int i = 0; i < TransmitBatch.MAX_GROUPS; i++) {
      add(10);
    }
    assertFalse(batch.hasRoom(10));
  }

  @Test
  void packetsLeaveOneByOneOrInGroups() {
    add(100, 100, 50, 200);
    batch.dropFirstPacket(0);
    assertEquals(2, batch.packets(0));
    assertEquals(150, batch.bytes(0));
    batch.dropFirstPacket(0);
    assertEquals(50, batch.firstPacketBytes(0));
    batch.dropGroups(1);
    assertSame(ints(1), packetsOfGroups());
    assertEquals(450, batch.tail());
    batch.dropGroups(1);
    assertTrue(batch.isEmpty());
    assertEquals(0, batch.tail());
  }
}
