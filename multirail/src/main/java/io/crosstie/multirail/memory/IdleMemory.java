// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.memory;

import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.RunQueue;
import io.crosstie.reliability.memory.ChunkPool;

/**
 * Channels of a node that keep memory, and the chunks that are kept for them all: what was of no
 * use for a while is given back, so that a channel on which nothing happens costs its objects and
 * nothing else. A channel that keeps nothing does not stand here, and costs no look.
 */
public final class IdleMemory {
  /**
   * A channel gives back what it keeps when nothing has happened on it between two looks. Long
   * enough that thousands of channels in turn, or a message a second, find it where it was; who is
   * short of memory does not wait for it.
   */
  static final long REST_NS = 2_000_000_000L;

  /**
   * So often it is looked whether some time has come; between looks a duty cycle compares times.
   */
  private static final long LOOK_NS = REST_NS / 8;

  /** So many channels are looked at in one duty cycle. */
  private static final int MOST_LOOKS = 256;

  private final ChunkPool chunks;
  private final RunQueue<ChannelEngine> keeping = new RunQueue<>(6); // by when they were asked last
  private int channels;
  private long nowNs;
  private long lookNs = Long.MIN_VALUE;
  private long chunksAskedNs = Long.MAX_VALUE;

  /** Nobody keeps anything. */
  public IdleMemory(ChunkPool chunks) {
    this.chunks = chunks;
  }

  /** The engine comes to know one more channel; from now on nothing that lists it needs memory. */
  void reserve() {
    keeping.reserve(channels + 1);
    channels++;
  }

  /** The engine forgets so many. */
  void forget(int gone) {
    channels -= gone;
  }

  /** Something has happened on a channel. */
  void used(ChannelEngine channel) {
    if (keeping.add(channel)) {
      channel.askedNs(nowNs);
    }
  }

  /** When it is time for a {@link #onCycle}; Long.MAX_VALUE if nobody keeps anything. */
  public long deadlineNs() {
    ChannelEngine first = keeping.peekFirst();
    long ofChannels = first == null ? Long.MAX_VALUE : first.askedNs() + REST_NS;
    long ofChunks =
        chunksAskedNs != Long.MAX_VALUE
            ? chunksAskedNs + REST_NS
            : chunks.hasSpare() ? nowNs + REST_NS : Long.MAX_VALUE;
    return Math.max(lookNs, Math.min(ofChannels, ofChunks));
  }

  /** In each duty cycle: a bounded number of channels whose time has come give back. */
  public void onCycle(long timeNs) {
    nowNs = timeNs;
    if (timeNs >= lookNs) {
      look(timeNs);
    }
  }

  private void look(long timeNs) {
    for (int looks = 0; ; looks++) {
      ChannelEngine first = keeping.peekFirst();
      if (first == null || timeNs - first.askedNs() < REST_NS) {
        lookNs = timeNs + LOOK_NS;
        break;
      }
      if (looks == MOST_LOOKS) {
        break; // the rest in the next cycle
      }
      ChannelEngine channel = keeping.removeFirst();
      boolean quiet = channel.isQuiet(timeNs);
      if (quiet) {
        channel.rest();
      }
      if (!quiet || channel.keepsMemory()) {
        used(channel);
      }
    }
    if (chunksAskedNs == Long.MAX_VALUE) {
      chunksAskedNs = chunks.hasSpare() ? timeNs : Long.MAX_VALUE;
    } else if (timeNs - chunksAskedNs >= REST_NS) {
      chunksAskedNs = chunks.giveUnused() ? timeNs : Long.MAX_VALUE;
    }
  }

  /** The node is short of memory: all that keep something give back what nothing lies in. */
  void trimAll() {
    for (int left = keeping.size(); left > 0; left--) {
      ChannelEngine first = keeping.peekFirst();
      if (first == null) {
        return;
      }
      first.trim();
      keeping.rotate();
    }
  }

  /** How many channels keep memory. */
  public int keeping() {
    return keeping.size();
  }
}
