// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import org.jspecify.annotations.Nullable;

/**
 * The one claim that may be open on a port at a time, with what every port demands of claims and
 * commits ({@link Rail#claim}). For drivers whose rails share their port's transmit memory. Not
 * thread safe.
 */
public final class PortClaim {
  private @Nullable Rail claimant;
  private int length;

  /** Of a port without an open claim. */
  public PortClaim() {}

  /**
   * Whether a claim may be made.
   *
   * @param wanted length in bytes
   * @param most the longest packet, in bytes
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException if a claim is open
   */
  public void check(int wanted, int most) {
    if (wanted < 1 || wanted > most) {
      throw new IllegalArgumentException("a packet has 1 to " + most + " bytes, not " + wanted);
    }
    if (claimant != null) {
      throw new IllegalStateException(
          "the last claim on this port is neither committed nor aborted");
    }
  }

  /** A rail has claimed so many bytes. */
  public void open(Rail rail, int wanted) {
    claimant = rail;
    length = wanted;
  }

  /** Whether some rail has a claim. */
  public boolean isOpen() {
    return claimant != null;
  }

  /**
   * Ends a rail's claim with a packet.
   *
   * @param committed its length in bytes
   * @return false if the rail was closed while the packet was written: it is lost, as packets may
   *     be
   * @throws IllegalArgumentException if less was claimed
   * @throws IllegalStateException if the rail has no claim
   */
  public boolean commit(Rail rail, int committed) {
    if (!isBy(rail)) {
      if (!rail.isOpen()) {
        return false;
      }
      throw new IllegalStateException("there is no open claim on " + rail);
    }
    if (committed < 1 || committed > length) {
      throw new IllegalArgumentException(
          "1 to " + length + " bytes were claimed, not " + committed);
    }
    claimant = null;
    return true;
  }

  /** Ends a rail's claim, if it has one, without a packet. */
  public void abort(Rail rail) {
    if (isBy(rail)) {
      claimant = null;
    }
  }

  /** Ends whatever claim there is. */
  public void drop() {
    claimant = null;
  }

  @SuppressWarnings("ReferenceEquality") // that very rail, not one to the same peer
  private boolean isBy(Rail rail) {
    return claimant == rail;
  }
}
