// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.Counters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way from the engine to the application, in order. Events are rare, so a lock that
 * is held for an instant does.
 *
 * <p>R24: at most {@value #MAX_NEWS} events that inform, {@value #MAX_PEER} about what becomes of
 * peers, and {@value #MAX_FAILED} that name messages given up or left; beyond that the oldest of
 * its sort is dropped and counted. An event that names messages of unknown fate is never dropped;
 * each needs messages that the application offered on channels which it opened anew after the one
 * before, so it is the application itself that bounds them. One that names a channel which the peer
 * opened is not dropped either while that channel lives: there is one for each channel, which are
 * bounded and charged. Afterwards it only informs.
 */
final class EventQueue {
  static final int MAX_NEWS = 1024;
  static final int MAX_PEER = 4096;
  static final int MAX_FAILED = 16_384;

  private enum Sort {
    NEWS,
    PEER,
    FAILED,
    OPENED,
    LOSS
  }

  private static final class Entry {
    final NodeEvent event;
    Sort sort;

    Entry(NodeEvent event, Sort sort) {
      this.event = event;
      this.sort = sort;
    }
  }

  private final Counters<NodeCounter> counters;
  private final String node;
  private final List<EventTap> taps;
  private final Deque<Entry> events = new ArrayDeque<>();
  private int news;
  private int peerEvents;
  private int failed;
  private volatile int size;

  /** With observers that see every event as it is added. */
  EventQueue(Counters<NodeCounter> counters, String node, List<EventTap> taps) {
    this.counters = counters;
    this.node = node;
    this.taps = new ArrayList<>(taps);
  }

  /** The engine's thread. If it throws, for lack of memory, nothing was added nor shown. */
  void add(NodeEvent event) {
    enqueue(event);
    for (int i = taps.size() - 1; i >= 0; i--) {
      EventTap tap = taps.get(i);
      if (!show(event, tap)) {
        EventTap unused = taps.remove(i);
      }
    }
  }

  /** Whether the observer took it well. */
  private boolean show(NodeEvent event, EventTap tap) {
    try {
      tap.onEvent(node, event);
      return true;
    } catch (RuntimeException | Error e) {
      log(tap, e);
      return false;
    }
  }

  private void log(EventTap tap, Throwable error) {
    try {
      EngineLog.log(
          System.Logger.Level.WARNING,
          "node " + node + " goes on without the event tap " + tap + ", since it threw",
          error);
    } catch (RuntimeException | Error e) {
      // there may be no memory to say so
    }
  }

  private synchronized void enqueue(NodeEvent event) {
    Sort sort = sort(event);
    events.addLast(new Entry(event, sort)); // what throws leaves everything as it was
    if (endsIncarnation(event)) {
      onlyInform(event.peer());
    }
    if (sort == Sort.NEWS && ++news > MAX_NEWS) {
      dropOldest(Sort.NEWS);
      news--;
    } else if (sort == Sort.PEER && ++peerEvents > MAX_PEER) {
      dropOldest(Sort.PEER);
      peerEvents--;
    } else if (sort == Sort.FAILED && ++failed > MAX_FAILED) {
      dropOldest(Sort.FAILED);
      failed--;
    }
    size = events.size();
  }

  private static boolean endsIncarnation(NodeEvent event) {
    return event instanceof NodeEvent.PeerUp // of the next one, where none has told of the end
        || event instanceof NodeEvent.PeerLost
        || event instanceof NodeEvent.PeerClosed
        || event instanceof NodeEvent.PeerRestarted
        || event instanceof NodeEvent.Superseded;
  }

  /** The channels that the peer has opened so far are over. */
  private void onlyInform(String peer) {
    for (Entry entry : events) {
      if (entry.sort == Sort.OPENED && entry.event.peer().equals(peer)) {
        entry.sort = Sort.NEWS;
        news++;
      }
    }
    for (; news > MAX_NEWS; news--) {
      dropOldest(Sort.NEWS);
    }
  }

  /** A channel is over that the peer perhaps opened; there may be another of that number later. */
  void onChannelFreed(String peer, int number) {
    if (size > 0) {
      onlyInform(peer, number);
    }
  }

  private synchronized void onlyInform(String peer, int number) {
    for (Entry entry : events) {
      if (entry.sort == Sort.OPENED
          && entry.event instanceof NodeEvent.ChannelOpenedByPeer opened
          && opened.channel() == number
          && opened.peer().equals(peer)) {
        entry.sort = Sort.NEWS;
        if (++news > MAX_NEWS) {
          dropOldest(Sort.NEWS);
          news--;
          size = events.size();
        }
        return;
      }
    }
  }

  private void dropOldest(Sort sort) {
    Iterator<Entry> all = events.iterator();
    while (all.hasNext()) {
      if (all.next().sort == sort) {
        all.remove();
        counters.increment(NodeCounter.EVENTS_DROPPED);
        return;
      }
    }
  }

  /** Any thread; costs next to nothing when there is none. */
  @Nullable NodeEvent poll() {
    return size == 0 ? null : take();
  }

  private synchronized @Nullable NodeEvent take() {
    Entry entry = events.pollFirst();
    if (entry == null) {
      return null;
    }
    switch (entry.sort) {
      case NEWS -> news--;
      case PEER -> peerEvents--;
      case FAILED -> failed--;
      case OPENED, LOSS -> {}
    }
    size = events.size();
    return entry.event;
  }

  int size() {
    return size;
  }

  private static Sort sort(NodeEvent event) {
    return switch (event) {
      case NodeEvent.PeerLost lost -> lost.unknown().isEmpty() ? Sort.PEER : Sort.LOSS;
      case NodeEvent.PeerRestarted restarted ->
          restarted.unknown().isEmpty() ? Sort.PEER : Sort.LOSS;
      case NodeEvent.Superseded superseded ->
          superseded.unknown().isEmpty() ? Sort.PEER : Sort.LOSS;
      case NodeEvent.Rejected rejected -> Sort.NEWS;
      case NodeEvent.NewcomerRejected rejected -> Sort.NEWS;
      case NodeEvent.NobodyPolls polls -> Sort.NEWS;
      case NodeEvent.MessageFailed failed -> Sort.FAILED;
      case NodeEvent.MessagesDropped dropped -> Sort.FAILED;
      case NodeEvent.FormerMessages former -> Sort.FAILED;
      case NodeEvent.ChannelRefused refused -> refused.first() > 0 ? Sort.LOSS : Sort.NEWS;
      case NodeEvent.PeerUp up -> Sort.PEER;
      case NodeEvent.PeerClosed closed -> Sort.PEER;
      case NodeEvent.RailChanged changed -> Sort.NEWS;
      case NodeEvent.ChannelOpenedByPeer opened -> Sort.OPENED;
      case NodeEvent.PayloadCorrupt corrupt -> Sort.NEWS;
      case NodeEvent.SelfPaused paused -> Sort.NEWS;
      case NodeEvent.RailDeclined declined -> Sort.NEWS;
      case NodeEvent.PortChanged port -> Sort.NEWS;
    };
  }
}
