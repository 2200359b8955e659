// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import com.google.gson.Gson;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Peer;
import io.crosstie.testkit.stream.NumberedMessage;
import io.crosstie.testkit.stream.StreamVerifier;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Takes the streams, judges them, and sends its account back over the same rails. */
final class LiveReceiver implements Runnable {
  /** The one thing that the sender asks of the receiver: to forget the gaps so far. */
  static final byte[] RESET = "reset".getBytes(StandardCharsets.UTF_8);

  private static final int LIMIT = 64;
  private static final long REPORT_NS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Gaps of the first seconds, in which both programs are compiled, are forgotten. */
  private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(5);

  private static final Gson GSON = new Gson();

  private final LiveNode live;
  private final GapMeter gaps = new GapMeter();
  private final TcpBeside tcp;
  private final Thread thread;
  private volatile Session session;
  private volatile boolean stopping;

  /** One life of the channels. */
  private final class Session {
    final StreamVerifier bulk = new StreamVerifier(0, 1);
    final StreamVerifier heartbeats = new StreamVerifier(0, 1);
    final Channel bulkChannel;
    final Channel heartbeatChannel;
    final Channel reports;
    final MessageHandler takeBulk =
        (memory, offset, length, sequence) -> {
          bulk.take(memory, offset, length);
          return Channel.CONTINUE;
        };
    final MessageHandler takeHeartbeat =
        (memory, offset, length, sequence) -> {
          beat(memory, offset, length);
          return Channel.CONTINUE;
        };
    final MessageHandler takeOrder =
        (memory, offset, length, sequence) -> {
          resetGaps();
          return Channel.CONTINUE;
        };
    long number;
    long dueNs;
    private long warmNs;
    private boolean warm;

    Session(Peer peer) {
      bulkChannel = peer.channel(LiveNode.BULK);
      heartbeatChannel = peer.channel(LiveNode.HEARTBEATS);
      reports = peer.channel(LiveNode.REPORTS);
    }

    private void beat(MemorySegment memory, long offset, long length) {
      boolean first = heartbeats.stream() == 0;
      heartbeats.take(memory, offset, length);
      boolean resumed =
          length >= NumberedMessage.HEADER_BYTES && NumberedMessage.mark(memory, offset) != 0;
      long nowNs = System.nanoTime();
      gaps.beat(nowNs, first || resumed);
      if (first) {
        warmNs = nowNs + WARM_UP_NS;
      } else if (!warm && nowNs - warmNs > 0) {
        warm = true;
        resetGaps();
      }
    }

    int step() {
      int work =
          bulkChannel.poll(takeBulk, LIMIT)
              + heartbeatChannel.poll(takeHeartbeat, LIMIT)
              + reports.poll(takeOrder, LIMIT);
      long now = System.nanoTime();
      if (now - dueNs >= 0) {
        dueNs = now + REPORT_NS;
        report(now);
      }
      return work;
    }

    /** The latest account or none: one that could not leave is not sent late. */
    private void report(long nowNs) {
      Report report = LiveReceiver.this.report(this, nowNs, true);
      if (reports.status() == 0 && reports.acceptedSequence() >= reports.offeredSequence()) {
        long unused = reports.offer(GSON.toJson(report).getBytes(StandardCharsets.UTF_8));
      }
    }

    boolean isOver() {
      return bulkChannel.status() != 0 || heartbeatChannel.status() != 0;
    }
  }

  LiveReceiver(LiveNode live, TcpBeside tcp) {
    this.live = live;
    this.tcp = tcp;
    this.session = new Session(live.peer());
    this.session.dueNs = System.nanoTime();
    this.thread = Thread.ofPlatform().daemon().name("live-receiver").unstarted(this);
  }

  void start() {
    thread.start();
  }

  @Override
  public void run() {
    while (!stopping) {
      Session current = session;
      int work = current.step();
      if (work == 0 && current.isOver() && live.node().isOpen()) {
        Session next = new Session(live.peer());
        if (next.bulkChannel != current.bulkChannel) {
          next.dueNs = System.nanoTime();
          session = next;
        }
      }
      live.node().idle(work);
    }
  }

  private Report report(Session of, long nowNs, boolean moveOn) {
    List<RailView> rails = live.views(); // what takes longest, before the time is noted
    return new Report(
        Long.toHexString(of.heartbeats.stream()),
        moveOn ? ++of.number : of.number,
        System.nanoTime() / 1e6,
        List.of(
            new Report.Stream("bulk", of.bulk.account()),
            new Report.Stream("heartbeats", of.heartbeats.account())),
        gaps.report(nowNs, moveOn),
        rails,
        tcp.report(nowNs, moveOn));
  }

  /** The account as it is now, for whoever asks on this side. */
  Report report() {
    return report(session, System.nanoTime(), false);
  }

  /** Forgets the gaps so far. */
  void resetGaps() {
    gaps.reset();
    tcp.reset();
  }

  void stop() {
    stopping = true;
  }
}
