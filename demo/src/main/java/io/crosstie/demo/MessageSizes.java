// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.SplittableRandom;

/**
 * How long the messages of the stream are: bursts of small ones, runs of middling and large ones,
 * and now and then one of up to 64 MiB. Only the sender knows the seed; the receiver learns each
 * length from the message.
 */
final class MessageSizes {
  /** The largest message. */
  static final int MAX = 64 << 20;

  /** Messages up to this size are small ones: copied by an offer, not lent. */
  static final int SMALL_MAX = 64 << 10;

  /** Every boundary once, before chance begins. */
  private static final int[] FIRST = {
    TestHeader.BYTES,
    0,
    TestHeader.BYTES + 1,
    1_000,
    SMALL_MAX - 1,
    SMALL_MAX,
    SMALL_MAX + 1,
    0,
    0,
    1 << 20,
    MAX,
    MAX - 1
  };

  private static final int SMALL = 2_000;
  private static final int LARGE_MAX = 4 << 20;

  private final SplittableRandom random;
  private int given;
  private int left;
  private int low;
  private int high;

  MessageSizes(long seed) {
    random = new SplittableRandom(seed);
  }

  /** The next message's length: 0, or enough for the header. */
  int next() {
    if (given < FIRST.length) {
      return FIRST[given++];
    }
    if (left == 0) {
      beginRun();
    }
    left--;
    if (high == SMALL && random.nextInt(10) == 0) {
      return 0;
    }
    return high == MAX && random.nextBoolean() ? MAX : logUniform();
  }

  private void beginRun() {
    int dice = random.nextInt(100);
    if (dice < 30) {
      run(20 + random.nextInt(1_000), TestHeader.BYTES, SMALL);
    } else if (dice < 55) {
      run(8 + random.nextInt(56), SMALL, SMALL_MAX);
    } else if (dice < 97) {
      run(4 + random.nextInt(28), SMALL_MAX, LARGE_MAX);
    } else {
      run(1, LARGE_MAX, MAX);
    }
  }

  private void run(int messages, int from, int to) {
    left = messages;
    low = from;
    high = to;
  }

  /** Each octave is as likely as any other. */
  private int logUniform() {
    double log = Math.log(low) + random.nextDouble() * (Math.log(high) - Math.log(low));
    return Math.clamp((long) Math.exp(log), low, high);
  }
}
