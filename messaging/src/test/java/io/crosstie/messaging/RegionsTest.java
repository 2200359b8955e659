// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory that one node exports and another one writes to. */
@Timeout(180)
final class RegionsTest {
  private static final Set<Region.Right> PUT = Set.of(Region.Right.PUT);
  private static final int SIZE = 1 << 20;

  private record Done(PutStatus status, @Nullable String error) {}

  private record Told(Region region, String peer, String bytes, long offset, long length) {}

  private final List<Done> done = new ArrayList<>();
  private final List<Told> told = new ArrayList<>();
  private final PutCompletion completion =
      (peer, status, error) -> done.add(new Done(status, error));
  private final NotificationHandler tells =
      (region, peer, bytes, offset, length, targetOffset, targetLength) ->
          told.add(
              new Told(
                  region,
                  peer.name(),
                  HexFormat.of().formatHex(TwoNodes.bytes(bytes, offset, length)),
                  targetOffset,
                  targetLength));

  private void until(TwoNodes nodes, String what, java.util.function.BooleanSupplier condition) {
    nodes.until(
        what,
        () -> {
          int unused = nodes.a.pollRegions(tells, 100) + nodes.b.pollRegions(tells, 100);
          return condition.getAsBoolean();
        });
  }

  private static MemorySegment random(Arena arena, int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return arena.allocate(length, 8).copyFrom(MemorySegment.ofArray(bytes));
  }

  private static long put(TwoNodes nodes, java.util.function.LongSupplier put) {
    long[] result = new long[1];
    nodes.until(
        "room for a put",
        () -> {
          result[0] = put.getAsLong();
          return result[0] != Channel.BACK_PRESSURED && result[0] != Channel.CONNECTING;
        });
    return result[0];
  }

  @ParameterizedTest
  @CsvSource({"false, udp://127.0.0.1:0", "true, udp://127.0.0.1:0", "false, shm:", "true, shm:"})
  void putsComeToTheirPlaceAndAreTold(boolean caller, String rail) {
    try (var nodes = new TwoNodes(List.of(rail), caller);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      MemorySegment around = arena.allocate(SIZE + 128, 64);
      Region region = nodes.b.export(around.asSlice(64, SIZE), PUT, nodes.bToA());
      RemoteRegion remote = nodes.aToB().region(region.key());
      for (int length : new int[] {0, 1, 8, 1000, 64 << 10, 300_000, SIZE - 8}) {
        around.fill((byte) 0);
        done.clear();
        told.clear();
        MemorySegment source = random(arena, length, length);
        byte[] note = {1, (byte) length};
        assertTrue(put(nodes, () -> remote.put(source, 0, length, 8, note, completion)) > 0);
        until(nodes, "put of " + length, () -> done.size() == 1 && told.size() == 1);
        assertEquals(new Done(PutStatus.PLACED, null), done.getFirst());
        Told last = told.getFirst();
        assertEquals(region, last.region());
        assertEquals("a", last.peer());
        assertEquals(HexFormat.of().formatHex(note), last.bytes());
        assertEquals(8, last.offset());
        assertEquals(length, last.length());
        assertEquals(-1, source.mismatch(around.asSlice(72, length)));
        for (long i = 0; i < 72; i++) {
          assertEquals(0, around.get(ValueLayout.JAVA_BYTE, i));
        }
        for (long i = 72L + length; i < around.byteSize(); i++) {
          assertEquals(0, around.get(ValueLayout.JAVA_BYTE, i));
        }
      }
      region.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"false, udp://127.0.0.1:0", "true, shm:"})
  void whatHasNoPlaceFailsAloneWithItsReason(boolean caller, String rail) {
    try (var nodes = new TwoNodes(List.of(rail), caller);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      Region region = nodes.b.export(arena.allocate(1000, 64), PUT);
      Region closed = nodes.b.export(arena.allocate(1000, 64), PUT);
      closed.close();
      Arena gone = Arena.ofShared();
      Region lost = nodes.b.export(gone.allocate(1000, 64), PUT);
      gone.close();
      MemorySegment source = random(arena, 1, 100);
      List<PutStatus> expected = new ArrayList<>();
      long[][] places = {
        {region.key(), 0},
        {region.key(), 901},
        {region.key() ^ 1, 0},
        {closed.key(), 0},
        {lost.key(), 0},
        {region.key(), 900}
      };
      PutStatus[] outcomes = {
        PutStatus.PLACED,
        PutStatus.OUT_OF_REGION,
        PutStatus.NO_REGION,
        PutStatus.NO_REGION,
        PutStatus.NO_REGION,
        PutStatus.PLACED
      };
      for (int i = 0; i < places.length; i++) {
        RemoteRegion remote = nodes.aToB().region(places[i][0]);
        long at = places[i][1];
        assertTrue(put(nodes, () -> remote.put(source, 0, 100, at, completion)) > 0);
        expected.add(outcomes[i]);
        int n = i + 1;
        until(nodes, "completion " + n, () -> done.size() == n);
      }
      assertEquals(expected, done.stream().map(Done::status).toList());
      for (Done each : done) {
        assertEquals(each.status() == PutStatus.PLACED, each.error() == null, each.toString());
      }
      assertEquals(-1, source.mismatch(region.memory().asSlice(900, 100)));
      // and messages get on
      Channel channel = nodes.aToB().channel(1);
      assertTrue(nodes.offer(channel, new byte[] {7}) > 0);
      assertArrayEquals(new byte[] {7}, nodes.receive(nodes.bToA().channel(1)));
    }
  }

  /** A flush is told once everything that was put before is in its place, and not before. */
  @ParameterizedTest
  @CsvSource({"false, udp://127.0.0.1:0", "true, udp://127.0.0.1:0", "false, shm:", "true, shm:"})
  void aFlushFollowsAllPutsBeforeIt(boolean caller, String rail) {
    try (var nodes = new TwoNodes(List.of(rail), caller);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      Region region = nodes.b.export(arena.allocate(SIZE, 64), PUT);
      RemoteRegion remote = nodes.aToB().region(region.key());
      MemorySegment source = random(arena, 1, SIZE);
      int parts = 16;
      for (int i = 0; i < parts; i++) {
        long at = (long) i * (SIZE / parts);
        int length = i % 2 == 0 ? SIZE / parts : 100;
        assertTrue(put(nodes, () -> remote.put(source, at, length, at, completion)) > 0);
      }
      List<String> flushed = new ArrayList<>();
      nodes.aToB().flush((peer, error) -> flushed.add(peer.name() + error));
      until(nodes, "flush", () -> !flushed.isEmpty());
      assertEquals(List.of("bnull"), flushed);
      for (int i = 0; i < parts; i++) {
        long at = (long) i * (SIZE / parts);
        int length = i % 2 == 0 ? SIZE / parts : 100;
        assertEquals(-1, source.asSlice(at, length).mismatch(region.memory().asSlice(at, length)));
      }
      until(nodes, "completions", () -> done.size() == parts);
    }
  }

  /** Closing is done between duty cycles: behind it the memory can be freed at once. */
  @ParameterizedTest
  @CsvSource({"false, udp://127.0.0.1:0", "true, udp://127.0.0.1:0", "false, shm:", "true, shm:"})
  void nothingIsWrittenAfterClose(boolean caller, String rail) {
    try (var nodes = new TwoNodes(List.of(rail), caller);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      MemorySegment source = random(arena, 1, SIZE);
      for (int round = 1; round <= 20; round++) {
        MemorySegment memory = arena.allocate(SIZE, 64);
        Region region = nodes.b.export(memory, PUT);
        RemoteRegion remote = nodes.aToB().region(region.key());
        done.clear();
        assertTrue(put(nodes, () -> remote.put(source, 0, SIZE, 0, completion)) > 0);
        int turns = round % 5;
        for (int i = 0; i < turns; i++) {
          nodes.turn();
        }
        region.close();
        byte[] then = memory.toArray(ValueLayout.JAVA_BYTE);
        until(nodes, "completion", () -> done.size() == 1);
        boolean whole = source.mismatch(MemorySegment.ofArray(then)) < 0;
        assertTrue(whole || done.getFirst().status() == PutStatus.NO_REGION, done.toString());
        assertEquals(-1, MemorySegment.ofArray(then).mismatch(memory));
      }
    }
  }

  @Test
  void memoryOfOneThreadIsRefusedWhereAnotherUsesIt() {
    try (var nodes = new TwoNodes(List.of("shm:"), false);
        var callers = new TwoNodes(List.of("shm:"), true);
        Arena confined = Arena.ofConfined()) {
      MemorySegment memory = confined.allocate(64, 8);
      assertTrue(
          assertThrows(IllegalArgumentException.class, () -> nodes.b.export(memory, PUT))
              .getMessage()
              .contains("Arena.ofShared()"));
      assertThrows(
          IllegalArgumentException.class,
          () -> nodes.b.export(MemorySegment.ofArray(new byte[8]), PUT));
      assertThrows(
          IllegalArgumentException.class,
          () -> nodes.aToB().region(1).put(memory, 0, 8, 0, completion));
      assertThrows(CrosstieException.class, () -> nodes.aToB().channel(0x7f00_0000));
      callers.up();
      Region region = callers.b.export(memory, PUT);
      assertTrue(region.key() != 0);
      RemoteRegion remote = callers.aToB().region(region.key());
      MemorySegment source = confined.allocate(8, 8);
      source.set(ValueLayout.JAVA_LONG, 0, 77);
      assertTrue(put(callers, () -> remote.put(source, 0, 8, 16, completion)) > 0);
      until(callers, "completion", () -> done.size() == 1);
      assertEquals(77, memory.get(ValueLayout.JAVA_LONG, 16));
    }
  }

  /** What nobody knows any more is told as such. */
  @Test
  void putsThatTheConnectionTakesAlongAreTold() {
    try (var nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), false);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      Region region = nodes.b.export(arena.allocate(SIZE, 64), PUT);
      RemoteRegion remote = nodes.aToB().region(region.key());
      nodes.b.close();
      MemorySegment source = arena.allocate(100, 8);
      long result = remote.put(source, 0, 100, 0, completion);
      if (result > 0) {
        nodes.until(
            "completion",
            () -> {
              int unused = nodes.a.pollRegions(tells, 10);
              return done.size() == 1;
            });
        assertEquals(PutStatus.FAILED, done.getFirst().status());
        assertNotNull(done.getFirst().error());
      } else {
        assertTrue(done.isEmpty());
      }
    }
  }
}
