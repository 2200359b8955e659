// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R20")
class PacketSizeProbeTest {
  private static int search(PacketSizeProbe probe, int carries) {
    for (int i = 0; i < 100 && probe.due(0) != 0; i++) {
      int size = probe.due(0);
      probe.sent();
      assertEquals(0, probe.due(0), "one probe at a time");
      if (size <= carries) {
        probe.onAcked(size);
      } else {
        probe.onLost(size, false);
      }
    }
    return probe.current();
  }

  @Test
  void findsTheLargestSizeOfItsListThatPasses() {
    for (int[] c :
        new int[][] {{65507, 65507}, {9000, 8972}, {1472, 1472}, {1400, 1392}, {1300, 1200}}) {
      PacketSizeProbe probe = new PacketSizeProbe();
      probe.restart(65507, false, 0);
      assertEquals(1200, probe.current());
      assertEquals(c[1], search(probe, c[0]), "path of " + c[0]);
    }
  }

  @Test
  void threeProbesAreLostBeforeASizeIsGivenUp() {
    PacketSizeProbe probe = new PacketSizeProbe();
    probe.restart(1472, false, 0);
    for (int i = 0; i < 2; i++) {
      probe.sent();
      probe.onLost(1472, false);
      assertEquals(1472, probe.due(0));
    }
    probe.sent();
    probe.onAcked(1472);
    assertEquals(1472, probe.current());
  }

  @Test
  void aBlackHoleForLargePacketsIsNoticedAndSearchedAnew() {
    PacketSizeProbe probe = new PacketSizeProbe();
    probe.restart(8972, false, 0);
    search(probe, 8972);
    for (int i = 0; i < 5; i++) {
      assertFalse(probe.onPacketLost(8972, i, 0));
    }
    probe.onPacketAcked(8972, 5);
    for (int i = 6; i < 11; i++) {
      assertFalse(probe.onPacketLost(8972, i, 0));
    }
    assertTrue(probe.onPacketLost(8972, 11, 0));
    assertEquals(1200, probe.current());
    assertEquals(1472, search(probe, 1472));
  }

  @Test
  void lossesBeforeALargePacketThatArrivedAreNoMatterOfSize() {
    PacketSizeProbe probe = new PacketSizeProbe();
    probe.restart(8972, false, 0);
    search(probe, 8972);
    probe.onPacketAcked(8972, 100);
    for (int i = 0; i < 100; i++) {
      assertFalse(probe.onPacketLost(8972, i, 0));
    }
    assertEquals(8972, probe.current());
  }

  @Test
  void aLosslessRailNeedsNoProbe() {
    PacketSizeProbe probe = new PacketSizeProbe();
    probe.restart(65528, true, 0);
    assertEquals(65528, probe.current());
    assertEquals(0, probe.due(0));
  }
}
