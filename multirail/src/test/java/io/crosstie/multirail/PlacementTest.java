// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.connection.Placement;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.region.ExportedRegion;
import io.crosstie.multirail.region.Notifications;
import io.crosstie.multirail.region.Request;
import io.crosstie.multirail.region.Requests;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that have their place in memory which the receiver named (R27, R28). */
final class PlacementTest {
  private static final long SOON = 2_000_000_000L;
  private static final int REGION = 1 << 20;

  /** More than leaves within one duty cycle. */
  private static final int LARGE = 8 << 20;

  private static final byte[] NOTHING = {};

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment around = arena.allocate(REGION + 128, 64);
  private final MemorySegment memory = around.asSlice(64, REGION);
  private final List<String> told = new ArrayList<>();

  private static class TestPut extends Put {
    boolean done;
    String error;

    TestPut(long key, long target, MemorySegment source, byte[] header) {
      super(key, target, source, 0, source.byteSize(), header);
    }

    @Override
    public void onComplete(long sequence, String why) {
      assertTrue(!done);
      done = true;
      error = why;
    }
  }

  private static class TestRequest extends Request {
    boolean done;
    int reason;
    long before;
    String error;

    TestRequest(long key, long offset, MemorySegment into) {
      super(key, offset, into, 0, into.byteSize());
    }

    TestRequest(int kind, long key, long offset, long first, long second) {
      super(kind, key, offset, first, second);
    }

    @Override
    protected void onAnswer(int why, long word, String text) {
      assertTrue(!done);
      done = true;
      reason = why;
      before = word;
      error = text;
    }
  }

  private static TestRequest ask(Pair pair, TestRequest request) {
    Connection c = pair.connection();
    ChannelCore on = c.placement().channelOf(request);
    long result = c.placement().ask(on, request);
    assertTrue(result > 0, () -> "" + result);
    boolean unused = pair.left.endpoint.offered(c, on);
    return request;
  }

  private static void flush(Pair pair, Placement.FlushCompletion completion) {
    Connection c = pair.connection();
    c.placement()
        .flush(
            completion,
            channel -> {
              boolean unused = pair.left.endpoint.signal(c, channel);
            });
  }

  private static boolean tell(Pair pair) {
    int unused = pair.connection().placement().poll((r, o, l, b, at, n) -> {}, 1000);
    return true;
  }

  private static Pair pair(String kind) throws RailException {
    return switch (kind) {
      case "udp" -> new Pair(2);
      case "ring" -> Pair.shared(0, true);
      default -> Pair.mixed();
    };
  }

  private MemorySegment random(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    MemorySegment made = arena.allocate(length, 8);
    made.copyFrom(MemorySegment.ofArray(bytes));
    return made;
  }

  private static TestPut put(Pair pair, TestPut put) {
    Connection c = pair.connection();
    ChannelCore on = c.placement().channelOf(put);
    long result = c.placement().put(on, put);
    assertTrue(result > 0, () -> "" + result);
    boolean unused = pair.left.endpoint.offered(c, on);
    return put;
  }

  private boolean poll(Pair pair) {
    int unused = pair.connection().placement().poll((r, o, l, b, at, n) -> {}, 100);
    int unusedToo =
        pair.right
            .connections
            .getLast()
            .placement()
            .poll(
                (region, offset, length, bytes, at, count) ->
                    told.add(offset + "+" + length + " " + bytes.get(ValueLayout.JAVA_BYTE, at)),
                100);
    return true;
  }

  private ExportedRegion export(Pair pair, int rights, String who) {
    ExportedRegion region = pair.right.endpoint.regions().export(memory, rights, who, this);
    assertNotNull(region);
    return region;
  }

  private void assertUntouchedBeside(long from, long to) {
    for (long i = 0; i < around.byteSize(); i++) {
      if (i < 64 + from || i >= 64 + to) {
        assertEquals(0, around.get(ValueLayout.JAVA_BYTE, i), "at " + (i - 64));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring", "mixed"})
  void bytesComeToTheirPlaceAndAreTold(String kind) throws RailException {
    Pair pair = pair(kind);
    ExportedRegion region = export(pair, ExportedRegion.PUT, "left");
    int[] lengths = {0, 1, 8, 900, 1400, 16384, 65536, 70_000, 600_000};
    for (int length : lengths) {
      memory.fill((byte) 0);
      told.clear();
      MemorySegment source = random(length, length);
      byte[] header = {(byte) (length % 100), 2, 3};
      TestPut put = put(pair, new TestPut(region.key(), 1000, source, header));
      assertTrue(pair.run(SOON, () -> poll(pair) && put.done && !told.isEmpty()), pair::describe);
      assertNull(put.error);
      assertEquals(-1, source.mismatch(memory.asSlice(1000, length)), "length " + length);
      assertEquals(List.of("1000+" + length + " " + length % 100), told);
      assertUntouchedBeside(1000, 1000 + length);
    }
    TestPut quiet = put(pair, new TestPut(region.key(), 0, random(5, 100), NOTHING));
    assertTrue(pair.run(SOON, () -> poll(pair) && quiet.done), pair::describe);
    assertEquals(1, told.size());
    assertEquals(
        0, pair.right.connections.getLast().counters().get(ConnectionCounter.PROTOCOL_ERRORS));
  }

  /** A put that is refused fails by itself, with its reason, and all others get on. */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring"})
  void whatHasNoPlaceFailsAlone(String kind) throws RailException {
    Pair pair = pair(kind);
    ExportedRegion region = export(pair, ExportedRegion.PUT, null);
    ExportedRegion others = export(pair, ExportedRegion.PUT, "somebody");
    ExportedRegion readable = export(pair, ExportedRegion.GET, null);
    ExportedRegion closed = export(pair, ExportedRegion.PUT, null);
    pair.right.endpoint.regions().close(closed.key());
    int[] sizes = {8, 200_000};
    for (int size : sizes) {
      memory.fill((byte) 0);
      MemorySegment source = random(size, size);
      List<TestPut> bad =
          List.of(
              put(pair, new TestPut(region.key() + 1, 0, source, NOTHING)),
              put(pair, new TestPut(closed.key(), 0, source, NOTHING)),
              put(pair, new TestPut(others.key(), 0, source, NOTHING)),
              put(pair, new TestPut(readable.key(), 0, source, NOTHING)),
              put(pair, new TestPut(region.key(), REGION - size + 1, source, NOTHING)),
              put(pair, new TestPut(region.key(), Long.MAX_VALUE - size, source, NOTHING)));
      TestPut good = put(pair, new TestPut(region.key(), 64, source, NOTHING));
      assertTrue(
          pair.run(SOON, () -> poll(pair) && good.done && bad.stream().allMatch(p -> p.done)),
          pair::describe);
      assertNull(good.error);
      int[] reasons = {
        MessageRefusedFrame.NO_REGION,
        MessageRefusedFrame.NO_REGION,
        MessageRefusedFrame.NO_RIGHT,
        MessageRefusedFrame.NO_RIGHT,
        MessageRefusedFrame.OUT_OF_REGION,
        MessageRefusedFrame.OUT_OF_REGION
      };
      for (int i = 0; i < reasons.length; i++) {
        assertEquals(reasons[i], bad.get(i).reason());
        assertNotNull(bad.get(i).error);
      }
      assertEquals(-1, source.mismatch(memory.asSlice(64, size)));
      assertUntouchedBeside(64, 64 + size);
    }
  }

  /** After a region was closed nothing of what is under way is written any more. */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring"})
  void nothingIsWrittenAfterTheEndOfARegion(String kind) throws RailException {
    Pair pair = pair(kind);
    ExportedRegion region = export(pair, ExportedRegion.PUT, null);
    MemorySegment source = random(3, REGION);
    TestPut put = put(pair, new TestPut(region.key(), 0, source, NOTHING));
    assertTrue(pair.run(SOON, () -> memory.get(ValueLayout.JAVA_LONG, 0) != 0), pair::describe);
    pair.right.endpoint.regions().close(region.key());
    byte[] then = memory.toArray(ValueLayout.JAVA_BYTE);
    assertTrue(source.mismatch(memory) >= 0, "it was not all there yet");
    assertTrue(pair.run(SOON, () -> poll(pair) && put.done), pair::describe);
    assertEquals(MessageRefusedFrame.NO_REGION, put.reason());
    assertEquals(-1, MemorySegment.ofArray(then).mismatch(memory));
  }

  /**
   * Whoever is told of a flush was told of all before it, also of what was refused while the poll
   * was under way.
   */
  @Test
  void aFlushIsToldBehindTheCompletionsBeforeIt() throws RailException {
    Pair pair = pair("udp");
    ExportedRegion region = export(pair, ExportedRegion.PUT, null);
    List<String> order = new ArrayList<>();
    TestPut refused =
        new TestPut(region.key() + 1, 0, random(1, 100), NOTHING) {
          @Override
          public void onComplete(long sequence, String why) {
            order.add("refused");
          }
        };
    MemorySegment large = random(2, 100_000);
    TestPut placed =
        new TestPut(region.key(), 0, large, NOTHING) {
          @Override
          public void onComplete(long sequence, String why) {
            order.add("placed");
            ChannelCore lane = pair.connection().placement().channelOf(refused);
            assertTrue(pair.run(SOON, () -> lane.acceptedSequence() > 0), pair::describe);
          }
        };
    TestPut first = put(pair, placed);
    assertTrue(pair.run(SOON, () -> large.mismatch(memory.asSlice(0, 100_000)) < 0));
    pair.run(10_000_000);
    TestPut second = put(pair, refused);
    flush(pair, error -> order.add("flushed " + error));
    assertTrue(pair.run(SOON, () -> poll(pair) && order.size() == 3), pair::describe);
    assertEquals(List.of("placed", "refused", "flushed null"), order);
    assertEquals(0, first.reason());
    assertEquals(MessageRefusedFrame.NO_REGION, second.reason());
  }

  /**
   * A short put is acknowledged with what the peer sends next, or after a while; a flush asks for
   * it, also where the put has not left yet, and where another channel's state is due before it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring", "mixed"})
  void aFlushDoesNotWaitForADelayedAcknowledgement(String kind) throws RailException {
    Pair pair = pair(kind);
    ExportedRegion region = export(pair, ExportedRegion.PUT, null);
    for (int i = 0; i < 20; i++) {
      boolean hasLeft = i % 2 == 0;
      pair.run(10_000_000);
      if (i % 3 == 0) {
        assertTrue(pair.send(8) > 0);
        pair.run(50_000);
      }
      TestPut put = put(pair, new TestPut(region.key(), 0, random(i, 8), NOTHING));
      if (hasLeft) {
        pair.run(100_000);
        assertFalse(poll(pair) && put.done, "told before it was asked for");
      }
      List<String> flushed = new ArrayList<>();
      flush(pair, error -> flushed.add("flushed " + error));
      assertTrue(pair.run(200_000, () -> poll(pair) && !flushed.isEmpty()), pair::describe);
      assertEquals(List.of("flushed null"), flushed);
      assertTrue(put.done);
    }
    Connection right = pair.right.connections.getLast();
    assertEquals(0, right.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
  }

  /** What waits to be told is charged to the peer before it is taken, and given back at the end. */
  @Test
  void notificationsThatWaitAreCharged() throws RailException {
    Pair pair = pair("udp");
    ExportedRegion region = export(pair, ExportedRegion.PUT, null);
    Connection right = pair.right.connections.getLast();
    MemoryBudget received = pair.right.endpoint.memory().received();
    byte[] header = {7};
    List<TestPut> puts = new ArrayList<>();
    for (int round = 0; round < 8; round++) {
      for (int i = 0; i < 100; i++) {
        puts.add(put(pair, new TestPut(region.key(), 0, random(1, 8), header)));
      }
      assertTrue(
          pair.run(
              SOON,
              () -> {
                int unused = pair.connection().placement().poll((r, o, l, b, at, n) -> {}, 1000);
                return puts.stream().allMatch(p -> p.done);
              }),
          pair::describe);
    }
    long waiting = received.usedBytes();
    right.close(0, pair.net.nowNs);
    assertTrue(pair.run(60 * SOON, () -> right.state().isOver()), pair::describe);
    pair.run(SOON);
    long left = received.usedBytes();
    assertTrue(left >= 1024 * 57, () -> "of " + waiting + " B " + left + " for 800 that wait");
    assertEquals(800, right.placement().poll((r, o, l, b, at, n) -> assertEquals(1, n), 1000));
    assertEquals(left - 1024 * 57, received.usedBytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring", "mixed"})
  void bytesAreGotWithoutAPollThere(String kind) throws RailException {
    Pair pair = pair(kind);
    ExportedRegion region = export(pair, ExportedRegion.GET, "left");
    memory.copyFrom(random(9, REGION));
    int[] lengths = {1, 8, 900, 1400, 16384, 65536, 70_000, 600_000};
    for (int length : lengths) {
      MemorySegment into = arena.allocate(length + 16, 8);
      TestRequest get = ask(pair, new TestRequest(region.key(), 1000, into.asSlice(8, length)));
      assertTrue(pair.run(SOON, () -> tell(pair) && get.done), pair::describe);
      assertNull(get.error);
      assertEquals(-1, memory.asSlice(1000, length).mismatch(into.asSlice(8, length)));
      assertEquals(0, into.get(ValueLayout.JAVA_LONG, 0));
      assertEquals(0, into.get(ValueLayout.JAVA_LONG_UNALIGNED, 8L + length));
    }
    List<TestRequest> many = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      many.add(ask(pair, new TestRequest(region.key(), 64L * i, arena.allocate(64))));
    }
    assertTrue(pair.run(SOON, () -> tell(pair) && many.stream().allMatch(r -> r.done)));
    assertTrue(many.stream().allMatch(r -> r.error == null));
    assertNothingIsLeft(pair);
  }

  private static void assertNothingIsLeft(Pair pair) {
    boolean unused = pair.run(50_000_000, () -> !tell(pair));
    Connection right = pair.right.connections.getLast();
    assertEquals(0, right.answersOutstanding());
    assertEquals(0, right.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
    assertEquals(0, pair.connection().counters().get(ConnectionCounter.PROTOCOL_ERRORS));
    assertTrue(!pair.connection().placement().hasNews());
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring", "mixed"})
  void wordsAreChangedOnceAndInOrder(String kind) throws RailException {
    Pair pair = pair(kind);
    ExportedRegion region = export(pair, ExportedRegion.ATOMIC, null);
    memory.set(ValueLayout.JAVA_LONG, 64, 5);
    List<TestRequest> all = new ArrayList<>();
    all.add(ask(pair, new TestRequest(PlacedKind.FETCH_ADD, region.key(), 64, -7, 0)));
    all.add(ask(pair, new TestRequest(PlacedKind.SWAP, region.key(), 64, Long.MIN_VALUE, 0)));
    long key = region.key();
    all.add(ask(pair, new TestRequest(PlacedKind.COMPARE_AND_SET, key, 64, 1, 2)));
    all.add(ask(pair, new TestRequest(PlacedKind.COMPARE_AND_SET, key, 64, Long.MIN_VALUE, 3)));
    for (int i = 0; i < 500; i++) {
      all.add(ask(pair, new TestRequest(PlacedKind.FETCH_ADD, key, 64, 1, 0)));
    }
    assertTrue(pair.run(SOON, () -> tell(pair) && all.stream().allMatch(r -> r.done)));
    List<Long> expected = new ArrayList<>(List.of(5L, -2L, Long.MIN_VALUE, Long.MIN_VALUE));
    for (long i = 0; i < 500; i++) {
      expected.add(3 + i);
    }
    assertEquals(expected, all.stream().map(r -> r.before).toList());
    assertTrue(all.stream().allMatch(r -> r.error == null));
    assertEquals(503, memory.get(ValueLayout.JAVA_LONG, 64));
    assertNothingIsLeft(pair);
  }

  /** A request that is refused fails by itself, with its reason, and all others get on. */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring"})
  void whatMayNotBeHadFailsAlone(String kind) throws RailException {
    Pair pair = pair(kind);
    memory.fill((byte) 7);
    ExportedRegion region = export(pair, ExportedRegion.GET | ExportedRegion.ATOMIC, null);
    ExportedRegion others = export(pair, ExportedRegion.GET | ExportedRegion.ATOMIC, "somebody");
    ExportedRegion writable = export(pair, ExportedRegion.PUT, null);
    ExportedRegion closed = export(pair, ExportedRegion.GET, null);
    pair.right.endpoint.regions().close(closed.key());
    Arena gone = Arena.ofShared();
    int all = ExportedRegion.GET | ExportedRegion.ATOMIC;
    ExportedRegion unmapped =
        pair.right.endpoint.regions().export(gone.allocate(4096, 8), all, null, this);
    assertNotNull(unmapped);
    gone.close();
    MemorySegment into = arena.allocate(100, 8);
    int swap = PlacedKind.SWAP;
    List<TestRequest> bad =
        List.of(
            ask(pair, new TestRequest(region.key() + 1, 0, into)),
            ask(pair, new TestRequest(closed.key(), 0, into)),
            ask(pair, new TestRequest(others.key(), 0, into)),
            ask(pair, new TestRequest(writable.key(), 0, into)),
            ask(pair, new TestRequest(region.key(), REGION - 99, into)),
            ask(pair, new TestRequest(region.key(), Long.MAX_VALUE - 99, into)),
            ask(pair, new TestRequest(swap, region.key() + 1, 0, 1, 0)),
            ask(pair, new TestRequest(swap, others.key(), 0, 1, 0)),
            ask(pair, new TestRequest(swap, writable.key(), 0, 1, 0)),
            ask(pair, new TestRequest(swap, region.key(), REGION, 1, 0)),
            ask(pair, new TestRequest(swap, region.key(), 4, 1, 0)),
            ask(pair, new TestRequest(unmapped.key(), 0, into)),
            ask(pair, new TestRequest(swap, unmapped.key(), 0, 1, 0)));
    TestRequest good = ask(pair, new TestRequest(region.key(), 0, arena.allocate(100)));
    assertTrue(
        pair.run(SOON, () -> tell(pair) && good.done && bad.stream().allMatch(r -> r.done)),
        pair::describe);
    assertNull(good.error);
    int[] reasons = {
      MessageRefusedFrame.NO_REGION,
      MessageRefusedFrame.NO_REGION,
      MessageRefusedFrame.NO_RIGHT,
      MessageRefusedFrame.NO_RIGHT,
      MessageRefusedFrame.OUT_OF_REGION,
      MessageRefusedFrame.OUT_OF_REGION,
      MessageRefusedFrame.NO_REGION,
      MessageRefusedFrame.NO_RIGHT,
      MessageRefusedFrame.NO_RIGHT,
      MessageRefusedFrame.OUT_OF_REGION,
      MessageRefusedFrame.OUT_OF_REGION,
      MessageRefusedFrame.NO_REGION,
      MessageRefusedFrame.NO_REGION
    };
    for (int i = 0; i < reasons.length; i++) {
      assertEquals(reasons[i], bad.get(i).reason, "request " + i);
      assertNotNull(bad.get(i).error);
    }
    for (long i = 0; i < into.byteSize(); i++) {
      assertEquals(0, into.get(ValueLayout.JAVA_BYTE, i), "nothing was got");
    }
    for (long i = 0; i < REGION; i++) {
      assertEquals(7, memory.get(ValueLayout.JAVA_BYTE, i), "nothing was changed");
    }
    assertNothingIsLeft(pair);
  }

  /** A region that is closed while it is read from is read no more; that get fails by itself. */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring"})
  void nothingIsReadAfterTheEndOfARegion(String kind) throws RailException {
    Pair pair = pair(kind);
    MemorySegment source = arena.allocate(LARGE, 8).fill((byte) 1);
    ExportedRegion region =
        pair.right.endpoint.regions().export(source, ExportedRegion.GET, null, this);
    assertNotNull(region);
    ExportedRegion stays = export(pair, ExportedRegion.GET, null);
    MemorySegment into = arena.allocate(LARGE, 8);
    TestRequest get = ask(pair, new TestRequest(region.key(), 0, into));
    assertTrue(pair.run(SOON, () -> into.get(ValueLayout.JAVA_BYTE, 0) != 0), pair::describe);
    pair.right.endpoint.regions().close(region.key());
    source.fill((byte) 2);
    TestRequest good = ask(pair, new TestRequest(stays.key(), 0, arena.allocate(100)));
    assertTrue(pair.run(SOON, () -> tell(pair) && get.done && good.done), pair::describe);
    assertEquals(MessageRefusedFrame.NO_REGION, get.reason);
    assertNull(good.error);
    for (long i = 0; i < LARGE; i++) {
      assertTrue(into.get(ValueLayout.JAVA_BYTE, i) != 2, "what was there after the close");
    }
    assertNothingIsLeft(pair);
  }

  /** Memory that its owner takes away while it is read from, or written to here, costs that get. */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring"})
  void memoryThatGoesAwayCostsThatGetAlone(String kind) throws RailException {
    Pair pair = pair(kind);
    Arena there = Arena.ofShared();
    MemorySegment source = there.allocate(LARGE, 8).fill((byte) 1);
    ExportedRegion region =
        pair.right.endpoint.regions().export(source, ExportedRegion.GET, null, this);
    MemorySegment large = arena.allocate(LARGE, 8).fill((byte) 1);
    ExportedRegion stays =
        pair.right.endpoint.regions().export(large, ExportedRegion.GET, null, this);
    assertNotNull(region);
    assertNotNull(stays);
    MemorySegment into = arena.allocate(LARGE, 8);
    TestRequest get = ask(pair, new TestRequest(region.key(), 0, into));
    assertTrue(pair.run(SOON, () -> into.get(ValueLayout.JAVA_BYTE, 0) != 0), pair::describe);
    there.close();
    assertTrue(pair.run(SOON, () -> tell(pair) && get.done), pair::describe);
    assertEquals(MessageRefusedFrame.NO_REGION, get.reason);

    Arena here = Arena.ofShared();
    MemorySegment lent = here.allocate(LARGE, 8);
    TestRequest second = ask(pair, new TestRequest(stays.key(), 0, lent));
    assertTrue(pair.run(SOON, () -> lent.get(ValueLayout.JAVA_BYTE, 0) != 0), pair::describe);
    here.close();
    TestRequest good = ask(pair, new TestRequest(stays.key(), 0, arena.allocate(100)));
    assertTrue(pair.run(SOON, () -> tell(pair) && second.done && good.done), pair::describe);
    assertNotNull(second.error);
    assertNull(good.error);
    assertNothingIsLeft(pair);
  }

  /** As many as there may be wait for answers; what the end of the connection takes is told. */
  @Test
  void requestsAreBoundedAndToldAtTheEnd() throws RailException {
    Pair pair = pair("udp");
    ExportedRegion region = export(pair, ExportedRegion.ATOMIC, null);
    pair.rightRuns = false;
    List<TestRequest> asked = new ArrayList<>();
    for (int i = 0; i < Requests.MOST; i++) {
      asked.add(ask(pair, new TestRequest(PlacedKind.SWAP, region.key(), 0, i, 0)));
    }
    Connection left = pair.connection();
    TestRequest more = new TestRequest(PlacedKind.SWAP, region.key(), 0, 1, 0);
    ChannelCore on = left.placement().channelOf(more);
    assertEquals(Status.BACK_PRESSURED, left.placement().ask(on, more));
    long sent = pair.left.endpoint.memory().sent().usedBytes();
    assertTrue(sent >= 300L * Requests.MOST, () -> sent + " B charged");
    left.close(0, pair.net.nowNs);
    assertTrue(
        pair.run(60 * SOON, () -> tell(pair) && asked.stream().allMatch(r -> r.done)),
        pair::describe);
    for (TestRequest each : asked) {
      assertTrue(each.error.contains("nobody knows"), each.error);
    }
    assertTrue(!more.done);
    pair.run(SOON);
    assertEquals(0, pair.left.endpoint.memory().sent().usedBytes());
  }

  /** A request that has arrived, but whose answer has not when the connection ends. */
  @Test
  void aGetThatTheConnectionTakesAlongIsTold() throws RailException {
    Pair pair = pair("udp");
    MemorySegment source = arena.allocate(LARGE, 8).fill((byte) 1);
    ExportedRegion region =
        pair.right.endpoint.regions().export(source, ExportedRegion.GET, null, this);
    assertNotNull(region);
    MemorySegment into = arena.allocate(LARGE, 8);
    TestRequest get = ask(pair, new TestRequest(region.key(), 0, into));
    assertTrue(pair.run(SOON, () -> into.get(ValueLayout.JAVA_BYTE, 0) != 0), pair::describe);
    ChannelCore on = pair.connection().placement().channelOf(get);
    assertTrue(pair.run(SOON, () -> tell(pair) && on.acceptedSequence() > 0 && on.isTold(1)));
    assertTrue(!get.done);
    pair.connection().close(0, pair.net.nowNs);
    assertTrue(pair.run(60 * SOON, () -> tell(pair) && get.done), pair::describe);
    assertTrue(get.error.contains("nobody knows"), get.error);
  }

  /** Credit comes back without a poll, and many puts need no application at the other end. */
  @Test
  void creditComesBackWithoutAPoll() throws RailException {
    Pair pair = pair("udp");
    ExportedRegion region = export(pair, ExportedRegion.PUT, null);
    MemorySegment source = random(4, 64);
    int done = 0;
    for (int i = 0; i < 200; i++) {
      List<TestPut> puts = new ArrayList<>();
      for (int n = 0; n < 50; n++) {
        puts.add(put(pair, new TestPut(region.key(), 64L * n, source, NOTHING)));
      }
      assertTrue(
          pair.run(
              SOON,
              () -> {
                int unused = pair.connection().placement().poll((r, o, l, b, at, c) -> {}, 100);
                return puts.stream().allMatch(p -> p.done);
              }),
          pair::describe);
      done += puts.size();
    }
    assertEquals(10_000, done);
  }

  /** Nobody polls for a while: what was refused for that comes soon after, not one by one. */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring", "mixed"})
  void notificationsThatFoundNoPlaceComeOnceThereIsOne(String kind) throws RailException {
    Pair pair = pair(kind);
    ExportedRegion region = export(pair, ExportedRegion.PUT, null);
    MemorySegment source = random(4, 8);
    byte[] header = {1};
    int puts = Notifications.MOST + 3000;
    int[] completed = {0};
    for (int n = 0; n < puts; n++) {
      TestPut unused =
          put(
              pair,
              new TestPut(region.key(), 0, source, header) {
                @Override
                public void onComplete(long sequence, String why) {
                  assertNull(why);
                  completed[0]++;
                }
              });
      if (n % 100 == 0) {
        pair.run(50_000);
      }
    }
    pair.run(SOON / 10);
    Connection right = pair.right.connections.getLast();
    long refused =
        right.rails().stream().mapToLong(rail -> rail.counters().get(RailCounter.REFUSED)).sum();
    assertTrue(refused > 100, pair::describe);
    int[] heard = {0};
    assertTrue(
        pair.run(
            SOON,
            () -> {
              int unused = pair.connection().placement().poll((r, o, l, b, at, c) -> {}, 1000);
              heard[0] += right.placement().poll((r, o, l, b, at, c) -> {}, 1000);
              return heard[0] == puts && completed[0] == puts;
            }),
        () -> heard[0] + " told, " + completed[0] + " done; " + pair.describe());
  }
}
