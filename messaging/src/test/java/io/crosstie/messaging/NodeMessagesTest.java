// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static io.crosstie.messaging.Channel.CONTINUE;
import static io.crosstie.messaging.Channel.RETRY_LATER;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.channel.ChannelCore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages between two nodes over real rails. */
@Timeout(120)
final class NodeMessagesTest {
  private static final List<String> UDP = List.of("udp://127.0.0.1:0");
  private static final List<String> SHM = List.of("shm:");
  private static final List<String> ALL = List.of("shm:", "udp://127.0.0.1:0", "udp://127.0.0.2:0");

  static Stream<Arguments> ways() {
    return Stream.of(UDP, SHM, ALL)
        .flatMap(rails -> Stream.of(Arguments.of(rails, false), Arguments.of(rails, true)));
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @MethodSource("ways")
  void carriesEverySizeThereAndBack(List<String> rails, boolean caller) {
    try (var nodes = new TwoNodes(rails, caller)) {
      nodes.up();
      Channel there = nodes.aToB().channel(7);
      Channel back = nodes.bToA().channel(7);
      for (int length : new int[] {0, 1, 64, 1500, 65_536, 65_537, 3_000_000}) {
        byte[] message = random(length);
        long sequence = nodes.offer(there, message);
        assertTrue(sequence > 0);
        assertArrayEquals(message, nodes.receive(back));
        assertTrue(nodes.offer(back, message) > 0);
        assertArrayEquals(message, nodes.receive(there));
        nodes.until("accepted", () -> there.acceptedSequence() >= sequence);
        nodes.until("consumed", () -> there.consumedSequence() >= sequence);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void keepsOrderUnderPressure(List<String> rails, boolean caller) {
    int count = 20_000;
    try (var nodes = new TwoNodes(rails, caller)) {
      Channel there = nodes.aToB().channel(1, Priority.HIGH); // before there is a connection
      nodes.up();
      Channel back = nodes.bToA().channel(1);
      MemorySegment message = MemorySegment.ofArray(new byte[200]);
      long[] expected = {0};
      MessageHandler check =
          (segment, offset, length, sequence) -> {
            assertEquals(++expected[0], sequence);
            assertEquals(sequence, segment.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
            assertTrue(segment.isReadOnly());
            return CONTINUE;
          };
      long sent = 0;
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (expected[0] < count) {
        assertTrue(System.nanoTime() < end, "got only " + expected[0]);
        int work = 0;
        while (sent < count) {
          message.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, sent + 1);
          if (there.offer(message, 0, 8 + sent % 192) < 0) {
            break;
          }
          sent++;
          work++;
        }
        work += back.poll(check, 256);
        nodes.a.idle(work);
        nodes.b.idle(work);
      }
    }
  }

  @Test
  void awaitsUpAndAccepted() {
    try (var nodes = new TwoNodes(UDP, false)) {
      nodes.aToB().awaitUp(TwoNodes.PATIENCE);
      Channel channel = nodes.aToB().channel(7);
      long sequence = channel.offer(new byte[64]);
      channel.awaitAccepted(sequence, TwoNodes.PATIENCE);
      assertEquals(sequence, channel.acceptedSequence());
      var e =
          assertThrows(
              CrosstieException.class,
              () -> channel.awaitAccepted(Channel.BACK_PRESSURED, Duration.ofSeconds(1)));
      assertTrue(e.getMessage().contains("BACK_PRESSURED"), e::getMessage);
    }
  }

  @Test
  void offersHeapNativeAndBuffers() {
    try (var nodes = new TwoNodes(SHM, false);
        Arena arena = Arena.ofConfined()) {
      nodes.up();
      Channel there = nodes.aToB().channel(2);
      Channel back = nodes.bToA().channel(2);
      byte[] bytes = random(100);
      MemorySegment nativeMemory = arena.allocate(100).copyFrom(MemorySegment.ofArray(bytes));
      ByteBuffer heap = ByteBuffer.wrap(bytes).position(10);
      ByteBuffer direct = ByteBuffer.allocateDirect(100).put(bytes).position(10);
      assertTrue(there.offer(bytes) > 0);
      assertTrue(there.offer(bytes, 10, 90) > 0);
      assertTrue(there.offer(nativeMemory) > 0);
      assertTrue(there.offer(nativeMemory, 10, 90) > 0);
      assertTrue(there.offer(heap) > 0);
      assertTrue(there.offer(direct) > 0);
      assertFalse(heap.hasRemaining());
      assertFalse(direct.hasRemaining());
      byte[] rest = java.util.Arrays.copyOfRange(bytes, 10, 100);
      for (byte[] expected : List.of(bytes, rest, bytes, rest, rest, rest)) {
        assertArrayEquals(expected, nodes.receive(back));
      }
      assertThrows(IndexOutOfBoundsException.class, () -> there.offer(bytes, 50, 51));
    }
  }

  @Test
  void claimsCommitsAndAborts() {
    try (var nodes = new TwoNodes(SHM, false);
        Claim claim = new Claim()) {
      nodes.up();
      Channel there = nodes.aToB().channel(3);
      Channel back = nodes.bToA().channel(3);
      assertEquals(1, there.claim(8, claim));
      claim.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, claim.offset(), 41);
      assertThrows(IllegalStateException.class, () -> there.claim(8, claim));
      claim.abort();
      assertEquals(1, there.claim(8, claim));
      claim.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, claim.offset(), 42);
      claim.commit();
      assertFalse(claim.isOpen());
      assertThrows(IllegalStateException.class, claim::commit);
      assertThrows(IllegalStateException.class, claim::segment);
      byte[] got = nodes.receive(back);
      assertEquals(42, MemorySegment.ofArray(got).get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      assertEquals(Channel.TOO_LARGE, there.claim(65_537, claim));
    }
  }

  @Test
  void lendsMemoryUntilAccepted() {
    try (var nodes = new TwoNodes(ALL, false);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      Channel there = nodes.aToB().channel(4);
      Channel back = nodes.bToA().channel(4);
      byte[] bytes = random(5_000_000);
      MemorySegment lent = arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
      List<String> told = new ArrayList<>();
      long sequence =
          there.send(lent, 0, bytes.length, completion -> told.add(completion.toString()));
      assertTrue(sequence > 0);
      assertArrayEquals(bytes, nodes.receive(back));
      nodes.until(
          "completion", () -> there.poll((s, o, l, q) -> CONTINUE, 1) > 0 || !told.isEmpty());
      assertEquals(List.of(sequence + " accepted"), told);
      assertThrows(
          IllegalArgumentException.class,
          () -> there.send(MemorySegment.ofArray(bytes), 0, 1, completion -> {}));
    }
  }

  /** Bad input: a message larger than the configured bound. */
  @Test
  void refusesWhatIsTooLarge() {
    try (var nodes = new TwoNodes(UDP, false, config -> config.maxMessageBytes(100_000))) {
      nodes.up();
      Channel channel = nodes.aToB().channel(1);
      assertEquals(Channel.TOO_LARGE, channel.offer(new byte[100_001]));
      assertTrue(channel.offer(new byte[100_000]) > 0);
    }
  }

  /** Messages up to the eager limit need no pool. */
  @Test
  void smallMessagesWithoutPool() {
    UnaryOperator<NodeConfigBuilder> noPool =
        config -> config.maxMessageBytes(64 << 10).largePoolBytes(0);
    try (var nodes = new TwoNodes(UDP, false, noPool)) {
      nodes.up();
      byte[] message = random(64 << 10);
      assertTrue(nodes.offer(nodes.aToB().channel(1), message) > 0);
      assertArrayEquals(message, nodes.receive(nodes.bToA().channel(1)));
    }
  }

  /** The receiver passes over what the sender gave up, and the sender gets its credit again. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void givenUpMessagesGiveTheirCreditBack(boolean caller) {
    UnaryOperator<NodeConfigBuilder> narrow = config -> config.channelWindowBytes(128 << 10);
    try (var nodes = new TwoNodes(UDP, caller, narrow)) {
      nodes.up();
      Channel there = nodes.aToB().channel(1);
      Channel here = nodes.bToA().channel(1);
      MemorySegment gone;
      try (Arena arena = Arena.ofShared()) {
        gone = arena.allocate(100);
      }
      int many = 3000; // more than the window has numbers for
      int[] failed = {0};
      long[] sent = {0};
      MessageHandler none =
          (message, offset, length, sequence) -> {
            throw new AssertionError("message " + sequence);
          };
      nodes.until(
          "all given up",
          () -> {
            if (sent[0] < many && there.send(gone, 0, 100, completion -> failed[0]++) > 0) {
              sent[0]++;
            }
            int unused = there.poll(none, 64) + here.poll(none, 64);
            return failed[0] == many;
          });
      byte[] message = {1, 2, 3};
      assertEquals(many + 1, nodes.offer(there, message));
      assertArrayEquals(message, nodes.receive(here));
      nodes.until("consumed", () -> there.consumedSequence() == many + 1);
    }
  }

  /** Bad input: a receiver that never polls. */
  @Test
  void receiverThatNeverPollsPushesBack() {
    try (var nodes = new TwoNodes(SHM, false)) {
      nodes.up();
      Channel slow = nodes.aToB().channel(1);
      byte[] message = new byte[50_000];
      long[] taken = {0};
      nodes.until(
          "back pressure that lasts",
          () -> {
            long before = taken[0];
            for (int i = 0; i < 50; i++) {
              nodes.turn();
              if (slow.offer(message) > 0) {
                taken[0]++;
              }
            }
            return taken[0] == before;
          });
      assertTrue(taken[0] * message.length < 64 << 20, "bounded, but took " + taken[0]);
      Channel other = nodes.aToB().channel(2);
      assertTrue(nodes.offer(other, message) > 0);
      assertArrayEquals(message, nodes.receive(nodes.bToA().channel(2)));
      Channel late = nodes.bToA().channel(1);
      for (long i = 0; i < taken[0]; i++) {
        assertArrayEquals(message, nodes.receive(late));
      }
    }
  }

  /** Bad input: a channel that the peer never opened; the message is held, and an event tells. */
  @Test
  void channelThatPeerNeverOpened() {
    try (var nodes = new TwoNodes(UDP, false)) {
      nodes.up();
      assertTrue(nodes.offer(nodes.aToB().channel(99), new byte[] {5}) > 0);
      nodes.until(
          "event",
          () ->
              nodes.eventsOfB.contains(
                  new NodeEvent.ChannelOpenedByPeer("a", 99, nodes.a.incarnation())));
      assertArrayEquals(new byte[] {5}, nodes.receive(nodes.bToA().channel(99)));
    }
  }

  /** Bad input: a handler that throws; the exception comes out of poll and nothing else happens. */
  @ParameterizedTest
  @MethodSource("ways")
  void handlerThatThrowsHurtsNobody(List<String> rails, boolean caller) {
    try (var nodes = new TwoNodes(rails, caller)) {
      nodes.up();
      Channel there = nodes.aToB().channel(1);
      Channel back = nodes.bToA().channel(1);
      assertTrue(nodes.offer(there, new byte[] {1}) > 0);
      assertTrue(nodes.offer(there, new byte[] {2}) > 0);
      var mine = new IllegalStateException("mine");
      MessageHandler thrower =
          (segment, offset, length, sequence) -> {
            throw mine;
          };
      var thrown =
          assertThrows(
              IllegalStateException.class,
              () -> nodes.until("never", () -> back.poll(thrower, 1) < 0));
      assertSame(mine, thrown);
      assertArrayEquals(new byte[] {2}, nodes.receive(back));
      assertTrue(nodes.bToA().isUp());
    }
  }

  @Test
  void retryLaterLeavesMessageFirst() {
    try (var nodes = new TwoNodes(SHM, false)) {
      nodes.up();
      assertTrue(nodes.offer(nodes.aToB().channel(1), new byte[] {1}) > 0);
      Channel back = nodes.bToA().channel(1);
      int[] calls = {0};
      MessageHandler second =
          (segment, offset, length, sequence) -> ++calls[0] < 2 ? RETRY_LATER : CONTINUE;
      nodes.until("second try", () -> back.poll(second, 10) > 0);
      assertEquals(2, calls[0]);
      assertEquals(0, back.poll(second, 10));
    }
  }

  @Test
  void pollInsideItsOwnHandlerIsRefused() {
    try (var nodes = new TwoNodes(SHM, false)) {
      nodes.up();
      assertTrue(nodes.offer(nodes.aToB().channel(1), new byte[] {1}) > 0);
      Channel back = nodes.bToA().channel(1);
      MessageHandler nested =
          (segment, offset, length, sequence) -> {
            back.poll((s, o, l, q) -> CONTINUE, 1);
            return CONTINUE;
          };
      var e =
          assertThrows(
              IllegalStateException.class,
              () -> nodes.until("never", () -> back.poll(nested, 1) < 0));
      assertTrue(e.getMessage().contains("polled already"), e::getMessage);
    }
  }

  /** The program of DESIGN section 9. */
  @Test
  void readsAsDesigned() {
    Node other = Node.start(TwoNodes.config("sim-1", ALL, false).build());
    var config =
        NodeConfig.builder()
            .name("sim-0")
            .rail("udp://127.0.0.1:0")
            .rail("udp://127.0.0.2:0")
            .rail("shm:")
            .peer("sim-1", other.localAddresses().getLast().text())
            .progress(Progress.thread(Idle.adaptive()))
            .build();
    try (other;
        Node node = Node.start(config)) {
      Peer peer = node.peer("sim-1");
      peer.awaitUp(TwoNodes.PATIENCE);
      Channel channel = peer.channel(7);
      MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
      long sequence;
      while ((sequence = channel.offer(buffer, 0, 64)) < 0) {
        node.idle();
      }
      channel.awaitAccepted(sequence, TwoNodes.PATIENCE);
      MessageHandler echo =
          (segment, offset, length, seq) ->
              channel.offer(segment, offset, length) > 0 ? CONTINUE : RETRY_LATER;
      EventHandler events = event -> {};
      for (int i = 0; i < 10; i++) {
        node.idle(channel.poll(echo, 64) + node.pollEvents(events));
      }
    }
  }

  /** The peer's first message may come before this side asks for the channel, or after. */
  @Test
  void thePriorityIsThisSidesWhoeverOpensTheChannel() {
    try (var nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), false)) {
      nodes.up();
      for (int number = 1; number <= 3; number++) {
        assertTrue(nodes.offer(nodes.aToB().channel(number), new byte[1]) > 0);
      }
      nodes.until("opened", () -> nodes.bToA().connection().channels().size() == 3);
      Channel first = nodes.bToA().channel(1, Priority.HIGH);
      assertEquals(3, nodes.bToA().channels().size(), "a list chooses nothing");
      Channel second = nodes.bToA().channel(2, Priority.HIGH);
      for (Channel channel : List.of(first, second)) {
        assertEquals(Priority.HIGH, channel.priority());
        int number = channel.number();
        ChannelCore core = nodes.bToA().connection().existingChannel(number);
        assertEquals(Priority.HIGH.core(), core.priority());
        assertThrows(CrosstieException.class, () -> nodes.bToA().channel(number, Priority.NORMAL));
        assertSame(channel, nodes.bToA().channel(number));
      }
      assertEquals(Priority.NORMAL, nodes.bToA().channel(3).priority());
    }
  }
}
