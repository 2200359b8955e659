// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ports of an endpoint by their index: added and removed, opened again when they fail, polled,
 * waited for. Whatever a driver throws costs its port and nobody else. All calls come from the
 * engine's thread, apart from those marked otherwise.
 */
public final class PortTable {
  /** So many of its addresses a node advertises. */
  private static final int MAX_ADDRESSES = 16;

  private final PortListener listener;
  private final EventSink events;
  private final ErrorSink errors;
  private final Counters<EndpointCounter> counters;
  private final PortPolling polling;

  /** By index; replaced as a whole, so that any thread may read it. */
  private volatile PortSlot[] slots = {};

  /** Some port failed, or is closed and has to be opened again. */
  private boolean anyFailed;

  private @Nullable Poller poller;
  private int addressGeneration;

  public PortTable(
      PortListener listener,
      EventSink events,
      ErrorSink errors,
      Counters<EndpointCounter> counters) {
    this.listener = listener;
    this.events = events;
    this.errors = errors;
    this.counters = counters;
    this.polling = new PortPolling(listener, counters);
  }

  // ---- adding and removing ----

  /** Opens a port that is to be added; any thread. */
  public NewPort open(PortOpener opener) throws RailException {
    PortSlot slot = new PortSlot(opener, listener, errors, () -> anyFailed = true);
    return new NewPort(slot, opener.open(slot));
  }

  /**
   * Adds one that is open.
   *
   * @return its index: that of one that was removed, if there is any, so that a node whose ports
   *     are exchanged for years has no more of them than are open at a time
   */
  public int add(NewPort opened, long nowNs) {
    PortSlot slot = opened.slot;
    int index = freeIndex();
    slot.use(index, opened.port, nowNs);
    boolean added = false;
    try {
      slot.attach(poller);
      PortSlot[] all = Arrays.copyOf(slots, Math.max(slots.length, index + 1));
      all[index] = slot;
      slots = all;
      added = true;
    } finally {
      if (!added) {
        slot.close();
      }
    }
    addressesChanged();
    return index;
  }

  private int freeIndex() {
    PortSlot[] all = slots;
    int i = 0;
    while (i < all.length && !all[i].isRemoved()) {
      i++;
    }
    return i;
  }

  /** Removes a port for good; nothing if it is removed already. */
  public void remove(int index) {
    PortSlot slot = slots[index];
    if (slot.remove()) {
      listener.onPortRemoved(index);
      slot.close();
      addressesChanged();
    }
  }

  private void addressesChanged() {
    addressGeneration++;
    listener.onAddressesChanged();
  }

  /** Closes all for good. */
  public void close() {
    for (PortSlot slot : slots) {
      boolean unused = slot.remove();
      slot.close();
    }
  }

  // ---- what there is ----

  /** Indexes are less than that. */
  public int size() {
    return slots.length;
  }

  /** The port by that index, null if it is closed or removed. */
  public @Nullable RailPort port(int index) {
    return slots[index].usable();
  }

  /** For people: the rail as configured. */
  public String name(int index) {
    return slots[index].opener().name();
  }

  /** Scheduling weight of rails that leave from it. */
  public int weight(int index) {
    return slots[index].opener().weight();
  }

  /** Where peers can reach this node. */
  public List<RailAddress> localAddresses() {
    List<RailAddress> list = new ArrayList<>();
    for (PortSlot slot : slots) {
      RailPort port = slot.usable();
      if (port != null && list.size() < MAX_ADDRESSES) {
        list.add(port.localAddress());
      }
    }
    return list;
  }

  /** Grows whenever {@link #localAddresses} may have changed. */
  public int addressGeneration() {
    return addressGeneration;
  }

  /** Ports by index, without those that were removed; any thread. */
  public List<PortInfo> infos() {
    List<PortInfo> list = new ArrayList<>();
    for (PortSlot slot : slots) {
      if (!slot.isRemoved()) {
        list.add(slot.info());
      }
    }
    return list;
  }

  // ---- in the duty cycle ----

  /** Closes what failed, and opens it again when its time has come. */
  public void reopenFailed(long nowNs) {
    if (!anyFailed) {
      return;
    }
    boolean any = false;
    PortSlot[] all = slots;
    for (int i = 0; i < all.length; i++) {
      PortSlot slot = all[i];
      if (slot.isRemoved()) {
        continue;
      }
      try {
        reopen(i, slot, nowNs);
      } catch (RuntimeException | Error e) {
        slot.failWhileReopening(e, nowNs);
      }
      any |= !slot.isSound();
    }
    anyFailed = any;
  }

  private void reopen(int index, PortSlot slot, long nowNs) {
    if (slot.isToBeClosed()) {
      listener.onPortLost(index, slot.why());
      slot.close();
      slot.reopenAfterFailure(nowNs);
      events.onEvent(new NodeEvent.PortChanged("", slot.opener().name(), false, slot.why()));
    } else if (slot.reopen(nowNs)) {
      slot.attach(poller);
      counters.increment(EndpointCounter.PORT_RESTARTS);
      events.onEvent(new NodeEvent.PortChanged("", slot.opener().name(), true, "opened again"));
      addressesChanged();
    }
  }

  /** When {@link #reopenFailed} has something to do, Long.MAX_VALUE if it has not. */
  public long deadlineNs(long nowNs) {
    long deadline = Long.MAX_VALUE;
    if (anyFailed) {
      for (PortSlot slot : slots) {
        deadline = Math.min(deadline, slot.deadlineNs(nowNs));
      }
    }
    return deadline;
  }

  /**
   * The polls of one duty cycle.
   *
   * @param sentInline whether a short message has left by itself, which may be answered at once
   * @param idle whether the cycle had nothing to do before
   * @param awake whether it may spin
   * @return packets that came
   */
  public int poll(boolean sentInline, boolean idle, boolean awake, long nowNs) {
    return polling.poll(slots, sentInline, idle, awake, nowNs);
  }

  /**
   * Takes in all that has arrived, within bounds: nobody has looked for long.
   *
   * @return packets that came
   */
  public int drain(long nowNs) {
    return polling.drain(slots, nowNs);
  }

  /** When a port that was passed over is to be polled; Long.MAX_VALUE if none was. */
  public long coldPollNs() {
    return polling.coldPollNs();
  }

  // ---- waiting ----

  /** Gives each present and future port to the poller. */
  public void attach(Poller newPoller) {
    poller = newPoller;
    for (PortSlot slot : slots) {
      slot.attach(newPoller);
    }
  }

  /** Whether some port cannot be waited for, so that waits must be at most a millisecond. */
  public boolean hasUnwatched() {
    for (PortSlot slot : slots) {
      if (slot.isUnwatched()) {
        return true;
      }
    }
    return false;
  }

  /** Whether the engine may block: every port has raised its sleeping flag. */
  public boolean prepareToBlock() {
    for (PortSlot slot : slots) {
      if (!slot.prepareToBlock()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Lowers the sleeping flags; after every {@link #prepareToBlock}, whatever it answered, unless
   * {@link #afterTimeout()} is called.
   */
  public void afterBlock() {
    for (PortSlot slot : slots) {
      slot.afterBlock(); // nobody knows where something arrived
    }
  }

  /**
   * In place of {@link #afterBlock()} when the wait was ended by its time. Nothing has arrived, so
   * no port is polled any harder, and an idle node's turn costs no more than it must.
   */
  public void afterTimeout() {
    boolean watched = true;
    for (PortSlot slot : slots) {
      if (slot.isUnwatched()) { // the wait says nothing about it
        slot.afterBlock();
        watched = false;
      } else {
        slot.afterTimeout();
      }
    }
    polling.onTimeout(watched);
  }

  // ---- rails, with whatever their drivers throw ----

  /** {@link RailPort#connect}, where nothing else than that exception is thrown. */
  public Rail connect(RailPort port, RailAddress remote) throws RailException {
    try {
      return port.connect(remote);
    } catch (RuntimeException | Error e) {
      throw driverFailed(e);
    }
  }

  /** {@link RailPort#accept}, where nothing else than that exception is thrown. */
  public Rail accept(RailPort port) throws RailException {
    try {
      return port.accept();
    } catch (RuntimeException | Error e) {
      throw driverFailed(e);
    }
  }

  private RailException driverFailed(Throwable error) {
    errors.onError(error);
    return new RailException(ErrorSink.describe("its driver failed with ", error), error);
  }

  /** Closes a rail, whatever its driver thinks of that. */
  public void close(Rail rail) {
    try {
      rail.close();
    } catch (RuntimeException | Error e) {
      errors.onError(e);
    }
  }
}
