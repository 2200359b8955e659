// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Which thread runs the protocol. Immutable.
 *
 * <p>{@link #thread()}: the node has a thread of its own, and every method of node, peers and
 * channels may be called from any thread. A thread that waits in {@link Node#idle()} for one answer
 * after the other runs the protocol itself meanwhile, so that a peer wakes it directly; what says
 * "on the engine's thread" (event taps, path schedulers) may then be on that one, one at a time.
 * {@link #caller()}: everything runs on the application's one thread, inside {@link Channel#poll},
 * {@link Node#idle()}, {@link Node#doWork()} and the methods that wait; there is no hand-over
 * between threads, so it is the quickest where the application polls anyway, but nothing moves, and
 * no silence of a rail is noticed, while the application stays away. {@link #shared()}: any thread
 * may call any method, and drives the protocol meanwhile, nearly as quickly; what arrives while all
 * of them compute is acted on by a thread of the node's own, within some milliseconds. Nobody holds
 * up another one: where two call at once, one drives for both.
 */
public final class Progress {
  private final @Nullable ThreadFactory threads;
  private final boolean shared;
  private final Idle idle;

  private Progress(@Nullable ThreadFactory threads, boolean shared, Idle idle) {
    this.threads = threads;
    this.shared = shared;
    this.idle = Objects.requireNonNull(idle, "idle");
  }

  /** A daemon thread of the node's own that waits as {@link Idle#adaptive()} says. */
  public static Progress thread() {
    return thread(Idle.adaptive());
  }

  /** A daemon thread of the node's own. */
  public static Progress thread(Idle idle) {
    return thread(idle, Thread.ofPlatform().daemon().factory());
  }

  /**
   * A thread from that factory, which may bind it to a processor; the node sets its name, starts it
   * and ignores interrupts of it. It has to be new at each call, and not started. A virtual thread
   * works, but parks for up to 4 milliseconds where a platform thread waits for packets.
   */
  public static Progress thread(Idle idle, ThreadFactory threads) {
    return new Progress(Objects.requireNonNull(threads, "threads"), false, idle);
  }

  /**
   * Whoever calls into the library drives it, on its own thread, waiting as {@link Idle#adaptive()}
   * says when {@link Node#idle()} finds nothing to do. A daemon thread of the node's own takes over
   * where nobody has called for some milliseconds, and blocks until something arrives; while calls
   * go on it stands back.
   */
  public static Progress shared() {
    return shared(Idle.adaptive());
  }

  /**
   * The same, with a choice of what {@link Node#idle()} does when there is nothing to do; the
   * node's own thread blocks in any case.
   *
   * @throws IllegalArgumentException if it is {@link Idle#custom}, which is for one thread only
   */
  public static Progress shared(Idle idle) {
    if (idle.custom != null) {
      throw new IllegalArgumentException(
          "Progress.shared has many threads that wait, and a custom Idle serves one; take"
              + " Idle.adaptive(), spin() or block()");
    }
    return new Progress(Thread.ofPlatform().daemon().factory(), true, idle);
  }

  /**
   * The application's own thread, waiting as {@link Idle#adaptive()} says when {@link Node#idle()}
   * finds nothing to do.
   */
  public static Progress caller() {
    return caller(Idle.adaptive());
  }

  /**
   * The application's own thread, with a choice of what {@link Node#idle()} does when there is
   * nothing to do.
   */
  public static Progress caller(Idle idle) {
    return new Progress(null, false, idle);
  }

  /** Whether the application's thread does the work. */
  public boolean isCaller() {
    return threads == null;
  }

  /** Whether whoever calls does the work, and a thread of the node's own where nobody does. */
  public boolean isShared() {
    return shared;
  }

  /** What is done when there is nothing to do. */
  public Idle idle() {
    return idle;
  }

  @Nullable ThreadFactory threads() {
    return threads;
  }

  @Override
  public String toString() {
    return (isCaller() ? "caller(" : shared ? "shared(" : "thread(") + idle + ")";
  }
}
