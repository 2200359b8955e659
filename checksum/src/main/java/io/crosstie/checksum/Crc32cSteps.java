// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/**
 * CRC-32C of values in registers, a word at a time, by eight tables (Kounavis and Berry, "Novel
 * Table Lookup-Based Algorithms for High-Performance CRC Generation", IEEE Transactions on
 * Computers 57, 2008: slicing by 8). A step takes some ten cycles, and no memory but the tables, 8
 * KiB: for a word or two that is a third of what the JDK's intrinsic takes, which has to be called
 * and wants its bytes in an array. From 64 bytes on the intrinsic is the quicker way.
 *
 * <p>A computation begins with {@link #BEGIN}, goes through steps, and ends with {@link #finish}.
 * Without state; any thread.
 */
public final class Crc32cSteps {
  /** The state before the first byte. */
  public static final int BEGIN = -1;

  private static final int POLYNOMIAL = 0x82F63B78; // 0x1EDC6F41 with its bits reversed
  private static final int ENTRIES = 256;

  /** Table k, from index 256 k on, moves a byte past k more of them. */
  private static final int[] TABLES = tables();

  /** Table k, from index 256 k on, moves byte k of a state past 32 zeros. */
  private static final int[] PAST_32 = tablesPast32();

  private Crc32cSteps() {}

  private static int[] tables() {
    int[] t = new int[Long.BYTES * ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
      int crc = i;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc = crc >>> 1 ^ (POLYNOMIAL & -(crc & 1));
      }
      t[i] = crc;
    }
    for (int i = ENTRIES; i < t.length; i++) {
      int shorter = t[i - ENTRIES];
      t[i] = t[shorter & 0xff] ^ shorter >>> Byte.SIZE;
    }
    return t;
  }

  /** Takes in eight bytes, the lowest of the word first. */
  public static int step(int state, long word) {
    int[] t = TABLES;
    int low = state ^ (int) word;
    int high = (int) (word >>> Integer.SIZE);
    return t[7 * ENTRIES + (low & 0xff)]
        ^ t[6 * ENTRIES + (low >>> 8 & 0xff)]
        ^ t[5 * ENTRIES + (low >>> 16 & 0xff)]
        ^ t[4 * ENTRIES + (low >>> 24)]
        ^ t[3 * ENTRIES + (high & 0xff)]
        ^ t[2 * ENTRIES + (high >>> 8 & 0xff)]
        ^ t[ENTRIES + (high >>> 16 & 0xff)]
        ^ t[high >>> 24];
  }

  /**
   * Takes in the lowest bytes of a word.
   *
   * @param count how many, 0 to 8
   */
  public static int step(int state, long word, int count) {
    int next = state;
    long left = word;
    for (int i = 0; i < count; i++) {
      next = TABLES[(next ^ (int) left) & 0xff] ^ next >>> Byte.SIZE;
      left >>>= Byte.SIZE;
    }
    return next;
  }

  private static int[] tablesPast32() {
    int[] t = new int[Integer.BYTES * ENTRIES];
    for (int i = 0; i < t.length; i++) {
      int state = (i % ENTRIES) << (Byte.SIZE * (i / ENTRIES));
      for (int words = 0; words < 4; words++) {
        state = step(state, 0);
      }
      t[i] = state;
    }
    return t;
  }

  /** Takes in 32 bytes that are 0. */
  public static int past32(int state) {
    int[] t = PAST_32;
    return t[state & 0xff]
        ^ t[ENTRIES + (state >>> 8 & 0xff)]
        ^ t[2 * ENTRIES + (state >>> 16 & 0xff)]
        ^ t[3 * ENTRIES + (state >>> 24)];
  }

  /** The checksum of all that was taken in. */
  public static int finish(int state) {
    return ~state;
  }
}
