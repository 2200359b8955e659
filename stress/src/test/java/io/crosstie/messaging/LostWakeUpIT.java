// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The lost wake-up of {@link LostWakeUpStress} in the one order that shows it, so that no chance is
 * needed: somebody hands over after the last look and before the word is free.
 */
final class LostWakeUpIT {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isLostIfNobodyLooksAfterTheWordIsFree(boolean looksBefore) {
    var word =
        new Word(looksBefore) {
          private boolean handedOver;

          @Override
          void beforeRelease() {
            if (!handedOver) {
              handedOver = true;
              Thread other = Thread.ofPlatform().daemon().start(this::handOver);
              join(other);
            }
          }
        };
    word.handOver();
    assertEquals(looksBefore, word.isSignalled());
    assertEquals(looksBefore ? 1 : 2, word.seen);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
