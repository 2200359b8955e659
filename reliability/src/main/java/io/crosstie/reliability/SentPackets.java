// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What left on one rail and has not been judged yet: the sender's record of LA-MPI, per packet
 * (R1).
 *
 * <p>A ring indexed by packet number, in columns of primitives. Each packet refers to up to {@value
 * #MAX_ITEMS} items: fragments by (channel, message, offset, length), and control content that has
 * to be repeated if it is lost. The ring spans from the lowest outstanding packet to the next
 * number; it doubles when the span outgrows it, up to {@value #MAX_SPAN}, and refuses beyond.
 * Records of judged packets stay readable until their place is taken, so that a late
 * acknowledgement can be recognised.
 */
public final class SentPackets {
  /** Items per packet. */
  public static final int MAX_ITEMS = 8;

  /** Largest distance from the lowest outstanding packet to the next. */
  public static final int MAX_SPAN = 1 << 16;

  /** State of a number that this ring knows nothing of. */
  public static final byte UNKNOWN = 0;

  /** Left, not acknowledged, not given up. */
  public static final byte OUTSTANDING = 1;

  /** Acknowledged. */
  public static final byte ACKED = 2;

  /** Declared lost; its items were queued again. */
  public static final byte LOST = 3;

  private static final int INITIAL_SPAN = 64;

  private int mask = INITIAL_SPAN - 1;
  private long[] number = new long[INITIAL_SPAN];
  private byte[] state = new byte[INITIAL_SPAN];
  private boolean[] queuedAgain = new boolean[INITIAL_SPAN];
  private boolean[] appLimited = new boolean[INITIAL_SPAN];
  private byte[] transmissions = new byte[INITIAL_SPAN];
  private byte[] itemCount = new byte[INITIAL_SPAN];
  private boolean[] hasNotes = new boolean[INITIAL_SPAN];
  private int[] bytes = new int[INITIAL_SPAN];
  private long[] sentNs = new long[INITIAL_SPAN];
  private long[] deadlineNs = new long[INITIAL_SPAN];
  private long[] delivered = new long[INITIAL_SPAN];
  private long[] deliveredTimeNs = new long[INITIAL_SPAN];
  private long[] firstSentNs = new long[INITIAL_SPAN];
  private Items items = new Items(INITIAL_SPAN * MAX_ITEMS);

  private long next;
  private long lowest;
  private int outstanding;

  /** Columns of the items. */
  private static final class Items {
    final byte[] kind;
    final @Nullable ChannelEngine[] channel;
    final long[] first;
    final long[] offset;
    final int[] length;

    Items(int size) {
      kind = new byte[size];
      channel = new ChannelEngine[size];
      first = new long[size];
      offset = new long[size];
      length = new int[size];
    }
  }

  /** The number that the next packet will have. */
  public long nextNumber() {
    return next;
  }

  /** Lowest number that is outstanding, or the next number if none is. */
  public long lowestOutstanding() {
    return lowest;
  }

  /** How many are outstanding. */
  public int outstanding() {
    return outstanding;
  }

  /** Whether another packet can be recorded. */
  public boolean hasRoom() {
    return next - lowest < MAX_SPAN;
  }

  /** Uses up a number for a packet that needs no record (it asks for no acknowledgement). */
  public long skip() {
    long n = next++;
    if (outstanding == 0) {
      lowest = next;
    } else {
      ensureSpan();
      int i = (int) n & mask;
      number[i] = n;
      state[i] = UNKNOWN;
      itemCount[i] = 0;
    }
    return n;
  }

  /** Records the packet with the next number; its items follow by {@link #addItem}. */
  public long add(
      int size,
      long nowNs,
      long deadline,
      int transmissionsSoFar,
      boolean limitedByApplication,
      long deliveredSoFar,
      long deliveredTime,
      long firstSent) {
    long n = next++;
    ensureSpan();
    int i = (int) n & mask;
    number[i] = n;
    state[i] = OUTSTANDING;
    queuedAgain[i] = false;
    appLimited[i] = limitedByApplication;
    transmissions[i] = (byte) transmissionsSoFar;
    itemCount[i] = 0;
    hasNotes[i] = false;
    bytes[i] = size;
    sentNs[i] = nowNs;
    deadlineNs[i] = deadline;
    delivered[i] = deliveredSoFar;
    deliveredTimeNs[i] = deliveredTime;
    firstSentNs[i] = firstSent;
    outstanding++;
    return n;
  }

  /** Adds an item to the packet recorded last. */
  public void addItem(
      byte kind, @Nullable ChannelEngine channel, long first, long offset, int length) {
    int i = (int) (next - 1) & mask;
    int at = i * MAX_ITEMS + itemCount[i]++;
    hasNotes[i] |= kind == SentItem.ACK || kind == SentItem.SIZE_PROBE;
    items.kind[at] = kind;
    items.channel[at] = channel;
    items.first[at] = first;
    items.offset[at] = offset;
    items.length[at] = length;
  }

  private void ensureSpan() {
    if (next - lowest <= mask + 1L) {
      return;
    }
    int old = mask + 1;
    int size = old * 2;
    int oldMask = mask;
    long from = Math.max(0, next - 1 - old);
    long[] oldNumber = number;
    byte[] oldState = state;
    boolean[] oldQueued = queuedAgain;
    boolean[] oldLimited = appLimited;
    byte[] oldTransmissions = transmissions;
    byte[] oldCount = itemCount;
    boolean[] oldNotes = hasNotes;
    int[] oldBytes = bytes;
    long[] oldSent = sentNs;
    long[] oldDeadline = deadlineNs;
    long[] oldDelivered = delivered;
    long[] oldDeliveredTime = deliveredTimeNs;
    long[] oldFirstSent = firstSentNs;
    Items oldItems = items;
    number = new long[size];
    Arrays.fill(number, -1);
    state = new byte[size];
    queuedAgain = new boolean[size];
    appLimited = new boolean[size];
    transmissions = new byte[size];
    itemCount = new byte[size];
    hasNotes = new boolean[size];
    bytes = new int[size];
    sentNs = new long[size];
    deadlineNs = new long[size];
    delivered = new long[size];
    deliveredTimeNs = new long[size];
    firstSentNs = new long[size];
    items = new Items(size * MAX_ITEMS);
    mask = size - 1;
    for (long n = from; n < next - 1; n++) {
      int f = (int) n & oldMask;
      int t = (int) n & mask;
      number[t] = oldNumber[f];
      state[t] = oldState[f];
      queuedAgain[t] = oldQueued[f];
      appLimited[t] = oldLimited[f];
      transmissions[t] = oldTransmissions[f];
      itemCount[t] = oldCount[f];
      hasNotes[t] = oldNotes[f];
      bytes[t] = oldBytes[f];
      sentNs[t] = oldSent[f];
      deadlineNs[t] = oldDeadline[f];
      delivered[t] = oldDelivered[f];
      deliveredTimeNs[t] = oldDeliveredTime[f];
      firstSentNs[t] = oldFirstSent[f];
      System.arraycopy(oldItems.kind, f * MAX_ITEMS, items.kind, t * MAX_ITEMS, MAX_ITEMS);
      System.arraycopy(oldItems.channel, f * MAX_ITEMS, items.channel, t * MAX_ITEMS, MAX_ITEMS);
      System.arraycopy(oldItems.first, f * MAX_ITEMS, items.first, t * MAX_ITEMS, MAX_ITEMS);
      System.arraycopy(oldItems.offset, f * MAX_ITEMS, items.offset, t * MAX_ITEMS, MAX_ITEMS);
      System.arraycopy(oldItems.length, f * MAX_ITEMS, items.length, t * MAX_ITEMS, MAX_ITEMS);
    }
  }

  /** The state of a number. */
  public byte state(long n) {
    int i = (int) n & mask;
    return n >= 0 && n < next && number[i] == n ? state[i] : UNKNOWN;
  }

  /** Whether the packet is known to have arrived. */
  public boolean isAcked(long n) {
    return state(n) == ACKED;
  }

  /** An outstanding packet arrived. */
  public void markAcked(long n) {
    settle(n, ACKED);
  }

  /** An outstanding packet is given up. */
  public void markLost(long n) {
    settle(n, LOST);
  }

  /** A packet that was given up arrived after all. */
  public void markSpurious(long n) {
    state[(int) n & mask] = ACKED;
  }

  /**
   * An acknowledged packet whose content the peer refused after all; queued entries that came from
   * it must leave.
   */
  public void markNacked(long n) {
    state[(int) n & mask] = LOST;
  }

  private void settle(long n, byte to) {
    int i = (int) n & mask;
    state[i] = to;
    outstanding--;
    if (outstanding == 0) {
      lowest = next;
    } else if (n == lowest) {
      long low = n + 1;
      while (state[(int) low & mask] != OUTSTANDING) {
        low++;
      }
      lowest = low;
    }
  }

  /** Whether its items were queued again already. */
  public boolean isQueuedAgain(long n) {
    return queuedAgain[(int) n & mask];
  }

  /** Notes that its items were queued again while it stays outstanding. */
  public void setQueuedAgain(long n) {
    queuedAgain[(int) n & mask] = true;
  }

  /** Whether the application had nothing more to send when it left. */
  public boolean isAppLimited(long n) {
    return appLimited[(int) n & mask];
  }

  /** Size in bytes as charged. */
  public int bytes(long n) {
    return bytes[(int) n & mask];
  }

  /** When it left. */
  public long sentNs(long n) {
    return sentNs[(int) n & mask];
  }

  /** When its retransmission timeout ends. */
  public long deadlineNs(long n) {
    return deadlineNs[(int) n & mask];
  }

  /** How often the most repeated of its fragments had left before. */
  public int transmissions(long n) {
    return transmissions[(int) n & mask];
  }

  /** Snapshot for the delivery rate. */
  public long delivered(long n) {
    return delivered[(int) n & mask];
  }

  /** Snapshot for the delivery rate. */
  public long deliveredTimeNs(long n) {
    return deliveredTimeNs[(int) n & mask];
  }

  /** Snapshot for the delivery rate. */
  public long firstSentNs(long n) {
    return firstSentNs[(int) n & mask];
  }

  /** How many items it carried. */
  public int itemCount(long n) {
    return itemCount[(int) n & mask];
  }

  /** Whether something is to be done about its items when it is acknowledged. */
  public boolean hasNotes(long n) {
    return hasNotes[(int) n & mask];
  }

  private int item(long n, int item) {
    return ((int) n & mask) * MAX_ITEMS + item;
  }

  /** One of the kinds of {@link SentItem}. */
  public byte itemKind(long n, int item) {
    return items.kind[item(n, item)];
  }

  /** The item's channel. */
  public @Nullable ChannelEngine itemChannel(long n, int item) {
    return items.channel[item(n, item)];
  }

  /** First message number, or a value by kind. */
  public long itemFirst(long n, int item) {
    return items.first[item(n, item)];
  }

  /** Offset of a fragment. */
  public long itemOffset(long n, int item) {
    return items.offset[item(n, item)];
  }

  /** Length of a fragment, or count of whole messages. */
  public int itemLength(long n, int item) {
    return items.length[item(n, item)];
  }
}
