// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Vectors from xxHash's own sanity test, and well-known ones of strings. */
final class XxHash64Test {
  private static final int PRIME32 = 0x9E3779B1;
  private static final long PRIME64 = 0x9E3779B185EBCA8DL;

  @Test
  void hashesPublishedStrings() {
    assertEquals(0xEF46DB3751D8E999L, ofText("", 0));
    assertEquals(0xD24EC4F1A98C6E5BL, ofText("a", 0));
    assertEquals(0x44BC2CF5AD770999L, ofText("abc", 0));
  }

  @Test
  void hashesTheSanityBuffer() {
    MemorySegment buffer = sanityBuffer(222);
    assertEquals(0xEF46DB3751D8E999L, XxHash64.hash(buffer, 0, 0, 0));
    assertEquals(0xAC75FDA2929B17EFL, XxHash64.hash(buffer, 0, 0, PRIME32 & 0xFFFFFFFFL));
    assertEquals(0xE934A84ADB052768L, XxHash64.hash(buffer, 0, 1, 0));
    assertEquals(0x8282DCC4994E35C8L, XxHash64.hash(buffer, 0, 14, 0));
    assertEquals(0xB641AE8CB691C174L, XxHash64.hash(buffer, 0, 222, 0));
  }

  @Test
  void doesNotCareWhereTheBytesAre() {
    byte[] bytes = sanityBuffer(200).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    long expected = XxHash64.hash(MemorySegment.ofArray(bytes), 0, 200, 5);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment unaligned = arena.allocate(300);
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, unaligned, 3, 200);
      assertEquals(expected, XxHash64.hash(unaligned, 3, 200, 5));
    }
  }

  private static long ofText(String text, long seed) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return XxHash64.hash(MemorySegment.ofArray(bytes), 0, bytes.length, seed);
  }

  private static MemorySegment sanityBuffer(int length) {
    byte[] bytes = new byte[length];
    long generator = PRIME32 & 0xFFFFFFFFL;
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (generator >>> 56);
      generator *= PRIME64;
    }
    return MemorySegment.ofArray(bytes);
  }
}
