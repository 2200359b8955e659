// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.Counters;
import io.crosstie.transport.Poller;
import io.crosstie.transport.thread.PacketRing;
import io.crosstie.transport.thread.PortLoop;
import io.crosstie.transport.thread.PortRunner;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread of one port in virtual time: each step of the shipped loop is an event. It can be
 * stopped between any two steps, and can hang in a call of the driver, once in a while for ever.
 */
final class SimPortThread implements PortRunner, SimHost {
  private static final long STEP_NS = 1_000;
  private static final long WAKE_NS = 5_000;

  /** The driver does not return: what would have been done is done when it does. */
  @SuppressWarnings("serial")
  private static final class Hanging extends Error {
    Hanging() {
      super("the driver hangs", null, false, false);
    }
  }

  private final SimClock clock;
  private final SplittableRandom random;
  private final SimProcess process;
  private final Plant plant;
  private final Counters<PortThreadCounter> counters;
  private final SimPoller poller = new SimPoller(this::wakeup);

  /** Handed over to the ring by the loop, not yet by the ring to the engine. */
  private final ArrayDeque<SimPacket> under = new ArrayDeque<>();

  private @Nullable PortLoop loop;
  private int stalls;
  private boolean toHang;
  private boolean hangs;
  private boolean inStep;
  private boolean over;
  private boolean killed;
  private boolean abandoned;

  /** It waits in the poller. */
  private boolean waiting;

  /** The poller was told to end this wait, or the next. */
  private boolean woken;

  private long planned;

  /** What is due as soon as it runs again. */
  private @Nullable Runnable overdue;

  private boolean madeOut;
  private long committed;
  private long taken;

  SimPortThread(
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
  }

  // ---- what the port asks

  @Override
  public Poller poller() {
    return poller;
  }

  /** Often small, so that they are full, and wrap; no smaller than four of the largest packets. */
  @Override
  public PacketRing ring(int capacity) {
    boolean out = !madeOut;
    madeOut = true;
    int bytes = random.nextInt(3) == 0 ? capacity : capacity >> (out ? 5 : 4);
    return switch (plant) {
      case STALE_LENGTH -> new StaleLengthRing(bytes, out);
      case EARLY_RELEASE -> new EarlyReleaseRing(bytes, out);
      default -> new CountingRing(bytes, out);
    };
  }

  @Override
  public long nowNs() {
    return clock.nowNs();
  }

  @Override
  public void start(String name, PortLoop newLoop) {
    loop = newLoop;
    plan(WAKE_NS, () -> step(false));
  }

  @Override
  public boolean tryLock(ReentrantLock lock) {
    if (hangs) {
      counters.increment(PortThreadCounter.BUSY);
      return false;
    }
    return lock.tryLock();
  }

  @Override
  public boolean awaitEnd() {
    while (mayRun()) {
      step(false);
    }
    if (!over) {
      abandon();
    }
    return over;
  }

  @Override
  public void discard() {}

  // ---- what the simulated driver asks

  /** In a call of the driver. */
  @Override
  public void mayStop() {
    if (toHang && inStep) {
      throw new Hanging();
    }
  }

  @Override
  public void arrived() {
    wakeup();
  }

  @Override
  public void visible() {}

  /** The loop hands that packet up next. */
  void handsUp(SimPacket packet) {
    under.add(packet);
  }

  /** It did not: there was no room. */
  void dropped() {
    under.removeLast().count(LinkCounter.OVERFLOW);
  }

  /** The packet that the engine is handed next. */
  SimPacket comesUp() {
    counters.increment(PortThreadCounter.IN);
    SimPacket packet = under.poll();
    if (packet == null) {
      throw new Violation("2 exactly once", "a port's thread handed up what had not arrived");
    }
    return packet;
  }

  /** The driver has sent a packet, or lost it. */
  void took() {
    taken++;
  }

  /** Packets that engines handed over and the driver has not sent. */
  long missing() {
    return committed - taken;
  }

  // ---- what goes wrong

  /** Stops between two steps, until {@link #unstall}. */
  void stall() {
    counters.increment(PortThreadCounter.STALLS);
    stalls++;
  }

  void unstall() {
    stalls--;
    resume();
  }

  /** The next call of the driver does not return, until {@link #unhang}. */
  void hang() {
    toHang = true;
  }

  void unhang() {
    toHang = false;
    if (hangs) {
      hangs = false;
      plan(STEP_NS, () -> step(false));
    }
  }

  /** Is in a call that does not return. */
  boolean hangs() {
    return hangs;
  }

  /** The engine was told that it hangs. */
  void toldHung() {
    counters.increment(PortThreadCounter.HUNG);
    abandon();
  }

  private void abandon() {
    if (!abandoned) {
      abandoned = true;
      counters.increment(PortThreadCounter.ABANDONED);
    }
  }

  /** Its process is dead. */
  void kill() {
    killed = true;
  }

  /** Its process may run again. */
  void resume() {
    Runnable task = overdue;
    if (task != null && mayRun()) {
      overdue = null;
      plan(STEP_NS, task);
    }
  }

  private boolean mayRun() {
    return !over && !killed && !hangs && stalls == 0 && !process.isStopped();
  }

  // ---- its time

  private void plan(long delayNs, Runnable task) {
    long number = ++planned;
    clock.after(
        delayNs + random.nextLong(delayNs),
        () -> {
          if (number == planned) {
            run(task);
          }
        });
  }

  private void run(Runnable task) {
    if (mayRun()) {
      task.run();
    } else {
      overdue = task;
    }
  }

  private void wakeup() {
    woken = true;
    if (waiting) {
      waiting = false;
      counters.increment(PortThreadCounter.WOKEN);
      plan(WAKE_NS, () -> step(false));
    }
  }

  private void step(boolean timedOut) {
    PortLoop l = loop;
    if (l == null) {
      return;
    }
    woken &= timedOut; // else it has done its work
    counters.increment(PortThreadCounter.STEPS);
    inStep = true;
    PortLoop.Next next;
    try {
      next = l.step(timedOut);
    } catch (Hanging e) {
      counters.increment(PortThreadCounter.HANGS);
      hangs = true;
      return;
    } finally {
      inStep = false;
    }
    switch (next) {
      case STEP -> plan(STEP_NS, () -> step(false));
      case PAUSE -> {
        counters.increment(PortThreadCounter.PAUSES);
        plan(next.longestNs(), () -> step(false));
      }
      case WAIT -> plan(STEP_NS, () -> await(next.longestNs()));
      case OVER -> {
        over = true;
        if (abandoned) {
          counters.increment(PortThreadCounter.CAME_BACK);
        }
        l.end(null);
      }
    }
    process.visible(); // in the ring, or as news
  }

  private void await(long longestNs) {
    if (woken) {
      step(false);
      return;
    }
    waiting = true;
    long number = ++planned;
    clock.after(
        longestNs,
        () -> {
          if (number == planned) {
            waiting = false;
            counters.increment(PortThreadCounter.TIMED_OUT);
            run(() -> step(true));
          }
        });
  }

  // ---- the rings

  /** The shipped one; counts. */
  private class CountingRing extends PacketRing {
    private final boolean out;
    private long last;

    CountingRing(int capacity, boolean out) {
      super(capacity);
      this.out = out;
    }

    @Override
    public long claim(int length) {
      engineMayStop();
      long at = super.claim(length);
      if (out && at < 0) {
        counters.increment(PortThreadCounter.REFUSED_CLAIMS);
      } else if (at < last && at >= 0) {
        counters.increment(PortThreadCounter.WRAPS);
      }
      last = at < 0 ? last : at;
      return at;
    }

    @Override
    public void commit(int length, int tag, long key) {
      engineMayStop();
      if (out) {
        committed++;
        counters.increment(PortThreadCounter.OUT);
      }
      super.commit(length, tag, key);
    }

    @Override
    public void release() {
      engineMayStop();
      super.release();
    }

    /** Between any two steps of the engine with a ring the thread may take some of its own. */
    private void engineMayStop() {
      if (!inStep) {
        process.mayStop();
      }
    }
  }

  /** Planted: now and then the reader takes the length of the record before. */
  private final class StaleLengthRing extends CountingRing {
    private static final int EVERY = 64;

    private int reads;
    private int before;

    StaleLengthRing(int capacity, boolean out) {
      super(capacity, out);
    }

    @Override
    public int length() {
      int length = super.length();
      int answer = ++reads % EVERY == 0 && before > 0 ? before : length;
      before = length;
      return answer;
    }
  }

  /** Planted: the record's room is given back when it is looked at, not when it is done with. */
  private final class EarlyReleaseRing extends CountingRing {
    private boolean holds;
    private long offset;
    private int length;
    private int tag;
    private long key;

    EarlyReleaseRing(int capacity, boolean out) {
      super(capacity, out);
    }

    @Override
    public boolean hasNext() {
      if (!holds && super.hasNext()) {
        holds = true;
        offset = super.offset();
        length = super.length();
        tag = super.tag();
        key = super.key();
        super.release();
      }
      return holds;
    }

    @Override
    public long offset() {
      return offset;
    }

    @Override
    public int length() {
      return length;
    }

    @Override
    public int tag() {
      return tag;
    }

    @Override
    public long key() {
      return key;
    }

    @Override
    public void release() {
      holds = false;
    }
  }
}
