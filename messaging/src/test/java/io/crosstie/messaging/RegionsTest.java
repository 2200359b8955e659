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

  private record Done(RegionStatus status, @Nullable String error) {}

  private record Told(Region region, String peer, String bytes, long offset, long length) {}

  private final List<Done> done = new ArrayList<>();
  private final List<Told> told = new ArrayList<>();
  private final RegionCompletion completion =
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
        assertEquals(new Done(RegionStatus.DONE, null), done.getFirst());
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
      List<RegionStatus> expected = new ArrayList<>();
      long[][] places = {
        {region.key(), 0},
        {region.key(), 901},
        {region.key() ^ 1, 0},
        {closed.key(), 0},
        {lost.key(), 0},
        {region.key(), 900}
      };
      RegionStatus[] outcomes = {
        RegionStatus.DONE,
        RegionStatus.OUT_OF_REGION,
        RegionStatus.NO_REGION,
        RegionStatus.NO_REGION,
        RegionStatus.NO_REGION,
        RegionStatus.DONE
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
        assertEquals(each.status() == RegionStatus.DONE, each.error() == null, each.toString());
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
        assertTrue(whole || done.getFirst().status() == RegionStatus.NO_REGION, done.toString());
        assertEquals(-1, MemorySegment.ofArray(then).mismatch(memory));
      }
    }
  }

  private static TwoNodes nodes(String progress, String rail) {
    return progress.equals("shared")
        ? new TwoNodes(List.of(rail), false, config -> config.progress(Progress.shared()))
        : new TwoNodes(List.of(rail), progress.equals("caller"));
  }

  /** Only this side polls: what is asked for is read and changed there by itself. */
  @ParameterizedTest
  @CsvSource({
    "caller, udp://127.0.0.1:0",
    "caller, shm:",
    "thread, udp://127.0.0.1:0",
    "thread, shm:",
    "shared, udp://127.0.0.1:0",
    "shared, shm:"
  })
  void bytesAreGotAndWordsAreChanged(String progress, String rail) {
    try (var nodes = nodes(progress, rail);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      MemorySegment memory = random(arena, 7, SIZE);
      Region region =
          nodes.b.export(memory, Set.of(Region.Right.GET, Region.Right.ATOMIC), nodes.bToA());
      RemoteRegion remote = nodes.aToB().region(region.key());
      for (int length : new int[] {1, 8, 1000, 64 << 10, 300_000, SIZE - 8}) {
        done.clear();
        MemorySegment into = arena.allocate(length + 16, 8);
        assertTrue(put(nodes, () -> remote.get(into, 8, length, 8, completion)) > 0);
        untilToldToA(nodes, "get of " + length, () -> done.size() == 1);
        assertEquals(new Done(RegionStatus.DONE, null), done.getFirst());
        assertEquals(-1, memory.asSlice(8, length).mismatch(into.asSlice(8, length)));
        assertEquals(0, into.get(ValueLayout.JAVA_LONG, 0));
        assertEquals(0, into.get(ValueLayout.JAVA_LONG_UNALIGNED, 8L + length));
      }
      memory.set(ValueLayout.JAVA_LONG, 16, 40);
      List<Long> before = new ArrayList<>();
      AtomicCompletion words =
          (peer, status, word, error) -> {
            assertEquals(RegionStatus.DONE, status);
            assertEquals("b", peer.name());
            before.add(word);
          };
      assertTrue(put(nodes, () -> remote.fetchAdd(16, 2, words)) > 0);
      assertTrue(put(nodes, () -> remote.compareAndSet(16, 41, 7, words)) > 0);
      assertTrue(put(nodes, () -> remote.compareAndSet(16, 42, -1, words)) > 0);
      assertTrue(put(nodes, () -> remote.swap(16, 5, words)) > 0);
      untilToldToA(nodes, "operations", () -> before.size() == 4);
      assertEquals(List.of(40L, 42L, 42L, -1L), before);
      assertEquals(5, memory.get(ValueLayout.JAVA_LONG, 16));
      region.close();
      done.clear();
      assertTrue(put(nodes, () -> remote.get(memory, 0, 8, 0, completion)) > 0);
      untilToldToA(nodes, "a get of what is closed", () -> done.size() == 1);
      assertEquals(RegionStatus.NO_REGION, done.getFirst().status());
    }
  }

  private void untilToldToA(
      TwoNodes nodes, String what, java.util.function.BooleanSupplier condition) {
    nodes.until(
        what,
        () -> {
          int unused = nodes.a.pollRegions(tells, 100);
          return condition.getAsBoolean();
        });
  }

  /** What cannot be is refused at the call, with words that say what to do. */
  @Test
  void whatCannotBeAskedForIsRefusedAtTheCall() {
    try (var nodes = new TwoNodes(List.of("shm:"), false);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      RemoteRegion remote = nodes.aToB().region(5);
      MemorySegment memory = arena.allocate(64, 8);
      AtomicCompletion words = (peer, status, word, error) -> {};
      for (long offset : new long[] {-8, 4, 9}) {
        assertTrue(
            assertThrows(IllegalArgumentException.class, () -> remote.fetchAdd(offset, 1, words))
                .getMessage()
                .contains("multiple of 8"));
      }
      assertThrows(IllegalArgumentException.class, () -> remote.get(memory, 0, 0, 0, completion));
      assertThrows(IndexOutOfBoundsException.class, () -> remote.get(memory, 60, 5, 0, completion));
      assertThrows(IllegalArgumentException.class, () -> remote.get(memory, 0, 8, -1, completion));
      assertThrows(
          IllegalArgumentException.class,
          () -> remote.get(memory.asReadOnly(), 0, 8, 0, completion));
      assertThrows(
          IllegalArgumentException.class,
          () -> remote.get(MemorySegment.ofArray(new byte[8]), 0, 8, 0, completion));
      assertThrows(
          IllegalArgumentException.class,
          () -> nodes.b.export(memory.asSlice(4, 32), Set.of(Region.Right.ATOMIC)));
      assertThrows(IllegalArgumentException.class, () -> nodes.b.export(memory.asReadOnly(), PUT));
      assertTrue(nodes.b.export(memory.asReadOnly(), Set.of(Region.Right.GET)).isOpen());
      long most = nodes.a.config().maxMessageBytes() - 16;
      MemorySegment huge = MemorySegment.NULL.reinterpret(most + 1);
      assertEquals(Channel.TOO_LARGE, remote.get(huge, 0, most + 1, 0, completion));
      assertTrue(done.isEmpty());
    }
  }

  /** A peer that is gone answers nothing: that is told, and that nobody knows. */
  @Test
  void whatAPeerTakesAlongIsTold() {
    try (var nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), true);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      Region region = nodes.b.export(arena.allocate(SIZE, 64), Set.of(Region.Right.GET));
      RemoteRegion remote = nodes.aToB().region(region.key());
      MemorySegment into = arena.allocate(SIZE, 8);
      assertTrue(put(nodes, () -> remote.get(into, 0, SIZE, 0, completion)) > 0);
      nodes.b.close();
      untilToldToA(nodes, "the end", () -> done.size() == 1);
      String error = done.getFirst().error();
      assertEquals(RegionStatus.FAILED, done.getFirst().status());
      assertTrue(error != null && error.contains("nobody knows"), error);
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
        assertEquals(RegionStatus.FAILED, done.getFirst().status());
        assertNotNull(done.getFirst().error());
      } else {
        assertTrue(done.isEmpty());
      }
    }
  }

  /** What is told may be the next put already, and what was given to a put may be changed. */
  @ParameterizedTest
  @CsvSource({"false, shm:", "true, shm:"})
  void putsAreUsedAgain(boolean caller, String rail) {
    int many = 2 * PutPool.MOST;
    try (var nodes = new TwoNodes(List.of(rail), caller);
        Arena arena = Arena.ofShared()) {
      nodes.up();
      MemorySegment place = arena.allocate(8L * 2 * many, 64);
      Region region = nodes.b.export(place, PUT);
      RemoteRegion remote = nodes.aToB().region(region.key());
      MemorySegment source = random(arena, 5, 8 * 2 * many);
      List<Integer> completed = new ArrayList<>();
      byte[] note = new byte[2];
      for (int i = 0; i < many; i++) {
        int first = i;
        note[0] = (byte) i;
        note[1] = (byte) (i >> 8);
        RegionCompletion second =
            (peer, status, error) -> {
              assertEquals(RegionStatus.DONE, status, error);
              completed.add(many + first);
            };
        RegionCompletion another =
            (peer, status, error) -> {
              assertEquals(RegionStatus.DONE, status, error);
              completed.add(first);
              long at = 8L * (many + first);
              if (remote.put(source, at, 8, at, second) <= 0) {
                completed.add(many + first); // no room: it is compared below
                MemorySegment.copy(source, at, place, at, 8);
              }
            };
        assertTrue(
            put(nodes, () -> remote.put(source, 8L * first, 8, 8L * first, note, another)) > 0);
      }
      until(nodes, "all", () -> completed.size() == 2 * many && told.size() == many);
      assertEquals(2L * many, completed.stream().distinct().count());
      assertEquals(-1, source.mismatch(place));
      for (int i = 0; i < many; i++) {
        byte[] expected = {(byte) i, (byte) (i >> 8)};
        assertEquals(HexFormat.of().formatHex(expected), told.get(i).bytes());
        assertEquals(8L * i, told.get(i).offset());
      }
      assertTrue(nodes.a.puts().size() > 0, "some are kept");
      for (int i = 0; i < PutPool.MOST; i++) { // all that are kept are under way at once
        int third = 2 * many + i;
        RegionCompletion last = (peer, status, error) -> completed.add(third);
        assertTrue(put(nodes, () -> remote.put(source, 0, 8, 0, last)) > 0);
      }
      assertEquals(2 * many, completed.size(), "none of them is told yet");
      assertEquals(0, nodes.a.puts().size());
      until(nodes, "the last", () -> completed.size() == 2 * many + PutPool.MOST);
      assertEquals(2L * many + PutPool.MOST, completed.stream().distinct().count());
      int kept = nodes.a.puts().size();
      assertTrue(kept > 0 && kept <= PutPool.MOST, "kept: " + kept);
      nodes.a.close();
      assertEquals(Channel.CLOSED, remote.put(source, 0, 8, 0, completion));
      assertEquals(kept, nodes.a.puts().size());
    }
  }

  @Test
  void noMorePutsAreKeptThanSoMany() {
    for (boolean single : new boolean[] {false, true}) {
      PutPool pool = new PutPool(single);
      List<AppPut> all = new ArrayList<>();
      for (int i = 0; i < PutPool.MOST + 3; i++) {
        all.add(pool.take());
      }
      assertEquals(all.size(), all.stream().distinct().count());
      all.forEach(AppPut::giveBack);
      assertEquals(PutPool.MOST, pool.size());
      assertTrue(all.contains(pool.take()));
      assertEquals(PutPool.MOST - 1, pool.size());
    }
  }
}
