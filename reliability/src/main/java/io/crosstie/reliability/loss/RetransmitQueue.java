// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.time.StallTimer;
import org.jspecify.annotations.Nullable;

/**
 * Fragments that have to leave again: those of HIGH channels first, of one priority first come
 * first served. An entry remembers the packet it was in, so that it can be dropped when that one
 * turns out to have arrived, and the rail to avoid (R8).
 *
 * <p>Bounded by what was outstanding: each outstanding packet puts its items in at most once.
 */
public final class RetransmitQueue {
  private final Ring high = new Ring();
  private final Ring normal = new Ring();
  private Ring front = normal;

  /** An empty one. */
  public RetransmitQueue() {}

  /** Whether nothing waits. */
  public boolean isEmpty() {
    return high.isEmpty() && normal.isEmpty();
  }

  /** Entries waiting. */
  public int size() {
    return high.size() + normal.size();
  }

  /** Adds at the end of those of its priority. */
  public void add(
      byte itemKind,
      ChannelEngine of,
      long firstMessage,
      long from,
      int lengthOrCount,
      int transmitted,
      int avoidRail,
      @Nullable SentPackets originPackets,
      long originPacket) {
    Ring ring = of.priority() == Priority.HIGH ? high : normal;
    ring.add(
        itemKind,
        of,
        firstMessage,
        from,
        lengthOrCount,
        transmitted,
        avoidRail,
        originPackets,
        originPacket);
  }

  /**
   * Drops entries from the front whose content the peer is known to have, or never to take.
   *
   * @param normalFirst whether NORMAL has its turn
   * @return whether an entry that must leave is at the front
   */
  public boolean prune(boolean normalFirst) {
    front = normalFirst ? normal : high;
    if (front.isEmpty() || !front.prune()) {
      front = normalFirst ? high : normal;
      return !front.isEmpty() && front.prune();
    }
    return true;
  }

  /** Whether the front entry is of a HIGH channel. */
  @SuppressWarnings("ReferenceEquality") // this very one
  public boolean isHigh() {
    return front == high;
  }

  /** Kind of the front entry: EAGER or FRAGMENT. */
  public byte kind() {
    return front.kind();
  }

  /** Channel of the front entry. */
  public ChannelEngine channel() {
    return front.channel();
  }

  /** First message of the front entry. */
  public long first() {
    return front.first();
  }

  /** Offset of the front entry. */
  public long offset() {
    return front.offset();
  }

  /** Length, or count, of the front entry. */
  public int length() {
    return front.length();
  }

  /** How often the front entry has left before. */
  public int transmissions() {
    return front.transmissions();
  }

  /** The rail that the front entry should avoid, or -1. */
  public int avoid() {
    return front.avoid();
  }

  /** That many bytes, or messages, of the front entry leave now. */
  public void take(int lengthOrCount) {
    front.take(lengthOrCount);
  }

  /** Tells the channels of everything that waits that it will leave, see {@link StallTimer}. */
  public void noteQueued(long look) {
    high.noteQueued(look);
    normal.noteQueued(look);
  }

  /** Forgets everything. */
  public void clear() {
    high.clear();
    normal.clear();
  }

  private static final class Ring {
    private int mask = 7;
    private byte[] kind = new byte[8];
    private ChannelEngine[] channel = new ChannelEngine[8];
    private long[] first = new long[8];
    private long[] offset = new long[8];
    private int[] length = new int[8];
    private byte[] transmissions = new byte[8];
    private int[] avoid = new int[8];
    private @Nullable SentPackets[] origin = new SentPackets[8];
    private long[] originNumber = new long[8];
    private long head;
    private long tail;

    boolean isEmpty() {
      return head == tail;
    }

    int size() {
      return (int) (tail - head);
    }

    void add(
        byte itemKind,
        ChannelEngine of,
        long firstMessage,
        long from,
        int lengthOrCount,
        int transmitted,
        int avoidRail,
        @Nullable SentPackets originPackets,
        long originPacket) {
      if (tail - head > mask) {
        grow();
      }
      int i = (int) tail++ & mask;
      kind[i] = itemKind;
      channel[i] = of;
      first[i] = firstMessage;
      offset[i] = from;
      length[i] = lengthOrCount;
      transmissions[i] = (byte) Math.min(transmitted, 100);
      avoid[i] = avoidRail;
      origin[i] = originPackets;
      originNumber[i] = originPacket;
    }

    private void grow() {
      int old = mask + 1;
      int size = old * 2;
      byte[] newKind = new byte[size];
      ChannelEngine[] newChannel = new ChannelEngine[size];
      long[] newFirst = new long[size];
      long[] newOffset = new long[size];
      int[] newLength = new int[size];
      byte[] newTransmissions = new byte[size];
      int[] newAvoid = new int[size];
      @Nullable SentPackets[] newOrigin = new SentPackets[size];
      long[] newOriginNumber = new long[size];
      for (long n = head; n < tail; n++) {
        int f = (int) n & mask;
        int t = (int) n & (size - 1);
        newKind[t] = kind[f];
        newChannel[t] = channel[f];
        newFirst[t] = first[f];
        newOffset[t] = offset[f];
        newLength[t] = length[f];
        newTransmissions[t] = transmissions[f];
        newAvoid[t] = avoid[f];
        newOrigin[t] = origin[f];
        newOriginNumber[t] = originNumber[f];
      }
      kind = newKind;
      channel = newChannel;
      first = newFirst;
      offset = newOffset;
      length = newLength;
      transmissions = newTransmissions;
      avoid = newAvoid;
      origin = newOrigin;
      originNumber = newOriginNumber;
      mask = size - 1;
    }

    /**
     * Drops entries from the front whose content the peer is known to have, or never to take.
     *
     * @return whether an entry that must leave is at the front
     */
    boolean prune() {
      while (head < tail) {
        int i = (int) head & mask;
        ChannelEngine of = channel[i];
        long last = kind[i] == SentItem.EAGER ? first[i] + length[i] - 1 : first[i];
        SentPackets from = origin[i];
        if (!of.sender().isAccepted(last)
            && !of.sender().isRefused()
            && (from == null || !from.isAcked(originNumber[i]))
            && !(kind[i] == SentItem.FRAGMENT
                && (of.sent().isFailed(first[i]) || of.sender().isUngranted(first[i])))) {
          while (kind[i] == SentItem.EAGER && of.sender().isAccepted(first[i])) {
            first[i]++;
            length[i]--;
          }
          return true;
        }
        origin[i] = null;
        head++;
      }
      return false;
    }

    byte kind() {
      return kind[(int) head & mask];
    }

    ChannelEngine channel() {
      return channel[(int) head & mask];
    }

    long first() {
      return first[(int) head & mask];
    }

    long offset() {
      return offset[(int) head & mask];
    }

    int length() {
      return length[(int) head & mask];
    }

    int transmissions() {
      return transmissions[(int) head & mask];
    }

    int avoid() {
      return avoid[(int) head & mask];
    }

    void take(int lengthOrCount) {
      int i = (int) head & mask;
      if (lengthOrCount >= length[i]) {
        origin[i] = null;
        head++;
      } else if (kind[i] == SentItem.EAGER) {
        first[i] += lengthOrCount;
        length[i] -= lengthOrCount;
      } else {
        offset[i] += lengthOrCount;
        length[i] -= lengthOrCount;
      }
    }

    void noteQueued(long look) {
      for (long n = head; n < tail; n++) {
        channel[(int) n & mask].stallTimer().underWay(look);
      }
    }

    void clear() {
      while (head < tail) {
        origin[(int) head++ & mask] = null;
      }
    }
  }
}
