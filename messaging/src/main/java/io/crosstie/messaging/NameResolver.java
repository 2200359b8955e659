// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.handshake.SeedResolver;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

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

  private final RailDrivers drivers;
  private final ThreadPoolExecutor threads;

  NameResolver(String nodeName, RailDrivers drivers) {
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
      answer.accept(new Answer(List.of(seed), ""));
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

  private static Answer lookUp(RailDriver driver, RailAddress seed) {
    try {
      return new Answer(driver.lookUp(seed), "");
    } catch (RailException e) {
      return new Answer(List.of(), String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      return new Answer(List.of(), "looking up its host name failed with " + e);
    }
  }

  /** Waits for nothing. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
