// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.sun.management.ThreadMXBean;
import io.crosstie.reliability.channel.IntervalSet;
import io.crosstie.reliability.congestion.RateController;
import io.crosstie.reliability.loss.LossThresholds;
import io.crosstie.reliability.loss.ReceivedPackets;
import io.crosstie.reliability.loss.RttEstimator;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.BufferPool.PooledBuffer;
import io.crosstie.reliability.time.Backoff;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.AckFrame;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nothing is allocated in the steady state. */
@Tag("R24")
class RecoveryAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final long PATIENCE_NS = 60_000_000_000L;

  private static void assertAllocatesNothing(Runnable action) {
    long allocated = Long.MAX_VALUE;
    // what runs in the interpreter allocates; when it is compiled is not for us to say
    long end = System.nanoTime() + PATIENCE_NS;
    for (int i = 0; allocated >= 10_000 && (i < 200 || System.nanoTime() < end); i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int k = 0; k < 10_000; k++) {
        action.run();
      }
      allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    }
    assertEquals(0, allocated / 10_000, "bytes per round, of " + allocated);
  }

  private long now;
  private long number;

  @Test
  void receiving() {
    ReceivedPackets received = new ReceivedPackets(1_000_000);
    byte[] memory = new byte[AckFrame.MAX_LENGTH];
    assertAllocatesNothing(
        () -> {
          number += 1 + (number & 1);
          received.onPacket(number, true, now += 1000);
          if (received.isAckDue(now) && received.writeAck(memory, 0, 200, 0, now) > 0) {
            received.onAckSent(now);
            received.onAckDelivered(number - 5);
          }
        });
  }

  @Test
  void sending() {
    RateController controller = new RateController(125_000_000, 1500);
    RttEstimator rtt = new RttEstimator(1_000_000);
    LossThresholds thresholds = new LossThresholds();
    SlipClock clock = new SlipClock(10_000_000, 1_000_000, () -> 0);
    SplittableRandom random = new SplittableRandom(1);
    assertAllocatesNothing(
        () -> {
          now = clock.onTick(now + 10_000);
          controller.sendAllowance(now);
          controller.onSent(1500, now);
          long prior = controller.delivered();
          long priorNs = controller.deliveredTimeNs();
          long firstNs = controller.firstSentTimeNs();
          long sentNs = now;
          now += 500_000;
          controller.onAcked(1500, prior, priorNs, firstNs, sentNs, false, now);
          rtt.onSample(500_000, 0, now);
          controller.onRttSample(500_000, 0, false, now);
          thresholds.onRoundTrip();
          now += thresholds.timeThresholdNs(rtt, 1000) & 1;
          now += Backoff.delayNs(100, 3, 1000, random) & 1;
        });
  }

  @Test
  void reassembling() {
    IntervalSet set = new IntervalSet(64);
    try (BufferPool pool = new BufferPool(1 << 20)) {
      assertAllocatesNothing(
          () -> {
            PooledBuffer buffer = pool.take(100_000);
            assertNotNull(buffer);
            set.clear();
            for (int i = 0; i < 20; i++) {
              set.add(i * 20L, i * 20L + 10);
            }
            pool.give(buffer);
          });
    }
  }
}
