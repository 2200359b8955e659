// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.time.StallTimer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What left on one rail and has not been judged yet: the sender's record of LA-MPI, per packet
 * (R1).
 *
 * <p>Two rings. One has a <em>slot</em> for each packet number: what became of the packet, and
 * which record describes it. A <em>record</em> says when and under which circumstances it left, and
 * refers to up to {@value #MAX_ITEMS} items: fragments by (channel, message, offset, length), and
 * control content that has to be repeated if it is lost. Packets that carry consecutive fragments
 * of one message and left together share one record, so that a stream costs a word for each packet
 * and the caches are left to the messages.
 *
 * <p>The rings span from the lowest outstanding packet to the next number; they double when the
 * span outgrows them, up to {@value #MAX_SPAN}, and refuse beyond. What is known of judged packets
 * stays readable until their place is taken, so that a late acknowledgement can be recognised.
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

  // A slot: the number of the record above the packet's marks.
  private static final int STATE_MASK = 0x7;
  private static final int QUEUED_AGAIN = 0x8;
  private static final int RECORD_SHIFT = 4;

  // A record of eight words, which is a line of the cache.
  private static final int WORDS = 8;
  private static final int FIRST_PACKET = 0;
  private static final int SENT_NS = 1;
  private static final int DEADLINE_NS = 2;
  private static final int DELIVERED = 3;
  private static final int DELIVERED_TIME_NS = 4;
  private static final int FIRST_SENT_NS = 5;
  private static final int BYTES = 6; // of each packet, and the transmissions before, above them
  private static final int MARKS = 7; // number of items, flags, and above them the first item

  private static final int TRANSMISSIONS_SHIFT = 32;
  private static final int COUNT_MASK = 0xff;
  private static final long APP_LIMITED = 1L << 8;
  private static final long HAS_NOTES = 1L << 9;
  private static final int FIRST_ITEM_SHIFT = 32;

  // One item: first, offset, and kind above length. They lie one behind the other, in a ring of
  // their own: most records have one.
  private static final int ITEM_WORDS = 3;
  private static final int KIND_SHIFT = 32;

  private int mask = INITIAL_SPAN - 1;
  private int[] slots = new int[INITIAL_SPAN];
  private long[] records = new long[INITIAL_SPAN * WORDS];
  private int itemMask = INITIAL_SPAN - 1;
  private long[] items = new long[INITIAL_SPAN * ITEM_WORDS];
  private @Nullable ChannelEngine[] channels = new ChannelEngine[INITIAL_SPAN];

  private long next;
  private long lowest;
  private int outstanding;

  /** Of all that are outstanding. */
  private long outstandingBytes;

  /** How many of them {@link #hasNotes}. */
  private int outstandingNotes;

  /** The record made last; as there are never more than packets, its ring cannot overflow first. */
  private int record;

  /** Number of the next item. */
  private int nextItem;

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
    }
    ensureSpan();
    slots[(int) n & mask] = UNKNOWN;
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
    record++;
    long[] r = records;
    int at = (record & mask) * WORDS;
    r[at + FIRST_PACKET] = n;
    r[at + SENT_NS] = nowNs;
    r[at + DEADLINE_NS] = deadline;
    r[at + DELIVERED] = deliveredSoFar;
    r[at + DELIVERED_TIME_NS] = deliveredTime;
    r[at + FIRST_SENT_NS] = firstSent;
    r[at + BYTES] = size | ((long) transmissionsSoFar << TRANSMISSIONS_SHIFT);
    r[at + MARKS] = (long) nextItem << FIRST_ITEM_SHIFT | (limitedByApplication ? APP_LIMITED : 0);
    slots[(int) n & mask] = record << RECORD_SHIFT | OUTSTANDING;
    outstanding++;
    outstandingBytes += size;
    return n;
  }

  /**
   * Records another packet with the record made last, whose only item is a fragment: it is as
   * large, leaves at the same time, and carries as many bytes of the message, those that follow the
   * packet before.
   */
  public long addNext() {
    long n = next++;
    ensureSpan();
    slots[(int) n & mask] = record << RECORD_SHIFT | OUTSTANDING;
    outstanding++;
    outstandingBytes += bytes(n);
    return n;
  }

  /** Adds an item to the packet recorded last. */
  @SuppressWarnings("ReferenceEquality") // this very channel
  public void addItem(
      byte kind, @Nullable ChannelEngine channel, long first, long offset, int length) {
    ensureItems();
    boolean note = kind == SentItem.ACK || kind == SentItem.SIZE_PROBE;
    int marks = (record & mask) * WORDS + MARKS;
    long before = records[marks];
    records[marks] = (before + 1) | (note ? HAS_NOTES : 0);
    if (note && (before & HAS_NOTES) == 0) {
      outstandingNotes++;
    }
    int i = nextItem++ & itemMask;
    int at = i * ITEM_WORDS;
    items[at] = first;
    items[at + 1] = offset;
    items[at + 2] = (length & 0xffff_ffffL) | ((long) kind << KIND_SHIFT);
    if (channels[i] != channel) {
      channels[i] = channel; // mostly the same as before; see RunQueue
    }
  }

  /** Makes room for one more beside those of all records that are kept. */
  private void ensureItems() {
    int oldest = firstItem(records[((record + 1) & mask) * WORDS + MARKS]);
    int kept = nextItem - oldest;
    if (kept <= itemMask) {
      return;
    }
    int old = itemMask + 1;
    int size = old * 2;
    long[] oldItems = items;
    @Nullable ChannelEngine[] oldChannels = channels;
    items = new long[size * ITEM_WORDS];
    channels = new ChannelEngine[size];
    itemMask = size - 1;
    for (int n = nextItem - old; n != nextItem; n++) {
      int f = n & (old - 1);
      int t = n & itemMask;
      System.arraycopy(oldItems, f * ITEM_WORDS, items, t * ITEM_WORDS, ITEM_WORDS);
      channels[t] = oldChannels[f];
    }
  }

  private static int firstItem(long marks) {
    return (int) (marks >> FIRST_ITEM_SHIFT);
  }

  private void ensureSpan() {
    if (next - lowest > mask + 1L) {
      grow();
    }
  }

  private void grow() {
    int old = mask + 1;
    int oldMask = mask;
    int[] oldSlots = slots;
    long[] oldRecords = records;
    int size = old * 2;
    slots = new int[size];
    records = new long[size * WORDS];
    mask = size - 1;
    for (long n = Math.max(0, next - 1 - old); n < next - 1; n++) {
      slots[(int) n & mask] = oldSlots[(int) n & oldMask];
    }
    for (int i = 0; i < old; i++) {
      int f = (record - i) & oldMask;
      int t = (record - i) & mask;
      System.arraycopy(oldRecords, f * WORDS, records, t * WORDS, WORDS);
    }
    int oldest = firstItem(records[((record - old + 1) & mask) * WORDS + MARKS]);
    for (int i = old; i < size; i++) { // those that were never used have no items, either
      records[((record - i) & mask) * WORDS + MARKS] = (long) oldest << FIRST_ITEM_SHIFT;
    }
  }

  /** The state of a number. */
  public byte state(long n) {
    boolean held = n >= 0 && n < next && next - n <= mask + 1L;
    return held ? (byte) (slots[(int) n & mask] & STATE_MASK) : UNKNOWN;
  }

  private void setState(long n, byte to) {
    int at = (int) n & mask;
    slots[at] = (slots[at] & ~STATE_MASK) | to;
  }

  /** Whether the packet is known to have arrived. */
  public boolean isAcked(long n) {
    return state(n) == ACKED;
  }

  /**
   * An outstanding packet arrived, and those behind it that are outstanding too and share its
   * record, up to a last one.
   *
   * @return how many; 1 or more
   */
  public int markAcked(long first, long last) {
    int[] s = slots;
    int same = s[(int) first & mask];
    int acked = (same & ~STATE_MASK) | ACKED;
    long n = first;
    do {
      s[(int) n & mask] = acked;
      n++;
    } while (n <= last && s[(int) n & mask] == same);
    settled(first, n);
    return (int) (n - first);
  }

  /**
   * All outstanding packets below a number arrived, on a rail that keeps their order.
   *
   * @param noted is told each of them that {@link #hasNotes}
   * @return the sum of their {@link #bytes}
   */
  public long markAllAcked(long until, LongConsumer noted) {
    if (outstanding == next - lowest && outstandingNotes == 0) {
      return markRunAcked(Math.min(until, next));
    }
    int[] s = slots;
    long[] r = records;
    long bytes = 0;
    int acked = 0;
    long end = Math.min(until, next);
    for (long n = lowest; n < end; n++) {
      int slot = s[(int) n & mask];
      if ((slot & STATE_MASK) != OUTSTANDING) {
        continue;
      }
      s[(int) n & mask] = (slot & ~STATE_MASK) | ACKED;
      acked++;
      int at = (slot >>> RECORD_SHIFT & mask) * WORDS;
      bytes += (int) r[at + BYTES];
      if ((r[at + MARKS] & HAS_NOTES) != 0) {
        outstandingNotes--;
        noted.accept(n);
      }
    }
    outstanding -= acked;
    outstandingBytes -= bytes;
    lowest = outstanding == 0 ? next : Math.max(lowest, end);
    while (outstanding > 0 && (s[(int) lowest & mask] & STATE_MASK) != OUTSTANDING) {
      lowest++;
    }
    return bytes;
  }

  /**
   * The same where each packet is outstanding and none has notes, which asks for no step of its own
   * for each: they are marked as a run, and those are summed that are fewer, they or the others.
   */
  private long markRunAcked(long end) {
    long acked = end - lowest;
    if (acked <= 0) {
      return 0;
    }
    boolean rest = next - end < acked;
    long bytes = rest ? outstandingBytes - sum(end, next) : sum(lowest, end);
    int from = (int) lowest & mask;
    int to = from + (int) acked;
    markAcked(slots, from, Math.min(to, mask + 1));
    markAcked(slots, 0, to - mask - 1);
    outstanding -= (int) acked;
    outstandingBytes -= bytes;
    lowest = end;
    return bytes;
  }

  private long sum(long from, long to) {
    long sum = 0;
    for (long n = from; n < to; n++) {
      sum += bytes(n);
    }
    return sum;
  }

  private static void markAcked(int[] slots, int from, int to) {
    for (int i = from; i < to; i++) {
      slots[i] += ACKED - OUTSTANDING;
    }
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
    settled(n, n + 1);
  }

  /** The packets from one to before another are outstanding no more. */
  private void settled(long from, long to) {
    int packets = (int) (to - from);
    outstanding -= packets;
    outstandingBytes -= (long) packets * bytes(from);
    if (hasNotes(from)) {
      outstandingNotes--;
    }
    if (outstanding == 0) {
      lowest = next;
    } else if (from == lowest) {
      long low = to;
      while ((slots[(int) low & mask] & STATE_MASK) != OUTSTANDING) {
        low++;
      }
      lowest = low;
    }
  }

  private int record(long n) {
    return (slots[(int) n & mask] >>> RECORD_SHIFT) & mask;
  }

  private int at(long n) {
    return record(n) * WORDS;
  }

  /** Whether its items were queued again already. */
  public boolean isRequeued(long n) {
    return (slots[(int) n & mask] & QUEUED_AGAIN) != 0;
  }

  /** Notes that its items were queued again while it stays outstanding. */
  public void setRequeued(long n) {
    slots[(int) n & mask] |= QUEUED_AGAIN;
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
    return (int) records[at(n) + MARKS] & COUNT_MASK;
  }

  /** Whether something is to be done about its items when it is acknowledged. */
  public boolean hasNotes(long n) {
    return (records[at(n) + MARKS] & HAS_NOTES) != 0;
  }

  private int place(long n, int item) {
    return (firstItem(records[at(n) + MARKS]) + item) & itemMask;
  }

  private int item(long n, int item) {
    return place(n, item) * ITEM_WORDS;
  }

  /** One of the kinds of {@link SentItem}. */
  public byte itemKind(long n, int item) {
    return (byte) (items[item(n, item) + 2] >> KIND_SHIFT);
  }

  /** The item's channel. */
  public @Nullable ChannelEngine itemChannel(long n, int item) {
    return channels[place(n, item)];
  }

  /** Tells the channels of everything outstanding that it is under way, see {@link StallTimer}. */
  public void noteOutstanding(long look) {
    long end = nextNumber();
    for (long n = lowestOutstanding(); n < end; n++) {
      if (state(n) == OUTSTANDING) {
        for (int i = itemCount(n) - 1; i >= 0; i--) {
          ChannelEngine of = itemChannel(n, i);
          if (of != null) {
            of.stallTimer().underWay(look);
          }
        }
      }
    }
  }

  /** First message number, or a value by kind. */
  public long itemFirst(long n, int item) {
    return items[item(n, item)];
  }

  /** Number of the first packet that shares its record. */
  public long firstOfRecord(long n) {
    return records[at(n) + FIRST_PACKET];
  }

  /** Offset of a fragment. */
  public long itemOffset(long n, int item) {
    int at = item(n, item);
    long packetsBefore = n - firstOfRecord(n);
    return items[at + 1] + packetsBefore * (int) items[at + 2];
  }

  /** Length of a fragment, or count of whole messages. */
  public int itemLength(long n, int item) {
    return (int) items[item(n, item) + 2];
  }
}
