// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.transport.RailException;
import org.junit.jupiter.api.Test;

/**
 * How often nodes that have nothing to do are woken: each time costs some tenths of a millisecond
 * of processor time, for what is executed so seldom is in no cache.
 */
class IdleConnectionTest {
  private static final long MINUTE_NS = 60_000_000_000L;
  private static final int MOST_CYCLES = 1_000_000;

  /** What a minute took. */
  private record Minute(int leftWakes, int rightWakes, long packets) {
    int wakes() {
      return Math.max(leftWakes, rightWakes);
    }
  }

  /** Each side is polled when its own deadline has come, or something has arrived for it. */
  private static Minute idle(Pair pair) {
    pair.run(1_000_000_000L); // what the beginning left to be done
    long endNs = pair.net.nowNs + MINUTE_NS;
    long sent = pair.net.sent;
    int leftWakes = 0;
    int rightWakes = 0;
    for (int i = 0; i < MOST_CYCLES; i++) {
      long left = Math.min(pair.left.endpoint.nextDeadlineNs(), pair.net.arrivalNs(".left"));
      long right = Math.min(pair.right.endpoint.nextDeadlineNs(), pair.net.arrivalNs(".right"));
      long next = Math.min(left, right);
      if (next >= endNs) {
        return new Minute(leftWakes, rightWakes, pair.net.sent - sent);
      }
      boolean waits = next > pair.net.nowNs;
      pair.net.nowNs = Math.max(next, pair.net.nowNs);
      if (left <= pair.net.nowNs) {
        pair.left.endpoint.poll(pair.net.nowNs);
        leftWakes += waits ? 1 : 0;
      }
      if (right <= pair.net.nowNs) {
        pair.right.endpoint.poll(pair.net.nowNs);
        rightWakes += waits ? 1 : 0;
      }
    }
    throw new AssertionError("the endpoints never rest: " + pair.describe());
  }

  private static void assertHealthy(Pair pair) {
    assertEquals(Connection.State.UP, pair.connection().state());
    assertEquals(pair.rails, Pair.active(pair.left), pair::describe);
    assertEquals(pair.rails, Pair.active(pair.right), pair::describe);
    pair.send(100);
    long before = pair.delivered;
    assertTrue(pair.run(10_000_000L, () -> pair.delivered == before + 1), pair::describe);
  }

  @Test
  void overALosslessRailItIsHardlyWoken() throws RailException {
    Pair pair = Pair.lossless(1);
    pair.send(100);
    Minute minute = idle(pair);
    assertTrue(minute.wakes() <= 60, minute::toString);
    assertTrue(minute.packets() >= 20, "without any news the peer would pass for lost: " + minute);
    assertHealthy(pair);
  }

  @Test
  void besideItTwoLossyRailsArePingedTogether() throws RailException {
    Pair one = new Pair(1);
    Minute ofOne = idle(one);
    Pair two = new Pair(2);
    two.run(300_000_000L);
    two.send(100); // one rail's time is not the other's
    Minute ofTwo = idle(two);
    assertTrue(ofOne.wakes() <= 6 * 60, ofOne::toString);
    assertTrue(ofTwo.wakes() <= ofOne.wakes() + 30, ofOne + " " + ofTwo);
    assertTrue(ofTwo.packets() >= 2 * 60, ofTwo::toString);
    assertHealthy(two);
  }

  /** Fewer pings find out no later that a peer is gone: its time-out is what it was. */
  @Test
  void overALosslessRailASilentPeerIsLostInTime() throws RailException {
    Pair pair = Pair.lossless(1);
    idle(pair);
    pair.rightRuns = false;
    long heardNs = pair.net.nowNs;
    long timeoutNs = pair.left.endpoint.config.peerTimeoutNs();
    assertTrue(
        pair.run(timeoutNs + 1_000_000L, () -> pair.left.saw(NodeEvent.PeerLost.class)),
        pair::describe);
    assertTrue(pair.net.nowNs - heardNs <= timeoutNs + 1_000_000L);
  }
}
