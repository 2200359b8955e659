// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Checksum;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * Puts payload into a ring by ordinary or by streaming stores, whichever is the quicker way here
 * and now. Between two threads of one core ordinary stores are: the bytes stay in the cache that
 * both use. Between cores that share no cache streaming stores are, by up to ten times, since an
 * ordinary one takes each line away from the other core first. Where the two processes run changes
 * while they do, so both ways are tried now and then, on two equal parts of a packet.
 *
 * <p>Only for memory that is sealed. The engine's thread only.
 */
final class RingStores {
  /** A way of copying, which continues a checksum. */
  interface Copier {
    long copy(
        Checksum checksum,
        long state,
        MemorySegment source,
        long offset,
        MemorySegment ring,
        long at,
        long length);
  }

  /** Shorter payload is not worth it: what is published waits until its last line has left. */
  static final int LEAST_BYTES = 4 << 10;

  /** After so many bytes both ways are tried again. */
  static final long TRIAL_INTERVAL_BYTES = 4 << 20;

  /** Most bytes of one part of a trial: more than a processor's store buffer holds. */
  private static final int TRIAL_BYTES = 8 << 10;

  /** The first copies are trials all of them, being made by code that is not compiled yet. */
  private static final int FIRST_TRIALS = 16;

  private static final int WEIGHT = 4;

  private final Copier ordinary;
  private final Copier streaming;
  private final Runnable order;
  private final LongSupplier clock;
  private int trials;
  private long untriedBytes;
  private long streamed;
  private boolean prefersStreaming;

  /** Average cost of trials, in nanoseconds for 1024 bytes; 0 before the first. */
  private double ordinaryCost;

  private double streamingCost;

  /** By its streaming stores, and a clock in nanoseconds. */
  RingStores(Accelerator streamer, LongSupplier clock) {
    this(
        (checksum, state, source, offset, ring, at, length) ->
            checksum.updateShared(state, source, offset, ring, at, length, null),
        (checksum, state, source, offset, ring, at, length) ->
            checksum.updateShared(state, source, offset, ring, at, length, streamer),
        streamer::order,
        clock);
  }

  /** With ways and a clock of the test's own. */
  RingStores(Copier ordinary, Copier streaming, Runnable order, LongSupplier clock) {
    this.ordinary = ordinary;
    this.streaming = streaming;
    this.order = order;
    this.clock = clock;
  }

  boolean prefersStreaming() {
    return prefersStreaming;
  }

  /** What is stored after this is seen after all that was streamed before. */
  void order() {
    order.run();
  }

  /** Bytes that the last copy streamed. */
  long streamed() {
    return streamed;
  }

  /**
   * Copies at least {@link #LEAST_BYTES} of native memory, not mapped, and continues a checksum.
   * Before it is published, {@link #order()} has to be called if any of it was streamed.
   *
   * @return the checksum's next state
   */
  long copy(
      Checksum checksum,
      long state,
      MemorySegment source,
      long offset,
      MemorySegment ring,
      long at,
      long length) {
    long tried = 0;
    long next = state;
    streamed = 0;
    untriedBytes += length;
    if (trials < FIRST_TRIALS || untriedBytes >= TRIAL_INTERVAL_BYTES) {
      untriedBytes = 0;
      long part = Math.min(TRIAL_BYTES, length / 2);
      tried = 2 * part;
      streamed = part;
      // which comes first alternates: the second part's source may have been fetched ahead
      boolean ordinaryFirst = (++trials & 1) == 0;
      long beganNs = clock.getAsLong();
      next = timed(ordinaryFirst, checksum, next, source, offset, ring, at, part);
      long betweenNs = clock.getAsLong();
      next = timed(!ordinaryFirst, checksum, next, source, offset + part, ring, at + part, part);
      long endedNs = clock.getAsLong();
      long firstNs = betweenNs - beganNs;
      long secondNs = endedNs - betweenNs;
      ordinaryCost = average(ordinaryCost, ordinaryFirst ? firstNs : secondNs, part);
      streamingCost = average(streamingCost, ordinaryFirst ? secondNs : firstNs, part);
      decide();
    }
    Copier way = prefersStreaming ? streaming : ordinary;
    if (prefersStreaming) {
      streamed += length - tried;
    }
    return way.copy(checksum, next, source, offset + tried, ring, at + tried, length - tried);
  }

  /** One part of a trial, until the stores are done, and not until they are queued. */
  private long timed(
      boolean byOrdinary,
      Checksum checksum,
      long state,
      MemorySegment source,
      long offset,
      MemorySegment ring,
      long at,
      long length) {
    Copier way = byOrdinary ? ordinary : streaming;
    long next = way.copy(checksum, state, source, offset, ring, at, length);
    if (byOrdinary) {
      VarHandle.fullFence();
    } else {
      order.run();
    }
    return next;
  }

  /** One that was interrupted counts no more than twice the average. */
  private static double average(double average, long tookNs, long bytes) {
    double cost = Math.max(1, tookNs) * 1024.0 / bytes;
    return average == 0 ? cost : average + (Math.min(cost, 2 * average) - average) / WEIGHT;
  }

  /** A change has to gain a fifth, or two ways that are alike would take turns. */
  private void decide() {
    if (prefersStreaming
        ? ordinaryCost < 0.8 * streamingCost
        : streamingCost < 0.8 * ordinaryCost) {
      prefersStreaming = !prefersStreaming;
    }
  }
}
