// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever calls drives, and a thread of the node's own where nobody does. */
@Timeout(180)
@SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
final class SharedProgressTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;

  private TwoNodes nodes(String rail) {
    return new TwoNodes(
        List.of(rail.replace("FOLDER", folder.toString())),
        false,
        config -> config.progress(Progress.shared()));
  }

  private static long led(Node node) {
    return node.engineCounters().get(NodeCounter.LED_CYCLES);
  }

  private static long all(Node node) {
    return node.engineCounters().get(NodeCounter.BUSY_CYCLES)
        + node.engineCounters().get(NodeCounter.IDLE_CYCLES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp://127.0.0.1:0", "udp://127.0.0.1:0?driver=netty", "shm:FOLDER"})
  void whoCallsDrives(String rail) {
    try (TwoNodes nodes = nodes(rail)) {
      nodes.up();
      Channel out = nodes.aToB().channel(1);
      Channel in = nodes.bToA().channel(1);
      // the engine's threads drive first, and stand back some time
      long end = System.nanoTime() + PATIENCE.toNanos();
      for (int i = 0;
          i < 200 || (Math.min(led(nodes.a), led(nodes.b)) < 100 && System.nanoTime() < end);
          i++) {
        byte[] message = {(byte) i};
        assertTrue(nodes.offer(out, message) > 0);
        assertEquals(message[0], nodes.receive(in)[0]);
      }
      assertTrue(led(nodes.a) >= 100, () -> "led " + led(nodes.a));
      assertTrue(led(nodes.b) >= 100, () -> "led " + led(nodes.b));
    }
  }

  /** The answering side: its handler runs on the thread that polls, its offers on that one, too. */
  @ParameterizedTest
  @ValueSource(strings = {"udp://127.0.0.1:0", "shm:FOLDER"})
  void answersWhileBothSidesWait(String rail) throws Exception {
    try (TwoNodes nodes = nodes(rail)) {
      nodes.up();
      Channel in = nodes.bToA().channel(1);
      MessageHandler echo =
          (message, offset, length, sequence) ->
              in.offer(message, offset, length) > 0 ? Channel.CONTINUE : Channel.RETRY_LATER;
      var stop = new AtomicBoolean();
      Thread answerer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!stop.get()) {
                      nodes.b.idle(in.poll(echo, 8));
                    }
                  });
      Channel out = nodes.aToB().channel(1);
      long[] got = new long[1];
      MessageHandler take =
          (message, offset, length, sequence) -> {
            got[0]++;
            return Channel.CONTINUE;
          };
      long end = System.nanoTime() + PATIENCE.toNanos();
      for (int i = 0; i < 2000 || (led(nodes.a) <= 2000 && System.nanoTime() < end); i++) {
        while (out.offer(new byte[32]) < 0) {
          nodes.a.idle();
        }
        while (got[0] <= i) {
          nodes.a.idle(out.poll(take, 1));
        }
      }
      stop.set(true);
      answerer.join();
      assertTrue(led(nodes.a) > 2000);
    }
  }

  /** All threads of b's application compute: its own thread takes what arrives. */
  @ParameterizedTest
  @ValueSource(strings = {"udp://127.0.0.1:0", "shm:FOLDER"})
  void arrivalIsActedOnWhileTheApplicationComputes(String rail) {
    int looked = 0;
    while (looked == 0) { // on a machine that stood still nobody can say who led
      looked = arrivals(rail);
    }
  }

  /** Returns how many times it was looked whether b was led. */
  private int arrivals(String rail) {
    int looked = 0;
    long began = System.nanoTime();
    try (TwoNodes nodes = nodes(rail)) {
      nodes.up();
      Channel in = nodes.bToA().channel(1);
      Channel out = nodes.aToB().channel(1);
      MessageHandler take = (message, offset, length, sequence) -> Channel.CONTINUE;
      long sent = 0;
      for (int round = 0; round < 20 && !isLookedWhoPolls(began); round++) {
        sent = Math.max(sent, nodes.offer(out, new byte[100]));
        while (in.poll(take, 100) == 0) {
          Thread.onSpinWait(); // calls until now, so that b's own thread stands back
        }
        sent = Math.max(sent, out.offer(new byte[100]));
        long last = sent;
        long end = System.nanoTime() + PATIENCE.toNanos();
        long ledBefore = led(nodes.b);
        while (in.receivedSequence() < last) { // which asks for a number, and drives nothing
          assertTrue(System.nanoTime() < end, "nobody acts on what arrived");
          Thread.yield();
        }
        long ledAfter = led(nodes.b);
        if (!isLookedWhoPolls(began)) {
          assertEquals(ledBefore, ledAfter, "the application has called");
          looked++;
        }
        while (in.poll(take, 100) == 0) {
          Thread.onSpinWait();
        }
      }
    }
    return looked;
  }

  /** A node looks who polls, for which its engine is led once, some seconds after a peer is up. */
  private static boolean isLookedWhoPolls(long beganNs) {
    return System.nanoTime() - beganNs >= PollWatch.UNASKED_SECONDS * 1_000_000_000L;
  }

  /** While nobody calls it blocks, and does not tick. */
  @Test
  void itsOwnThreadBlocksWhileNobodyCalls() {
    Progress progress = Progress.shared();
    try (Node node =
        Node.start(
            NodeConfig.builder()
                .name("alone")
                .rail("shm:" + folder)
                .shutdownHook(false)
                .progress(progress)
                .build())) {
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (node.engineCounters().get(NodeCounter.BLOCKS) < 5 && System.nanoTime() < end) {
        Thread.yield();
      }
      long cycles = all(node); // before the blocks: it goes on meanwhile
      long blocks = node.engineCounters().get(NodeCounter.BLOCKS);
      assertTrue(blocks >= 5);
      assertTrue(cycles < 40 * blocks, () -> "cycles: " + cycles + " of " + blocks);
      assertEquals(0, led(node));
    }
  }

  @Test
  void thousandVirtualThreadsOfferAndAwait() throws Exception {
    manyThreads(1000, 20, Thread.ofVirtual().factory());
  }

  @Test
  void platformThreadsOfferAndAwait() throws Exception {
    manyThreads(12, 500, Thread.ofPlatform().daemon().factory());
  }

  /** Each sends and waits until its own message is accepted; one thread takes all in. */
  private void manyThreads(int threads, int each, ThreadFactory factory) throws Exception {
    try (TwoNodes nodes = nodes("shm:FOLDER")) {
      nodes.up();
      Channel out = nodes.aToB().channel(1);
      Channel in = nodes.bToA().channel(1);
      long end = System.nanoTime() + PATIENCE.toNanos();
      var failure = new AtomicReference<Throwable>();
      var left = new CountDownLatch(threads);
      for (int t = 0; t < threads; t++) {
        int from = t;
        factory
            .newThread(
                () -> {
                  try {
                    for (int i = 0; i < each; i++) {
                      send(nodes.a, out, from, i, end);
                    }
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                  } finally {
                    left.countDown();
                  }
                })
            .start();
      }
      int[] next = new int[threads];
      long[] got = new long[1];
      MessageHandler take =
          (message, offset, length, sequence) -> {
            ByteBuffer buffer = message.asSlice(offset, length).asByteBuffer();
            int from = buffer.getInt();
            assertEquals(next[from]++, buffer.getInt(), () -> "of thread " + from);
            got[0]++;
            return Channel.CONTINUE;
          };
      while (got[0] < (long) threads * each) {
        assertTrue(System.nanoTime() < end, () -> "only " + got[0] + "; " + failure.get());
        nodes.b.idle(in.poll(take, 256));
      }
      assertTrue(left.await(60, TimeUnit.SECONDS));
      assertEquals(null, failure.get());
    }
  }

  private static void send(Node node, Channel out, int from, int number, long end) {
    byte[] message = ByteBuffer.allocate(8).putInt(from).putInt(number).array();
    long sequence;
    while ((sequence = out.offer(message)) < 0) {
      assertTrue(System.nanoTime() < end, "no room");
      node.idle();
    }
    while (out.acceptedSequence() < sequence) {
      assertTrue(System.nanoTime() < end, "not accepted");
      node.idle();
    }
  }

  @Test
  void closeWhileThreadsCall() throws Exception {
    for (int round = 0; round < 10; round++) {
      TwoNodes nodes = nodes("udp://127.0.0.1:0");
      nodes.up();
      Channel out = nodes.aToB().channel(1);
      var calls = new AtomicLong();
      var ended = new AtomicLong();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        ThreadFactory factory =
            t == 0 ? Thread.ofVirtual().factory() : Thread.ofPlatform().daemon().factory();
        Thread thread =
            factory.newThread(
                () -> {
                  long status;
                  do {
                    status = out.offer(new byte[10]);
                    calls.incrementAndGet();
                    nodes.a.idle();
                  } while (status != Channel.CLOSED);
                  ended.incrementAndGet();
                });
        thread.start();
        threads.add(thread);
      }
      while (calls.get() < 200) {
        nodes.b.idle();
      }
      nodes.a.close(Duration.ZERO);
      for (Thread thread : threads) {
        assertTrue(thread.join(Duration.ofSeconds(60)), "a thread hangs");
      }
      assertEquals(4, ended.get());
      nodes.close();
    }
  }

  /** An interrupt ends nothing, and stays. */
  @Test
  void interruptedThreadsDrive() throws Exception {
    try (TwoNodes nodes = nodes("shm:FOLDER")) {
      nodes.up();
      Channel out = nodes.aToB().channel(1);
      Channel in = nodes.bToA().channel(1);
      Thread.currentThread().interrupt();
      for (int i = 0; i < 100; i++) {
        assertTrue(nodes.offer(out, new byte[10]) > 0);
        assertEquals(10, nodes.receive(in).length);
      }
      assertTrue(Thread.interrupted());
      assertFalse(Thread.interrupted());
    }
  }

  /**
   * Opening a channel may run a duty cycle on the thread that opens it, in which the peer's first
   * message for it comes: that finds the very channel, and the peer's lock is free.
   */
  @Test
  void aChannelThatIsOpenedIsKnownBeforeTheEngineHearsOfIt() {
    var node = new AtomicReference<Node>();
    long opener = Thread.currentThread().threadId();
    List<Channel> found = new ArrayList<>();
    List<Boolean> locked = new ArrayList<>();
    CycleHook hook =
        nowNs -> {
          Node a = node.get();
          if (a != null && Thread.currentThread().threadId() == opener) {
            Peer peer = a.peer("b");
            locked.add(Thread.holdsLock(peer));
            for (var core : peer.cores()) { // as for a channel with news
              if (core.number() == found.size()) {
                found.add(
                    peer.channelOn(java.util.Objects.requireNonNull(peer.connection()), core));
              }
            }
          }
          return 0;
        };
    try (TwoNodes nodes =
        new TwoNodes(
            List.of("shm:" + folder),
            false,
            config -> config.progress(Progress.shared()).cycleHook(hook))) {
      nodes.up();
      node.set(nodes.a);
      long end = System.nanoTime() + PATIENCE.toNanos();
      for (int met = 0; met < 3; ) {
        assertTrue(System.nanoTime() < end, "no duty cycle on this thread");
        long blocks = nodes.a.engineCounters().get(NodeCounter.BLOCKS);
        while (nodes.a.engineCounters().get(NodeCounter.BLOCKS) == blocks) {
          assertTrue(System.nanoTime() < end, "its own thread does not block");
          Thread.yield();
        }
        int number = found.size();
        Channel opened = nodes.aToB().channel(number);
        if (found.size() > number) {
          assertSame(opened, found.getLast());
          assertSame(opened, nodes.aToB().channel(number));
          met++;
        } else {
          found.add(opened); // its own thread was quicker
        }
      }
      assertFalse(locked.contains(true), "in the peer's lock");
      node.set(null);
    }
  }
}
