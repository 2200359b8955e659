// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Peer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sends a steady stream of large messages and heartbeats beside it, and takes the receiver's
 * account. After the loss or the restart of the receiver it begins anew.
 */
final class LiveSender implements Runnable {
  static final int BULK_BYTES = 1 << 20;
  private static final int HEARTBEAT_BYTES = 64;
  private static final double HEARTBEATS_PER_SECOND = 1_000;
  private static final int LIMIT = 16;
  private static final Gson GSON = new Gson();

  private final LiveNode live;
  private final SecureRandom random = new SecureRandom();
  private final Thread thread;
  private volatile int loadMbit;
  private volatile boolean paused;
  private volatile boolean stopping;
  private volatile @Nullable Session session;
  private final CutGap cutGap = new CutGap();
  private final AtomicLong sessions = new AtomicLong();

  /** One life of the channels. */
  final class Session {
    final long id;
    final Sending bulk;
    final Sending heartbeats;
    final HangWatch hangs = new HangWatch();
    private final Channel reports;
    private final MessageHandler take = this::take;
    private volatile @Nullable Report report;
    private volatile long reportNs;
    private volatile boolean resetting;
    private volatile boolean wasPaused;

    Session(Peer peer) {
      long drawn = random.nextLong();
      id = drawn == 0 ? 1 : drawn;
      long now = System.nanoTime();
      bulk = new Sending(peer.channel(LiveNode.BULK), id, BULK_BYTES, bulkRate(), now);
      heartbeats =
          new Sending(
              peer.channel(LiveNode.HEARTBEATS), id, HEARTBEAT_BYTES, HEARTBEATS_PER_SECOND, now);
      reports = peer.channel(LiveNode.REPORTS);
      reportNs = now;
    }

    private int step() {
      int work = reports.poll(take, LIMIT);
      if (resetting && reports.offer(LiveReceiver.RESET) > 0) {
        resetting = false;
      }
      boolean hold = paused;
      long now = System.nanoTime();
      if (wasPaused && !hold) {
        bulk.resume(now);
        heartbeats.resume(now);
      }
      wasPaused = hold;
      if (!hold) {
        bulk.setRate(bulkRate());
        work += heartbeats.step(now) + bulk.step(now);
      }
      return work;
    }

    private MessageHandler.Action take(
        MemorySegment memory, long offset, long length, long sequence) {
      byte[] text = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
      try {
        Report fresh = GSON.fromJson(new String(text, StandardCharsets.UTF_8), Report.class);
        if (fresh.session().equals("0") || fresh.session().equals(Long.toHexString(id))) {
          report = fresh;
          reportNs = System.nanoTime();
          hangs.look(fresh, bulk.sent(), heartbeats.sent(), reportNs);
          cutGap.take(fresh.gaps(), reportNs);
        }
      } catch (JsonParseException e) {
        throw new IllegalStateException("the receiver's report cannot be read", e);
      }
      return Channel.CONTINUE;
    }

    /** Forgets hangs here and, as soon as it is told, gaps at the receiver. */
    void reset() {
      hangs.reset();
      cutGap.reset();
      resetting = true;
    }

    boolean isOver() {
      return bulk.isOver() || heartbeats.isOver() || reports.status() != 0;
    }

    /** The receiver's last account; null before the first. */
    @Nullable Report report() {
      return report;
    }

    /** How old it is, or this session if there is none. */
    double reportAgeMs() {
      return (System.nanoTime() - reportNs) / 1e6;
    }
  }

  LiveSender(LiveNode live, int loadMbit) {
    this.live = live;
    this.loadMbit = loadMbit;
    this.thread = Thread.ofPlatform().daemon().name("live-sender").unstarted(this);
  }

  void start() {
    thread.start();
  }

  private double bulkRate() {
    return loadMbit * 1e6 / 8 / BULK_BYTES;
  }

  @Override
  public void run() {
    while (!stopping) {
      Session current = session;
      if (current != null && !current.isOver()) {
        live.node().idle(current.step());
      } else {
        if (live.peer().isUp()) {
          session = new Session(live.peer());
          sessions.getAndIncrement();
        }
        live.node().idle();
      }
    }
  }

  /** The present life of the streams; null before the first. */
  @Nullable Session session() {
    return session;
  }

  /** The gap about the last cut. */
  CutGap cutGap() {
    return cutGap;
  }

  /** How many lives there were. */
  long sessions() {
    return sessions.get();
  }

  /** Holds the streams back, or lets them go on. */
  void setPaused(boolean on) {
    paused = on;
  }

  /** Whether nothing more is sent: the streams have taken that in, if there are any. */
  boolean isPaused() {
    Session current = session;
    return paused && (current == null || current.isOver() || current.wasPaused);
  }

  /** Changes what the stream of large messages offers. */
  void setLoadMbit(int mbit) {
    loadMbit = mbit;
  }

  int loadMbit() {
    return loadMbit;
  }

  void stop() {
    stopping = true;
  }
}
