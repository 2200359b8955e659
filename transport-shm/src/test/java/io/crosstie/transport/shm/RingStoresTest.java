// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.testkit.Facility;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quicker way of storing is found, left when it is no longer, and always copies all bytes. */
class RingStoresTest {
  private static final int LENGTH = 64 << 10;
  private static final long INTERVAL = RingStores.TRIAL_INTERVAL_BYTES / LENGTH;

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment source = arena.allocate(LENGTH, 64);
  private final MemorySegment ring = arena.allocate(2 * LENGTH, 64);
  private final Checksum none = Checksum.of(ChecksumKind.NONE);
  private long nowNs;
  private double ordinaryNsPerByte = 1;
  private double streamingNsPerByte = 1;

  private final RingStores stores =
      new RingStores(
          (sum, state, from, offset, to, at, length) -> {
            nowNs += (long) (ordinaryNsPerByte * length);
            return sum.updateCopy(state, from, offset, to, at, length);
          },
          (sum, state, from, offset, to, at, length) -> {
            nowNs += (long) (streamingNsPerByte * length);
            return sum.updateCopy(state, from, offset, to, at, length);
          },
          () -> {},
          () -> nowNs);

  private long copy(long times) {
    long streamed = 0;
    for (long i = 0; i < times; i++) {
      long unused = stores.copy(none, 0, source, 0, ring, 0, LENGTH);
      streamed += stores.streamed();
    }
    return streamed;
  }

  @Test
  void theQuickerWayIsFoundAndLeft() {
    copy(1000);
    assertFalse(stores.prefersStreaming(), "alike: nothing changes");
    ordinaryNsPerByte = 0.4;
    streamingNsPerByte = 0.05;
    copy(10 * INTERVAL);
    assertTrue(stores.prefersStreaming());
    long streamed = copy(INTERVAL);
    assertTrue(streamed > 0.95 * LENGTH * INTERVAL, "streamed " + streamed);
    ordinaryNsPerByte = 0.03;
    copy(20 * INTERVAL);
    assertFalse(stores.prefersStreaming());
    streamed = copy(INTERVAL);
    assertTrue(streamed > 0 && streamed < 0.05 * LENGTH * INTERVAL);
  }

  @Test
  void oneTrialThatWasInterruptedChangesNothing() {
    ordinaryNsPerByte = 0.05;
    streamingNsPerByte = 0.06;
    copy(10 * INTERVAL - 1);
    ordinaryNsPerByte = 1000; // the process lost its processor for a while
    copy(1);
    ordinaryNsPerByte = 0.05;
    copy(5 * INTERVAL);
    assertFalse(stores.prefersStreaming());
  }

  @Test
  void whatIsAlikeDoesNotTakeTurns() {
    SplittableRandom random = new SplittableRandom(7);
    int changes = 0;
    boolean before = false;
    for (int i = 0; i < 500; i++) {
      ordinaryNsPerByte = 0.05 * random.nextDouble(0.95, 1.05);
      streamingNsPerByte = 0.05 * random.nextDouble(0.95, 1.05);
      copy(INTERVAL);
      changes += stores.prefersStreaming() == before ? 0 : 1;
      before = stores.prefersStreaming();
    }
    assertEquals(0, changes);
  }

  /** By the real ways, in all phases of both, wherever it begins and ends. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void allBytesArriveAndNoOthersChange(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Accelerator streamer = Accelerators.find();
    RingStores real =
        Facility.onProcessor(streamer != null, "streaming stores")
            ? new RingStores(streamer, System::nanoTime)
            : stores; // where there is one way, the choice is what can be tested
    Checksum crc = Checksum.of(ChecksumKind.CRC32C);
    byte[] bytes = new byte[LENGTH];
    for (int i = 0; i < 600; i++) {
      random.nextBytes(bytes);
      source.copyFrom(MemorySegment.ofArray(bytes));
      ring.fill((byte) i);
      int length = random.nextInt(RingStores.LEAST_BYTES, LENGTH / 2);
      int from = random.nextInt(LENGTH - length);
      int to = random.nextInt(2 * LENGTH - length);
      long state = real.copy(crc, crc.begin(), source, from, ring, to, length);
      assertEquals(crc.compute(source, from, length), crc.finish(state));
      assertEquals(-1, MemorySegment.mismatch(source, from, from + length, ring, to, to + length));
      for (int at = 0; at < ring.byteSize(); at++) {
        if (at == to) {
          at += length;
        }
        if (at < ring.byteSize()) {
          assertEquals((byte) i, ring.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at));
        }
      }
    }
  }
}
