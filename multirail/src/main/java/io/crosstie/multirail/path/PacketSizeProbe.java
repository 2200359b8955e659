// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

/**
 * Finds the packet size that a path carries (R20; RFC 8899): begins at 1200 bytes, tries larger
 * sizes from the largest down, three probes each, and falls back when packets above the base size
 * vanish while smaller ones pass.
 */
public final class PacketSizeProbe {
  private static final int[] SIZES = {32768, 16384, 8972, 4052, 1472, 1452, 1392};
  private static final int TRIES = 3;
  private static final int BLACK_HOLE_LOSSES = 6;
  private static final long RETRY_NS = 30_000_000_000L;

  private int max;
  private int current = RailPath.BASE_PACKET;
  private int candidate;
  private int tries;
  private boolean done;
  private boolean inFlight;
  private int bigLosses;
  private long newestBigAcked = -1;
  private long retryNs;

  /** Begins anew for a rail. */
  void restart(int maxPacketLength, boolean lossless, long nowNs) {
    max = maxPacketLength;
    current = lossless ? max : Math.min(max, RailPath.BASE_PACKET);
    candidate = max;
    tries = 0;
    inFlight = false;
    bigLosses = 0;
    done = current == max;
    retryNs = nowNs + RETRY_NS;
  }

  /** The peer cannot take more than that. */
  void limit(int peerMax) {
    if (peerMax < max) {
      max = peerMax;
      candidate = Math.min(candidate, max);
      current = Math.min(current, max);
      done |= current >= max;
    }
  }

  /** Packet size in use, in bytes. */
  public int current() {
    return current;
  }

  /** Size to probe now, or 0. */
  public int due(long nowNs) {
    if (done && current < max && nowNs >= retryNs) {
      done = false;
      candidate = max;
      tries = 0;
      retryNs = nowNs + RETRY_NS;
    }
    return done || inFlight ? 0 : candidate;
  }

  public void sent() {
    inFlight = true;
  }

  /** It did not leave after all. */
  public void notSent() {
    inFlight = false;
  }

  /** A probe of that size came through. */
  void onAcked(int size) {
    inFlight = false;
    if (size > current) {
      current = size;
    }
    if (size >= candidate) {
      done = true;
    }
    bigLosses = 0;
  }

  /** A probe was lost or refused. */
  void onLost(int size, boolean refused) {
    inFlight = false;
    if (size != candidate || done) {
      return;
    }
    if (!refused && ++tries < TRIES) {
      return;
    }
    tries = 0;
    for (int next : SIZES) {
      if (next < candidate && next > current) {
        candidate = next;
        return;
      }
    }
    done = true;
  }

  /** A packet arrived. */
  void onPacketAcked(int bytes, long number) {
    if (bytes > RailPath.BASE_PACKET && number > newestBigAcked) {
      newestBigAcked = number;
      bigLosses = 0;
    }
  }

  /**
   * An ordinary packet was lost although later ones arrived; true if the size in use was given up.
   * If one of the later ones was large, it is not the size that matters.
   */
  boolean onPacketLost(int bytes, long number, long nowNs) {
    if (bytes <= RailPath.BASE_PACKET
        || number < newestBigAcked
        || ++bigLosses < BLACK_HOLE_LOSSES) {
      return false;
    }
    giveUp(nowNs);
    return true;
  }

  private void giveUp(long nowNs) {
    bigLosses = 0;
    candidate = current;
    for (int next : SIZES) {
      if (next < current) {
        candidate = next;
        break;
      }
    }
    current = Math.min(max, RailPath.BASE_PACKET);
    tries = 0;
    done = candidate <= current;
    inFlight = false;
    retryNs = nowNs + RETRY_NS;
  }

  /** The link said that a packet was too big. */
  public void onTooBig(long nowNs) {
    if (inFlight) {
      onLost(candidate, true);
    } else if (current > RailPath.BASE_PACKET) {
      giveUp(nowNs);
    }
  }
}
