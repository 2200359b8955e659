// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class Crc32cStepsTest {
  private static int reference(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  @Test
  void anyStepsGiveTheJdksSum() {
    Random random = new Random(5);
    byte[] bytes = new byte[80];
    ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int n = 0; n < 20_000; n++) {
      random.nextBytes(bytes);
      int length = random.nextInt(73);
      int state = Crc32cSteps.BEGIN;
      for (int done = 0; done < length; ) {
        int most = Math.min(Long.BYTES, length - done);
        int count = random.nextBoolean() ? most : 1 + random.nextInt(most);
        long word = words.getLong(done);
        state =
            count == Long.BYTES && random.nextBoolean()
                ? Crc32cSteps.step(state, word)
                : Crc32cSteps.step(state, word, count);
        done += count;
      }
      assertEquals(reference(bytes, length), Crc32cSteps.finish(state), "length " + length);
    }
  }

  @Test
  void thirtyTwoZerosAreFourSteps() {
    Random random = new Random(6);
    for (int n = 0; n < 1000; n++) {
      int state = n == 0 ? Crc32cSteps.BEGIN : random.nextInt();
      int stepped = state;
      for (int words = 0; words < 4; words++) {
        stepped = Crc32cSteps.step(stepped, 0);
      }
      assertEquals(stepped, Crc32cSteps.past32(state), "state " + state);
    }
  }
}
