// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.region.ExportedRegion;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Short puts over shared memory, which have the short cuts that short messages have. */
final class ShortPutsTest {
  private static final long SOON = 2_000_000_000L;
  private static final int PUTS = 400;
  private static final int REGION = 4096;

  private final Random random = new Random(5);
  private final Arena arena = Arena.ofAuto();
  private final MemorySegment around = arena.allocate(REGION + 128, 64);
  private final MemorySegment memory = around.asSlice(64, REGION);
  private final MemorySegment shadow = arena.allocate(REGION + 128, 64);
  private final List<String> told = new ArrayList<>();

  private static final class OnePut extends Put {
    boolean done;
    String error;

    OnePut(long key, long target, MemorySegment source, int header) {
      super(key, target, source, 0, source.byteSize(), new byte[header]);
    }

    @Override
    public void onComplete(long sequence, String why) {
      assertTrue(!done);
      done = true;
      error = why;
    }
  }

  private MemorySegment bytes(int length) {
    MemorySegment made = arena.allocate(length + 1L, 8);
    for (int i = 0; i < length; i++) {
      made.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
    return made.asSlice(0, length);
  }

  private static Pair pair(boolean oneThread) throws RailException {
    return Pair.shared(0, oneThread);
  }

  private ExportedRegion export(Pair pair) {
    ExportedRegion region =
        pair.right.endpoint.regions().export(memory, ExportedRegion.PUT, "left", this);
    assertNotNull(region);
    return region;
  }

  private static OnePut put(Pair pair, OnePut put) {
    ChannelCore on = pair.connection().placement().channelOf(put);
    assertTrue(pair.connection().placement().put(on, put) > 0);
    boolean unused = pair.left.endpoint.offered(pair.connection(), on);
    return put;
  }

  private boolean poll(Pair pair) {
    int unused = pair.connection().placement().poll((r, o, l, b, at, n) -> {}, 100);
    int unusedToo =
        pair.right
            .connections
            .getLast()
            .placement()
            .poll((r, offset, length, b, at, n) -> told.add(offset + "+" + length + " " + n), 100);
    return true;
  }

  /** One after the other, with and without a notification: each in its place, and told once. */
  private void exchange(Pair pair, ExportedRegion region, int count) {
    for (int i = 0; i < count; i++) {
      int header = i / 20 % 2 == 0 ? 0 : 1 + i / 40 % 32;
      MemorySegment source = bytes(random.nextInt(header > 0 ? 0 : 1, 65 - header));
      long at = random.nextInt(REGION - 64);
      told.clear();
      shadow.asSlice(64 + at, source.byteSize()).copyFrom(source);
      OnePut put = put(pair, new OnePut(region.key(), at, source, header));
      assertTrue(
          pair.run(
              SOON, () -> poll(pair) && isThere(source, at) && (header == 0 || !told.isEmpty())),
          pair::describe);
      assertEquals(
          header == 0 ? List.of() : List.of(at + "+" + source.byteSize() + " " + header), told);
      assertEquals(-1, around.mismatch(shadow));
      assertTrue(pair.run(SOON, () -> poll(pair) && put.done), pair::describe);
      assertEquals(null, put.error);
    }
  }

  private boolean isThere(MemorySegment source, long at) {
    return source.mismatch(memory.asSlice(at, source.byteSize())) < 0;
  }

  private static long out(Pair pair, ConnectionCounter counter) {
    return pair.connection().counters().get(counter);
  }

  private static long in(Pair pair, ConnectionCounter counter) {
    return pair.right.connections.getLast().counters().get(counter);
  }

  private static void assertBooksClose(Pair pair, long puts) {
    pair.run(50_000_000L);
    assertEquals(puts, out(pair, ConnectionCounter.MESSAGES_OUT));
    assertEquals(puts, in(pair, ConnectionCounter.MESSAGES_IN));
    assertEquals(puts, out(pair, ConnectionCounter.MESSAGES_ACCEPTED));
    assertEquals(
        pair.counter(pair.left, 0, RailCounter.PACKETS_OUT),
        pair.counter(pair.right, 0, RailCounter.PACKETS_IN));
    assertEquals(
        pair.counter(pair.left, 0, RailCounter.BYTES_OUT),
        pair.counter(pair.right, 0, RailCounter.BYTES_IN));
    assertEquals(
        out(pair, ConnectionCounter.BYTES_OUT),
        pair.counter(pair.right, 0, RailCounter.PAYLOAD_IN));
    assertEquals(0, in(pair, ConnectionCounter.PROTOCOL_ERRORS));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nearlyAllGoThisWayAndEveryPacketIsCounted(boolean oneThread) throws RailException {
    Pair pair = pair(oneThread);
    exchange(pair, export(pair), PUTS);
    assertTrue(out(pair, ConnectionCounter.INLINE_SENDS) > PUTS / 2, pair::describe);
    assertTrue(in(pair, ConnectionCounter.PREDICTED_PACKETS) > PUTS / 2, pair::describe);
    assertBooksClose(pair, PUTS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutTheShortcutsTheResultIsTheSame(boolean oneThread) throws RailException {
    Pair pair = Pair.sharedWithoutShortcuts(oneThread);
    exchange(pair, export(pair), PUTS);
    assertEquals(0, out(pair, ConnectionCounter.INLINE_SENDS));
    assertEquals(0, in(pair, ConnectionCounter.PREDICTED_PACKETS));
    assertBooksClose(pair, PUTS);
  }

  /** R21, R28: what does not match its checksum is asked for again, and nothing of it placed. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDamagedPutIsSentAgain(boolean oneThread) throws RailException {
    Pair pair = pair(oneThread);
    ExportedRegion region = export(pair);
    for (int i = 0; i < 20; i++) {
      exchange(pair, region, 19);
      pair.net.ports.get("mem://ring-shared0.right").corruptNext = true;
      MemorySegment source = bytes(1 + i);
      OnePut put = put(pair, new OnePut(region.key(), 100, source, 0));
      assertTrue(
          pair.run(
              SOON,
              () -> {
                boolean isBefore = around.mismatch(shadow) < 0;
                assertTrue(isBefore || isThere(source, 100), "damaged bytes were placed");
                return poll(pair) && put.done;
              }),
          pair::describe);
      shadow.asSlice(164, source.byteSize()).copyFrom(source);
      assertEquals(-1, around.mismatch(shadow));
    }
    assertTrue(pair.counter(pair.right, 0, RailCounter.CRC_FAILURES) > 0, pair::describe);
  }

  /** R27: each is judged, whatever was before it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("R27")
  void whatHasNoPlaceIsRefusedThisWayToo(boolean oneThread) throws RailException {
    Pair pair = pair(oneThread);
    ExportedRegion region = export(pair);
    ExportedRegion others =
        pair.right.endpoint.regions().export(memory, ExportedRegion.PUT, "somebody", this);
    ExportedRegion readable =
        pair.right.endpoint.regions().export(memory, ExportedRegion.GET, null, this);
    assertNotNull(others);
    assertNotNull(readable);
    for (int i = 0; i < 12; i++) {
      exchange(pair, region, 10);
      int header = i % 2;
      MemorySegment source = bytes(8);
      OnePut bad =
          switch (i % 6) {
            case 0 -> new OnePut(region.key() + 1, 0, source, header);
            case 1 -> new OnePut(others.key(), 0, source, header);
            case 2 -> new OnePut(readable.key(), 0, source, header);
            case 3 -> new OnePut(region.key(), REGION - 7, source, header);
            case 4 -> new OnePut(region.key(), Long.MAX_VALUE - 8, source, header);
            default -> new OnePut(region.key(), REGION, source, header);
          };
      told.clear();
      OnePut refused = put(pair, bad);
      assertTrue(pair.run(SOON, () -> poll(pair) && refused.done), pair::describe);
      int[] reasons = {
        MessageRefusedFrame.NO_REGION,
        MessageRefusedFrame.NO_RIGHT,
        MessageRefusedFrame.NO_RIGHT,
        MessageRefusedFrame.OUT_OF_REGION,
        MessageRefusedFrame.OUT_OF_REGION,
        MessageRefusedFrame.OUT_OF_REGION
      };
      assertEquals(reasons[i % 6], refused.reason());
      assertEquals(List.of(), told);
      assertEquals(-1, around.mismatch(shadow));
    }
    exchange(pair, region, 10);
    pair.right.endpoint.regions().close(region.key());
    OnePut late = put(pair, new OnePut(region.key(), 0, bytes(8), 1));
    assertTrue(pair.run(SOON, () -> poll(pair) && late.done), pair::describe);
    assertEquals(MessageRefusedFrame.NO_REGION, late.reason());
    assertEquals(-1, around.mismatch(shadow));
  }

  /** Memory that is gone when it is read costs that put; a region's that is gone, that region. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void memoryThatIsGoneCostsNothingElse(boolean oneThread) throws RailException {
    Pair pair = pair(oneThread);
    ExportedRegion region = export(pair);
    exchange(pair, region, 30);
    Arena gone = Arena.ofShared();
    MemorySegment source = gone.allocate(8);
    gone.close();
    OnePut failed = put(pair, new OnePut(region.key(), 0, source, 0));
    assertTrue(pair.run(SOON, () -> poll(pair) && failed.done), pair::describe);
    assertNotNull(failed.error);
    exchange(pair, region, 30);
    Arena ends = Arena.ofShared();
    ExportedRegion brief =
        pair.right.endpoint.regions().export(ends.allocate(64), ExportedRegion.PUT, null, this);
    assertNotNull(brief);
    OnePut first = put(pair, new OnePut(brief.key(), 0, bytes(8), 0));
    assertTrue(pair.run(SOON, () -> poll(pair) && first.done), pair::describe);
    assertEquals(null, first.error);
    ends.close();
    told.clear();
    OnePut second = put(pair, new OnePut(brief.key(), 0, bytes(8), 3));
    assertTrue(pair.run(SOON, () -> poll(pair) && second.done), pair::describe);
    assertEquals(MessageRefusedFrame.NO_REGION, second.reason());
    assertEquals(List.of(), told);
    exchange(pair, region, 30);
  }
}
