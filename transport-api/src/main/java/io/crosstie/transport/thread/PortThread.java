// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import io.crosstie.transport.Poller;
import io.crosstie.transport.Pollers;
import io.crosstie.transport.RailException;
import io.crosstie.transport.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Runs a port's loop on a thread of its own. */
final class PortThread implements PortRunner {
  /** The thread may have lost its processor in its turn. */
  private static final long LOCK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long END_NS = TimeUnit.SECONDS.toNanos(1);

  private final Poller poller;
  private @Nullable Thread thread;

  PortThread() throws RailException {
    poller = Pollers.create();
  }

  @Override
  public Poller poller() {
    return poller;
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public void start(String name, PortLoop loop) throws RailException {
    Thread t = new Thread(() -> run(loop), name);
    t.setDaemon(true);
    try {
      t.start();
    } catch (OutOfMemoryError e) {
      throw new RailException(
          "rail \""
              + name
              + "\": its thread could not be started ("
              + e.getMessage()
              + "); raise the limit on threads (ulimit -u, or pids.max of the control group), or"
              + " leave out thread=own",
          e);
    }
    thread = t;
  }

  private void run(PortLoop loop) {
    Throwable failure = null;
    try {
      PortLoop.Next next = loop.step(false);
      while (next != PortLoop.Next.OVER) {
        boolean unused = Thread.interrupted(); // means nothing here, and would end each wait
        boolean timedOut = false;
        if (next == PortLoop.Next.PAUSE) {
          LockSupport.parkNanos(next.longestNs());
        } else if (next == PortLoop.Next.WAIT) {
          timedOut = !poller.await(next.longestNs());
        }
        next = loop.step(timedOut);
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    try {
      loop.end(failure);
    } finally {
      poller.close();
    }
  }

  @Override
  public boolean tryLock(ReentrantLock lock) {
    return Uninterruptibly.await(LOCK_NS, nanos -> lock.tryLock(nanos, TimeUnit.NANOSECONDS));
  }

  @Override
  public boolean awaitEnd() {
    Thread t = thread;
    return t == null || Uninterruptibly.await(END_NS, nanos -> t.join(Duration.ofNanos(nanos)));
  }

  @Override
  public void discard() {
    poller.close();
  }
}
