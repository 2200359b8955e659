// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.testkit.Facility;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An accelerator on the path is used by the nodes that want it, and by no others. */
@Timeout(180)
class AcceleratorSettingTest {
  private static final int MESSAGES = 40;
  private static final int MESSAGE_BYTES = 200_000;

  private static NodeConfigBuilder config() {
    return NodeConfig.builder().name("a");
  }

  @Test
  void onUnlessSwitchedOff() {
    NodeConfig usual = config().build();
    assertTrue(usual.accelerator());
    assertSame(Accelerators.find(), usual.foundAccelerator());
    assertSame(Accelerators.find(), usual.core(1).accelerator());
    NodeConfig off = config().accelerator(false).build();
    assertEquals(false, off.accelerator());
    assertNull(off.foundAccelerator());
    assertNull(off.core(1).accelerator());
  }

  /** Each node has its own setting, in one process too; what arrives is the same. */
  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void eachNodeUsesItsOwn(boolean atA, boolean atB, @TempDir Path folder) {
    Accelerator found = Accelerators.find();
    boolean there = Facility.onProcessor(found != null, "x86-64 loops");
    List<String> rails = List.of("shm:" + folder + "?copy=ring");
    boolean[] settings = {atB, atA}; // in the order in which they are started
    int[] started = {0};
    try (TwoNodes nodes =
        new TwoNodes(rails, true, config -> config.accelerator(settings[started[0]++]))) {
      nodes.up();
      exchange(nodes, nodes.aToB(), nodes.bToA(), 1);
      exchange(nodes, nodes.bToA(), nodes.aToB(), 2);
      assertEquals(there && atA, streamed(nodes.a) > 0);
      assertEquals(there && atB, streamed(nodes.b) > 0);
    }
  }

  private static void exchange(TwoNodes nodes, Peer from, Peer to, int number) {
    SplittableRandom random = new SplittableRandom(number);
    byte[] message = new byte[MESSAGE_BYTES];
    for (int i = 0; i < MESSAGES; i++) {
      random.nextBytes(message);
      assertTrue(nodes.offer(from.channel(number), message) > 0);
      assertArrayEquals(message, nodes.receive(to.channel(number)));
    }
  }

  private static long streamed(Node node) {
    return node.ports().stream()
        .mapToLong(port -> port.counters().get(PortCounter.STREAMED_BYTES))
        .sum();
  }
}
