// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import org.jspecify.annotations.Nullable;

/**
 * Link events on their way to the handler. They are told only when the port's own state is in order
 * again, so that a handler may claim, flush or close from within. Bounded: when it is full further
 * events are counted but not told; they are hints.
 */
final class LinkEvents {
  private static final int CAPACITY = 64;

  private final RailPort port;
  private final PortHandler handler;
  private final Counters<PortCounter> counters;
  private final @Nullable Rail[] rails = new @Nullable Rail[CAPACITY];
  private final LinkEvent[] events = new LinkEvent[CAPACITY];
  private final int[] errnos = new int[CAPACITY];
  private int size;
  private boolean delivering;

  LinkEvents(RailPort port, PortHandler handler, Counters<PortCounter> counters) {
    this.port = port;
    this.handler = handler;
    this.counters = counters;
    java.util.Arrays.fill(events, LinkEvent.OTHER);
  }

  void add(@Nullable Rail rail, int errno) {
    add(rail, UdpErrors.event(errno), errno);
  }

  void add(@Nullable Rail rail, LinkEvent event, int errno) {
    counters.increment(PortCounter.LINK_EVENTS);
    // the port's end must be heard: it takes the place of the last one when there is no room
    if (size == CAPACITY && event != LinkEvent.CLOSED) {
      return;
    }
    int index = Math.min(size, CAPACITY - 1);
    rails[index] = rail;
    events[index] = event;
    errnos[index] = errno;
    size = index + 1;
  }

  /** Tells the handler. Calls from within the handler do nothing: the outer one goes on. */
  void deliver() {
    if (size == 0 || delivering) {
      return;
    }
    delivering = true;
    try {
      for (int i = 0; i < size; i++) {
        handler.onLinkEvent(port, rails[i], events[i], errnos[i]);
      }
    } finally {
      delivering = false;
      java.util.Arrays.fill(rails, 0, size, null);
      size = 0;
    }
  }
}
