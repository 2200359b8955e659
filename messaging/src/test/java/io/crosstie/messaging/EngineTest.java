// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Campaign;
import io.crosstie.transport.Counters;
import io.crosstie.transport.NioPoller;
import io.crosstie.transport.Poller;
import io.crosstie.transport.RailException;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine around a core that does what the test says. */
@Timeout(600)
final class EngineTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Counters<NodeCounter> counters = new Counters<>(NodeCounter.class);
  private final AppWait appWait = new AppWait(new CpuBudget(2, false), System::nanoTime);
  private final FakeCore core = new FakeCore();
  private Engine engine;

  /** Work that other threads hand in. */
  private static final class FakeCore implements Engine.Core {
    final Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    final AtomicInteger prepared = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    volatile long deadlineNs = Long.MAX_VALUE;
    final AtomicInteger polls = new AtomicInteger();
    final AtomicInteger timeouts = new AtomicInteger();
    boolean unwatched;
    volatile boolean alwaysFails;
    volatile Runnable atEachPoll = () -> {};

    @Override
    public int poll(LongSupplier sample, boolean awake) {
      long unused = sample.getAsLong();
      if (alwaysFails) {
        throw new OutOfMemoryError("planted");
      }
      int done = 0;
      polls.incrementAndGet();
      atEachPoll.run();
      for (Runnable next = work.poll(); next != null; next = work.poll()) {
        next.run();
        done++;
      }
      return done;
    }

    @Override
    public long nextDeadlineNs() {
      return deadlineNs;
    }

    @Override
    public boolean prepareToBlock() {
      prepared.incrementAndGet();
      return work.isEmpty();
    }

    @Override
    public boolean isSignalled() {
      return !work.isEmpty();
    }

    @Override
    public void afterBlock() {
      prepared.decrementAndGet();
    }

    @Override
    public void afterTimeout() {
      prepared.decrementAndGet();
      timeouts.incrementAndGet();
    }

    @Override
    public boolean hasUnwatchedPort() {
      return unwatched;
    }

    @Override
    public void close(long nowNs) {
      closed.incrementAndGet();
    }
  }

  /** There is nothing to watch. */
  private abstract static class BlindPoller implements Poller {
    @Override
    public boolean watchesDescriptors() {
      return false;
    }

    @Override
    public void watch(int fd) {}

    @Override
    public void unwatch(int fd) {}

    @Override
    public void watch(SelectableChannel channel, int operations) {}

    @Override
    public void unwatch(SelectableChannel channel) {}

    @Override
    public void close() {}
  }

  /** Nothing ever ends a wait but its time, which passes on the test's clock. */
  private static final class VainPoller extends BlindPoller {
    final List<Long> waitsNs = new ArrayList<>();
    long nowNs;

    @Override
    public boolean await(long timeoutNs) {
      waitsNs.add(timeoutNs);
      nowNs += timeoutNs;
      return false;
    }

    @Override
    public void wakeup() {}
  }

  /** Waits until it is woken, and notes if that takes unreasonably long. */
  private static final class PatientPoller extends BlindPoller {
    private final Semaphore wakeups = new Semaphore(0);
    volatile boolean waiting;
    volatile boolean waitedInVain;
    volatile boolean throwsOnce;

    @Override
    public boolean await(long timeoutNs) {
      if (timeoutNs <= 0) {
        return wakeups.drainPermits() > 0;
      }
      boolean woken = false;
      waiting = true;
      try {
        woken = wakeups.tryAcquire(60, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      } finally {
        waiting = false;
      }
      int unused = wakeups.drainPermits();
      waitedInVain |= !woken;
      return woken;
    }

    @Override
    public void wakeup() {
      if (throwsOnce) {
        throwsOnce = false;
        throw new IllegalStateException("planted");
      }
      wakeups.release();
    }
  }

  private VainPoller startInVain() {
    VainPoller poller = new VainPoller();
    Progress progress = Progress.caller(Idle.block());
    engine = new Engine("t", core, poller, () -> poller.nowNs, progress, appWait, counters);
    return poller;
  }

  private Engine start(Progress progress) throws RailException {
    engine = new Engine("t", core, new NioPoller(), System::nanoTime, progress, appWait, counters);
    engine.start(progress.threads());
    return engine;
  }

  @AfterEach
  void stop() {
    if (engine != null) {
      engine.stop(PATIENCE);
      assertEquals(1, core.closed.get(), "ports are released once");
      assertEquals(0, core.prepared.get(), "sleeping flags are down");
    }
  }

  /**
   * Every hand-over wakes a blocked engine, without waiting for the second that it blocks at most.
   */
  @Test
  void wakesForWork() throws Exception {
    start(Progress.thread(Idle.block()));
    for (int i = 0; i < 1000; i++) {
      var done = new CountDownLatch(1);
      core.work.add(done::countDown);
      engine.wake();
      assertTrue(done.await(60, TimeUnit.SECONDS));
    }
    assertTrue(core.timeouts.get() < 30, () -> "waits by their time: " + core.timeouts.get());
    assertTrue(counters.get(NodeCounter.BLOCKS) > 0);
  }

  /**
   * A thread that waits for one answer after the other runs the engine itself, and is woken by each
   * hand-over: this poller never ends a wait by its time, so that one wake-up that is lost is
   * found.
   */
  @Test
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  void aThreadThatWaitsForAnswersLeads() throws Exception {
    var poller = new PatientPoller();
    Progress progress = Progress.thread(Idle.block());
    engine = new Engine("t", core, poller, System::nanoTime, progress, appWait, counters);
    engine.start(progress.threads());
    int rounds = Campaign.count(1_000, 10_000);
    var asked = new AtomicInteger();
    var answered = new AtomicInteger();
    Thread answerer =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  for (int i = 1; i <= rounds && !poller.waitedInVain; i++) {
                    while (asked.get() < i) {
                      Thread.yield();
                    }
                    while (i % 2 == 0 && !poller.waiting && !poller.waitedInVain) {
                      Thread.yield(); // every second answer comes to one that blocks
                    }
                    int round = i;
                    core.work.add(
                        () -> {
                          answered.set(round);
                          engine.noteProgress();
                        });
                    engine.wake();
                  }
                });
    for (int i = 1; i <= rounds; i++) {
      asked.set(i);
      while (answered.get() < i) {
        engine.idle(0);
        assertFalse(poller.waitedInVain, "a wake-up was lost in round " + i);
      }
    }
    answerer.join();
    assertTrue(
        counters.get(NodeCounter.LED_CYCLES) > rounds / 10,
        () -> "led only " + counters.get(NodeCounter.LED_CYCLES));
    Thread alone = runningThreadOnceAlone();
    assertNotNull(alone);
    assertNotSame(Thread.currentThread(), alone);
  }

  /**
   * What another thread has done too soon after the last news to tell it is told to one that leads
   * before that one sleeps: here no time ever passes, so that it is always too soon.
   */
  @Test
  void whoLeadsIsToldOfWhatOthersHaveDone() throws Exception {
    var poller = new PatientPoller();
    Progress progress = Progress.shared(Idle.block());
    engine = new Engine("t", core, poller, () -> 0, progress, appWait, counters);
    engine.start(progress.threads());
    for (int i = 0; i < 100 && !poller.waitedInVain; i++) {
      var done = new CountDownLatch(1);
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    core.work.add(done::countDown);
                    engine.wake();
                  });
      other.join();
      done.await();
      engine.idle(0); // as somebody does who has looked before that
    }
    assertFalse(poller.waitedInVain, "asleep while what it waits for was there");
  }

  /** The application computes: the engine's own thread goes on. */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  private Thread runningThreadOnceAlone() throws Exception {
    var ran = new AtomicReference<Thread>();
    long giveUpNs = System.nanoTime() + PATIENCE.toNanos();
    core.atEachPoll = () -> ran.set(Thread.currentThread());
    while (ran.get() == null && System.nanoTime() < giveUpNs) {
      Thread.yield(); // and hands over nothing
    }
    return ran.get();
  }

  /** While one leads, commands of others are done at once, and it can be stopped. */
  @Test
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  void othersMayCallWhileOneLeads() throws Exception {
    start(Progress.thread(Idle.block()));
    var stop = new AtomicReference<Boolean>(false);
    Thread leader =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  while (!stop.get()) {
                    engine.idle(0);
                  }
                });
    long giveUpNs = System.nanoTime() + PATIENCE.toNanos();
    while (counters.get(NodeCounter.LED_CYCLES) < 100 && System.nanoTime() < giveUpNs) {
      core.work.add(engine::noteProgress);
      engine.wake();
      long before = counters.get(NodeCounter.BLOCKS);
      assertEquals(5, engine.call(() -> 5));
      while (counters.get(NodeCounter.BLOCKS) == before && System.nanoTime() < giveUpNs) {
        Thread.yield(); // until somebody waits again
      }
    }
    assertTrue(counters.get(NodeCounter.LED_CYCLES) >= 100);
    engine.stop(PATIENCE);
    assertTrue(engine.isStopped());
    stop.set(true);
    leader.join();
  }

  /**
   * Work that came too soon after the last news to be told at once is told when the engine goes to
   * sleep: here no time ever passes, so that it always comes too soon.
   */
  @Test
  void tellsBeforeItSleeps() throws Exception {
    Progress progress = Progress.thread(Idle.block());
    engine = new Engine("t", core, new NioPoller(), () -> 0, progress, appWait, counters);
    engine.start(progress.threads());
    long before = appWait.epoch();
    core.work.add(() -> {});
    engine.wake();
    long giveUpNs = System.nanoTime() + PATIENCE.toNanos();
    while (appWait.epoch() == before && System.nanoTime() < giveUpNs) {
      Thread.onSpinWait();
    }
    assertNotEquals(before, appWait.epoch());
  }

  @Test
  void wakesForDeadline() throws Exception {
    core.deadlineNs = System.nanoTime() + 20_000_000;
    var reached = new CountDownLatch(1);
    core.work.add(() -> {});
    start(
        Progress.thread(
            Idle.custom(
                work -> {
                  if (System.nanoTime() > core.deadlineNs) {
                    reached.countDown();
                  }
                })));
    assertTrue(reached.await(60, TimeUnit.SECONDS));
  }

  @Test
  void runsCommandsOnItsThread() throws Exception {
    start(Progress.thread());
    Thread thread = engine.call(Thread::currentThread);
    assertNotSame(Thread.currentThread(), thread);
    assertEquals("crosstie-t", thread.getName());
    assertTrue(thread.isDaemon());
    assertSame(thread, engine.call(() -> engine.call(Thread::currentThread)));
  }

  @Test
  void commandThatFailsHurtsOnlyWhoAsked() throws Exception {
    start(Progress.thread());
    var e =
        assertThrows(
            IOException.class,
            () ->
                engine.call(
                    () -> {
                      throw new IOException("no");
                    }));
    assertEquals("no", e.getMessage());
    assertEquals(5, engine.call(() -> 5));
  }

  /** An error that nothing contains ends its duty cycle, and is counted; the next one goes on. */
  @Test
  void engineOutlivesErrors() throws Exception {
    start(Progress.thread(Idle.block()));
    for (int i = 0; i < 12; i++) { // the last ones after a pause
      var inside = new CountDownLatch(1);
      core.work.add(
          () -> {
            inside.countDown();
            throw new OutOfMemoryError("planted");
          });
      engine.wake();
      assertTrue(inside.await(60, TimeUnit.SECONDS));
      assertEquals(i + 1L, engine.call(() -> counters.get(NodeCounter.FAILED_CYCLES)));
    }
    assertEquals(5, engine.call(() -> 5));
    assertEquals(12, counters.get(NodeCounter.FAILED_CYCLES));
    assertFalse(engine.hasFailed());
  }

  /** The same where those who call drive, whichever thread meets it. */
  @Test
  void sharedEngineOutlivesErrors() throws Exception {
    start(Progress.shared());
    for (int i = 0; i < 12; i++) {
      var inside = new CountDownLatch(1);
      core.work.add(
          () -> {
            inside.countDown();
            throw new OutOfMemoryError("planted");
          });
      if (i % 2 == 0) {
        engine.wake(); // and drives, if the word is free
      }
      while (inside.getCount() > 0) {
        engine.idle(engine.drive());
      }
    }
    while (counters.get(NodeCounter.FAILED_CYCLES) < 12) {
      engine.idle(0);
    }
    assertEquals(5, engine.call(() -> 5));
    assertFalse(engine.hasFailed());
  }

  /** Who takes the word from one that waits rouses him; if that throws, the word is not lost. */
  @Test
  void wordOutlivesAWakeUpThatThrows() throws Exception {
    var poller = new PatientPoller();
    Progress progress = Progress.shared();
    engine = new Engine("t", core, poller, System::nanoTime, progress, appWait, counters);
    engine.start(progress.threads());
    awaitUntil(() -> poller.waiting);
    poller.throwsOnce = true;
    assertTrue(engine.tryEnterToSend(), "the engine's thread waits, and the word is free");
    engine.leaveAfterSend(true);
    assertEquals(1, counters.get(NodeCounter.FAILED_CYCLES));
    var ran = new AtomicInteger();
    core.work.add(ran::incrementAndGet);
    poller.wakeup();
    engine.wake();
    awaitUntil(() -> ran.get() == 1);
    assertEquals(5, engine.call(() -> 5));
  }

  /** What was consumed is no reason for a duty cycle of the thread that leads. */
  @Test
  void consumedMessagesWaitForTheNextCycle() throws Exception {
    core.atEachPoll = () -> engine.noteProgress();
    start(Progress.thread(Idle.block()));
    long giveUpNs = System.nanoTime() + PATIENCE.toNanos();
    while (counters.get(NodeCounter.LED_CYCLES) == 0 && System.nanoTime() < giveUpNs) {
      core.work.add(() -> {});
      engine.wake();
      engine.idle(0);
    }
    long led = counters.get(NodeCounter.LED_CYCLES);
    assertTrue(led > 0, "nobody led");
    for (int i = 0; i < 10; i++) {
      engine.wakeConsumed();
    }
    assertEquals(led, counters.get(NodeCounter.LED_CYCLES));
  }

  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  private static void awaitUntil(BooleanSupplier is) {
    long giveUpNs = System.nanoTime() + PATIENCE.toNanos();
    while (!is.getAsBoolean()) {
      assertTrue(System.nanoTime() < giveUpNs);
      Thread.yield();
    }
  }

  /**
   * Calls, waits and a peer that rings at any time, and a poller that never ends a wait by its
   * time: nothing that is handed over or arrives is overlooked.
   */
  @Test
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  void sharedEngineLosesNoWakeUp() throws Exception {
    var poller = new PatientPoller();
    Progress progress = Progress.shared();
    engine = new Engine("t", core, poller, System::nanoTime, progress, appWait, counters);
    engine.start(progress.threads());
    int rounds = 3_000;
    var done = new AtomicInteger();
    var failure = new AtomicReference<Throwable>();
    List<Thread> callers = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int me = t;
      ThreadFactory factory =
          t == 0 ? Thread.ofVirtual().factory() : Thread.ofPlatform().daemon().factory();
      Thread caller =
          factory.newThread(
              () -> {
                try {
                  for (int i = 0; i < rounds; i++) {
                    var mine = new AtomicInteger();
                    core.work.add(
                        () -> {
                          done.incrementAndGet();
                          engine.noteProgress();
                          mine.set(1);
                        });
                    if (me % 2 == 0) {
                      engine.wake();
                    } else {
                      poller.wakeup(); // as what arrives does
                    }
                    while (mine.get() == 0) {
                      assertFalse(poller.waitedInVain, "a wake-up was lost");
                      if (i % 3 == 0) {
                        Thread.yield(); // computes: somebody else has to see to it
                      } else {
                        engine.idle(me == 3 ? engine.drive() : 0);
                      }
                    }
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      callers.add(caller);
    }
    callers.forEach(Thread::start);
    for (Thread caller : callers) {
      caller.join();
    }
    assertEquals(null, failure.get());
    assertEquals(4 * rounds, done.get());
    assertFalse(poller.waitedInVain);
  }

  /** What fails all the time is tried again and again, with pauses and without an end. */
  @Test
  void errorsWithoutEndMakeNoHotLoop() throws Exception {
    core.alwaysFails = true;
    start(Progress.thread(Idle.block()));
    long begin = System.nanoTime();
    while (counters.get(NodeCounter.FAILED_CYCLES) < 20) {
      engine.idle(0);
    }
    assertTrue(System.nanoTime() - begin >= 300_000_000L, "11 pauses of 1 to 64 ms");
    assertEquals(5, engine.call(() -> 5), "commands are done all the same");
    core.alwaysFails = false;
    var done = new CountDownLatch(1);
    core.work.add(done::countDown);
    engine.wake();
    assertTrue(done.await(60, TimeUnit.SECONDS));
  }

  @Test
  void stoppedEngineRefusesCommands() throws Exception {
    start(Progress.thread());
    engine.stop(PATIENCE);
    assertTrue(engine.isStopped());
    assertFalse(engine.hasFailed());
    var e = assertThrows(CrosstieException.class, () -> engine.call(() -> 1));
    assertTrue(e.getMessage().contains("closed"), e::getMessage);
  }

  @Test
  void unwatchedPortIsLookedAtEachMillisecond() throws Exception {
    core.unwatched = true;
    start(Progress.thread(Idle.block()));
    long begin = System.nanoTime();
    while (counters.get(NodeCounter.BLOCKS) < 20) {
      appWait.idle(0);
    }
    assertTrue(System.nanoTime() - begin < 10_000_000_000L);
  }

  @Test
  void callerDoesTheWork() throws Exception {
    start(Progress.caller());
    var ranOn = new AtomicReference<Thread>();
    core.work.add(() -> ranOn.set(Thread.currentThread()));
    engine.idle(0);
    assertSame(Thread.currentThread(), ranOn.get());
    for (int i = 0; i < Campaign.count(10, 100); i++) {
      engine.idle(0); // comes back each time, though there is nothing to do
    }
    assertSame(Thread.currentThread(), engine.call(Thread::currentThread));
  }

  /** Work that a poll found counts: the next idle looks again for a while before it blocks. */
  @Test
  void callerDoesNotBlockRightAfterWork() throws Exception {
    long[] now = {0};
    var idle = Idle.adaptive(new CpuBudget(2, false));
    engine =
        new Engine(
            "t", core, new NioPoller(), () -> now[0], Progress.caller(idle), appWait, counters);
    engine.idle(0);
    now[0] = 1_000_000;
    core.work.add(() -> {});
    assertEquals(1, engine.drive());
    engine.idle(0);
    assertEquals(0, counters.get(NodeCounter.BLOCKS));
    now[0] = 2_000_000;
    engine.idle(0);
    assertEquals(1, counters.get(NodeCounter.BLOCKS));
  }

  /**
   * An idle caller's turn is one duty cycle and one wait, and the core is told that it was vain.
   */
  @Test
  void idleCallersTurnIsOneDutyCycle() {
    VainPoller poller = startInVain();
    for (int i = 0; i < 10; i++) {
      engine.idle(0);
    }
    assertEquals(10, poller.waitsNs.size());
    assertEquals(10, core.polls.get());
    assertEquals(10, core.timeouts.get());
  }

  /** The longer nothing has happened, the less often; and at once as before when something has. */
  @Test
  void idleCallerComesBackLessOftenInTime() {
    VainPoller poller = startInVain();
    engine.idle(0);
    assertEquals(25_000_000L, poller.waitsNs.getLast());
    for (int i = 0; i < 100; i++) {
      long before = poller.waitsNs.getLast();
      engine.idle(0);
      assertTrue(poller.waitsNs.getLast() >= before);
    }
    assertEquals(100_000_000L, poller.waitsNs.getLast());
    engine.noteProgress();
    engine.idle(0);
    assertEquals(25_000_000L, poller.waitsNs.getLast());
    poller.nowNs += 1_000_000_000L;
    engine.idle(0);
    assertEquals(100_000_000L, poller.waitsNs.getLast());
    engine.idle(1);
    engine.idle(0);
    assertEquals(25_000_000L, poller.waitsNs.getLast());
  }

  /** Work of the core's own, as keep-alives are, is nothing that a caller waits for. */
  @Test
  void keepAlivesDoNotHurryTheCaller() {
    VainPoller poller = startInVain();
    poller.nowNs = 1_000_000_000L;
    core.work.add(() -> {});
    engine.idle(0);
    engine.idle(0);
    assertEquals(List.of(100_000_000L), poller.waitsNs);
  }

  @Test
  void callerIsBackInTime() {
    VainPoller poller = startInVain();
    poller.nowNs = 1_000_000_000L;
    engine.idle(0, 7_000_000L);
    core.deadlineNs = poller.nowNs + 3_000_000L;
    engine.idle(0, 7_000_000L);
    assertEquals(List.of(7_000_000L, 3_000_000L), poller.waitsNs);
  }

  /**
   * A virtual thread that blocked in the kernel would keep its carrier from all others: it looks
   * without waiting, and parks.
   */
  @Test
  void virtualCallerNeverBlocksInThePoller() throws Exception {
    VainPoller poller = startInVain();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    engine.idle(0);
                  }
                });
    caller.join();
    assertEquals(Collections.nCopies(20, 0L), poller.waitsNs);
    assertEquals(20, core.polls.get());
    assertEquals(0, core.timeouts.get(), "nobody has watched meanwhile");
    assertEquals(0, counters.get(NodeCounter.BLOCKS));
  }

  /** 20 parks with an interrupt pending take as long as without: 100 us, doubled up to 4 ms. */
  @Test
  void interruptedVirtualCallerDoesNotSpin() throws Exception {
    startInVain();
    var tookNs = new AtomicReference<Long>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  Thread.currentThread().interrupt();
                  long begin = System.nanoTime();
                  for (int i = 0; i < 20; i++) {
                    engine.idle(0);
                  }
                  if (Thread.currentThread().isInterrupted()) {
                    tookNs.set(System.nanoTime() - begin);
                  }
                });
    caller.join();
    assertTrue(tookNs.get() != null && tookNs.get() >= 40_000_000L, () -> "ns: " + tookNs);
  }

  /** The same for an engine on a virtual thread, which is roused from its park. */
  @Test
  void virtualEngineIsWoken() throws Exception {
    start(Progress.thread(Idle.block(), Thread.ofVirtual().factory()));
    for (int i = 0; i < 1000; i++) {
      var done = new CountDownLatch(1);
      core.work.add(done::countDown);
      engine.wake();
      assertTrue(done.await(60, TimeUnit.SECONDS));
    }
    assertEquals(0, counters.get(NodeCounter.BLOCKS));
  }

  /** An interrupt of the node's own thread is nobody's, and does not make it spin. */
  @Test
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  void interruptedEngineGoesOn() throws Exception {
    var flagged = new AtomicInteger();
    var idles = new AtomicInteger();
    start(
        Progress.thread(
            Idle.custom(
                work -> {
                  flagged.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                  idles.incrementAndGet();
                })));
    Thread thread = engine.call(Thread::currentThread);
    for (int i = 0; i < 10; i++) {
      int before = idles.get();
      thread.interrupt();
      while (idles.get() < before + 10) {
        Thread.yield();
      }
    }
    assertTrue(flagged.get() <= 10, () -> flagged + " times with the flag set");
    assertEquals(5, engine.call(() -> 5));
  }

  @Test
  void factoryThatGivesNoNewThreadIsRefused() {
    List<ThreadFactory> factories =
        List.of(
            work -> null,
            work -> {
              throw new IllegalStateException("none left");
            },
            work -> Thread.ofPlatform().daemon().start(work),
            work -> Thread.startVirtualThread(work),
            work ->
                new Thread(work) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                });
    for (ThreadFactory factory : factories) {
      core.closed.set(0);
      Progress progress = Progress.thread(Idle.block(), factory);
      VainPoller poller = new VainPoller();
      Engine refused =
          new Engine("t", core, poller, () -> poller.nowNs, progress, appWait, counters);
      var e = assertThrows(CrosstieException.class, () -> refused.start(factory));
      assertTrue(
          e.getMessage().matches("(?s).*(it has to make|see the cause|ulimit -u).*"),
          e::getMessage);
      refused.stop(PATIENCE);
      assertTrue(refused.isStopped());
      assertEquals(1, core.closed.get(), "what was opened is released");
    }
    assertEquals(0, core.polls.get(), "nothing ran on a thread that was refused");
  }

  /** Whoever waits is told when the thread ended without running what it was made for. */
  @Test
  void threadThatNeverRunsTheEngineIsNoticed() throws Exception {
    ThreadFactory idler = work -> new Thread(() -> {});
    start(Progress.thread(Idle.block(), idler));
    assertThrows(IllegalStateException.class, () -> engine.call(() -> 1));
    assertThrows(
        IllegalStateException.class,
        () -> {
          while (true) {
            engine.idle(0);
          }
        });
  }

  @Test
  void secondCallerIsRefused() throws Exception {
    start(Progress.caller());
    engine.idle(0);
    var thrown = new AtomicReference<Throwable>();
    Thread other =
        Thread.ofPlatform()
            .name("intruder")
            .start(
                () -> {
                  try {
                    engine.check();
                  } catch (IllegalStateException e) {
                    thrown.set(e);
                  }
                });
    other.join();
    String message = String.valueOf(thrown.get());
    assertTrue(message.contains("intruder") && message.contains("Progress.thread()"), message);
  }

  @Test
  void callerThatEndedIsSucceeded() throws Exception {
    start(Progress.caller());
    Thread first = Thread.ofPlatform().start(() -> engine.idle(0));
    first.join();
    engine.check();
  }

  @Test
  void callerOutlivesErrors() throws Exception {
    start(Progress.caller());
    for (int i = 1; i <= 12; i++) {
      core.work.add(
          () -> {
            throw new AssertionError("a bug");
          });
      engine.idle(0);
      assertEquals(i, counters.get(NodeCounter.FAILED_CYCLES));
    }
    var ranOn = new AtomicReference<Thread>();
    core.work.add(() -> ranOn.set(Thread.currentThread()));
    engine.idle(0);
    assertSame(Thread.currentThread(), ranOn.get());
  }

  @Test
  void exitStopsCallersEngineInItsStead() throws Exception {
    start(Progress.caller());
    engine.idle(0);
    Thread hook = Thread.ofPlatform().start(() -> engine.stopAtExit(Duration.ofMillis(20)));
    hook.join();
    assertTrue(engine.isStopped());
    assertEquals(0, engine.drive());
    engine.idle(0);
  }

  @Test
  void exitLetsCallerStopItsEngine() throws Exception {
    start(Progress.caller());
    engine.idle(0);
    Thread hook = Thread.ofPlatform().start(() -> engine.stopAtExit(PATIENCE));
    while (!engine.isStopped()) {
      engine.idle(0);
    }
    hook.join();
  }

  /** What the duty cycle calls may call the node: it is not ended around them. */
  @Test
  void exitWaitsForTheDutyCycleThatRuns() throws Exception {
    start(Progress.caller());
    var hook = new AtomicReference<Thread>();
    var stoppedInside = new AtomicReference<Boolean>();
    core.work.add(
        () -> {
          Thread thread = Thread.ofPlatform().start(() -> engine.stopAtExit(PATIENCE));
          hook.set(thread);
          awaitUntil(() -> thread.getState() == Thread.State.TIMED_WAITING);
          engine.check();
          stoppedInside.set(engine.isStopped());
        });
    assertEquals(1, engine.drive());
    assertEquals(false, stoppedInside.get());
    assertFalse(engine.isStopped());
    engine.check();
    assertTrue(engine.isStopped());
    hook.get().join();
  }
}
