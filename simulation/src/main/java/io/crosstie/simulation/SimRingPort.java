// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A port of shared memory. As in a process, whatever others do to its segments is noticed when it
 * is polled, and a doorbell rings only for who sleeps.
 */
final class SimRingPort extends SimPort {
  private final List<SimRingRail> rails = new ArrayList<>();
  private final ArrayDeque<SimRingRail> offers = new ArrayDeque<>();
  private int firstRail;
  private boolean sleeping;
  private @Nullable SimRingRail current;

  SimRingPort(
      SimNetwork network,
      RailAddress address,
      PortProfile profile,
      PortHandler handler,
      SimHost host) {
    super(network, address, profile, handler, host);
  }

  @Override
  public RailAttributes attributes() {
    return new RailAttributes("sim/ring", true, true, true, 200, 5_000_000_000L, 0);
  }

  @Override
  Rail rail(RailAddress remote) {
    SimRingRail rail = SimRingRail.offer(this, remote);
    rails.add(rail);
    return rail;
  }

  /** A peer offers a segment, which is mapped in the next poll. */
  void offered(SimRingRail by) {
    offers.add(by);
    host.arrived();
  }

  private SimRingRail handling() {
    SimRingRail rail = current;
    if (rail == null) {
      throw new IllegalStateException("only while a packet is being handled");
    }
    return rail;
  }

  void handle(SimRingRail rail, MemorySegment memory, long offset, int length) {
    countIn(length);
    current = rail;
    try {
      handler.onPacket(this, memory, offset, length, rail.remoteKey());
    } finally {
      current = null;
    }
  }

  @Override
  public Rail accept() throws RailException {
    SimRingRail rail = handling();
    if (rail.isClosed()) {
      throw new RailException("the rail was closed in this very call");
    }
    rail.onAccepted();
    return rail;
  }

  @Override
  public RailAddress sourceAddress() {
    return handling().remoteAddress();
  }

  @Override
  public void reply(MemorySegment packet, long offset, int length) {
    SimRingRail rail = handling();
    if (length < 1 || length > MAX_REPLY) {
      throw new IllegalArgumentException("a reply has 1 to " + MAX_REPLY + " bytes, not " + length);
    }
    boolean unused = rail.reply(packet, offset, length);
  }

  @Override
  int take(int limit) {
    for (SimRingRail by = offers.poll(); by != null; by = offers.poll()) {
      SimRingRail mine = by.accept(this);
      if (mine != null) {
        rails.add(mine);
      }
    }
    for (int i = 0; i < rails.size(); i++) {
      rails.get(i).housekeep();
    }
    int handled = 0;
    int n = rails.size();
    int i = firstRail < n ? firstRail : 0;
    firstRail = i + 1;
    for (int k = 0; k < n && i < rails.size() && handled < limit && !isClosed(); k++) {
      handled += rails.get(i).poll(limit - handled);
      i = i + 1 < n ? i + 1 : 0;
    }
    report();
    return handled;
  }

  private void report() {
    for (SimRingRail rail : List.copyOf(rails)) {
      if (!isClosed() && rail.hasEnded()) {
        if (rail.isAccepted()) {
          handUp(rail, LinkEvent.CLOSED, 0);
        } else {
          rail.close(); // nobody else would
        }
      }
    }
  }

  void forget(SimRingRail rail) {
    rails.remove(rail);
  }

  @Override
  public void pause() {
    host.mayStop();
  }

  @Override
  public int railCount() {
    return rails.size();
  }

  @Override
  public boolean prepareToBlock() {
    sleeping = true;
    boolean work = anyEvent() || !offers.isEmpty();
    for (SimRingRail rail : rails) {
      work |= rail.sleep();
    }
    if (work) {
      afterBlock();
    }
    return !work;
  }

  @Override
  public void afterBlock() {
    if (sleeping) {
      sleeping = false;
      for (SimRingRail rail : rails) {
        rail.wake();
      }
    }
  }

  @Override
  void onFailure() {
    for (SimRingRail rail : rails) {
      rail.cut();
    }
  }

  @Override
  void onClose() {
    for (SimRingRail rail : List.copyOf(rails)) {
      rail.close();
    }
    for (SimRingRail by : offers) {
      by.refused();
    }
    offers.clear();
  }
}
