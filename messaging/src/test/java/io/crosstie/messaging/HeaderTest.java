// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers beside messages, and messages in several pieces. */
@Timeout(120)
final class HeaderTest {
  private static final int MESSAGES = 2000;

  /** Of each message all follows from its number. */
  private static int headerLength(int number) {
    return number % 3 == 0 ? 0 : number % 33;
  }

  private static byte[] whole(int number) {
    Random random = new Random(number);
    int length =
        switch (number % 50) {
          case 1 -> 70_000 + random.nextInt(400_000);
          case 2 -> 1_200 + random.nextInt(60_000);
          case 3 -> 0;
          default -> random.nextInt(300);
        };
    byte[] bytes = new byte[headerLength(number) + length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static final class Sink implements ChannelHandler {
    int number;

    @Override
    public MessageHandler.Action onMessage(
        Channel channel, MemorySegment segment, long offset, long length, long sequence) {
      throw new AssertionError("the other is overridden");
    }

    @Override
    public MessageHandler.Action onMessage(
        Channel channel,
        MemorySegment segment,
        int headerLength,
        long offset,
        long length,
        long sequence) {
      assertEquals(++number, sequence);
      assertEquals(headerLength(number), headerLength);
      byte[] all = TwoNodes.bytes(segment, offset - headerLength, headerLength + length);
      assertArrayEquals(whole(number), all, "message " + number);
      return Channel.CONTINUE;
    }
  }

  @ParameterizedTest
  @CsvSource({"shm:, true", "shm:, false", "udp://127.0.0.1:0, true", "udp://127.0.0.1:0, false"})
  void headersAndPiecesComeAsTheyWereSent(String rail, boolean caller) {
    try (Arena arena = Arena.ofShared();
        var nodes = new TwoNodes(List.of(rail), caller)) {
      nodes.up();
      MemorySegment memory = arena.allocate(1 << 20);
      Channel channel = nodes.aToB().channel(5);
      Gather gather = new Gather();
      Sink sink = new Sink();
      for (int number = 1; number <= MESSAGES; number++) {
        byte[] bytes = whole(number);
        int header = headerLength(number);
        MemorySegment heap = MemorySegment.ofArray(bytes);
        int payload = bytes.length - header;
        int first = payload / 3;
        MemorySegment.copy(heap, header, memory, 7, payload);
        gather.clear();
        if (header > 0) {
          gather.header(heap, 0, header);
        }
        gather.add(memory, 7, first).add(heap, header + first, payload - first);
        assertEquals(bytes.length, gather.byteSize());
        int sequence = number;
        nodes.until(
            "room",
            () -> {
              int unused = nodes.b.poll(sink, 100);
              return channel.offer(gather) == sequence;
            });
      }
      nodes.until("all", () -> nodes.b.poll(sink, 100) >= 0 && sink.number == MESSAGES);
      assertEquals(0, nodes.b.counters().get(EndpointCounter.INVALID_PACKETS));
    }
  }

  /** Who does not ask for it sees the message without its header. */
  @Test
  void aHandlerThatKnowsNoHeadersIsToldTheRest() {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      MemorySegment bytes = MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5});
      Channel channel = nodes.aToB().channel(1);
      assertEquals(1, channel.offer(new Gather().header(bytes, 0, 2).add(bytes, 2, 3)));
      assertArrayEquals(new byte[] {3, 4, 5}, nodes.receive(nodes.bToA().channel(1)));
    }
  }

  @Test
  void whatIsNoHeaderIsRefused() {
    MemorySegment bytes = MemorySegment.ofArray(new byte[100]);
    Gather gather = new Gather();
    assertThrows(IllegalArgumentException.class, () -> gather.header(bytes, 0, 33));
    assertThrows(IndexOutOfBoundsException.class, () -> gather.add(bytes, 90, 11));
    gather.add(bytes, 0, 1);
    assertThrows(IllegalStateException.class, () -> gather.header(bytes, 0, 1));
    assertEquals(1, gather.byteSize());
  }
}
