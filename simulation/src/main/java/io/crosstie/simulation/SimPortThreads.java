// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.thread.OwnThreadDriver;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the ports that one process opens on one net, one after the other: the shipped
 * {@link OwnThreadDriver} between the engine and simulated ports.
 */
final class SimPortThreads {
  private final SimClock clock;
  private final SplittableRandom random;
  private final SimProcess process;
  private final Plant plant;
  private final Counters<PortThreadCounter> counters;
  private final SimPoller engine;
  private final List<SimPortThread> all = new ArrayList<>();
  private long cameUp;

  /** Of none yet. */
  SimPortThreads(
      SimClock clock,
      SplittableRandom random,
      SimProcess process,
      Plant plant,
      Counters<PortThreadCounter> counters) {
    this.clock = clock;
    this.random = random;
    this.process = process;
    this.plant = plant;
    this.counters = counters;
    this.engine = new SimPoller(process::arrived);
  }

  /** Opens a port with a thread of its own. */
  RailPort open(SimOpener opener, PortHandler handler) throws RailException {
    SimPortThread thread = new SimPortThread(clock, random.split(), process, plant, counters);
    RailDriver driver = new OwnThreadDriver(new Driver(opener, thread), () -> thread);
    RailUri uri = RailUri.parse(opener.address().text());
    RailPort opened = driver.open(uri, new PortContext("", 0, 0), new Upwards(thread, handler));
    boolean unused = opened.attach(engine);
    all.add(thread);
    return opened;
  }

  private @Nullable SimPortThread last() {
    return all.isEmpty() ? null : all.getLast();
  }

  /** Packets handed to the engine. */
  long cameUp() {
    return cameUp;
  }

  /** Packets that the engine handed over and that no driver has taken, all together. */
  long missing() {
    long sum = 0;
    for (SimPortThread thread : all) {
      sum += thread.missing();
    }
    return sum;
  }

  /** The thread of the present port stops between two steps; what starts it again. */
  Runnable stall() {
    SimPortThread thread = last();
    if (thread == null) {
      return () -> {};
    }
    thread.stall();
    return thread::unstall;
  }

  /** The thread of the present port hangs in its next call; what makes that return. */
  Runnable hang() {
    SimPortThread thread = last();
    if (thread == null) {
      return () -> {};
    }
    thread.hang();
    return thread::unhang;
  }

  /** Whether the thread of the present port is in a call that does not return. */
  boolean hangs() {
    SimPortThread thread = last();
    return thread != null && thread.hangs();
  }

  /** The process may run again. */
  void resume() {
    all.forEach(SimPortThread::resume);
  }

  /** The process is dead. */
  void kill() {
    all.forEach(SimPortThread::kill);
  }

  /** The simulated ports, for the shipped driver. */
  private record Driver(SimOpener opener, SimPortThread thread) implements RailDriver {
    @Override
    public String scheme() {
      return opener.address().scheme();
    }

    @Override
    public String name() {
      return "sim";
    }

    @Override
    public int priority() {
      return 0;
    }

    @Override
    public @Nullable String whyUnavailable() {
      return null;
    }

    @Override
    public boolean severable() {
      return true;
    }

    @Override
    public RailPort open(RailUri uri, PortContext context, PortHandler handler)
        throws RailException {
      return opener.bind(handler, thread);
    }
  }

  /** Counts what comes up as delivered when the engine has it, not when the thread has. */
  private final class Upwards implements PortHandler {
    private final SimPortThread thread;
    private final PortHandler handler;

    Upwards(SimPortThread thread, PortHandler handler) {
      this.thread = thread;
      this.handler = handler;
    }

    @Override
    public void onPacket(
        RailPort from, MemorySegment memory, long offset, int length, long source) {
      cameUp++;
      thread.comesUp().countDelivered();
      handler.onPacket(from, memory, offset, length, source);
    }

    @Override
    public void onLinkEvent(RailPort from, @Nullable Rail rail, LinkEvent event, int errno) {
      if (event == LinkEvent.HUNG) {
        thread.toldHung();
      }
      handler.onLinkEvent(from, rail, event, errno);
    }
  }
}
