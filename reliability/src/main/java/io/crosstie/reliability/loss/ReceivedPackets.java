// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import io.crosstie.reliability.wire.AckFrame;

/**
 * The receiving side of one rail's packet numbers (R3, R9): which numbers arrived, and when to
 * acknowledge them.
 *
 * <p>What arrived is kept as at most {@value #MAX_RANGES} ranges, ascending. A packet that
 * continues the highest range, the usual case, moves one number. When a range more is needed the
 * lowest is dropped and the floor rises above it; numbers below the floor are {@link #TOO_OLD}, so
 * no number is ever taken for new twice.
 *
 * <p>An ACK becomes due at once on a gap, a late packet or a repeat, when {@code packetsPerAck}
 * eliciting packets are unacknowledged, or {@code maxAckDelayNs} after the first of them (RFC 9000
 * section 13.2). The caller asks once per received batch, so there is at most one ACK a batch. Only
 * packets that elicit an ACK make one due, lest ACKs answer ACKs for ever.
 *
 * <p>An ACK names the highest ranges, down to the number below which the peer is known to know all.
 * That number follows {@link #onAckDelivered}: an ACK that covered up to L reached the peer. It
 * tells nothing about packets below L that arrived after that ACK was written; but every ACK with a
 * larger largest number than the one at the time of such a late arrival was written after it. So
 * late arrivals are gathered in two generations, each with its lowest number and the largest number
 * when it was last added to; a generation is settled by the delivery of an ACK beyond the latter,
 * and ACKs reach down to the lowest number of all unsettled ones.
 *
 * <p>All times are nanoseconds. One thread, no allocation, constant space.
 */
public final class ReceivedPackets {
  /** The packet was not seen before. */
  public static final int NEW = 0;

  /** The packet was seen before. */
  public static final int DUPLICATE = 1;

  /** Below the floor: it cannot be told whether it was seen before; to be dropped. */
  public static final int TOO_OLD = 2;

  /** The bound on the ranges kept, and on those named in one ACK. */
  public static final int MAX_RANGES = AckFrame.MAX_RUNS;

  /** Eliciting packets until an ACK is due at the latest (R9). */
  public static final int DEFAULT_PACKETS_PER_ACK = 64;

  private static final long NONE = Long.MAX_VALUE;

  private final long maxAckDelayNs;
  private int packetsPerAck = DEFAULT_PACKETS_PER_ACK;

  // Ranges, ascending, both ends inclusive, at least one missing number between two.
  private final long[] firsts = new long[MAX_RANGES];
  private final long[] lasts = new long[MAX_RANGES];
  private int count;
  private long floor;

  // What the peer is known to know: everything that arrived up to here.
  private long known = -1;
  private long lateLowest = NONE; // settled by an ACK beyond lateLargest
  private long lateLargest;
  private long laterLowest = NONE; // the generation after that one, still growing
  private long laterLargest;

  // The ACK that is to be sent.
  private int pending;
  private long deadlineNs = NONE;
  private long largestTimeNs;

  // As before the last onPacket, for undo.
  private int undoPending;
  private long undoDeadlineNs;
  private long undoLargestTimeNs;

  /**
   * @param maxAckDelayNs how long an ACK is held back at most; at least 0
   */
  public ReceivedPackets(long maxAckDelayNs) {
    if (maxAckDelayNs < 0) {
      throw new IllegalArgumentException("maxAckDelayNs is negative: " + maxAckDelayNs);
    }
    this.maxAckDelayNs = maxAckDelayNs;
  }

  /**
   * How many eliciting packets may go unacknowledged.
   *
   * @param packetsPerAck at least 1
   */
  public void setPacketsPerAck(int packetsPerAck) {
    if (packetsPerAck < 1) {
      throw new IllegalArgumentException("packetsPerAck must be positive: " + packetsPerAck);
    }
    this.packetsPerAck = packetsPerAck;
  }

  /**
   * A packet with a sound header arrived.
   *
   * @param packetNumber any long: the wire is not trusted; negative ones and the largest long are
   *     too old
   * @return {@link #NEW}, {@link #DUPLICATE} or {@link #TOO_OLD}
   */
  public int onPacket(long packetNumber, boolean ackEliciting, long nowNs) {
    undoPending = pending;
    undoDeadlineNs = deadlineNs;
    undoLargestTimeNs = largestTimeNs;
    int top = count - 1;
    if (top >= 0 && packetNumber == lasts[top] + 1 && packetNumber != NONE) { // in order
      lasts[top] = packetNumber;
      largestTimeNs = nowNs;
      if (ackEliciting) {
        elicit(nowNs, false);
      }
      return NEW;
    }
    return outOfOrder(packetNumber, ackEliciting, nowNs);
  }

  private int outOfOrder(long packetNumber, boolean ackEliciting, long nowNs) {
    if (packetNumber < floor || packetNumber == NONE) {
      return TOO_OLD;
    }
    int below = count - 1; // the highest range that does not lie wholly above
    while (below >= 0 && firsts[below] > packetNumber) {
      below--;
    }
    if (below >= 0 && packetNumber <= lasts[below]) {
      if (ackEliciting) {
        reportAgain(packetNumber);
        elicit(nowNs, true); // R9: its ACK was lost, or is late
      }
      return DUPLICATE;
    }
    boolean late = below < count - 1;
    boolean first = count == 0 && packetNumber == floor;
    if (!insert(packetNumber, below)) {
      return TOO_OLD;
    }
    if (late) {
      reportAgain(packetNumber);
    } else {
      largestTimeNs = nowNs;
    }
    if (ackEliciting) {
      elicit(nowNs, !first); // R9: a gap, or one that was closed
    }
    return NEW;
  }

  /** Puts a new number above range {@code below}; false if there is no room left for one so low. */
  private boolean insert(long packetNumber, int below) {
    boolean joinsBelow = below >= 0 && lasts[below] + 1 == packetNumber;
    boolean joinsAbove = below + 1 < count && firsts[below + 1] - 1 == packetNumber;
    if (joinsBelow && joinsAbove) {
      lasts[below] = lasts[below + 1];
      remove(below + 1);
    } else if (joinsBelow) {
      lasts[below] = packetNumber;
    } else if (joinsAbove) {
      firsts[below + 1] = packetNumber;
    } else {
      int at = below + 1;
      if (count == MAX_RANGES) {
        if (at == 0) {
          return false;
        }
        dropLowest();
        at--;
      }
      open(at, packetNumber, packetNumber);
    }
    return true;
  }

  /** Makes room at an index and puts a range there. */
  private void open(int at, long first, long last) {
    System.arraycopy(firsts, at, firsts, at + 1, count - at);
    System.arraycopy(lasts, at, lasts, at + 1, count - at);
    firsts[at] = first;
    lasts[at] = last;
    count++;
  }

  private void remove(int at) {
    System.arraycopy(firsts, at + 1, firsts, at, count - at - 1);
    System.arraycopy(lasts, at + 1, lasts, at, count - at - 1);
    count--;
  }

  private void dropLowest() {
    floor = lasts[0] + 1; // R3, R24
    remove(0);
  }

  /** The next ACKs reach down to this number, until one of them was delivered. */
  private void reportAgain(long packetNumber) {
    known = Math.min(known, packetNumber - 1);
    long largest = lasts[count - 1];
    if (lateLowest == NONE || largest == lateLargest) {
      lateLowest = Math.min(lateLowest, packetNumber);
      lateLargest = largest;
    } else {
      laterLowest = Math.min(laterLowest, packetNumber);
      laterLargest = largest;
    }
  }

  private void elicit(long nowNs, boolean atOnce) {
    pending++;
    if (atOnce || pending >= packetsPerAck) {
      deadlineNs = Math.min(deadlineNs, nowNs);
    } else if (deadlineNs == NONE) {
      deadlineNs = nowNs + maxAckDelayNs;
    }
  }

  /**
   * The payload of the packet that was just passed to {@link #onPacket} was refused: as if the
   * packet had not arrived. No other packet, and no ACK, may lie in between. Without effect on a
   * number that is not among those received, such as one that was too old.
   */
  public void undo(long packetNumber) {
    int at = count - 1;
    while (at >= 0 && firsts[at] > packetNumber) {
      at--;
    }
    if (at < 0 || packetNumber > lasts[at]) {
      return;
    }
    long first = firsts[at];
    long last = lasts[at];
    if (first == last) {
      remove(at);
    } else if (packetNumber == first) {
      firsts[at] = packetNumber + 1;
    } else {
      lasts[at] = packetNumber - 1;
      if (packetNumber != last) {
        open(at + 1, packetNumber + 1, last); // joining two has just made room for it
      }
    }
    pending = undoPending;
    deadlineNs = undoDeadlineNs;
    largestTimeNs = undoLargestTimeNs;
  }

  /** Whether an eliciting packet arrived of which no ACK was sent: worth riding along with data. */
  public boolean hasAckToSend() {
    return pending > 0 && count > 0;
  }

  /**
   * Whether an ACK should ride in a packet that leaves now anyway: a quarter of those that make one
   * due have gathered, or an eighth of the delay is over. Earlier it would only cost both sides
   * time, once per message where messages go to and fro.
   */
  public boolean isAckWorthwhile(long nowNs) {
    return hasAckToSend()
        && (4 * pending >= packetsPerAck
            || deadlineNs - nowNs <= maxAckDelayNs - maxAckDelayNs / 8);
  }

  /** Whether an ACK has to leave now, in a packet of its own if need be: from its deadline on. */
  public boolean isAckDue(long nowNs) {
    return nowNs >= deadlineNs && hasAckToSend();
  }

  /** When the next ACK is due; in the past if it is; Long.MAX_VALUE if there is nothing to send. */
  public long ackDeadlineNs() {
    return deadlineNs;
  }

  /** The largest number received, or -1. */
  public long largest() {
    return count == 0 ? -1 : lasts[count - 1];
  }

  /**
   * Writes an {@link AckFrame}: the highest range, and those below it of which the peer may not
   * know, as many as fit.
   *
   * @param room how many bytes there are from off on
   * @param rail whose packet numbers these are, 0 to 255
   * @return the bytes written, or 0 if there is nothing to acknowledge or no room for one range
   */
  public int writeAck(byte[] m, int off, int room, int rail, long nowNs) {
    if (count == 0 || room < AckFrame.length(1)) {
      return 0;
    }
    int below = count - 1; // the range to be written next
    long largest = lasts[below];
    long delayMicros = (nowNs - largestTimeNs) / 1000;
    int length = AckFrame.encode(m, off, rail, delayMicros, largest, largest - firsts[below] + 1);
    below--;
    while (below >= 0 && lasts[below] > known && length + AckFrame.RUN_LENGTH <= room) {
      long gap = firsts[below + 1] - lasts[below] - 1;
      int longer = AckFrame.append(m, off, gap, lasts[below] - firsts[below] + 1);
      if (longer == length) {
        break; // a run or gap beyond 32 bits: what lies below stays untold
      }
      length = longer;
      below--;
    }
    if (below >= 0 && lasts[below] > known) {
      reportAgain(known + 1); // cut short: its delivery will tell nothing about the rest
    }
    return length;
  }

  /** The ACK that was written has left, or rides in a packet that will. */
  public void onAckSent(long nowNs) {
    pending = 0;
    deadlineNs = NONE;
  }

  /** The packet that it was to ride in did not leave after all: another is due now. */
  public void onAckNotSent(long nowNs) {
    pending = Math.max(pending, 1);
    deadlineNs = Math.min(deadlineNs, nowNs);
  }

  /**
   * The peer acknowledged a packet of ours in which an ACK rode.
   *
   * @param largestThatAckCovered the largest number in that ACK
   */
  public void onAckDelivered(long largestThatAckCovered) {
    if (lateLowest != NONE && largestThatAckCovered > lateLargest) {
      lateLowest = laterLowest;
      lateLargest = laterLargest;
      laterLowest = NONE;
      if (lateLowest != NONE && largestThatAckCovered > lateLargest) {
        lateLowest = NONE;
      }
    }
    long unsettled = Math.min(lateLowest, laterLowest);
    long settled = Math.min(largestThatAckCovered, largest());
    known = Math.max(known, unsettled == NONE ? settled : Math.min(settled, unsettled - 1));
  }
}
