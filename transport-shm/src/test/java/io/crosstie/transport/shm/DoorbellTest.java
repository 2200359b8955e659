// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.NioPoller;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.linux.FdPoller;
import io.crosstie.transport.linux.Libc;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A consumer that sleeps is always woken, and one that does not is never rung. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoorbellTest {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int ROUNDS = 20_000;

  @TempDir Path base;

  private static Poller poller(String sockets) throws Exception {
    if (sockets.equals("nio")) {
      return new NioPoller();
    }
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    return new FdPoller();
  }

  /**
   * Both sides block between packets, after a random while: no wake-up may be lost. One that is
   * lost shows as a wait that ends by time.
   */
  @ParameterizedTest
  @ValueSource(strings = {"fd", "nio"})
  void noWakeUpIsLost(String sockets) throws Exception {
    try (Poller pollerA = poller(sockets);
        Poller pollerB = poller(sockets);
        End a = new End(base, "a", "sockets=" + sockets);
        End b = new End(base, "b", "sockets=" + sockets)) {
      assertTrue(a.port.attach(pollerA));
      assertTrue(b.port.attach(pollerB));
      ShmRail rail = End.connect(a, b);
      a.keep = false;
      b.onPacket =
          (end, memory, offset, length) -> {
            end.packets.clear();
            End.send(end.accepted, new byte[8]);
          };
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread echo =
          new Thread(
              () -> {
                try {
                  SplittableRandom random = new SplittableRandom(2);
                  while (b.received < ROUNDS) {
                    receiveOne(b, pollerB, random);
                  }
                } catch (Throwable t) {
                  failure.set(t);
                  pollerA.wakeup();
                }
              });
      echo.start();
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < ROUNDS && failure.get() == null; i++) {
        End.send(rail, new byte[8]);
        receiveOne(a, pollerA, random);
      }
      pollerB.wakeup();
      echo.join();
      if (failure.get() != null) {
        throw new AssertionError(failure.get());
      }
      assertEquals(ROUNDS, a.received);
      assertTrue(a.port.counters().get(PortCounter.DOORBELLS) > 0);
    }
  }

  private static void receiveOne(End end, Poller poller, SplittableRandom random) {
    long before = end.received;
    for (int spins = random.nextInt(40); spins > 0 && end.received == before; spins--) {
      end.poll();
      Thread.onSpinWait();
    }
    while (end.received == before) {
      if (end.port.prepareToBlock()) {
        boolean woken = poller.await(LONG_NS);
        end.port.afterBlock();
        if (!woken) {
          throw new AssertionError("a wake-up was lost after " + before + " packets");
        }
      }
      end.poll();
    }
  }

  @Test
  void onlyASleeperIsRung() throws Exception {
    try (End a = new End(base, "a", "");
        End b = new End(base, "b", "")) {
      ShmRail rail = End.connect(a, b);
      for (int i = 0; i < 100; i++) {
        End.send(rail, new byte[8]);
        b.poll();
      }
      assertEquals(0, a.port.counters().get(PortCounter.DOORBELLS));
      assertTrue(b.port.prepareToBlock());
      End.send(rail, new byte[8]);
      End.send(rail, new byte[8]);
      assertEquals(1, a.port.counters().get(PortCounter.DOORBELLS));
      b.port.afterBlock();
      assertFalse(b.port.prepareToBlock()); // there is something to do
      assertEquals(2, b.poll());
      assertTrue(b.port.prepareToBlock());
      b.port.afterBlock();
      End.send(rail, new byte[8]);
      assertEquals(1, a.port.counters().get(PortCounter.DOORBELLS));
    }
  }

  /** Offers, answers and ends wake a sleeper too. */
  @ParameterizedTest
  @ValueSource(strings = {"fd", "nio"})
  void everythingWakes(String sockets) throws Exception {
    try (Poller pollerA = poller(sockets);
        Poller pollerB = poller(sockets);
        End a = new End(base, "a", "sockets=" + sockets);
        End b = new End(base, "b", "sockets=" + sockets)) {
      assertTrue(a.port.attach(pollerA));
      assertTrue(b.port.attach(pollerB));
      b.poll();
      assertFalse(sleep(b, pollerB, 0));
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      assertTrue(sleep(b, pollerB, LONG_NS));
      b.poll();
      assertTrue(sleep(a, pollerA, LONG_NS));
      a.poll();
      assertTrue(End.claimable(rail));
      End.send(rail, new byte[1]);
      b.poll();
      rail.close();
      assertTrue(sleep(b, pollerB, LONG_NS));
      b.poll();
      assertTrue(b.closedEvent(b.accepted));
      b.accepted.close();
      assertFalse(sleep(b, pollerB, 0));
      assertFalse(sleep(a, pollerA, 0));
    }
  }

  private static boolean sleep(End end, Poller poller, long timeoutNs) {
    assertTrue(end.port.prepareToBlock());
    boolean woken = poller.await(timeoutNs);
    end.port.afterBlock();
    return woken;
  }

  @Test
  void aPollerOfTheOtherKindIsDeclined() throws Exception {
    try (Poller nio = new NioPoller();
        Poller fd = poller("fd");
        End a = new End(base, "a", "sockets=fd");
        End b = new End(base, "b", "sockets=nio")) {
      assertFalse(a.port.attach(nio));
      assertFalse(b.port.attach(fd));
    }
  }
}
