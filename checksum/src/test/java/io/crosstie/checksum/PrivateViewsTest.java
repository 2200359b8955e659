// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PrivateViewsTest {
  private static final int SCENES = 2000;
  private static final int SEGMENTS = 4;
  private static final int CHUNKS = 64;

  /**
   * Wherever the kernel put them: few pages or many apart, at the same place within each or not.
   */
  @Test
  void fourSegmentsDoNotDriveEachOtherOut() {
    Random random = new Random(4);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1 << 22, 64);
      int driven = 0;
      for (int scene = 0; scene < SCENES; scene++) {
        PrivateViews views = new PrivateViews();
        Set<ByteBuffer> made = Collections.newSetFromMap(new IdentityHashMap<>());
        long distance = 64L << random.nextInt(14);
        for (int i = 0; i < 2 * SEGMENTS; i++) {
          made.add(views.of(memory.asSlice(i % SEGMENTS * distance, 64)));
        }
        driven += made.size() - SEGMENTS;
      }
      // a garbage collection may take some, for they are held weakly
      assertTrue(driven <= SCENES / 20, driven + " views were made twice");
    }
  }

  /** As those of a pool do, through which messages go in turn. */
  @Test
  void chunksOneBehindTheOtherDoNotDriveEachOtherOut() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate((long) CHUNKS << 16, 64);
      int driven = 0;
      for (int scene = 0; scene < 100; scene++) {
        PrivateViews views = new PrivateViews();
        Set<ByteBuffer> made = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 3 * CHUNKS; i++) {
          made.add(views.of(memory.asSlice((long) (i % CHUNKS) << 16, 1 << 16)));
        }
        driven += made.size() - CHUNKS;
      }
      assertTrue(driven <= 100 * CHUNKS / 20, driven + " views were made twice");
    }
  }

  @Test
  void moreThanThereIsRoomForAreServedAllTheSame() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1 << 16);
      PrivateViews views = new PrivateViews();
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
          MemorySegment segment = memory.asSlice(i * 64L, 64);
          segment.set(JAVA_BYTE, 0, (byte) i);
          ByteBuffer buffer = views.of(segment);
          assertTrue(buffer != null && buffer.get(0) == (byte) i && buffer.capacity() == 64);
        }
      }
    }
  }

  @Test
  void whatWasClosedOrIsOnTheHeapHasNone() {
    PrivateViews views = new PrivateViews();
    assertNull(views.of(MemorySegment.ofArray(new byte[64])));
    try (Arena outer = Arena.ofConfined()) {
      MemorySegment memory = outer.allocate(64);
      ByteBuffer before;
      try (Arena inner = Arena.ofConfined()) {
        before = views.of(MemorySegment.ofAddress(memory.address()).reinterpret(64, inner, null));
      }
      // the same place and length, but the arena met before is closed
      assertNotSame(before, views.of(memory));
    }
  }
}
