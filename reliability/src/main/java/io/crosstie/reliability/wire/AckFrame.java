// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU16;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u32;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * Which packets of one rail arrived, as runs from the largest number downwards (R3).
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |  rail  |   run count n   |        delay, microseconds        |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                         largest packet number                         |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 |              gap (0)              |                run                |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 *    | n pairs in all                                                        |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>The first run ends at the largest number. Each further pair says how many packets are missing
 * below the run before, and how many arrived below those. Numbers below the last run are not told;
 * what was acknowledged once stays acknowledged.
 */
public final class AckFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x03;

  /** Offset of the rail. */
  public static final int RAIL = 1;

  /** Offset of the number of runs. */
  public static final int RUN_COUNT = 2;

  /** Offset of the delay. */
  public static final int DELAY_MICROS = 4;

  /** Offset of the largest packet number. */
  public static final int LARGEST = 8;

  /** Offset of the runs. */
  public static final int RUNS = 16;

  /** Length of one run in bytes. */
  public static final int RUN_LENGTH = 8;

  /** Most runs that a frame holds. */
  public static final int MAX_RUNS = 64;

  /** Longest run or gap that can be told. */
  public static final long MAX_RUN = 0xffff_ffffL;

  /** Length of the longest frame in bytes. */
  public static final int MAX_LENGTH = RUNS + RUN_LENGTH * MAX_RUNS;

  private AckFrame() {}

  /** Length in bytes of a frame with that many runs. */
  public static int length(int runCount) {
    return RUNS + RUN_LENGTH * runCount;
  }

  /** Length in bytes of a validated frame. */
  public static int length(byte[] m, int off) {
    return length(runCount(m, off));
  }

  /**
   * Writes a frame with one run; {@link #append} adds more.
   *
   * @param rail whose packets are acknowledged
   * @param delayMicros how long the largest one has been here; what exceeds 32 bits is cut
   * @param largest the largest number received
   * @param run how many packets were received without a gap, up to and with the largest one; what
   *     exceeds {@link #MAX_RUN} is not told
   * @return the length of the frame
   */
  public static int encode(byte[] m, int off, int rail, long delayMicros, long largest, long run) {
    putI64(m, off, TYPE);
    putU8(m, off + RAIL, rail);
    putU16(m, off + RUN_COUNT, 1);
    putI32(m, off + DELAY_MICROS, (int) Math.clamp(delayMicros, 0, 0xffff_ffffL));
    putI64(m, off + LARGEST, largest);
    putI32(m, off + RUNS, 0);
    putI32(m, off + RUNS + 4, (int) Math.min(run, MAX_RUN));
    return length(1);
  }

  /**
   * Adds the next lower run, if it can be told. It cannot if the frame is full, the gap exceeds
   * {@link #MAX_RUN}, or the run before was so long that it was cut; then the frame stays as it is,
   * and no further run may be added.
   *
   * @param gap packets missing below the run before, 1 or more
   * @param run packets received below those, 1 or more
   * @return the length of the frame
   */
  public static int append(byte[] m, int off, long gap, long run) {
    int count = runCount(m, off);
    if (count == MAX_RUNS || gap > MAX_RUN || run(m, off, count - 1) == MAX_RUN) {
      return length(count);
    }
    int at = off + length(count);
    putI32(m, at, (int) gap);
    putI32(m, at + 4, (int) Math.min(run, MAX_RUN));
    putU16(m, off + RUN_COUNT, count + 1);
    return length(count + 1);
  }

  /** The rail whose packets are acknowledged. */
  public static int rail(byte[] m, int off) {
    return u8(m, off + RAIL);
  }

  /** How many runs there are, 1 to {@link #MAX_RUNS}. */
  public static int runCount(byte[] m, int off) {
    return u16(m, off + RUN_COUNT);
  }

  /** How long the largest packet waited for this acknowledgement, in microseconds. */
  public static long delayMicros(byte[] m, int off) {
    return u32(m, off + DELAY_MICROS);
  }

  /** The largest packet number received. */
  public static long largest(byte[] m, int off) {
    return i64(m, off + LARGEST);
  }

  /** How many packets are missing above run {@code i} and below run {@code i - 1}; 0 for run 0. */
  public static long gap(byte[] m, int off, int i) {
    return u32(m, off + RUNS + RUN_LENGTH * i);
  }

  /** How many packets run {@code i} holds. */
  public static long run(byte[] m, int off, int i) {
    return u32(m, off + RUNS + RUN_LENGTH * i + 4);
  }
}
