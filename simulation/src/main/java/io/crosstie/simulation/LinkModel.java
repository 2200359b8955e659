// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/**
 * What a healthy link is like, one direction of it.
 *
 * @param delayNs propagation delay
 * @param jitterNs up to so much more, without reordering
 * @param bytesPerSecond its rate
 * @param queueBytes what may wait in front of it; the rest is dropped
 * @param mtu longer packets vanish, in bytes
 */
public record LinkModel(long delayNs, long jitterNs, long bytesPerSecond, int queueBytes, int mtu) {

  /** Checks the values. */
  public LinkModel {
    if (delayNs < 0 || jitterNs < 0 || bytesPerSecond <= 0 || queueBytes < 0 || mtu <= 0) {
      throw new IllegalArgumentException(
          "delay, jitter and queue must be 0 or more, rate and mtu above 0");
    }
  }

  /** The same with another rate. */
  public LinkModel withRate(long rate) {
    return new LinkModel(delayNs, jitterNs, rate, queueBytes, mtu);
  }

  /** The same with another delay. */
  public LinkModel withDelay(long delay) {
    return new LinkModel(delay, jitterNs, bytesPerSecond, queueBytes, mtu);
  }

  /** The same with another largest packet. */
  public LinkModel withMtu(int newMtu) {
    return new LinkModel(delayNs, jitterNs, bytesPerSecond, queueBytes, newMtu);
  }
}
