// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.RailPort;

/**
 * Looks at the ports for what arrives: which of them, how often in a duty cycle, and when, since a
 * look has a price. At a network it is a system call. At shared memory it is a load; but whoever
 * looks at a line before the peer has written it takes it away from the peer.
 */
final class PortPolling {
  private static final int POLL_LIMIT = 256;
  private static final int POLL_ROUNDS = 4;

  /** What comes in packets of 64 KiB is more work than the same number of small ones. */
  private static final long TURN_BYTES = 4L << 20;

  /** So often an idle duty cycle looks on where that costs a load of memory. */
  private static final int IDLE_LOOKS = 32;

  /**
   * So many pauses of the processor before the first look for an answer, some 40 ns where that was
   * measured: with none or one the answer comes later, with up to four as soon.
   */
  private static final int PAUSES_BEFORE_ANSWER = 2;

  /**
   * So many looks more if the first came too early, at least: a duty cycle takes as long as five.
   */
  private static final int LEAST_LOOKS_FOR_ANSWER = 4;

  /** And at most, between cores that are far from one another. */
  private static final int MOST_LOOKS_FOR_ANSWER = 32;

  private final PortListener listener;
  private final Counters<EndpointCounter> counters;

  /** When a port that was passed over is to be looked at; Long.MAX_VALUE if none was. */
  private long coldPollNs = Long.MAX_VALUE;

  /**
   * The duty cycle at hand looks once and no more: the last one brought something, which whoever
   * calls may be about to take, or a wait has just ended by its time and nothing is expected.
   */
  private boolean once;

  private int looksForAnswer = LEAST_LOOKS_FOR_ANSWER;

  /** An answer was looked for in vain, and nothing has come or gone since. */
  private boolean missed;

  /**
   * And it was looked for again. If not, it may have come because somebody did other work than
   * looking for it: so it is where one thread drives both ends.
   */
  private boolean waited;

  PortPolling(PortListener listener, Counters<EndpointCounter> counters) {
    this.listener = listener;
    this.counters = counters;
  }

  long coldPollNs() {
    return coldPollNs;
  }

  /** A wait was ended by its time, and whether it watched all ports. */
  void once(boolean watched) {
    once = watched;
  }

  /**
   * The looks of one duty cycle.
   *
   * @param alone whether a short message has left by itself, which may be answered at once
   * @param idle whether the cycle had nothing to do before
   * @return packets that came
   */
  int look(PortSlot[] ports, boolean alone, boolean idle, long nowNs) {
    if (alone) {
      if (missed) { // nobody has waited for the last answer
        looksForAnswer = Math.max(LEAST_LOOKS_FOR_ANSWER, looksForAnswer / 2);
      }
      pause(ports);
    }
    int arrived = pollAll(ports, alone, nowNs);
    boolean atOnce = arrived > 0;
    if (!atOnce && !listener.hasWork()) {
      if (alone) {
        arrived = lookOn(ports, looksForAnswer, nowNs);
      } else if (idle && !once) {
        arrived = lookOn(ports, IDLE_LOOKS, nowNs);
      }
    }
    if (alone) {
      missed = arrived == 0;
      waited = false;
    } else if (missed && arrived > 0) {
      missed = false;
      if (waited || !atOnce) {
        looksForAnswer = Math.min(MOST_LOOKS_FOR_ANSWER, looksForAnswer * 2);
      }
    } else {
      waited = true;
    }
    once = arrived > 0;
    return arrived;
  }

  /**
   * A message left alone, and perhaps somebody answers at once. That takes two ways of a cache line
   * at least; whoever looks before takes the line away from the peer, who needs it to answer.
   */
  private static void pause(PortSlot[] ports) {
    for (PortSlot slot : ports) {
      RailPort port = slot.port();
      if (port != null && slot.isMemory()) {
        for (int i = 0; i < PAUSES_BEFORE_ANSWER; i++) {
          port.pause();
        }
        return;
      }
    }
  }

  private int pollAll(PortSlot[] ports, boolean alone, long nowNs) {
    int work = 0;
    boolean anyWarm = ports.length > 1 && isAnyWarm(ports);
    coldPollNs = Long.MAX_VALUE;
    for (PortSlot slot : ports) {
      RailPort port = slot.port();
      if (port == null) {
        continue;
      }
      if (anyWarm && nowNs < slot.nextPollNs()) {
        coldPollNs = Math.min(coldPollNs, slot.nextPollNs());
        continue;
      }
      int limit = alone && slot.isMemory() ? 1 : POLL_LIMIT; // 1 as in lookOn
      int packets = 0;
      long bytesBefore = 0;
      for (int round = 0; round < POLL_ROUNDS; round++) {
        int n = poll(slot, port, limit, nowNs);
        packets += n;
        if (n < POLL_LIMIT) {
          break;
        }
        long bytes = port.counters().get(PortCounter.BYTES_IN);
        if (round > 0 && bytes - bytesBefore >= TURN_BYTES) {
          break;
        }
        bytesBefore = bytes;
      }
      slot.polled(packets, nowNs);
      work += packets;
    }
    return work;
  }

  private static boolean isAnyWarm(PortSlot[] ports) {
    for (PortSlot slot : ports) {
      if (slot.isWarm()) {
        return true;
      }
    }
    return false;
  }

  /**
   * There is nothing to do but to wait: looks a few times more where a look is a load of memory,
   * since a duty cycle with its clock sample takes as long as several of them. What they find is
   * taken in with the time of that sample.
   */
  private int lookOn(PortSlot[] ports, int looks, long nowNs) {
    for (int i = 0; i < looks; i++) {
      for (PortSlot slot : ports) {
        RailPort port = slot.port();
        if (port == null || !slot.isMemory()) {
          continue;
        }
        port.pause();
        int packets = poll(slot, port, 1, nowNs); // the next look waits until this one is answered
        if (packets > 0) {
          slot.polled(packets, nowNs);
          return packets;
        }
      }
      if (listener.isSignalled()) {
        return 0; // the next cycle sends it
      }
    }
    return 0;
  }

  /** A driver that throws costs its port, which is opened again, and not the node. */
  private int poll(PortSlot slot, RailPort port, int limit, long nowNs) {
    try {
      return port.poll(nowNs, limit);
    } catch (InternalError e) {
      // a fault in a mapping that the JVM reports late: the port finds out by itself which
      counters.increment(EndpointCounter.INTERNAL_ERRORS);
      return 0;
    } catch (RuntimeException | Error e) {
      slot.fail(e);
      return 0;
    }
  }
}
