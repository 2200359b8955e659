// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/**
 * What goes wrong on one direction of a link. Probabilities are per packet, in parts per million.
 *
 * @param lossPpm lost one by one
 * @param burstStartPpm a burst begins (Gilbert-Elliott: the bad state)
 * @param burstEndPpm a burst ends
 * @param burstLossPpm lost within a burst
 * @param repeatPpm delivered twice
 * @param reorderPpm held up by {@code reorderNs}, while others pass
 * @param reorderNs how long
 * @param headerPpm one to three bits flipped in the header
 * @param payloadPpm one to three bits flipped in the payload
 * @param truncatePpm cut short
 */
public record LinkFaults(
    int lossPpm,
    int burstStartPpm,
    int burstEndPpm,
    int burstLossPpm,
    int repeatPpm,
    int reorderPpm,
    long reorderNs,
    int headerPpm,
    int payloadPpm,
    int truncatePpm) {

  /** Nothing goes wrong. */
  public static final LinkFaults NONE = new LinkFaults(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Loses packets one by one. */
  public LinkFaults withLoss(int ppm) {
    return new LinkFaults(
        ppm,
        burstStartPpm,
        burstEndPpm,
        burstLossPpm,
        repeatPpm,
        reorderPpm,
        reorderNs,
        headerPpm,
        payloadPpm,
        truncatePpm);
  }

  /** Loses packets in bursts. */
  public LinkFaults withBursts(int startPpm, int endPpm, int ppm) {
    return new LinkFaults(
        lossPpm,
        startPpm,
        endPpm,
        ppm,
        repeatPpm,
        reorderPpm,
        reorderNs,
        headerPpm,
        payloadPpm,
        truncatePpm);
  }

  /** Repeats packets. */
  public LinkFaults withRepeats(int ppm) {
    return new LinkFaults(
        lossPpm,
        burstStartPpm,
        burstEndPpm,
        burstLossPpm,
        ppm,
        reorderPpm,
        reorderNs,
        headerPpm,
        payloadPpm,
        truncatePpm);
  }

  /** Reorders packets. */
  public LinkFaults withReordering(int ppm, long byNs) {
    return new LinkFaults(
        lossPpm,
        burstStartPpm,
        burstEndPpm,
        burstLossPpm,
        repeatPpm,
        ppm,
        byNs,
        headerPpm,
        payloadPpm,
        truncatePpm);
  }

  /** Damages packets. */
  public LinkFaults withDamage(int header, int payload, int truncate) {
    return new LinkFaults(
        lossPpm,
        burstStartPpm,
        burstEndPpm,
        burstLossPpm,
        repeatPpm,
        reorderPpm,
        reorderNs,
        header,
        payload,
        truncate);
  }
}
