// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who runs the duty cycle of a node that several threads may drive (leader and followers): the
 * node's own thread, or an application thread in its stead.
 *
 * <p>The duty cycle is run by whoever holds one word, and nobody blocks in the kernel while holding
 * it: who waits in the poller frees it first. A signal is raised first and the word tried then; who
 * finds it taken knocks and tries once more; who frees the word looks for a knock after that. So
 * whoever knocks in vain may go: what was signalled is seen.
 *
 * <p>The two forms of progress differ in who may take the word when. Where progress is
 * <em>shared</em> everybody may, always, and the node's own thread stands back as long as others
 * take it. Else that thread holds it while it is awake, and lends it to one that waits for one
 * answer after the other. To be woken for each message would cost that one a hand-over each time;
 * as the leader it waits in the poller itself, so that the peer wakes it directly. It is lent to
 * one thread at a time, for waits that are short: two that wait, streams and long silence bring it
 * back, for a while.
 *
 * <p>While the node's own thread stands back it looks every few milliseconds whether the word was
 * taken since, or somebody waits in the poller; if not, the application computes, and that thread
 * goes on itself.
 */
class Leadership {
  private static final VarHandle HOLDER;
  private static final VarHandle TAKEN;
  private static final VarHandle ASKED;

  /** Messages that may be handed over between two waits of the leader: more are a stream. */
  private static final int MOST_CALLS = 16;

  /** Duty cycles in a row that found work: more are a stream. */
  private static final int MOST_BUSY = 64;

  /** Without work for so long the engine's thread waits instead. */
  private static final long QUIET_NS = 200_000_000L;

  /** A thread that asks again so soon after the word was taken from it did not compute. */
  private static final long SOON_NS = 5_000_000L;

  private static final int MOST_TICKS = 5;

  /** Nor is it lent again so soon after it was of no use. */
  private static final long REFUSAL_NS = 100_000_000L;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HOLDER = lookup.findVarHandle(Leadership.class, "holder", Thread.class);
      TAKEN = lookup.findVarHandle(Leadership.class, "taken", long.class);
      ASKED = lookup.findVarHandle(Leadership.class, "asked", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long tickNs;
  private final boolean shared;

  /** Who runs duty cycles now; all of the engine's state is handed over by it. */
  private volatile @Nullable Thread holder;

  /** Others than the engine's thread may take the word. */
  private volatile boolean lent;

  /** An application thread asks for it. */
  @SuppressWarnings("UnusedVariable") // through ASKED
  private volatile boolean asked;

  /** The engine's thread wants the word, or is to want it. */
  private volatile boolean recalled;

  /** The id of the thread that asked for it last. */
  private volatile long leaderId;

  private volatile @Nullable Thread engineThread;
  private volatile long refusedUntilNs;
  private volatile boolean refused;

  /** Times that an application thread took the word; written by its holder. */
  @SuppressWarnings("UnusedVariable") // through TAKEN
  private long taken;

  private volatile boolean everTakenBack;
  private volatile long takenBackNs;

  /**
   * How often the engine's thread looks now: where it took the word from a thread that only had to
   * wait for a processor, it looks less often.
   */
  private volatile long restTickNs;

  // by the holder
  private int calls;
  private int busy;
  private long quietSinceNs;

  /**
   * Held by nobody yet.
   *
   * @param tickNs how often the engine's thread looks while it stands back
   * @param shared whether everybody may take the word at any time
   */
  Leadership(long tickNs, boolean shared) {
    this.tickNs = tickNs;
    this.restTickNs = tickNs;
    this.shared = shared;
  }

  // ------------------------------------------------------------------ the engine's thread

  /** Once, before that thread is started: it holds the word. */
  void begin(Thread thread) {
    engineThread = thread;
    holder = thread;
    lent = shared;
  }

  /** Whether somebody wants the word that the engine's thread holds. */
  boolean isAsked() {
    return (boolean) ASKED.getVolatile(this);
  }

  /** Not now: it has to be asked again. */
  void dismiss() {
    ASKED.setVolatile(this, false);
  }

  /** Gives the word away. What others hand over has to be looked at once more after that. */
  void lend(long nowNs) {
    calls = 0;
    busy = 0;
    quietSinceNs = nowNs;
    dismiss();
    recalled = false;
    lent = true; // before the word is free: whoever does not see it has its news looked at
    holder = null;
  }

  /**
   * Stands back until nobody has taken the word for one to two ticks, or it is recalled.
   *
   * @param isSeated whether somebody waits in the poller
   * @param isOver whether the engine is to stop
   */
  void rest(BooleanSupplier isSeated, BooleanSupplier isOver) {
    long seen = taken();
    while (!recalled && !isOver.getAsBoolean()) {
      LockSupport.parkNanos(this, restTickNs);
      boolean unused = Thread.interrupted(); // else the next park would be none
      long now = taken();
      if (now == seen && holder == null && !isSeated.getAsBoolean()) {
        return;
      }
      seen = now;
    }
  }

  /**
   * Takes the word again, for good.
   *
   * @param nowNs the clock
   */
  void takeBack(LongSupplier nowNs) {
    lent = shared;
    everTakenBack = true;
    take();
    takenBackNs = nowNs.getAsLong();
  }

  /** Waits for the word, which others hold for a duty cycle at most. */
  void take() {
    recalled = true;
    while (!HOLDER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
      LockSupport.parkNanos(this, tickNs); // ended by release()
      boolean unused = Thread.interrupted();
    }
    recalled = false;
  }

  /** How often others than the engine's thread have taken the word. */
  long taken() {
    return (long) TAKEN.getOpaque(this);
  }

  // ------------------------------------------------------------------ application threads

  /** Whether application threads may take the word. */
  boolean isLent() {
    return lent;
  }

  /** Whether a leader must not block. */
  boolean isRecalled() {
    return recalled;
  }

  /** Whether this thread runs the duty cycle right now. */
  @SuppressWarnings("ReferenceEquality") // threads have no other
  boolean isHeldHere() {
    return Thread.currentThread() == holder;
  }

  /** Whether the engine's thread has the word. */
  @SuppressWarnings("ReferenceEquality")
  boolean isEngines() {
    return holder == engineThread;
  }

  /**
   * Asks the engine's thread, which has to be woken then, to stand back.
   *
   * @return false if it is of no use now
   */
  boolean ask(long nowNs) {
    if (isAsked() || (refused && nowNs - refusedUntilNs < 0)) {
      return false;
    }
    refused = false;
    boolean soon = everTakenBack && nowNs - takenBackNs < SOON_NS;
    restTickNs = soon ? Math.min(2 * restTickNs, MOST_TICKS * tickNs) : tickNs;
    leaderId = Thread.currentThread().threadId();
    ASKED.setVolatile(this, true);
    return true;
  }

  /** The same where progress is shared, after its next duty cycle. */
  void askSoon() {
    if (!(boolean) ASKED.getOpaque(this) && isEngines()) {
      ASKED.setOpaque(this, true);
    }
  }

  /** Takes the word, for a duty cycle; false if it is not free. */
  boolean tryTake() {
    if (lent
        && holder == null
        && HOLDER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
      TAKEN.setOpaque(this, (long) TAKEN.get(this) + 1); // nobody else writes it now
      return true;
    }
    return false;
  }

  /** Whether it is lent to another thread than this one. */
  boolean isOthers() {
    return !shared && leaderId != Thread.currentThread().threadId();
  }

  /** Frees the word. What others handed over meanwhile has to be looked at after that. */
  void release() {
    holder = null; // volatile, so the look at the flag comes after it
    if (recalled) {
      LockSupport.unpark(engineThread);
    }
  }

  /** The engine's thread is to go on itself. */
  void recall() {
    recalled = true;
    LockSupport.unpark(engineThread);
  }

  /** The same, and for a while. */
  void refuse(long nowNs) {
    refusedUntilNs = nowNs + REFUSAL_NS;
    refused = true;
    recall();
  }

  /**
   * The holder has handed over something by itself.
   *
   * @param offer whether it was a message; else one was consumed
   */
  void onCall(boolean offer, long nowNs) {
    if (shared) {
      return; // whoever calls drives
    }
    if (!offer) {
      calls = 0;
    } else if (++calls > MOST_CALLS) {
      refuse(nowNs);
    }
  }

  /**
   * The leader has run a duty cycle.
   *
   * @return false if it was of no use to lead for long
   */
  boolean onCycle(int work, long nowNs) {
    calls = 0;
    if (work > 0) {
      quietSinceNs = nowNs;
      if (!shared && ++busy > MOST_BUSY) {
        busy = 0;
        refuse(nowNs);
      }
      return true;
    }
    busy = 0;
    if (nowNs - quietSinceNs > QUIET_NS) {
      recall();
      return false;
    }
    return true;
  }
}
