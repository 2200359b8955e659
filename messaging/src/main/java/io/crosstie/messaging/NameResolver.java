// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.handshake.SeedResolver;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the names of a node's seeds beside its engine, by up to {@value #MAX_THREADS} threads
 * that end when there is nothing to look up. One that hangs in the system's resolver is left alone:
 * it is a daemon, and nobody waits for it, also not when the node is closed.
 */
final class NameResolver implements SeedResolver, AutoCloseable {
  static final int MAX_THREADS = 4;

  /** More are refused, and asked for again later. */
  static final int MAX_WAITING = 256;

  private static final long KEEP_SECONDS = 10;

  private final String nodeName;
  private final RailDrivers drivers;
  private final ThreadPoolExecutor threads;

  /** What each seed led to last; there are as many as were configured. */
  private final Map<RailAddress, Answer> found = new ConcurrentHashMap<>();

  NameResolver(String nodeName, RailDrivers drivers) {
    this.nodeName = nodeName;
    this.drivers = drivers;
    this.threads =
        new ThreadPoolExecutor(
            MAX_THREADS,
            MAX_THREADS,
            KEEP_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING),
            work ->
                Thread.ofPlatform().daemon().name("crosstie-names-" + nodeName).unstarted(work));
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public void resolve(RailAddress seed, Consumer<Answer> answer) {
    RailDriver driver = drivers.forAddress(seed);
    if (driver == null || !driver.namesHost(seed)) {
      answer.accept(remember(seed, new Answer(List.of(seed), "")));
      return;
    }
    try {
      threads.execute(() -> answer.accept(lookUp(driver, seed)));
    } catch (RejectedExecutionException e) {
      answer.accept(
          new Answer(
              List.of(),
              "its host name is not looked up yet, because "
                  + MAX_WAITING
                  + " others wait for the name server; it is tried again"));
    } catch (OutOfMemoryError e) {
      answer.accept(
          new Answer(
              List.of(),
              "its host name cannot be looked up, because the system gives no thread; it is tried"
                  + " again"));
    }
  }

  private Answer lookUp(RailDriver driver, RailAddress seed) {
    try {
      return remember(seed, new Answer(driver.lookUp(seed), ""));
    } catch (RailException e) {
      return remember(seed, new Answer(List.of(), String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      return new Answer(List.of(), "looking up its host name failed with " + e);
    }
  }

  /** What was found once holds until something else is; what is not known is told once. */
  private Answer remember(RailAddress seed, Answer answer) {
    boolean known = !answer.addresses().isEmpty();
    boolean first = found.putIfAbsent(seed, answer) == null;
    if (!first) {
      Answer unused =
          found.merge(
              seed, answer, (before, now) -> known || before.addresses().isEmpty() ? now : before);
    }
    if (!known && first) {
      EngineLog.log(
          System.Logger.Level.WARNING,
          "node " + nodeName + " cannot find a peer: " + answer.why(),
          null);
    }
    return answer;
  }

  /** What the seed led to, or that it leads nowhere; null if that is not known yet. Any thread. */
  @Nullable Answer found(RailAddress seed) {
    return found.get(seed);
  }

  /**
   * Looks up once more what was not known last. Any thread.
   *
   * @return what {@link #found} said of those until now, which may not be so any more
   */
  Map<RailAddress, Answer> recheck(List<RailAddress> seeds) {
    Map<RailAddress, Answer> stale = new HashMap<>();
    for (RailAddress seed : seeds) {
      Answer answer = found.get(seed);
      if (answer != null && answer.addresses().isEmpty()) {
        stale.put(seed, answer);
        resolve(seed, fresh -> {}); // it is remembered; the engine asks for itself
      }
    }
    return stale;
  }

  /** Waits for nothing. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
