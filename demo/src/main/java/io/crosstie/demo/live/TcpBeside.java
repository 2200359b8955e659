// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.testkit.process.Shell;
import io.crosstie.testkit.process.ToolException;
import io.crosstie.transport.linux.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A stream of the kernel's own over the same interfaces, for comparison: a thousand messages a
 * second by Multipath TCP, or by TCP where there is no other. It has a thread of its own.
 */
final class TcpBeside implements AutoCloseable {
  private static final int MESSAGE_BYTES = 1_024;
  private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_OWED_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int READ_BYTES = 64 << 10;

  private final LiveOptions options;
  private final News news;
  private final GapMeter gaps = new GapMeter();
  private volatile boolean stopping;
  private volatile boolean paused;
  private volatile String kind = "";
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong messages = new AtomicLong();
  private volatile @Nullable KernelSocket socket;
  private volatile @Nullable KernelSocket listener;

  TcpBeside(LiveOptions options, News news) {
    this.options = options;
    this.news = news;
  }

  void start() {
    boolean possible =
        Libc.whyUnavailable() == null
            && options.rails().stream().allMatch(rail -> rail.prefix().getAddress().length == 4);
    if (possible) {
      Thread unused =
          Thread.ofPlatform()
              .daemon()
              .name("live-tcp")
              .start(options.sender() ? this::send : this::receive);
    }
  }

  private int port() {
    return options.port() + 1;
  }

  private void send() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(MESSAGE_BYTES, Long.BYTES);
      for (int turn = 0; !stopping; turn++) {
        String seed = options.seeds().get(turn % options.seeds().size());
        try (KernelSocket to = KernelSocket.connect(InetAddress.getByName(seed), port())) {
          socket = to;
          send(to, message);
        } catch (IOException e) {
          LockSupport.parkNanos(RETRY_NS); // the other side is not there, or went away
        }
      }
    }
  }

  private void send(KernelSocket to, MemorySegment message) throws IOException {
    long dueNs = System.nanoTime();
    while (!stopping) {
      long now = System.nanoTime();
      if (paused || now < dueNs) {
        LockSupport.parkNanos(INTERVAL_NS / 4);
        dueNs = paused ? now : dueNs;
      } else {
        to.write(message);
        dueNs = Math.max(dueNs + INTERVAL_NS, now - MOST_OWED_NS);
      }
    }
  }

  private void receive() {
    try (KernelSocket from = KernelSocket.listen(port());
        Arena arena = Arena.ofConfined()) {
      listener = from;
      kind = from.kind();
      MemorySegment memory = arena.allocate(READ_BYTES, Long.BYTES);
      while (!stopping) {
        try (KernelSocket accepted = from.accept()) {
          socket = accepted;
          receive(accepted, memory);
        }
      }
    } catch (IOException e) {
      if (!stopping) {
        kind = "";
        news.say("no TCP stream beside: " + e.getMessage());
      }
    }
  }

  private void receive(KernelSocket from, MemorySegment memory) {
    gaps.pauseOver();
    try {
      long part = 0;
      for (int read = from.read(memory); read > 0; read = from.read(memory)) {
        bytes.getAndAdd(read);
        part += read;
        for (; part >= MESSAGE_BYTES; part -= MESSAGE_BYTES) {
          messages.getAndIncrement();
          gaps.beat(System.nanoTime(), false);
        }
      }
    } catch (IOException e) {
      // the sender went away, and comes again
    }
  }

  /** Holds the stream back, or lets it go on. */
  void setPaused(boolean on) {
    paused = on;
  }

  /**
   * Makes an address of this host known to the other side's Multipath TCP.
   *
   * @param nic an interface that has come
   */
  void announce(Nic nic) {
    if (options.sender() || nic.loopback()) {
      return;
    }
    try {
      Shell.run("ip", "mptcp", "limits", "set", "subflow", "8", "add_addr_accepted", "8");
      Shell.run(
          "ip",
          "mptcp",
          "endpoint",
          "add",
          nic.address().getHostAddress(),
          "dev",
          nic.device(),
          "signal");
    } catch (ToolException e) {
      // known already, or there is no Multipath TCP: then it has one path
    }
  }

  /** The sender's side accepts what the other announces. */
  void prepare() {
    if (options.sender()) {
      try {
        Shell.run("ip", "mptcp", "limits", "set", "subflow", "8", "add_addr_accepted", "8");
      } catch (ToolException e) {
        // there is no Multipath TCP
      }
    }
  }

  Report.Tcp report(long nowNs, boolean moveOn) {
    return new Report.Tcp(kind, bytes.get(), messages.get(), gaps.report(nowNs, moveOn));
  }

  void reset() {
    gaps.reset();
  }

  @Override
  public void close() {
    stopping = true;
    KernelSocket one = socket;
    if (one != null) {
      one.close();
    }
    KernelSocket other = listener;
    if (other != null) {
      other.close();
    }
  }
}
