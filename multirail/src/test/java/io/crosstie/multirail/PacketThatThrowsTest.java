// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.path.RailCounter;
import io.crosstie.transport.RailException;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A packet that cannot be written gives back the claim and all that was to be in it: messages,
 * acknowledgements, what rails ask and answer each other, announcements and grants. Nobody waits
 * for a timeout to have it again.
 */
@Tag("R24")
class PacketThatThrowsTest {
  private static final int[] LENGTHS = {0, 8, 300, 5_000, 70_000, 200_000};

  private static Pair pair(int kind) throws RailException {
    return switch (kind) {
      case 0 -> new Pair(1);
      case 1 -> Pair.lossless(1);
      case 2 -> Pair.mixed();
      default -> Pair.shared(1, true);
    };
  }

  @Test
  void nothingOfItIsLost() throws RailException {
    for (int seed = 1; seed <= 24; seed++) {
      Random random = new Random(seed);
      Pair pair = pair(seed % 4);
      Random faults = new Random(seed + 1000L);
      pair.net.writeFault =
          () -> {
            if (faults.nextInt(4) == 0) {
              throw new OutOfMemoryError("planted");
            }
          };
      long offered = 0;
      for (int i = 0; i < 60; i++) {
        long seq = -1;
        while (seq < 0) {
          seq = sendOrThrow(pair, LENGTHS[random.nextInt(LENGTHS.length)]);
          step(pair);
        }
        offered++;
        assertEquals(offered, seq);
        for (int k = random.nextInt(8); k > 0; k--) {
          step(pair);
        }
      }
      for (int k = 0; k < 40_000 && accepted(pair) < offered; k++) {
        step(pair);
      }
      pair.net.writeFault = null;
      String found = "seed " + seed + ": " + pair.describe();
      assertEquals(offered, pair.delivered, found);
      assertEquals(offered, accepted(pair), found);
      assertTrue(pair.net.writeFaults > 20, found);
      for (Pair.Side side : new Pair.Side[] {pair.left, pair.right}) {
        for (int rail = 0; rail < pair.rails; rail++) {
          assertEquals(0, pair.counter(side, rail, RailCounter.LOST_BY_TIMEOUT), found);
          assertEquals(0, pair.counter(side, rail, RailCounter.LOST_BY_RAIL_DOWN), found);
        }
      }
    }
  }

  private static long accepted(Pair pair) {
    var channel = pair.connection().existingChannel(7);
    return channel == null ? 0 : channel.acceptedSequence();
  }

  private static long sendOrThrow(Pair pair, int length) {
    long before = offered(pair);
    try {
      return pair.send(length);
    } catch (OutOfMemoryError e) { // it had been taken, and was to leave at once
      return offered(pair) > before ? before + 1 : -1;
    }
  }

  private static long offered(Pair pair) {
    var channel = pair.connection().existingChannel(7);
    return channel == null ? 0 : channel.offeredSequence();
  }

  /** As a node does that outlives an error: it goes on with the next cycle. */
  private static void step(Pair pair) {
    for (int i = 0; i < 2; i++) {
      try {
        pair.run(50_000);
        return;
      } catch (OutOfMemoryError e) {
        assertEquals("planted", e.getMessage());
      }
    }
  }
}
