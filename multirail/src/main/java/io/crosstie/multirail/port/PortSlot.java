// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A configured port and whatever is open behind it at the moment. It is opened again for as long as
 * it is configured (FTGM).
 */
final class PortSlot implements PortHandler {
  private static final long FIRST_REOPEN_NS = 5_000_000L;
  private static final long MAX_REOPEN_NS = 200_000_000L;

  /** A port that lasted so long is opened again as soon as the first time. */
  private static final long STABLE_NS = 1_000_000_000L;

  /** So often is looked whether one that is being opened is open; less often if it takes long. */
  private static final long OPENING_LOOK_NS = 500_000L;

  /** A port that found nothing in so many polls is cold. */
  private static final int COLD_POLLS = 64;

  /**
   * A cold port is looked at that often while others are warm: a look is a system call or more. The
   * longer nothing has come, the more seldom, so that what comes waits at most for a sixteenth of
   * the silence before it. The most is far below the least patience with a rail: two such waits lie
   * between a ping and its answer.
   */
  private static final long COLD_INTERVAL_NS = 50_000L;

  private static final long MAX_COLD_INTERVAL_NS = 500_000L;
  private static final int SILENCE_SHIFT = 4;

  private final PortOpener opener;
  private final PortListener listener;
  private final ErrorSink errors;
  private final Runnable onFailed;

  /** In the table. */
  private int index = -1;

  private volatile @Nullable RailPort port;

  /** It is of no use any more, and to be closed. */
  private boolean failed;

  /** Taken out for good; another port may have its index by and by. */
  private volatile boolean removed;

  private boolean unwatched;

  /** To poll it is a load of memory, not a system call. */
  private boolean isMemory;

  private String why = "";
  private long reopenNs = Long.MAX_VALUE;
  private long reopenIntervalNs = FIRST_REOPEN_NS;
  private long openedNs;

  private @Nullable Opening opening;
  private long beganNs;

  /** Polls in a row that found nothing. */
  private int emptyPolls = COLD_POLLS;

  private long polledNs;

  /** When something arrived at last, or it was opened. */
  private long arrivedNs;

  /**
   * @param onFailed called when it has failed, so that {@link #isToBeClosed} is looked at
   */
  PortSlot(PortOpener opener, PortListener listener, ErrorSink errors, Runnable onFailed) {
    this.opener = opener;
    this.listener = listener;
    this.errors = errors;
    this.onFailed = onFailed;
  }

  /** From now on it is in the table, with a port that was opened before. */
  void use(int newIndex, RailPort opened, long nowNs) {
    index = newIndex;
    use(opened, nowNs);
  }

  private void use(RailPort opened, long nowNs) {
    isMemory = opened.attributes().sharedMemory();
    port = opened;
    openedNs = nowNs;
    arrivedNs = nowNs;
    failed = false;
    reopenNs = Long.MAX_VALUE;
  }

  PortOpener opener() {
    return opener;
  }

  /** What is open behind it. */
  @Nullable RailPort port() {
    return port;
  }

  /** The same, if it is not removed. */
  @Nullable RailPort usable() {
    return removed ? null : port;
  }

  boolean isMemory() {
    return isMemory;
  }

  /** Any thread. */
  boolean isRemoved() {
    return removed;
  }

  /** Any thread. */
  PortInfo info() {
    RailPort open = port;
    return new PortInfo(
        index,
        opener.name(),
        open == null ? "closed" : open.attributes().kind(),
        open == null ? "" : open.localAddress().text(),
        open != null,
        open == null ? null : open.counters());
  }

  /** Why it failed, or could not be opened. */
  String why() {
    return why;
  }

  /** Takes it out for good; false if it was. */
  boolean remove() {
    boolean was = removed;
    removed = true;
    return !was;
  }

  // ---- failing, and opening again ----

  boolean isToBeClosed() {
    return failed && port != null;
  }

  /** Whether it is open and of use. */
  boolean isSound() {
    return !failed && port != null;
  }

  /** When something is to be done about it; now, if by a duty cycle that nothing else asks for. */
  long deadlineNs(long nowNs) {
    if (removed) {
      return Long.MAX_VALUE;
    }
    if (port == null) {
      return reopenNs;
    }
    return failed ? nowNs : Long.MAX_VALUE;
  }

  /**
   * Goes on with opening it again, if it is closed and its time has come.
   *
   * @return whether it was opened
   */
  boolean reopen(long nowNs) {
    if (port != null || nowNs < reopenNs) {
      return false;
    }
    Opening current = opening;
    if (current == null) {
      current = Opening.begin(opener, this);
      opening = current;
      beganNs = nowNs;
    }
    Opening.Outcome outcome = current.outcome();
    if (outcome == null) {
      reopenNs = nowNs + Math.clamp((nowNs - beganNs) / 4, OPENING_LOOK_NS, MAX_REOPEN_NS);
      return false;
    }
    opening = null;
    if (outcome.port() == null) {
      why = outcome.why();
      reopenLater(nowNs);
      return false;
    }
    use(outcome.port(), nowNs);
    return true;
  }

  /** Its driver threw what it should not have. */
  void fail(Throwable error) {
    errors.onError(error);
    fail(ErrorSink.describe("failed with ", error));
  }

  /** It is of no use any more. */
  private void fail(String reason) {
    failed = true;
    why = reason;
    onFailed.run();
  }

  /** Something was thrown while it was closed, or opened again. */
  void failWhileReopening(Throwable error, long nowNs) {
    if (port != null) {
      fail(error);
    } else {
      errors.onError(error);
      reopenLater(nowNs);
    }
  }

  /** It failed, and is closed. */
  void reopenAfterFailure(long nowNs) {
    failed = false;
    if (nowNs - openedNs >= STABLE_NS) {
      reopenIntervalNs = FIRST_REOPEN_NS;
    }
    reopenLater(nowNs);
  }

  /** Each time later. */
  void reopenLater(long nowNs) {
    reopenNs = nowNs + reopenIntervalNs;
    reopenIntervalNs = Math.min(MAX_REOPEN_NS, reopenIntervalNs * 2);
  }

  void close() {
    RailPort open = port;
    port = null;
    if (open != null) {
      try {
        open.close();
      } catch (RuntimeException | Error e) {
        errors.onError(e); // it is gone all the same
      }
    }
    if (opening != null) {
      opening.giveUp();
      opening = null;
    }
  }

  // ---- polling, and waiting ----

  /** Whether something arrived lately. */
  boolean isWarm() {
    return port != null && emptyPolls < COLD_POLLS;
  }

  /** Beside ports where something arrives, when this one is to be looked at. */
  long nextPollNs() {
    return isWarm()
        ? Long.MIN_VALUE
        : polledNs
            + Math.clamp(
                (polledNs - arrivedNs) >> SILENCE_SHIFT, COLD_INTERVAL_NS, MAX_COLD_INTERVAL_NS);
  }

  /** It was polled, and that many packets came. */
  void polled(int packets, long nowNs) {
    polledNs = nowNs;
    if (packets > 0) {
      emptyPolls = 0;
      arrivedNs = nowNs;
    } else if (emptyPolls < COLD_POLLS) {
      emptyPolls++;
    }
  }

  /** Gives it to the poller, if there is one. */
  void attach(@Nullable Poller poller) {
    RailPort open = port;
    unwatched = poller != null && open != null && !open.attach(poller);
  }

  /** It cannot be waited for. */
  boolean isUnwatched() {
    return unwatched;
  }

  /** Whether it has raised its sleeping flag, or is closed. */
  boolean prepareToBlock() {
    RailPort open = port;
    try {
      return open == null || open.prepareToBlock();
    } catch (RuntimeException | Error e) {
      fail(e);
      return false;
    }
  }

  /** The wait is over, and something may have arrived. */
  void afterBlock() {
    emptyPolls = 0;
    RailPort open = port;
    try {
      if (open != null) {
        open.afterBlock();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** The wait was ended by its time. */
  void afterTimeout() {
    RailPort open = port;
    try {
      if (open != null) {
        open.afterTimeout();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  // ---- what the port hands up ----

  @Override
  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  public void onPacket(RailPort from, MemorySegment memory, long offset, int length, long source) {
    if (from == port) { // a port that was replaced has nothing to say (generation fence)
      listener.onPacket(index, from, memory, offset, length, source);
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  public void onLinkEvent(RailPort from, @Nullable Rail rail, LinkEvent event, int errno) {
    if (from != port && port != null) {
      return;
    }
    if (event == LinkEvent.HUNG) {
      fail("its driver hangs");
    } else if (event == LinkEvent.CLOSED && rail == null) {
      fail("link closed" + (errno == 0 ? "" : ", errno " + errno));
    } else if (rail != null) {
      listener.onLinkEvent(index, rail, event);
    }
  }
}
