// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large messages whose memory a handler keeps. */
@Timeout(120)
final class RetainTest {
  private static final int LENGTH = 100_000; // a buffer of 128 KiB

  private static byte[] message(int number) {
    byte[] bytes = new byte[LENGTH];
    Arrays.fill(bytes, (byte) number);
    return bytes;
  }

  /** Half of the pool is eight of these buffers; the ninth is delivered, and cannot be retained. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void halfOfThePoolCanBeRetainedAndAllOthersArrive(boolean caller) {
    try (var nodes =
        new TwoNodes(
            List.of("shm:"),
            caller,
            config -> config.largePoolBytes(2 << 20).maxMessageBytes(1 << 20))) {
      nodes.up();
      Channel channel = nodes.aToB().channel(1);
      List<RetainedMessage> retained = new ArrayList<>();
      int[] came = new int[2];
      ChannelHandler handler =
          (on, segment, offset, length, sequence) -> {
            came[0]++;
            assertEquals((byte) came[0], segment.get(ValueLayout.JAVA_BYTE, offset));
            RetainedMessage message = on.retain();
            if (message == null) {
              came[1]++;
            } else {
              retained.add(message);
            }
            return Channel.CONTINUE;
          };
      for (int round = 0; round < 3; round++) {
        int first = 30 * round;
        for (int i = 1; i <= 30; i++) {
          int number = first + i;
          nodes.until(
              "room",
              () -> {
                int unused = nodes.b.poll(handler, 10);
                return channel.offer(message(number)) > 0;
              });
        }
        nodes.until("all", () -> nodes.b.poll(handler, 10) >= 0 && came[0] == first + 30);
        assertEquals(8, retained.size());
        assertEquals(22 * (round + 1), came[1]);
        for (int i = 0; i < 8; i++) {
          RetainedMessage message = retained.get(i);
          byte[] bytes = message.segment().toArray(ValueLayout.JAVA_BYTE);
          assertArrayEquals(message(first + i + 1), bytes);
          message.release();
          message.release(); // does nothing
          assertThrows(IllegalStateException.class, message::segment);
        }
        retained.clear();
        nodes.until(
            "it is given back", () -> nodes.b.counters().get(EndpointCounter.POOL_BYTES) == 0);
      }
    }
  }

  @Test
  void whatCannotBeRetainedIsSaid() {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      Channel channel = nodes.aToB().channel(1);
      assertThrows(IllegalStateException.class, channel::retain);
      assertTrue(nodes.offer(channel, new byte[100]) > 0);
      assertTrue(nodes.offer(channel, message(7)) > 0);
      List<RetainedMessage> retained = new ArrayList<>();
      int[] told = new int[1];
      ChannelHandler handler =
          (on, segment, offset, length, sequence) -> {
            RetainedMessage message = on.retain();
            if (length == 100) {
              assertNull(message, "a small one");
              return Channel.CONTINUE;
            }
            retained.add(assertNotNullAndGet(message));
            return ++told[0] == 1 ? Channel.RETRY_LATER : Channel.CONTINUE;
          };
      nodes.until("twice", () -> nodes.b.poll(handler, 10) >= 0 && told[0] == 2);
      assertThrows(IllegalStateException.class, retained.getFirst()::segment, "was tried later");
      assertEquals(7, retained.getLast().segment().get(ValueLayout.JAVA_BYTE, LENGTH - 1));
      retained.getFirst().close();
      retained.getLast().close();
      nodes.until("given back", () -> nodes.b.counters().get(EndpointCounter.POOL_BYTES) == 0);
    }
  }

  private static RetainedMessage assertNotNullAndGet(RetainedMessage message) {
    assertNotNull(message);
    return message;
  }
}
