// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.transport.RailException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A port that failed is opened again, beside everything else. */
class PortRestartTest {
  private static final long MS = 1_000_000L;

  /** For what another thread does, in the machine's time. */
  private static final long PATIENCE_NS = 60_000_000_000L;

  @Test
  @Tag("R15")
  void aPortThatLastedIsOpenedAgainAsSoonAsTheFirstTime() throws RailException {
    Pair pair = new Pair(2);
    for (int round = 1; round <= 8; round++) {
      pair.run(1100 * MS);
      failAndComeBack(pair, round, 10 * MS);
    }
  }

  @Test
  @Tag("R15")
  void aPortThatFailsAgainAndAgainIsOpenedLaterEachTime() throws RailException {
    Pair pair = new Pair(2);
    long begin = pair.net.nowNs;
    for (int round = 1; round <= 8; round++) {
      failAndComeBack(pair, round, 300 * MS);
    }
    assertTrue(pair.net.nowNs - begin >= 5 * 63 * MS, () -> pair.net.nowNs - begin + " ns");
  }

  private static void failAndComeBack(Pair pair, long times, long withinNs) {
    port(pair).failing = true;
    assertTrue(
        pair.run(withinNs, () -> restarts(pair) == times),
        () -> "failure " + times + '\n' + pair.describe());
  }

  private static MemoryNet.Port port(Pair pair) {
    return pair.net.ports.get("mem://1.left");
  }

  private static long restarts(Pair pair) {
    return pair.left.endpoint.counters().get(EndpointCounter.PORT_RESTARTS);
  }

  /** Fails the port; it is being opened again, until the latch lets it be. */
  private static CountDownLatch failAndHoldUpOpening(Pair pair) {
    CountDownLatch opening = new CountDownLatch(1);
    pair.net.opening = opening;
    port(pair).failing = true;
    pair.run(100 * MS);
    return opening;
  }

  @Test
  @Tag("R15")
  void theOtherRailsGoOnWhileAPortIsOpenedAgain() throws RailException {
    Pair pair = new Pair(2);
    CountDownLatch opening = failAndHoldUpOpening(pair);
    pair.send(200_000);
    assertTrue(pair.run(500 * MS, () -> pair.delivered == 1), pair::describe);
    assertEquals(0, restarts(pair), pair::describe);
    opening.countDown();
    for (long end = System.nanoTime() + PATIENCE_NS;
        restarts(pair) == 0 && System.nanoTime() < end; ) {
      pair.run(MS); // the network's time, not that of the thread which opens the port
    }
    assertEquals(1, restarts(pair), pair::describe);
    RailPath path = pair.connection().path(1);
    assertNotNull(path);
    assertTrue(pair.run(500 * MS, () -> path.state() == RailState.ACTIVE), pair::describe);
  }

  @Test
  @Tag("R15")
  void aPortThatIsNotWantedAnyMoreWhenItIsOpenIsClosed() throws Exception {
    Pair pair = new Pair(2);
    MemoryNet.Port failed = port(pair);
    CountDownLatch opening = failAndHoldUpOpening(pair);
    pair.left.endpoint.removePort(1, pair.net.nowNs);
    opening.countDown();
    for (long end = System.nanoTime() + PATIENCE_NS;
        (port(pair) == failed || port(pair).open) && System.nanoTime() < end; ) {
      Thread.onSpinWait();
    }
    assertNotSame(failed, port(pair));
    assertFalse(port(pair).open);
  }
}
