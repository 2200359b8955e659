// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A configured port and whatever is open behind it at the moment. It is opened again for as long as
 * it is configured (FTGM).
 */
public final class PortSlot implements PortHandler {
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

  /** Among the slots of the endpoint. */
  public int index = -1;

  public final PortOpener opener;
  private final Endpoint endpoint;
  public volatile @Nullable RailPort port;
  public boolean failed;

  /** Taken out for good; another port may have its index by and by. */
  public volatile boolean removed;

  public boolean unwatched;

  /** To look whether something arrived is a load of memory, not a system call. */
  boolean isMemory;

  public String why = "";
  public long reopenNs = Long.MAX_VALUE;
  private long reopenIntervalNs = FIRST_REOPEN_NS;
  private long openedNs;

  private @Nullable Opening opening;
  private long beganNs;

  /** Polls in a row that found nothing. */
  private int emptyPolls = COLD_POLLS;

  private long polledNs;

  /** When something arrived at last, or it was opened. */
  private long arrivedNs;

  PortSlot(Endpoint endpoint, PortOpener opener) {
    this.endpoint = endpoint;
    this.opener = opener;
  }

  public void use(RailPort opened, long nowNs) {
    isMemory = opened.attributes().sharedMemory();
    port = opened;
    openedNs = nowNs;
    arrivedNs = nowNs;
    failed = false;
    reopenNs = Long.MAX_VALUE;
  }

  /**
   * Goes on with opening it again, from {@link #reopenNs} on.
   *
   * @return whether it is open
   */
  public boolean reopen(long nowNs) {
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
  public void fail(Throwable error) {
    endpoint.onError(null, error);
    fail(ErrorSink.describe("failed with ", error));
  }

  /** It is of no use any more. */
  public void fail(String reason) {
    failed = true;
    why = reason;
    endpoint.portAils();
  }

  public void close() {
    RailPort open = port;
    port = null;
    if (open != null) {
      try {
        open.close();
      } catch (RuntimeException | Error e) {
        endpoint.onError(null, e); // it is gone all the same
      }
    }
    if (opening != null) {
      opening.giveUp();
      opening = null;
    }
  }

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

  /** Something may have arrived. */
  public void warm() {
    emptyPolls = 0;
  }

  /** It failed, and is closed. */
  public void reopenAfterFailure(long nowNs) {
    failed = false;
    if (nowNs - openedNs >= STABLE_NS) {
      reopenIntervalNs = FIRST_REOPEN_NS;
    }
    reopenLater(nowNs);
  }

  /** Each time later. */
  public void reopenLater(long nowNs) {
    reopenNs = nowNs + reopenIntervalNs;
    reopenIntervalNs = Math.min(MAX_REOPEN_NS, reopenIntervalNs * 2);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  public void onPacket(RailPort from, MemorySegment memory, long offset, int length, long source) {
    if (from == port) { // a port that was replaced has nothing to say (generation fence)
      endpoint.onPacket(this, from, memory, offset, length, source);
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
    } else {
      endpoint.onLinkEvent(this, rail, event);
    }
  }
}
