// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** For rails of ports that a poller can wait for: no packet is slept over. */
public abstract class WaitingRailContract extends RailContract {
  private static final long FOR_EVER_NS = 3_600_000_000_000L;
  private static final int WAKE_UPS = 500;
  private static final int WAITS_IN_VAIN = 100;
  private static final int PATIENCE = 20_000_000;

  @Test
  void anArrivingPacketEndsTheWait() throws Exception {
    Pair pair = pair();
    try (Poller poller = poller()) {
      assertTrue(pair.b.port().attach(poller), "the poller cannot wait for this port");
      AtomicInteger received = new AtomicInteger();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread receiver = Thread.ofPlatform().start(() -> receive(pair.b, poller, received, failure));
      try {
        for (int i = 0; i < WAKE_UPS; i++) {
          // right after the last one was taken: the receiver is about to block, and must not sleep
          // over it
          sendFromThisThread(pair, i);
          for (int n = 0; received.get() <= i && failure.get() == null; n++) {
            assertTrue(n < PATIENCE, "packet " + i + " did not wake the receiver");
            int unused = pair.a.port().poll(nowNs(), 16);
            relax();
          }
        }
      } finally {
        received.set(Integer.MAX_VALUE);
        poller.wakeup();
        receiver.join();
      }
      if (failure.get() != null) {
        throw new AssertionError(failure.get());
      }
    }
  }

  /** After a wait in vain a port looks at less; but what comes then ends the next wait at once. */
  @Test
  void whatComesAfterAWaitInVainIsNotSleptOver() throws Exception {
    Pair pair = pair();
    RailPort port = pair.b.port();
    try (Poller poller = poller()) {
      assertTrue(port.attach(poller), "the poller cannot wait for this port");
      for (int i = 0; i < WAITS_IN_VAIN; i++) {
        awaitInVain(port, poller);
        sendFromThisThread(pair, i);
        int unused = port.poll(nowNs(), 16);
        while (pair.b.packets.size() <= i) {
          if (port.prepareToBlock()) {
            assertTrue(poller.await(FOR_EVER_NS), "packet " + i + " did not end the wait");
          }
          port.afterBlock();
          unused = port.poll(nowNs(), 16);
        }
      }
    }
  }

  /** Until there is nothing that could end a wait. */
  private void awaitInVain(RailPort port, Poller poller) {
    for (int n = 0; n < PATIENCE; n++) {
      if (port.prepareToBlock() && !poller.await(0)) {
        port.afterTimeout();
        return;
      }
      port.afterBlock();
      int unused = port.poll(nowNs(), 16);
    }
    throw new AssertionError("the port never rests");
  }

  private void sendFromThisThread(Pair pair, int index) {
    byte[] bytes = bytes(index, 40);
    for (int n = 0; n < PATIENCE; n++) {
      long offset = pair.aToB.claim(bytes.length);
      if (offset >= 0) {
        write(pair.aToB.txMemory(), offset, bytes);
        pair.aToB.commit(bytes.length);
        pair.aToB.flush();
        return;
      }
      int unused = pair.a.port().poll(nowNs(), 16);
      relax();
    }
    throw new AssertionError("no room for packet " + index);
  }

  /** The receiving engine: polls until there is nothing, and blocks. */
  private void receive(
      Station station, Poller poller, AtomicInteger received, AtomicReference<Throwable> failure) {
    try {
      RailPort port = station.port();
      while (received.get() < WAKE_UPS) {
        if (port.poll(nowNs(), 16) > 0) {
          received.accumulateAndGet(station.packets.size(), Math::max);
          continue;
        }
        if (port.prepareToBlock()) {
          boolean unused = poller.await(FOR_EVER_NS);
        }
        port.afterBlock();
      }
    } catch (Throwable t) {
      failure.set(t);
    }
  }
}
