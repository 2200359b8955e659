// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.RailPort;

/**
 * Polls the ports for what arrives: which of them, how often in a duty cycle, and when, since a
 * poll has a price. At a network it is a system call. At shared memory it is a load; but whoever
 * loads a line before the peer has written it takes it away from the peer.
 */
final class PortPolling {
  private static final int POLL_LIMIT = 256;
  private static final int POLL_ROUNDS = 4;

  /** As much as the buffer of a socket, or a ring, holds that nobody has looked at for long. */
  private static final int DRAIN_ROUNDS = 64;

  /** What comes in packets of 64 KiB is more work than the same number of small ones. */
  private static final long TURN_BYTES = 4L << 20;

  /** Further polls of an idle duty cycle, where a poll is a load of memory. */
  private static final int IDLE_SPINS = 32;

  /**
   * The same after an inline send, whose answer somebody may be waiting for: as long as a duty
   * cycle, some 200 ns. 16 and 32 bring no answer sooner, and cost whoever expects none.
   */
  private static final int ANSWER_SPINS = 8;

  /**
   * So many pauses of the processor before the first poll for an answer, some 40 ns where that was
   * measured: with none or one the answer comes later, with up to four as soon.
   */
  private static final int PAUSES_BEFORE_ANSWER = 2;

  private final PortListener listener;
  private final Counters<EndpointCounter> counters;

  /** When a port that was passed over is to be polled; Long.MAX_VALUE if none was. */
  private long coldPollNs = Long.MAX_VALUE;

  /**
   * The duty cycle at hand does not spin: the last one brought something, which whoever calls may
   * be about to take, or a wait has just ended by its time and nothing is expected.
   */
  private boolean noSpin;

  PortPolling(PortListener listener, Counters<EndpointCounter> counters) {
    this.listener = listener;
    this.counters = counters;
  }

  long coldPollNs() {
    return coldPollNs;
  }

  /** A wait was ended by its time, and whether it watched all ports. */
  void onTimeout(boolean watched) {
    noSpin = watched;
  }

  /**
   * The polls of one duty cycle.
   *
   * @param sentInline whether a short message has left by itself, which may be answered at once
   * @param idle whether the cycle had nothing to do before
   * @param awake whether it may spin; where others compute that takes time from whoever answers
   * @return packets that came
   */
  int poll(PortSlot[] ports, boolean sentInline, boolean idle, boolean awake, long nowNs) {
    if (sentInline && awake) {
      pause(ports);
    }
    int arrived = pollAll(ports, sentInline, nowNs);
    if (arrived == 0 && sentInline && awake) {
      arrived = spin(ports, ANSWER_SPINS, nowNs);
    } else if (arrived == 0 && idle && awake && !noSpin) {
      arrived = spin(ports, IDLE_SPINS, nowNs);
    }
    noSpin = arrived > 0;
    return arrived;
  }

  /**
   * A message left alone, and perhaps somebody answers at once. That takes two ways of a cache line
   * at least; whoever polls before takes the line away from the peer, who needs it to answer.
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

  private int pollAll(PortSlot[] ports, boolean sentInline, long nowNs) {
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
      int limit = sentInline && slot.isMemory() ? 1 : POLL_LIMIT; // 1 as in spin
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

  /** Polls every port until nothing is left that has arrived before, within bounds. */
  int drain(PortSlot[] ports, long nowNs) {
    int work = 0;
    for (PortSlot slot : ports) {
      RailPort port = slot.port();
      if (port == null) {
        continue;
      }
      int packets = 0;
      for (int round = 0; round < DRAIN_ROUNDS; round++) {
        int n = poll(slot, port, POLL_LIMIT, nowNs);
        packets += n;
        if (n < POLL_LIMIT) {
          break;
        }
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
   * There is nothing to do but to wait: polls on where that is a load of memory, since a duty cycle
   * with its clock sample takes as long as several of them. What they find is taken in with the
   * time of that sample.
   */
  private int spin(PortSlot[] ports, int times, long nowNs) {
    for (int i = 0; i < times && !listener.hasWork(); i++) {
      for (PortSlot slot : ports) {
        RailPort port = slot.port();
        if (port == null || !slot.isMemory()) {
          continue;
        }
        port.pause();
        int packets = poll(slot, port, 1, nowNs); // the next poll waits until this one is answered
        if (packets > 0) {
          slot.polled(packets, nowNs);
          return packets;
        }
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
