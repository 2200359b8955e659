// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.Counters;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Uninterruptibly;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the protocol core: one duty cycle after the other, on a thread of its own (or for a while on
 * one that waits for it, see {@link Leadership}) or on the application's, and blocks in the one
 * poller when there is nothing to do.
 *
 * <p>Application threads hand over commands through a queue, and messages through the core's own
 * queues; then {@link #wake()} rouses the engine, but only if it sleeps.
 */
final class Engine {
  /** The part of the core that the engine drives; on the engine's thread. */
  interface Core {
    /**
     * One duty cycle.
     *
     * @param sample gives the time; to be called once, but for what leaves before
     * @param awake whether it may look again and again before it returns with nothing; else the
     *     engine is about to block
     */
    int poll(LongSupplier sample, boolean awake);

    long nextDeadlineNs();

    /**
     * Raises the sleeping flags, and looks once more at everything that other threads and processes
     * hand over.
     *
     * @return false if there is something to do
     */
    boolean prepareToBlock();

    /** Any thread: whether others have handed over something that no cycle has looked at yet. */
    boolean isSignalled();

    void afterBlock();

    /** Instead, if nothing but its time ended the wait. */
    void afterTimeout();

    boolean hasUnwatchedPort();

    /** Takes leave of peers that are still there, without waiting, and releases everything. */
    void close(long nowNs);
  }

  private enum State {
    RUNNING,
    STOPPED,
    FAILED
  }

  private static final VarHandle SLEEPING;
  private static final int MAX_COMMANDS = 1024;

  /** Even with nothing to wait for the engine looks around that often. */
  private static final long LONGEST_BLOCK_NS = 1_000_000_000L;

  /** A port that cannot be waited for is looked at that often. */
  private static final long SHORT_BLOCK_NS = 1_000_000L;

  /** While an application thread leads, the engine's own looks that often whether it still does. */
  private static final long LEADER_TICK_NS = 1_000_000L;

  /**
   * The same where progress is shared: what arrives while all of them compute is seen after two of
   * these at most.
   */
  private static final long SHARED_TICK_NS = 3_000_000L;

  /** So many polls in a row while another thread waits in the poller do not look themselves. */
  private static final int MOST_VAIN_POLLS = 16;

  /** Who wants to wait in the poller finds that another thread is just leaving it. */
  private static final long SEAT_PARK_NS = 50_000L;

  private static final int MOST_UNSEATS = 20_000;

  /** A leader gets its thread back that often. */
  private static final long LEADER_BLOCK_NS = 10_000_000L;

  /**
   * Hooks run so often, and for so long, without the rest of a duty cycle. Who asks again and again
   * and never waits would keep everything else from moving, while its turns say that all is well.
   */
  private static final int MOST_HOOKS_ALONE = 4;

  private static final long HOOKS_ALONE_NS = 1_000_000L;

  /** Who frees the word looks so often at what others have handed over meanwhile. */
  private static final int MOST_LOOKS = 4;

  /** A caller gets its thread back that often while there is something to do now and then. */
  private static final long CALLER_BLOCK_NS = 25_000_000L;

  /**
   * And that often once nothing has happened for long. What a turn executes is out of all caches by
   * then, and before long it is not even compiled: forty turns a second took 1.2 % of a processor.
   */
  private static final long IDLE_CALLER_BLOCK_NS = 100_000_000L;

  /** Between the two it waits for that part of the time that nothing has happened for. */
  private static final int PATIENCE_SHARE = 4;

  /**
   * So many duty cycles in a row may end with an error before the next one waits: a millisecond
   * first, then twice as long each time, and that at most.
   */
  private static final int FAILURES_BEFORE_PAUSE = 8;

  private static final long FAILURE_PAUSE_NS = 1_000_000L;
  private static final long MOST_FAILURE_PAUSE_NS = 100_000_000L;

  /**
   * A virtual thread parks in place of blocking in the poller, which would keep its carrier from
   * all others: for so long at first, twice as long each time that nothing came, and the longer of
   * the two at most. What arrives meanwhile is seen when that is over.
   */
  private static final long LEAST_PARK_NS = 50_000L;

  private static final long MOST_PARK_NS = 4_000_000L;

  /**
   * Progress that no handler waits for (acknowledgements) is told to application threads that often
   * at most, and when the engine runs out of work.
   */
  private static final long ANNOUNCE_NS = 50_000L;

  static {
    try {
      SLEEPING = MethodHandles.lookup().findVarHandle(Engine.class, "sleeping", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String name;
  private final Core core;
  private final Poller poller;
  private final LongSupplier clock;
  private final LongSupplier sample = this::sample;
  private final boolean callerMode;

  /** Whether whoever calls drives, on its own thread. */
  private final boolean shared;

  private final EngineIdle idle;

  /** Whether it ever blocks, so that somebody else may wait in its stead. */
  private final boolean blocks;

  private final Leadership leadership;
  private final AppWait appWait;
  private final Counters<NodeCounter> counters;
  private final MpscVarHandleArrayQueue<Command<?>> commands =
      new MpscVarHandleArrayQueue<>(MAX_COMMANDS);

  /** What layers above do in each duty cycle; null for nothing. */
  private @Nullable CycleHooks hooks;

  private final CountDownLatch ended = new CountDownLatch(1);

  /** There may be commands; spares each cycle the look into the queue. */
  private volatile boolean commanded;

  /** Who waits in the poller has not been roused yet. */
  private volatile boolean sleeping;

  /**
   * Who waits in the poller; set by the holder of the word, and taken off by that thread itself.
   */
  private volatile @Nullable Thread seated;

  /** The core's sleeping flags are up; by the holder of the word. */
  private boolean prepared;

  /** Somebody found the word taken who knows of something to do. */
  private volatile boolean knocked;

  /** Polls that did not look, since others did; a race costs a look, nothing else. */
  private int vainPolls;

  private volatile boolean stopRequested;
  private volatile State state = State.RUNNING;
  private volatile @Nullable Throwable failure;
  private volatile @Nullable Thread owner;
  private boolean progressed;
  private boolean unannounced;

  /** Duty cycles in a row that ended with an error. */
  private int failedInARow;

  private long lastAnnouncedNs;
  private long nowNs;

  /** How often hooks have run since the last duty cycle; by the holder of the word. */
  private int hooksAlone;

  /** On a virtual thread: the next park, and the busy cycles that there were before the last. */
  private long parkNs = LEAST_PARK_NS;

  private long busyBefore;

  /** Caller mode: the core is at work further down on this thread's stack. */
  private boolean coreRuns;

  /** Caller mode: since when there was nothing that the application could wait for. */
  private long quietSinceNs;

  Engine(
      String name,
      Core core,
      Poller poller,
      LongSupplier clock,
      Progress progress,
      AppWait appWait,
      Counters<NodeCounter> counters) {
    this.name = name;
    this.core = core;
    this.poller = poller;
    this.clock = clock;
    this.callerMode = progress.isCaller();
    this.shared = progress.isShared();
    this.leadership = new Leadership(shared ? SHARED_TICK_NS : LEADER_TICK_NS, shared);
    this.idle = new EngineIdle(progress.idle(), clock);
    this.blocks = progress.idle().blocks;
    this.appWait = appWait;
    this.counters = counters;
    this.quietSinceNs = clock.getAsLong();
    if (shared) {
      appWait.beforePark(this::seatSomebody);
    }
  }

  // ------------------------------------------------------------------ any thread

  /**
   * Starts the thread, if it is to have one.
   *
   * @throws CrosstieException if there is none to be had; the engine is to be stopped then
   */
  void start(@Nullable ThreadFactory threads) {
    if (threads == null) {
      return;
    }
    Thread thread = threadOf(threads);
    thread.setName("crosstie-" + name);
    owner = thread;
    leadership.begin(thread);
    try {
      thread.start();
    } catch (OutOfMemoryError | IllegalThreadStateException e) {
      owner = null;
      throw new CrosstieException(
          "node "
              + name
              + " cannot start: its thread could not be started ("
              + e.getMessage()
              + "); raise the limit on threads (ulimit -u, or pids.max of the control group), end"
              + " some, or do without a thread by progress(Progress.caller())",
          e);
    }
  }

  /** Before it starts: what layers above do in each duty cycle. */
  void setHooks(CycleHooks of) {
    hooks = of;
  }

  /** Whether this is called by what a layer above does in the duty cycle. */
  boolean isInHook() {
    CycleHooks of = hooks;
    return of != null && (callerMode ? isOwner() : leadership.isHeldHere()) && of.isRunning();
  }

  /**
   * What layers above do in each duty cycle is to be done. Any thread; where the word is free it is
   * done here and now, mostly without the rest of a duty cycle.
   */
  void wakeUp() {
    CycleHooks of = hooks;
    if (of != null && !callerMode && leadership.isLent() && tryEnter()) {
      try {
        long beginNs = clock.getAsLong();
        if (hooksAlone < MOST_HOOKS_ALONE && beginNs - nowNs < HOOKS_ALONE_NS) {
          hooksAlone++;
          heldHooks(of, beginNs);
        } else {
          int unused = heldCycle();
        }
      } finally {
        giveBack();
      }
    } else {
      knocked = true;
      wake();
    }
  }

  private Thread threadOf(ThreadFactory threads) {
    String what = "the thread factory of Progress.thread(idle, threads) ";
    Thread thread;
    try {
      thread = threads.newThread(this::run);
    } catch (RuntimeException | Error e) {
      throw new CrosstieException(
          what + "failed for node " + name + " with " + e + "; see the cause", e);
    }
    if (thread == null) {
      throw new CrosstieException(
          what + "gave no thread for node " + name + "; it has to make one, and not start it");
    }
    if (thread.getState() != Thread.State.NEW) {
      throw new CrosstieException(
          what
              + "gave thread \""
              + thread.getName()
              + "\" to node "
              + name
              + ", which is started already; it has to make a new one, and not start it");
    }
    return thread;
  }

  boolean isCallerMode() {
    return callerMode;
  }

  /** Whether those who call drive the protocol. */
  boolean callersDrive() {
    return callerMode || shared;
  }

  /**
   * Whether it has begun to end, without having failed: it runs no duty cycle again but for its
   * last words, which {@link #awaitEnd} waits for.
   */
  boolean isStopped() {
    return state == State.STOPPED;
  }

  boolean hasFailed() {
    return state == State.FAILED;
  }

  long nowNs() {
    return clock.getAsLong();
  }

  /**
   * Every call on the message path begins here.
   *
   * @throws IllegalStateException if the engine died, or in caller mode if this is another thread
   *     than before
   */
  void check() {
    if (stopRequested || (callerMode && !isOwner())) {
      refuseOrAdopt();
    }
  }

  @SuppressWarnings("ReferenceEquality") // threads have no other
  private boolean isOwner() {
    return Thread.currentThread() == owner;
  }

  private void refuseOrAdopt() {
    if (state == State.FAILED) {
      throw new IllegalStateException(
          "node "
              + name
              + " has stopped because of an unexpected error: "
              + failure
              + "; close it and start a new one",
          failure);
    }
    if (state == State.STOPPED || !callerMode) {
      return; // nothing is left that could be disturbed, or the engine's thread sees to it
    }
    Thread current = Thread.currentThread();
    Thread bound;
    synchronized (this) {
      bound = owner;
      if (bound == null || !bound.isAlive()) {
        owner = current;
        bound = current;
      }
    }
    if (!isOwner()) {
      throw new IllegalStateException(
          "node "
              + name
              + " runs on its caller's thread, which is \""
              + bound.getName()
              + "\", but was called by \""
              + current.getName()
              + "\"; use one thread for all of the node's calls, or configure"
              + " progress(Progress.thread())");
    }
    if (stopRequested && !coreRuns) {
      release(State.STOPPED); // who asked for it does so itself before long, whatever runs here
    }
  }

  /** Something was handed over: rouses the engine if it sleeps. */
  void wake() {
    wake(true);
  }

  /** A message was consumed: the same. */
  void wakeConsumed() {
    wake(false);
  }

  private void wake(boolean offer) {
    if (!callerMode) {
      // what was handed over before the flags are read; the engine has it the other way round
      VarHandle.fullFence();
      if (!offer && !sleeping) {
        return; // credit goes with the next cycle, at last when the engine's thread takes over
      }
      if (leadership.isLent()) {
        attend(offer);
      } else if (sleeping) {
        rouseSleeping();
      }
    }
  }

  private void rouseSleeping() {
    if (sleeping && SLEEPING.compareAndSet(this, true, false)) {
      rouse();
    }
  }

  private void rouse() {
    poller.wakeup();
    Thread thread = owner;
    if (thread != null && thread.isVirtual()) {
      LockSupport.unpark(thread);
    }
  }

  /** Whoever waits for the engine's thread would wait for ever if that has ended without a word. */
  private void checkThread() {
    Thread thread = owner;
    if (thread != null && !thread.isAlive() && state == State.RUNNING) {
      fail(
          new IllegalStateException(
              "thread \"" + thread.getName() + "\" has ended without running the node"));
      check();
    }
  }

  /**
   * Has the engine's thread do something, and waits for it; an interrupt does not end that.
   *
   * @throws IllegalStateException if the engine died
   * @throws CrosstieException if it was stopped
   */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  <T extends @Nullable Object> T call(Callable<T> action) throws Exception {
    check();
    if (isStopped()) {
      throw closed();
    }
    if (callerMode && isOwner()) {
      return callHere(action);
    }
    if (leadership.isHeldHere()) {
      return action.call();
    }
    Command<T> command = new Command<>(action);
    while (!commands.offer(command)) {
      checkThread();
      check();
      wake();
      Thread.yield();
    }
    commanded = true;
    wake();
    while (!command.await(100)) {
      checkThread();
      check();
      if (isStopped() && !command.isDone()) {
        throw closed();
      }
    }
    return command.result();
  }

  private <T extends @Nullable Object> T callHere(Callable<T> action) throws Exception {
    boolean before = coreRuns;
    coreRuns = true;
    try {
      return action.call();
    } finally {
      coreRuns = before;
    }
  }

  /** Has the engine's thread do something some time; nobody waits for it. Any thread. */
  void post(Runnable action) {
    if (commands.offer(new Command<>(Executors.callable(action)))) {
      commanded = true;
      wake();
    }
  }

  private CrosstieException closed() {
    return new CrosstieException(
        "node " + name + " is closed; start a new one with Node.start(config)");
  }

  /**
   * Passes some time; drives the protocol in caller mode. Returns after ten milliseconds at most,
   * in caller mode after 25, or after up to 100 if there was nothing for long.
   */
  void idle(int workCount) {
    idle(workCount, Long.MAX_VALUE);
  }

  /**
   * The same for somebody who has to be back in time.
   *
   * @param longestNs the longest that it may block in caller mode
   */
  void idle(int workCount, long longestNs) {
    idle(workCount, longestNs, false);
  }

  /** The same for somebody who waits for nothing but what this node does. */
  void idleUntilNews(long longestNs) {
    idle(0, longestNs, true);
  }

  private void idle(int workCount, long longestNs, boolean untilNews) {
    check();
    if (isInHook()) {
      return;
    }
    if (!callerMode) {
      if (workCount == 0) {
        checkThread();
      }
      if (workCount == 0 && lead(longestNs)) {
        return;
      }
      if (untilNews) {
        appWait.idleUntilProgress(longestNs);
      } else {
        appWait.idle(workCount);
      }
    } else if (workCount > 0) {
      quietSinceNs = nowNs;
      EngineIdle.Step unused = idle.after(workCount, nowNs);
    } else if (drive() == 0 && state == State.RUNNING) {
      if (failedInARow > FAILURES_BEFORE_PAUSE) {
        pause();
      }
      try {
        idleAfter(0, Math.min(longestNs, callerBlockNs()));
      } catch (Throwable t) {
        onError(t);
      }
    }
  }

  // ------------------------------------------------------------------ application threads that
  // lead

  /**
   * An application thread waits: runs a duty cycle, and blocks in the poller, in the stead of the
   * engine's thread, if that lets it.
   *
   * @return false if it has to wait otherwise
   */
  private boolean lead(long longestNs) {
    vainPolls = 0;
    if (shared ? !mayLead() : !isLentHere()) {
      return false;
    }
    if (!tryEnter()) {
      Thread.onSpinWait(); // somebody hands over a message
      leadership.askSoon();
      return leadership.isLent() && !leadership.isEngines();
    }
    EngineIdle.Step step = EngineIdle.Step.GO_ON;
    boolean isNews = false;
    try {
      if (appWait.takeProgress()) {
        return true; // which may be what is waited for
      }
      step = stepAfter(ledCycle());
      if (step == EngineIdle.Step.BLOCK) {
        if (unannounced) {
          announceProgress(); // of others, too, who were too soon after the last news to tell it
        }
        isNews = appWait.takeProgress();
        if (!isNews && !Thread.currentThread().isVirtual()) {
          block(Math.min(longestNs, LEADER_BLOCK_NS));
          if (leadership.isHeldHere()) { // takes in what has ended the wait
            EngineIdle.Step unusedStep = stepAfter(ledCycle());
          }
        }
      }
      isNews |= appWait.takeProgress();
    } finally {
      if (leadership.isHeldHere()) { // also after the wait
        giveBack();
      }
      if (shared && appWait.isAnyParked() && !leadership.isEngines()) {
        leadership.recall(); // this thread may go, and others wait
      }
    }
    idle.pass(step, clock.getAsLong());
    return isNews || step != EngineIdle.Step.BLOCK || !Thread.currentThread().isVirtual();
  }

  private int ledCycle() {
    int work = heldCycle();
    if (!leadership.onCycle(work, nowNs)) {
      appWait.expectNoAnswers();
    }
    return work;
  }

  private EngineIdle.Step stepAfter(int work) {
    try {
      return idle.next(work, nowNs);
    } catch (Throwable t) {
      onError(t);
      return EngineIdle.Step.GO_ON;
    }
  }

  /** Where the engine's thread lends it: whether it has. If not it may be asked to. */
  private boolean isLentHere() {
    if (!leadership.isLent()) {
      if (wantsToLead() && leadership.ask(clock.getAsLong())) {
        wake();
      }
      return false;
    }
    if (leadership.isRecalled()) {
      return false;
    }
    if (leadership.isOthers()) {
      leadership.refuse(clock.getAsLong()); // two that wait
      return false;
    }
    return true;
  }

  private boolean wantsToLead() {
    return blocks && appWait.expectsAnswers() && !Thread.currentThread().isVirtual() && !isOwner();
  }

  /**
   * Where progress is shared: nobody waits in the poller, or only the engine's thread does, in
   * whose stead one that waits for one answer after the other is to be woken. Where several wait
   * that thread is to wake them.
   */
  private boolean mayLead() {
    if (isOwner() || leadership.isRecalled() || appWait.isAnyParked()) {
      return false;
    }
    Thread there = seated;
    return there == null || (isOwner(there) && wantsToLead());
  }

  @SuppressWarnings("ReferenceEquality") // threads have no other
  private boolean isOwner(Thread thread) {
    return thread == owner;
  }

  /** Before a thread parks until there is progress: somebody has to be woken by what arrives. */
  private void seatSomebody() {
    if (!sleeping && !leadership.isEngines()) {
      leadership.recall();
    }
  }

  /**
   * Something was handed over while the word may be free: this thread sees to it, unless another
   * one holds the word, which then looks again before it goes.
   */
  private void attend(boolean offer) {
    if (tryEnter() || knock()) {
      try {
        int unused = heldCycle();
        leadership.onCall(offer, nowNs);
      } finally {
        giveBack();
      }
    }
  }

  /**
   * The word was not free: has its holder look again before it goes.
   *
   * @return whether this thread has the word now, since it was free again
   */
  private boolean knock() {
    knocked = true;
    return tryEnter();
  }

  /** Takes the word, if it is free. Who waits in the poller is to come round. */
  private boolean tryEnter() {
    if (!leadership.tryTake()) {
      return false;
    }
    if (prepared) {
      try {
        try {
          endWait(false);
        } finally {
          rouseSleeping();
        }
      } catch (Throwable t) {
        onError(t); // the word is held all the same
      }
    }
    return true;
  }

  /** A duty cycle of a thread that is not the engine's, by the word that it holds. */
  private int heldCycle() {
    try {
      int work = cycle();
      failedInARow = 0;
      counters.increment(NodeCounter.LED_CYCLES);
      return work;
    } catch (Throwable t) {
      onError(t);
      leadership.recall(); // the engine's thread knows how to go on
      return 0;
    }
  }

  /** A duty cycle of which only the end is wanted, likewise. */
  private void heldHooks(CycleHooks of, long beginNs) {
    try {
      endCycle(of.run(beginNs, beginNs));
      counters.increment(NodeCounter.LED_CYCLES);
    } catch (Throwable t) {
      onError(t);
    }
  }

  /**
   * Frees the word first, and then looks once more: whoever handed over found the word free, or is
   * seen here.
   */
  private void giveBack() {
    for (int looks = 1; ; looks++) {
      leadership.release();
      if (!commanded && !knocked) {
        return;
      }
      if (looks == MOST_LOOKS || stopRequested) {
        leadership.recall();
        return;
      }
      if (!tryEnter()) {
        return; // whoever has it sees it
      }
      int unused = heldCycle();
    }
  }

  /** Whether others have handed over something that no cycle has looked at yet. */
  private boolean isHandedOver() {
    return commanded || knocked || core.isSignalled();
  }

  /** The engine's thread: lets application threads lead, for as long as one does. */
  private void standBack() {
    if (unannounced) {
      announceProgress();
    }
    leadership.lend(nowNs);
    try {
      if (!stopRequested && !isHandedOver() && !(shared && appWait.isAnyParked())) {
        leadership.rest(() -> seated != null, () -> stopRequested);
      }
    } finally {
      leadership.takeBack(clock);
      if (prepared) {
        endWait(false);
        rouseSleeping();
      }
    }
  }

  /** Takes the word, if it is free, to send a message, which may be shorter than a duty cycle. */
  boolean tryEnterToSend() {
    return !callerMode && leadership.isLent() && tryEnter();
  }

  /**
   * After {@link #tryEnterToSend}.
   *
   * @param cycles whether there is something for a duty cycle
   */
  void leaveAfterSend(boolean cycles) {
    try {
      if (cycles) {
        int unused = heldCycle();
      }
      leadership.onCall(true, nowNs);
    } finally {
      giveBack();
    }
  }

  /** A call, where those who call drive: one duty cycle, unless others see to it. */
  private int driveShared() {
    if (sleeping && ++vainPolls <= MOST_VAIN_POLLS) {
      return 0; // who waits in the poller sees what comes
    }
    if (!tryEnter()) {
      leadership.askSoon();
      return 0;
    }
    vainPolls = 0;
    int work;
    try {
      work = heldCycle();
      if (work > 0) {
        EngineIdle.Step unused = stepAfter(work); // an idle() soon after does not block yet
      }
    } finally {
      giveBack();
    }
    if (work == 0) {
      Thread.onSpinWait(); // the peer may be the other thread of this core
    }
    return work;
  }

  private long callerBlockNs() {
    if (progressed) {
      progressed = false;
      quietSinceNs = nowNs;
    }
    long share = (nowNs - quietSinceNs) / PATIENCE_SHARE;
    return Math.clamp(share, CALLER_BLOCK_NS, IDLE_CALLER_BLOCK_NS);
  }

  // ------------------------------------------------------------------ the engine's thread

  /** Where those who call drive: one duty cycle on this thread. */
  int drive() {
    if (state != State.RUNNING) {
      return 0;
    }
    if (isInHook()) {
      return 0;
    }
    if (!callerMode) {
      return driveShared();
    }
    if (stopRequested) {
      release(State.STOPPED);
      return 0;
    }
    boolean before = coreRuns;
    coreRuns = true;
    try {
      int work = cycle();
      failedInARow = 0;
      if (work > 0) {
        EngineIdle.Step unused = idle.after(work, nowNs); // an idle() soon after does not block yet
      } else {
        Thread.onSpinWait(); // the peer may be the other thread of this core
      }
      return work;
    } catch (Throwable t) {
      onError(t);
      return 0;
    } finally {
      coreRuns = before;
    }
  }

  /** The listener's news that an application thread may wait for. */
  void noteProgress() {
    progressed = true;
  }

  private void run() {
    if (owner == null) {
      return; // started by the factory, which is refused
    }
    owner = Thread.currentThread();
    long taken = leadership.taken();
    while (!stopRequested) {
      try {
        int work = cycle();
        if (work == 0) {
          boolean unused = Thread.interrupted(); // else an Idle of the application's might spin
        }
        if (isToStandBack(work, leadership.taken() != taken)) {
          standBack();
        } else if (!shared) {
          idleAfter(work, LONGEST_BLOCK_NS);
        } else if (work == 0) {
          taken = leadership.taken();
          block(LONGEST_BLOCK_NS);
          continue; // with what came meanwhile
        }
        taken = leadership.taken();
        failedInARow = 0;
      } catch (Throwable t) {
        onError(t);
        if (failedInARow > FAILURES_BEFORE_PAUSE) {
          pause();
        }
      }
    }
    unseat();
    release(State.STOPPED);
  }

  /** The end: this thread keeps the word, and whoever waits in the poller has to leave it. */
  private void unseat() {
    for (int i = 0; i < MOST_UNSEATS && seated != null; i++) {
      poller.wakeup();
      LockSupport.parkNanos(this, SEAT_PARK_NS);
      boolean unused = Thread.interrupted();
    }
  }

  /**
   * Whether the engine's thread lets others drive: one asked for it, or, where progress is shared,
   * some have driven since. Not while others wait for it to wake them.
   */
  private boolean isToStandBack(int work, boolean othersDrive) {
    if (!shared) {
      return work == 0 && leadership.isAsked();
    }
    if (!othersDrive && !leadership.isAsked()) {
      return false;
    }
    if (!appWait.isAnyParked()) {
      return true;
    }
    leadership.dismiss();
    return false;
  }

  /**
   * Something escaped everything that the core contains errors in: this duty cycle is over, and the
   * next one goes on. Counted, and told the first time, the second, the fourth and so on.
   */
  private void onError(Throwable error) {
    counters.increment(NodeCounter.FAILED_CYCLES);
    if (failedInARow < Integer.MAX_VALUE) {
      failedInARow++;
    }
    try {
      long all = counters.get(NodeCounter.FAILED_CYCLES);
      if (Long.bitCount(all) == 1) {
        log()
            .log(
                System.Logger.Level.ERROR,
                "node " + name + " met an unexpected error, number " + all + ", and goes on",
                error);
      }
    } catch (RuntimeException | Error e) {
      // it is counted, and perhaps there is no memory to say more
    }
  }

  /** One error after the other: no hot loop, and never the end, since memory may be there again. */
  private void pause() {
    int doublings = Math.min(failedInARow - FAILURES_BEFORE_PAUSE, 7) - 1;
    boolean interrupted = Uninterruptibly.clear();
    LockSupport.parkNanos(this, Math.min(FAILURE_PAUSE_NS << doublings, MOST_FAILURE_PAUSE_NS));
    Uninterruptibly.restore(interrupted);
  }

  private int cycle() {
    hooksAlone = 0;
    if (knocked) {
      knocked = false; // before anything is looked at
    }
    int work = runCommands();
    work += core.poll(sample, idle.waitsAwake(nowNs));
    if (hooks != null) {
      work += work > 0 ? hooks.run(nowNs) : hooks.run(nowNs, nowNs); // it is still about that time
    }
    endCycle(work);
    return work;
  }

  private void endCycle(int work) {
    counters.increment(work > 0 ? NodeCounter.BUSY_CYCLES : NodeCounter.IDLE_CYCLES);
    unannounced |= work > 0;
    if (!callerMode && (progressed || (unannounced && nowNs - lastAnnouncedNs >= ANNOUNCE_NS))) {
      announceProgress();
    }
  }

  private long sample() {
    nowNs = clock.getAsLong();
    return nowNs;
  }

  private void announceProgress() {
    progressed = false;
    unannounced = false;
    lastAnnouncedNs = nowNs;
    appWait.progress();
  }

  private int runCommands() {
    if (!commanded) {
      return 0;
    }
    commanded = false; // before they are looked for: whoever comes later sets it again
    int done = 0;
    for (Command<?> command = commands.relaxedPoll();
        command != null;
        command = commands.relaxedPoll()) {
      command.run();
      done++;
    }
    if (done > 0) {
      counters.add(NodeCounter.COMMANDS, done);
      progressed = true;
    }
    return done;
  }

  private void idleAfter(int work, long longestNs) {
    if (idle.after(work, nowNs) == EngineIdle.Step.BLOCK) {
      block(longestNs);
    }
  }

  /**
   * Blocks, unless there is something to do. The flag goes up first and then everything that others
   * hand over is looked at once more, so that whoever hands over sees the flag, or we see what was
   * handed over. No whole duty cycle is made for that: the last one found nothing, and where this
   * one ends, the next begins.
   *
   * <p>The word is free meanwhile. Whoever takes it ends the wait: he lowers the core's flags, and
   * rouses who waits. A thread that is not the engine's may not have the word again on return.
   */
  private void block(long longestNs) {
    Thread current = Thread.currentThread();
    if (!callerMode) {
      if (seated != null) {
        awaitSeat();
        return;
      }
      seated = current;
    }
    sleeping = true;
    VarHandle.fullFence();
    try {
      if (unannounced && !callerMode) {
        announceProgress(); // nobody else will while this thread sleeps
      }
      if (stopRequested || commanded || isAwaited()) {
        return;
      }
      boolean timedOut = false;
      prepared = true;
      try {
        if (core.prepareToBlock()) {
          long timeoutNs = timeoutNs(longestNs);
          timedOut = callerMode ? await(timeoutNs) : awaitFree(timeoutNs);
        }
      } finally {
        if (callerMode || leadership.isHeldHere()) {
          endWait(timedOut);
        }
      }
    } catch (Throwable t) {
      if (callerMode || isOwner()) {
        throw t;
      }
      onError(t);
    } finally {
      sleeping = false;
      if (!callerMode) {
        seated = null;
      }
    }
  }

  /** Who waits in the poller was roused, and is about to leave it. */
  private void awaitSeat() {
    if (isOwner()) {
      leadership.release();
      LockSupport.parkNanos(this, SEAT_PARK_NS);
      leadership.take();
    }
  }

  /** Lowers the core's flags, unless somebody else did. */
  private void endWait(boolean timedOut) {
    if (!prepared) {
      return;
    }
    prepared = false;
    if (timedOut) {
      core.afterTimeout();
    } else {
      core.afterBlock();
    }
  }

  /**
   * Waits while others may take the word, and takes it again; if this is not the engine's thread,
   * only if it is free. Else who has it is to look at what may have ended the wait.
   */
  private boolean awaitFree(long timeoutNs) {
    boolean timedOut = false;
    leadership.release();
    try {
      if (sleeping && !stopRequested && !isHandedOver()) {
        timedOut = await(timeoutNs);
      }
    } finally {
      if (isOwner()) {
        leadership.take();
      } else if (!leadership.tryTake()) {
        knocked = true;
        boolean unused = leadership.tryTake();
      }
    }
    return timedOut;
  }

  /** Whether another thread waits for the word that this one holds. */
  private boolean isAwaited() {
    return !callerMode && (isOwner() ? leadership.isAsked() : leadership.isRecalled());
  }

  private long timeoutNs(long longestNs) {
    long timeoutNs = core.hasUnwatchedPort() ? Math.min(longestNs, SHORT_BLOCK_NS) : longestNs;
    long deadlineNs = core.nextDeadlineNs();
    if (deadlineNs != Long.MAX_VALUE) {
      long afterNs = clock.getAsLong();
      timeoutNs = deadlineNs <= afterNs ? 0 : Math.min(timeoutNs, deadlineNs - afterNs);
    }
    return timeoutNs;
  }

  /** Whether nothing but its time has ended the wait. */
  private boolean await(long timeoutNs) {
    if (timeoutNs <= 0) {
      return false;
    }
    if (!Thread.currentThread().isVirtual()) {
      counters.increment(NodeCounter.BLOCKS);
      return !poller.await(timeoutNs);
    }
    long busy = counters.get(NodeCounter.BUSY_CYCLES);
    parkNs = busy != busyBefore ? LEAST_PARK_NS : Math.min(2 * parkNs, MOST_PARK_NS);
    busyBefore = busy;
    boolean interrupted = Uninterruptibly.clear();
    try {
      if (!poller.await(0)) {
        LockSupport.parkNanos(this, Math.min(timeoutNs, parkNs));
      }
    } finally {
      Uninterruptibly.restore(interrupted);
    }
    return false; // nobody has watched
  }

  // ------------------------------------------------------------------ the end

  /**
   * Stops the engine and releases ports and files; idempotent. In caller mode it has to be the
   * caller's thread, or one that has waited for it in vain.
   */
  void stop(Duration patience) {
    stopRequested = true;
    Thread thread = owner;
    if (callerMode || thread == null) {
      release(State.STOPPED);
      return;
    }
    wake();
    LockSupport.unpark(thread); // it may stand back
    boolean ended =
        Uninterruptibly.await(patience.toNanos(), nanos -> thread.join(Duration.ofNanos(nanos)));
    if (ended) {
      release(State.STOPPED); // it has, unless the thread never ran what it was made for
    } else {
      log()
          .log(
              System.Logger.Level.WARNING,
              "node {0}: thread {1} did not stop within {2}; it hangs in a driver, or the machine"
                  + " is overloaded",
              name,
              thread.getName(),
              ConfigRules.text(patience));
    }
  }

  /**
   * The JVM ends, and this is not the caller's thread: asks that one to stop the engine, and does
   * it in its stead if it does not come by in time.
   */
  void stopAtExit(Duration patience) {
    stopRequested = true;
    rouse();
    if (!Uninterruptibly.await(
        patience.toNanos(), nanos -> ended.await(nanos, TimeUnit.NANOSECONDS))) {
      release(State.STOPPED);
    }
  }

  /** Whether this thread says the last words just now, further up on its stack. */
  boolean isEndingHere() {
    return Thread.holdsLock(this);
  }

  /**
   * Waits until it has ended, since another thread stops it; not on the engine's own.
   *
   * @return whether nothing of it runs any more on another thread
   */
  boolean awaitEnd(Duration patience) {
    boolean own = state == State.RUNNING ? isOwner() || leadership.isHeldHere() : isEndingHere();
    return own
        || Uninterruptibly.await(
            patience.toNanos(), nanos -> ended.await(nanos, TimeUnit.NANOSECONDS));
  }

  private void fail(Throwable error) {
    failure = error;
    stopRequested = true; // so that each call looks why
    release(State.FAILED); // whoever waits for the node is not to wait for a log handler
    log()
        .log(
            System.Logger.Level.ERROR,
            "node " + name + " stops because of an unexpected error",
            error);
  }

  private synchronized void release(State as) {
    if (state != State.RUNNING) {
      return;
    }
    state = as;
    try {
      core.close(clock.getAsLong());
    } catch (RuntimeException | Error e) {
      log().log(System.Logger.Level.WARNING, "node " + name + " could not release everything", e);
    }
    try {
      poller.close();
    } catch (RuntimeException | Error e) {
      log().log(System.Logger.Level.WARNING, "node " + name + " could not close its poller", e);
    }
    appWait.progress();
    ended.countDown();
  }

  /** Asked for when there is something to log: to find the system's loggers takes a while. */
  private static System.Logger log() {
    return System.getLogger("io.crosstie");
  }
}
