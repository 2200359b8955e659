// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.RailException;
import org.junit.jupiter.api.Test;

/** Short messages over shared memory: sent before anything else, taken in as expected. */
class PromptTest {
  private static final long PATIENCE_NS = 2_000_000_000L;
  private static final int MESSAGES = 2000;

  private static long out(Pair pair, ConnectionCounter counter) {
    return pair.connection().counters().get(counter);
  }

  private static long in(Pair pair, ConnectionCounter counter) {
    return pair.right.connections.getLast().counters().get(counter);
  }

  /** One at a time; all bytes are compared where they arrive. */
  private static void exchange(Pair pair, int messages, int longest) {
    for (int i = 0; i < messages; i++) {
      long before = pair.delivered;
      assertTrue(pair.send(i % (longest + 1)) > 0);
      assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 1), pair::describe);
    }
  }

  private static void assertBooksClose(Pair pair, int rail) {
    pair.run(50_000_000L);
    assertEquals(
        pair.counter(pair.left, rail, RailCounter.PACKETS_OUT),
        pair.counter(pair.right, rail, RailCounter.PACKETS_IN),
        pair::describe);
    assertEquals(
        pair.counter(pair.left, rail, RailCounter.BYTES_OUT),
        pair.counter(pair.right, rail, RailCounter.BYTES_IN),
        pair::describe);
    assertEquals(pair.delivered, out(pair, ConnectionCounter.MESSAGES_OUT));
    assertEquals(pair.delivered, in(pair, ConnectionCounter.MESSAGES_IN));
    assertEquals(pair.delivered, out(pair, ConnectionCounter.MESSAGES_ACCEPTED));
    assertEquals(
        out(pair, ConnectionCounter.BYTES_OUT),
        pair.counter(pair.right, rail, RailCounter.PAYLOAD_IN));
  }

  @Test
  void nearlyAllGoThisWayAndEveryPacketIsCounted() throws RailException {
    Pair pair = Pair.shared(0);
    exchange(pair, MESSAGES, 64);
    assertTrue(out(pair, ConnectionCounter.PROMPT_OUT) > MESSAGES / 2, pair::describe);
    assertTrue(in(pair, ConnectionCounter.EXPECTED_IN) > MESSAGES / 2, pair::describe);
    assertBooksClose(pair, 0);
  }

  @Test
  void longerOnesGoTheGeneralWay() throws RailException {
    Pair pair = Pair.shared(0);
    for (int i = 0; i < 100; i++) {
      assertTrue(pair.send(65 + i) > 0);
      pair.run(200_000L);
    }
    assertEquals(100, pair.delivered);
    assertEquals(0, out(pair, ConnectionCounter.PROMPT_OUT));
    assertEquals(0, in(pair, ConnectionCounter.EXPECTED_IN));
    assertBooksClose(pair, 0);
  }

  @Test
  void severalThatWaitShareAPacket() throws RailException {
    Pair pair = Pair.shared(0);
    exchange(pair, 10, 8);
    long prompt = out(pair, ConnectionCounter.PROMPT_OUT);
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < 3; i++) {
        assertTrue(pair.send(8) > 0);
      }
      pair.run(200_000L);
    }
    assertEquals(160, pair.delivered);
    assertEquals(prompt, out(pair, ConnectionCounter.PROMPT_OUT));
    assertBooksClose(pair, 0);
  }

  /** R21: what does not match its checksum is asked for again, and never delivered. */
  @Test
  void aDamagedPayloadIsSentAgain() throws RailException {
    Pair pair = Pair.shared(0);
    exchange(pair, 100, 64);
    for (int i = 0; i < 20; i++) {
      long before = pair.delivered;
      pair.net.ports.get("mem://ring-shared0.right").corruptNext = true;
      assertTrue(pair.send(1 + i) > 0);
      assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 1), pair::describe);
      exchange(pair, 19, 64);
    }
    assertEquals(500, pair.delivered);
    assertEquals(20, pair.counter(pair.right, 0, RailCounter.CRC_FAILURES), pair::describe);
    assertEquals(0, pair.counter(pair.left, 0, RailCounter.FAILOVERS));
  }

  /** The fast way is the reliable way: what left it and was not consumed leaves again elsewhere. */
  @Test
  void whatARailThatEndsTookAlongArrivesByAnother() throws RailException {
    Pair pair = Pair.shared(1);
    exchange(pair, 200, 64);
    assertTrue(out(pair, ConnectionCounter.PROMPT_OUT) > 0, pair::describe);
    pair.net.blackHole("mem://ring-shared0.right", true);
    long before = pair.delivered;
    long prompt = out(pair, ConnectionCounter.PROMPT_OUT);
    for (int i = 0; i < 5; i++) {
      assertTrue(pair.send(8) > 0);
      int unused = pair.left.endpoint.poll(pair.net.nowNs); // each is a packet of its own
    }
    assertTrue(out(pair, ConnectionCounter.PROMPT_OUT) > prompt, pair::describe);
    assertFalse(pair.delivered > before);
    pair.net.ports.get("mem://ring-shared0.left").failing = true;
    assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 5), pair::describe);
    pair.net.blackHole("mem://ring-shared0.right", false);
    exchange(pair, 100, 64);
    assertEquals(before + 105, pair.delivered);
  }
}
