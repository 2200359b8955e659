// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import org.jspecify.annotations.Nullable;

/**
 * What left on one rail and has not been judged yet: the sender's record of LA-MPI, per packet
 * (R1).
 *
 * <p>A ring indexed by packet number, one line of the cache for each packet, which refers to up to
 * {@value #MAX_ITEMS} items: fragments by (channel, message, offset, length), and control content
 * that has to be repeated if it is lost. The ring spans from the lowest outstanding packet to the
 * next number; it doubles when the span outgrows it, up to {@value #MAX_SPAN}, and refuses beyond.
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

  /** Given up in silence, which tells nothing about congestion; otherwise as {@link #LOST}. */
  public static final byte DISCARDED = 4;

  private static final int INITIAL_SPAN = 64;

  // One packet: a record of eight words, which is a line of the cache.
  private static final int WORDS = 8;
  private static final int NUMBER = 0;
  private static final int SENT_NS = 1;
  private static final int DEADLINE_NS = 2;
  private static final int DELIVERED = 3;
  private static final int DELIVERED_TIME_NS = 4;
  private static final int FIRST_SENT_NS = 5;
  private static final int BYTES = 6; // and the transmissions before, above them
  private static final int MARKS = 7; // state, number of items, flags

  private static final int TRANSMISSIONS_SHIFT = 32;
  private static final int STATE_MASK = 0xff;
  private static final int COUNT_SHIFT = 8;
  private static final long ONE_ITEM = 1L << COUNT_SHIFT;
  private static final long QUEUED_AGAIN = 1L << 16;
  private static final long APP_LIMITED = 1L << 17;
  private static final long HAS_NOTES = 1L << 18;

  // One item: first, offset, and kind above length.
  private static final int ITEM_WORDS = 3;
  private static final int PACKET_ITEM_WORDS = MAX_ITEMS * ITEM_WORDS;
  private static final int KIND_SHIFT = 32;

  private int mask = INITIAL_SPAN - 1;
  private long[] records = new long[INITIAL_SPAN * WORDS];
  private long[] items = new long[INITIAL_SPAN * PACKET_ITEM_WORDS];
  private @Nullable ChannelEngine[] channels = new ChannelEngine[INITIAL_SPAN * MAX_ITEMS];

  private long next;
  private long lowest;
  private int outstanding;

  /** Knows of no packet. */
  public SentPackets() {}

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
      int at = at(n);
      records[at + NUMBER] = n;
      records[at + MARKS] = UNKNOWN;
    }
    return n;
  }

  private int at(long n) {
    return ((int) n & mask) * WORDS;
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
    long[] r = records;
    int at = at(n);
    r[at + NUMBER] = n;
    r[at + SENT_NS] = nowNs;
    r[at + DEADLINE_NS] = deadline;
    r[at + DELIVERED] = deliveredSoFar;
    r[at + DELIVERED_TIME_NS] = deliveredTime;
    r[at + FIRST_SENT_NS] = firstSent;
    r[at + BYTES] = size | ((long) transmissionsSoFar << TRANSMISSIONS_SHIFT);
    r[at + MARKS] = OUTSTANDING | (limitedByApplication ? APP_LIMITED : 0);
    outstanding++;
    return n;
  }

  /** Adds an item to the packet recorded last. */
  @SuppressWarnings("ReferenceEquality") // this very channel
  public void addItem(
      byte kind, @Nullable ChannelEngine channel, long first, long offset, int length) {
    int i = (int) (next - 1) & mask;
    long marks = records[i * WORDS + MARKS];
    int count = count(marks);
    boolean note = kind == SentItem.ACK || kind == SentItem.SIZE_PROBE;
    records[i * WORDS + MARKS] = (marks + ONE_ITEM) | (note ? HAS_NOTES : 0);
    int at = i * PACKET_ITEM_WORDS + count * ITEM_WORDS;
    items[at] = first;
    items[at + 1] = offset;
    items[at + 2] = (length & 0xffff_ffffL) | ((long) kind << KIND_SHIFT);
    int slot = i * MAX_ITEMS + count;
    if (channels[slot] != channel) {
      channels[slot] = channel; // mostly the same as before; see Rota
    }
  }

  private static int count(long marks) {
    return (int) (marks >> COUNT_SHIFT) & 0xff;
  }

  private void ensureSpan() {
    if (next - lowest > mask + 1L) {
      grow();
    }
  }

  private void grow() {
    int old = mask + 1;
    long[] oldRecords = records;
    long[] oldItems = items;
    @Nullable ChannelEngine[] oldChannels = channels;
    int size = old * 2;
    records = new long[size * WORDS];
    for (int i = 0; i < size; i++) {
      records[i * WORDS + NUMBER] = -1;
    }
    items = new long[size * PACKET_ITEM_WORDS];
    channels = new ChannelEngine[size * MAX_ITEMS];
    int oldMask = mask;
    mask = size - 1;
    for (long n = Math.max(0, next - 1 - old); n < next - 1; n++) {
      int f = (int) n & oldMask;
      int t = (int) n & mask;
      System.arraycopy(oldRecords, f * WORDS, records, t * WORDS, WORDS);
      System.arraycopy(
          oldItems, f * PACKET_ITEM_WORDS, items, t * PACKET_ITEM_WORDS, PACKET_ITEM_WORDS);
      System.arraycopy(oldChannels, f * MAX_ITEMS, channels, t * MAX_ITEMS, MAX_ITEMS);
    }
  }

  /** The state of a number. */
  public byte state(long n) {
    int at = at(n);
    return n >= 0 && n < next && records[at + NUMBER] == n ? state(at) : UNKNOWN;
  }

  private byte state(int at) {
    return (byte) (records[at + MARKS] & STATE_MASK);
  }

  private void setState(long n, byte to) {
    int at = at(n);
    records[at + MARKS] = (records[at + MARKS] & ~(long) STATE_MASK) | to;
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

  /** An outstanding packet is given up, but does not count as a loss. */
  public void markDiscarded(long n) {
    settle(n, DISCARDED);
  }

  /** A packet that was given up arrived after all. */
  public void markSpurious(long n) {
    setState(n, ACKED);
  }

  /**
   * An acknowledged packet whose content the peer refused after all; queued entries that came from
   * it must leave.
   */
  public void markNacked(long n) {
    setState(n, LOST);
  }

  private void settle(long n, byte to) {
    setState(n, to);
    outstanding--;
    if (outstanding == 0) {
      lowest = next;
    } else if (n == lowest) {
      long low = n + 1;
      while (state(at(low)) != OUTSTANDING) {
        low++;
      }
      lowest = low;
    }
  }

  /** Whether its items were queued again already. */
  public boolean isQueuedAgain(long n) {
    return (records[at(n) + MARKS] & QUEUED_AGAIN) != 0;
  }

  /** Notes that its items were queued again while it stays outstanding. */
  public void setQueuedAgain(long n) {
    records[at(n) + MARKS] |= QUEUED_AGAIN;
  }

  /** Whether the application had nothing more to send when it left. */
  public boolean isAppLimited(long n) {
    return (records[at(n) + MARKS] & APP_LIMITED) != 0;
  }

  /** Size in bytes as charged. */
  public int bytes(long n) {
    return (int) records[at(n) + BYTES];
  }

  /** When it left. */
  public long sentNs(long n) {
    return records[at(n) + SENT_NS];
  }

  /** When its retransmission timeout ends. */
  public long deadlineNs(long n) {
    return records[at(n) + DEADLINE_NS];
  }

  /** How often the most repeated of its fragments had left before. */
  public int transmissions(long n) {
    return (int) (records[at(n) + BYTES] >> TRANSMISSIONS_SHIFT);
  }

  /** Snapshot for the delivery rate. */
  public long delivered(long n) {
    return records[at(n) + DELIVERED];
  }

  /** Snapshot for the delivery rate. */
  public long deliveredTimeNs(long n) {
    return records[at(n) + DELIVERED_TIME_NS];
  }

  /** Snapshot for the delivery rate. */
  public long firstSentNs(long n) {
    return records[at(n) + FIRST_SENT_NS];
  }

  /** How many items it carried. */
  public int itemCount(long n) {
    return count(records[at(n) + MARKS]);
  }

  /** Whether something is to be done about its items when it is acknowledged. */
  public boolean hasNotes(long n) {
    return (records[at(n) + MARKS] & HAS_NOTES) != 0;
  }

  private int item(long n, int item) {
    return ((int) n & mask) * PACKET_ITEM_WORDS + item * ITEM_WORDS;
  }

  /** One of the kinds of {@link SentItem}. */
  public byte itemKind(long n, int item) {
    return (byte) (items[item(n, item) + 2] >> KIND_SHIFT);
  }

  /** The item's channel. */
  public @Nullable ChannelEngine itemChannel(long n, int item) {
    return channels[((int) n & mask) * MAX_ITEMS + item];
  }

  /** First message number, or a value by kind. */
  public long itemFirst(long n, int item) {
    return items[item(n, item)];
  }

  /** Offset of a fragment. */
  public long itemOffset(long n, int item) {
    return items[item(n, item) + 1];
  }

  /** Length of a fragment, or count of whole messages. */
  public int itemLength(long n, int item) {
    return (int) items[item(n, item) + 2];
  }
}
