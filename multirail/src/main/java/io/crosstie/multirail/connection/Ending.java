// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The end of a connection as it is told: by one event, and not while an application thread is in
 * the middle of an offer. That message is named with the others, or was not offered.
 */
final class Ending {
  /** An offer that is under way when the connection ends is looked at again so much later. */
  private static final long SEAL_RETRY_NS = 200_000L;

  /** So long it is known that the connection was closed, to whoever may not know it yet. */
  private static final long TOMBSTONE_NS = 3_000_000_000L;

  /** A peer that closed is asked again so much later, if it is to be. */
  private static final long RECONNECT_NS = 1_000_000_000L;

  /** Makes the event about an end of what is not known to be accepted. */
  interface Farewell {
    /** Null if there is nothing to be told. */
    @Nullable NodeEvent event(List<NodeEvent.Unknown> unknown);
  }

  private final ChannelTable channels;
  private final EventSink events;
  private final Supplier<String> peerName;

  /** Over, or about to be, and the event about it is not told yet. */
  private boolean pending;

  /** Nothing is left to be ended. */
  private boolean done;

  private long sinceNs;

  /** Null if the end is an error. */
  private @Nullable Farewell farewell;

  private @Nullable Throwable error;

  /** Another connection takes the place of this one, or may. */
  private boolean reconnected;

  Ending(ChannelTable channels, EventSink events, Supplier<String> peerName) {
    this.channels = channels;
    this.events = events;
    this.peerName = peerName;
  }

  /** It ends, and that is to be told in these words. */
  void tellBy(Farewell words) {
    farewell = words;
  }

  /** It ends because of that, unless it had ended before. Needs no memory. */
  void fail(boolean wasOver, Throwable cause) {
    pending |= !wasOver;
    if (pending && error == null) {
      error = cause;
    }
  }

  /** The end begins, perhaps once more after something threw. */
  void begin(long nowNs) {
    pending = true;
    sinceNs = nowNs;
  }

  /** Everything is ended; what is left is to tell it. */
  void end() {
    done = true;
  }

  /** Nobody came to know the connection, and nothing is told. */
  void tellNothing(long nowNs) {
    sinceNs = nowNs;
  }

  /** Whether the end is not told yet. */
  boolean isPending() {
    return pending;
  }

  /** Whether {@link #begin} has to be called first, before anything is told. */
  boolean isHalfDone() {
    return pending && !done;
  }

  /** Tells the end if nothing can be offered any more; whether it is told. */
  boolean tellOnceSealed() {
    if (pending && channels.seal()) {
      tell();
    }
    return !pending;
  }

  /** Tells the end now: there is no later. */
  void tell() {
    List<NodeEvent.Unknown> unknown = channels.unknown();
    Farewell words = farewell;
    NodeEvent told = words == null ? internalError(unknown) : words.event(unknown);
    if (told != null) {
      events.onEvent(told);
    }
    pending = false;
    error = null;
    farewell = null;
  }

  private NodeEvent internalError(List<NodeEvent.Unknown> unknown) {
    Throwable cause = error;
    String why = cause == null ? "internal error" : ErrorSink.describe("internal error: ", cause);
    return new NodeEvent.PeerLost(peerName.get(), why, unknown);
  }

  /** Whether the peer is to be asked again now, which is told once. */
  boolean takeReconnect(long nowNs) {
    boolean now = !reconnected && nowNs - sinceNs >= RECONNECT_NS;
    reconnected |= now;
    return now;
  }

  /** Whether the peer was asked again, or would have been. */
  boolean isReconnected() {
    return reconnected;
  }

  /** Whether nobody needs to know any more that there was a connection. */
  boolean isForgettable(long nowNs) {
    return nowNs - sinceNs >= TOMBSTONE_NS;
  }

  /** When there is something to do next. */
  long deadlineNs(boolean closed, long nowNs) {
    if (pending) {
      return nowNs + SEAL_RETRY_NS;
    }
    return closed ? sinceNs + (reconnected ? TOMBSTONE_NS : RECONNECT_NS) : nowNs;
  }
}
