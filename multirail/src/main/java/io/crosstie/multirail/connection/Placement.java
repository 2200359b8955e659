// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.region.NotificationHandler;
import io.crosstie.multirail.region.Notifications;
import io.crosstie.multirail.region.Request;
import io.crosstie.multirail.region.Requests;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.wire.PlacedKind;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Placed messages of one connection, as the application sees them: the channels that carry them,
 * what became of them, and what the peer has told of its own. Putting is open to any thread,
 * polling to one at a time.
 */
public final class Placement {
  /** Longer ones leave the first channel to those that are soon through. */
  static final long SHORT = 64 << 10;

  /** Told when all that was put before is at the peer, or what has ended that; on the poll. */
  public interface FlushCompletion {
    /**
     * Once.
     *
     * @param error null if all of it is there, but for what failed by itself
     */
    void onFlushed(@Nullable String error);
  }

  private static final class Flush {
    final long[] until;
    final FlushCompletion completion;

    Flush(long[] until, FlushCompletion completion) {
      this.until = until;
      this.completion = completion;
    }
  }

  private final ChannelTable channels;
  private final Notifications notifications;
  private final Requests requests;
  private final PlantedFault planted;
  private final @Nullable ChannelCore[] cores = new ChannelCore[PlacementChannels.PUTS];
  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicReference<@Nullable Object> attachment = new AtomicReference<>();
  private final ArrayDeque<Flush> flushes = new ArrayDeque<>(1); // under its own lock
  private volatile boolean anyFlush; // waits; written under that, too

  Placement(
      ChannelTable channels, Notifications notifications, Requests requests, PlantedFault planted) {
    this.channels = channels;
    this.notifications = notifications;
    this.requests = requests;
    this.planted = planted;
  }

  /**
   * Sends a message to its place. Any thread.
   *
   * @param on {@link #channelOf} that message; if the result is above 0 the engine has to look at
   *     it, see {@code Endpoint.offered}
   * @return above 0, or a {@link Status}
   */
  public long put(ChannelCore on, Put put) {
    long why = channels.placedStatus();
    return why == 0 ? on.put(put) : why;
  }

  /**
   * Asks for something in a region of the peer. Any thread.
   *
   * @param on {@link #channelOf} the request; as in {@link #put}
   * @return above 0, or a {@link Status}; above 0 it is told of, once
   */
  public long ask(ChannelCore on, Request request) {
    long why = channels.requestStatus();
    if (why != 0) {
      return why;
    }
    if (request.wanted() > on.longestMessage() - PlacedKind.ANSWER_BYTES) {
      return Status.TOO_LARGE;
    }
    if (!requests.enter(request)) {
      return Status.BACK_PRESSURED;
    }
    long result = on.put(request);
    return result > 0 || requests.withdraw(request) ? result : 1;
  }

  /** The channel that the message goes by. Any thread. */
  public ChannelCore channelOf(Put put) {
    int lane = 0;
    if (put.length() > SHORT) {
      lane = 1 + Math.floorMod(turn.getAndIncrement(), PlacementChannels.PUTS - 1);
    }
    return core(lane);
  }

  private ChannelCore core(int lane) {
    ChannelCore core = cores[lane]; // a race finds the same one
    if (core == null) {
      core = channels.channel(PlacementChannels.FIRST + lane, null);
      if (core == null) {
        throw new IllegalStateException("a placement channel is always there");
      }
      cores[lane] = core;
    }
    return core;
  }

  /**
   * Keeps something of the layer above beside it: what was attached first. Any thread.
   *
   * @return what is attached
   */
  public Object attach(Object object) {
    Object before = attachment.compareAndExchange(null, object);
    return before == null ? object : before;
  }

  /** What is attached, or null. Any thread. */
  public @Nullable Object attachment() {
    return attachment.get();
  }

  /**
   * Has that told when all that was put before is at the peer, which is asked for it. Any thread.
   *
   * @param signal is called with each channel that has to ask
   */
  public void flush(FlushCompletion completion, Consumer<ChannelCore> signal) {
    long[] until = new long[PlacementChannels.PUTS];
    synchronized (flushes) {
      for (int i = 0; i < until.length; i++) {
        ChannelCore core = cores[i];
        until[i] = core == null ? 0 : core.offeredSequence();
        if (core != null && core.acceptedSequence() < until[i]) {
          core.askFor(until[i]);
        }
      }
      flushes.addLast(new Flush(until, completion));
      anyFlush = true;
    }
    for (int i = 0; i < until.length; i++) {
      ChannelCore core = cores[i];
      if (core != null && core.acceptedSequence() < until[i]) {
        signal.accept(core);
      }
    }
  }

  /** Whether {@link #poll} may find something now. The polling thread. */
  public boolean hasNews() {
    if (!notifications.isEmpty()
        || requests.hasNews()
        || (!requests.isEmpty() && ended() != null)) {
      return true;
    }
    for (ChannelCore core : cores) {
      if (core != null && core.hasReportable()) {
        return true;
      }
    }
    return anyFlush;
  }

  /**
   * Tells what became of messages, of flushes after them, and what the peer has placed.
   *
   * @return how many were told
   */
  public int poll(NotificationHandler handler, int limit) {
    int told = notifications.poll(handler, limit);
    for (ChannelCore core : cores) {
      if (core != null && told < limit && core.hasReportable()) {
        told += core.reportCompletions(limit - told);
      }
    }
    told += told < limit ? requests.poll(limit - told) : 0;
    String ended = requests.isEmpty() ? null : ended();
    if (ended != null && told < limit) {
      told += requests.failAll(ended);
    }
    while (told < limit && anyFlush) {
      Flush done = takeFlushed();
      if (done == null) {
        break;
      }
      told++;
      done.completion.onFlushed(isThere(done) ? null : ended());
    }
    return told;
  }

  private @Nullable Flush takeFlushed() {
    synchronized (flushes) {
      Flush first = flushes.peekFirst();
      if (first == null || !isTold(first)) {
        return null;
      }
      Flush taken = flushes.pollFirst();
      anyFlush = !flushes.isEmpty();
      return taken;
    }
  }

  /** Whether it is known of all before it what became of them, and that was told. */
  private boolean isTold(Flush flush) {
    for (int i = 0; i < flush.until.length; i++) {
      ChannelCore core = cores[i];
      if (core != null && !core.isTold(flush.until[i])) {
        return planted == PlantedFault.FLUSHED_EARLY;
      }
    }
    return true;
  }

  private boolean isThere(Flush flush) {
    for (int i = 0; i < flush.until.length; i++) {
      ChannelCore core = cores[i];
      if (core != null && core.acceptedSequence() < flush.until[i]) {
        return planted == PlantedFault.FLUSHED_EARLY;
      }
    }
    return true;
  }

  /** What has ended the connection, or null. */
  private @Nullable String ended() {
    for (ChannelCore core : cores) {
      if (core != null && core.terminalStatus() != 0) {
        return Status.name(core.terminalStatus());
      }
    }
    return null;
  }
}
