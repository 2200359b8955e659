// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Progress;
import io.crosstie.samples.FrameStreams;
import io.crosstie.samples.FrameStreams.Listener;
import io.crosstie.samples.FrameStreams.Stream;
import io.crosstie.testkit.Facility;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sample that carries many connections over one node: both sides open and close them. */
@Timeout(180)
final class FrameStreamsIT {
  private static final int STREAMS = 300;
  private static final int AT_A_TIME = 40;
  private static final long PATIENCE_NS = Duration.ofSeconds(100).toNanos();

  /** Opens streams, and answers those of the other side frame by frame. */
  private static final class Side {
    final Random random;
    final FrameStreams streams;
    final ArrayDeque<Asking> waiting = new ArrayDeque<>(); // for room to send
    int most; // to be opened until then
    int opened;
    int open;
    int ended;
    int answers;
    int expected;
    int accepted;

    Side(Node node, String peer, long seed) {
      this.random = new Random(seed);
      this.streams = new FrameStreams(node, node.peer(peer), stream -> new Answering());
    }

    int turn() {
      for (int left = waiting.size(); left > 0; left--) {
        waiting.removeFirst().ask();
      }
      while (opened < most && open < AT_A_TIME) {
        opened++;
        open++;
        new Asking().begin();
      }
      return streams.poll();
    }

    boolean isDone() {
      return ended == most && accepted == most;
    }

    /** Sends so many frames that count up, and closes once all answers are there. */
    private final class Asking implements Listener {
      final int frames = random.nextInt(5);
      final Stream stream = streams.open(this);
      int next = 1;

      void begin() {
        expected += frames;
        ask();
      }

      private void ask() {
        if (next > frames) {
          stream.close();
        } else {
          byte[] frame = new byte[1 + random.nextInt(3000)];
          frame[0] = (byte) next;
          if (!stream.send(frame)) {
            assertTrue(stream.isUsable());
            waiting.addLast(this);
          }
        }
      }

      @Override
      public boolean onFrame(Stream of, MemorySegment memory, long offset, long length) {
        assertEquals(stream, of);
        assertEquals(next, memory.get(ValueLayout.JAVA_BYTE, offset));
        answers++;
        next++;
        ask();
        return true;
      }

      @Override
      public void onEnd(Stream of) {
        assertEquals(frames + 1, next);
        ended++;
        open--;
      }
    }

    private final class Answering implements Listener {
      private boolean ended;

      Answering() {
        accepted++;
      }

      @Override
      public boolean onFrame(Stream of, MemorySegment memory, long offset, long length) {
        assertTrue(!ended);
        return of.send(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
      }

      @Override
      public void onEnd(Stream of) {
        assertTrue(!ended, "told once");
        ended = true;
        of.close();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"false, shm:", "true, shm:", "false, udp://127.0.0.1:0", "true, udp://127.0.0.1:0"})
  void bothSidesOpenAndCloseStreams(boolean caller, String rail) {
    if (caller != rail.startsWith("udp")) {
      Facility.TIME.require("streams by the other way of progress");
    }
    try (Node b = Node.start(config("b", rail, caller).peer("a").build())) {
      NodeConfigBuilder toB = config("a", rail, caller);
      b.localAddresses().forEach(address -> toB.peer("b", address.text()));
      try (Node a = Node.start(toB.build())) {
        Side left = new Side(a, "b", 1);
        Side right = new Side(b, "a", 2);
        run(a, b, left, right);
        int[] numbers = {left.streams.numbers(), right.streams.numbers()};
        run(a, b, left, right);
        int atMost = STREAMS - AT_A_TIME; // for when they began, all numbers were free again
        assertTrue(left.streams.numbers() - numbers[0] <= atMost);
        assertTrue(right.streams.numbers() - numbers[1] <= atMost);
        assertEquals(left.expected, left.answers);
        assertEquals(right.expected, right.answers);
        a.close(Duration.ZERO);
      }
    }
  }

  /** Both open so many more, until the last has ended and its number is free. */
  private static void run(Node a, Node b, Side left, Side right) {
    left.most += STREAMS;
    right.most += STREAMS;
    long end = System.nanoTime() + PATIENCE_NS;
    while (!left.isDone()
        || !right.isDone()
        || !a.peer("b").channels().isEmpty()
        || !b.peer("a").channels().isEmpty()) {
      a.idle(left.turn());
      b.idle(right.turn());
      assertTrue(
          System.nanoTime() < end,
          () -> "ended " + left.ended + " and " + right.ended + " of " + left.most);
    }
  }

  private static NodeConfigBuilder config(String name, String rail, boolean caller) {
    return NodeConfig.builder()
        .name(name)
        .rail(rail)
        .shutdownHook(false)
        .progress(caller ? Progress.caller() : Progress.thread());
  }
}
