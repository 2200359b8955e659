// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.checksum.MemoryWords;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.reliability.wire.RtsFrame;
import io.crosstie.reliability.wire.SinglePacket;
import io.crosstie.reliability.wire.SinglePut;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a channel, as the engine sees it: what may leave next, the peer's credit and
 * its grants (R12). What was offered lies in the {@link SendQueue}. Engine thread only.
 *
 * <p>Sending goes message by message: a message is charged against the peer's absolute credit when
 * its first byte leaves; one longer than the eager limit has to be granted first. So many RTS are
 * unanswered at a time as the path needs: {@value #FIRST_UNANSWERED}, or messages of twice what it
 * holds, so that grants for the next round trip are there before this one is over. Each names the
 * one before it that waits, too, so that CTS come in the order of the channel, and no later message
 * can hold the memory that an earlier one waits for.
 */
public final class ChannelSender {
  /** Nothing to send. */
  public static final int IDLE = 0;

  /** Something may be sent. */
  public static final int READY = 1;

  /** The next message exceeds the credit. */
  public static final int NEEDS_CREDIT = 2;

  /** The next message is large and not granted yet. */
  public static final int NEEDS_GRANT = 3;

  /** RTS that may wait for their CTS, whatever the path holds. */
  public static final int FIRST_UNANSWERED = 4;

  /** The same on the longest path; the peer queues no more of one channel. */
  public static final int MAX_UNANSWERED = RtsFrame.MOST_BEHIND;

  private static final int LOOK_AHEAD = ReceiveQueue.ANNOUNCED_AHEAD;

  /** A message that may have to wait for its grant counts no more than this as backlog. */
  private static final long LARGE_BACKLOG_BYTES = 1 << 20;

  private final SendQueue out;
  private final int eagerLimit;

  /** Most messages, and bytes, that are sent again at once after a stall. */
  private static final int MOST_MISSED = 512;

  private static final long MOST_MISSED_BYTES = 1 << 18;

  private final boolean isPlacement;
  private long next = 1;
  private long nextOffset;
  private boolean nextCharged;
  private long charged;
  private long creditLimit;
  private long granted;
  private long[] announced = new long[FIRST_UNANSWERED]; // ascending
  private long[] announcedBytes = new long[FIRST_UNANSWERED];
  private int unanswered;
  private long unansweredBytes;
  private int told; // so many of them have left
  private int round; // how often the peer revoked grants
  private long lookAgainFrom; // messages from there on that left are announced again; 0 for none
  private long[] again = new long[FIRST_UNANSWERED]; // granted anew, of which something left
  private int agains;
  private long looked; // how far large messages were looked for
  private boolean announceDue;
  private boolean waitDue; // the peer is to be told that the next message waits for credit
  private long waitToldAt = -1; // for this credit it was
  private long asked; // up to this message the peer was asked what it has
  private long missedUntil; // up to this message all that left may have been refused; 0 for none
  private long missedSent; // and up to this one it was sent again
  private int missedBatch; // by so many at once
  private final ArrayDeque<Long> aborts = new ArrayDeque<>(1);
  private final ArrayDeque<Long> failures = new ArrayDeque<>(1);
  private long peerMaxBytes = Long.MAX_VALUE;
  private boolean peerTakesHeaders = true;
  private int longestSingle = -1;
  private boolean hasUse;
  private long outBase; // what is added to message numbers on the wire
  private boolean finSent;
  private boolean finConfirmed;
  private boolean refused;
  private long refusedUpTo;

  ChannelSender(SendQueue out, int eagerLimit) {
    this.out = out;
    this.eagerLimit = eagerLimit;
    this.isPlacement = eagerLimit < 0; // where each message costs the same, and needs no grant
    this.granted = isPlacement ? Long.MAX_VALUE : 0;
  }

  /** The handshake is done: the credit and the bound that the peer begins with. */
  void connect(long initialCredit, long peerMaxMessageBytes) {
    creditLimit = Math.max(creditLimit, initialCredit);
    peerMaxBytes = peerMaxMessageBytes;
    longestSingle =
        (int) Math.min(Math.min(SinglePacket.MAX_PAYLOAD, eagerLimit), peerMaxMessageBytes);
  }

  /** The peer takes no messages with headers. */
  void refuseHeaders() {
    peerTakesHeaders = false;
  }

  /** Whether this side's messages have numbers on the wire yet. */
  public boolean hasUse() {
    return hasUse;
  }

  /** Whether they have to get them, since there is something to be said. */
  public boolean needsUse() {
    return !hasUse && (next <= out.tail() || out.isClosed());
  }

  /** What is added to this side's message numbers on the wire: the use that this is. */
  public void setUse(long base) {
    hasUse = true;
    outBase = base;
  }

  /**
   * The last message that may leave: none before there is a use, since its number would be that of
   * an earlier one. Whoever offers meanwhile signals, and then a use is given.
   */
  private long lastToSend() {
    return hasUse ? out.tail() : 0;
  }

  /** The number on the wire of a message of this side. */
  public long onWire(long seq) {
    return outBase + seq;
  }

  /** What is added to this side's message numbers on the wire, once there is something to say. */
  public long outBase() {
    return outBase;
  }

  /** What stands in the way of the next new byte: one of the four constants. */
  public int sendState() {
    while (next <= lastToSend()) {
      if (nextCharged) {
        return isUngranted(next) ? NEEDS_GRANT : READY;
      }
      long length = out.length(next);
      boolean headed = !peerTakesHeaders && out.headerLength(next) > 0;
      if (length > peerMaxBytes || headed) {
        if (charged + ChannelLimits.MESSAGE_COST > creditLimit) {
          return NEEDS_CREDIT; // giving it up costs its number (R13)
        }
        fail(
            next,
            headed
                ? "it has a header, and the peer's release takes none"
                : "it is longer than the " + peerMaxBytes + " bytes that the peer takes");
        continue;
      }
      if (!hasCredit(length)) {
        return NEEDS_CREDIT;
      }
      return length > eagerLimit && granted < next ? NEEDS_GRANT : READY;
    }
    return IDLE;
  }

  /** Whether anything was offered that has not left. */
  public boolean hasMore() {
    return next <= lastToSend();
  }

  /** What everything that has left so far costs; at most {@link #creditLimit()}. */
  public long chargedBytes() {
    return charged;
  }

  /** The position that the peer allows this side to go to. */
  public long creditLimit() {
    return creditLimit;
  }

  /** Sequence of the message that the next new byte belongs to. */
  public long nextSequence() {
    return next;
  }

  /** Offset of the next new byte in it. */
  public long nextOffset() {
    return nextOffset;
  }

  /** Length of the next message. */
  public long nextLength() {
    return out.length(next);
  }

  /**
   * Length of the next message if it may leave eagerly, and is not longer than that; else -1, and
   * {@link #sendState()} tells more.
   */
  public int nextEager(int longest) {
    if (next > lastToSend() || nextOffset != 0) {
      return -1;
    }
    long length = out.length(next);
    return length <= Math.min(longest, peerMaxBytes)
            && hasCredit(length)
            && (peerTakesHeaders || out.headerLength(next) == 0)
        ? (int) length
        : -1;
  }

  /**
   * Where the next message lies if it is the only one that waits, may leave now, and is short
   * enough for a {@link SinglePacket}.
   *
   * @param log as {@link SendQueue#log()} answered
   * @return its length, and above 32 bits of that its offset in that memory; else -1
   */
  public long onlyPlace(MemoryWords log) {
    if (next != lastToSend() || nextOffset != 0) {
      return -1;
    }
    long place = out.place(next, log);
    int length = (int) place;
    return place >= 0 && length <= longestSingle && hasCredit(length) ? place : -1;
  }

  /**
   * The next message of a placement channel, if it is the only one that waits, may leave now, and
   * is short enough for a {@link SinglePut}; else null.
   */
  public @Nullable Put onlyPut() {
    if (!isPlacement || next != lastToSend() || nextOffset != 0) {
      return null;
    }
    Put put = out.placedOrNull(next);
    long length = put == null ? 0 : put.messageLength();
    return put != null
            && put.kind() == PlacedKind.PUT
            && length <= Math.min(SinglePut.MAX_PAYLOAD, peerMaxBytes)
            && hasCredit(length)
        ? put
        : null;
  }

  private boolean hasCredit(long length) {
    return charged + ReceiveQueue.cost(length, eagerLimit) <= creditLimit;
  }

  /**
   * Bytes waiting: of the message at hand; of the one behind it, all if it is granted already, so
   * that at the end of a large message no rail rests that the next one needs; of the others about
   * as much as small messages have, since nobody knows when large ones may leave.
   */
  public long backlogBytes() {
    long bytes = out.length(next) - nextOffset;
    long more = out.tail() - next;
    if (more == 0) {
      return bytes;
    }
    long following = out.length(next + 1);
    long like = Math.min(following, LARGE_BACKLOG_BYTES);
    return bytes + (granted > next ? following : like) + (more - 1) * like;
  }

  private void charge(long length) {
    if (!nextCharged) {
      charged += ReceiveQueue.cost(length, eagerLimit);
      nextCharged = true;
    }
  }

  /**
   * The next message leaves eagerly.
   *
   * @param length of it
   */
  public void takeEager(int length) {
    charge(length);
    advance();
  }

  /**
   * Messages that may leave eagerly go into a frame, as many as fit.
   *
   * @param longest message that may leave eagerly
   * @return how many; some that do not lie in the log may be left
   */
  public int takeEagers(EagerLengths frame, int longest) {
    long last = lastToSend();
    if (next > last || nextOffset != 0 || nextCharged) {
      return 0;
    }
    int most = (int) Math.min(Math.min(longest, eagerLimit), peerMaxBytes);
    int taken = out.lengths(frame, next, last, most, creditLimit - charged);
    if (taken > 0) {
      charged += out.lastCost();
      next += taken - 1;
      advance();
    }
    return taken;
  }

  /** That many bytes of the next message leave. */
  public void takeBytes(long bytes) {
    long length = out.length(next);
    charge(length);
    nextOffset += bytes;
    if (nextOffset == length) {
      advance();
    }
  }

  private void advance() {
    next++;
    nextOffset = 0;
    nextCharged = false;
    if (looked < out.lastLarge() && mayAnnounce()) {
      announceNext();
    }
  }

  private long lastLarge() {
    long tail = out.tail();
    return Math.min(tail, out.lastLarge()); // by now it may be of one that came later
  }

  /**
   * Looks for large messages and has them announced ahead of their turn, a few at a time.
   *
   * @return whether an announcement is due
   */
  public boolean announceNext() {
    if (isPlacement) {
      return false;
    }
    long last = Math.min(lastLarge(), next + LOOK_AHEAD);
    looked = Math.max(looked, lookAgainFrom > 0 ? out.accepted() : next - 1);
    while (looked < last && mayAnnounce()) {
      long seq = looked + 1;
      long length = out.length(seq);
      if (length > eagerLimit && length <= peerMaxBytes) {
        if (unanswered > 0 && seq - announced[unanswered - 1] > RtsFrame.MOST_BEHIND) {
          break; // it cannot name the one before
        }
        announce(seq, length);
      }
      looked = seq;
    }
    if (looked >= next - 1) {
      lookAgainFrom = 0;
    }
    return announceDue;
  }

  private boolean mayAnnounce() {
    return unanswered < FIRST_UNANSWERED
        || (unanswered < MAX_UNANSWERED && unansweredBytes < 2 * out.pathBytes());
  }

  private void announce(long seq, long length) {
    if (unanswered == announced.length) {
      int size = Math.min(2 * unanswered, MAX_UNANSWERED);
      announced = Arrays.copyOf(announced, size);
      announcedBytes = Arrays.copyOf(announcedBytes, size);
    }
    announced[unanswered] = seq;
    announcedBytes[unanswered++] = length;
    unansweredBytes += length;
    announceDue = true;
  }

  private void forgetAnnounced() {
    unanswered = 0;
    unansweredBytes = 0;
    told = 0;
  }

  /** Whether RTS has to be sent. */
  public boolean isRtsDue() {
    return (announceDue && hasUse && (unanswered > 0 || next <= out.tail())) || isAskDue();
  }

  /** Whether the peer has to be asked what it has: all has left that somebody wants to know of. */
  public boolean isAskDue() {
    long wanted = out.askedFor();
    return wanted > asked && wanted < next && wanted > out.accepted() && hasUse && !refused;
  }

  /** Whether the announcement that is due waits for nothing, but asks what the peer has. */
  private boolean isQuestion() {
    return isPlacement && !announceDue;
  }

  /**
   * The next message waits for credit: the peer is told so, once for each credit that it gave.
   *
   * @return whether it is the first time for this credit
   */
  public boolean onCreditStall() {
    if (waitToldAt == creditLimit) {
      return false;
    }
    waitToldAt = creditLimit;
    waitDue = true;
    announceDue = true;
    return true;
  }

  /**
   * How many announcements have to leave: those that have not, or were lost, in order.
   *
   * @return 1 or more; also without a large message one is sent, to probe a zero window (R12)
   */
  public int announcements() {
    return unanswered - told + (isProbe() ? 1 : 0);
  }

  /**
   * The messages to announce: as a probe the next one, then large ones to be granted; as a question
   * the last one that left.
   */
  public long announcement(int i) {
    if (isQuestion()) {
      return next - 1;
    }
    int probes = isProbe() ? 1 : 0;
    return i < probes ? next : announced[told + i - probes];
  }

  /** How far before that one is the large one that waits too; 0 for none (R32). */
  public int announcedBehind(int i) {
    int which = told + i - (isProbe() ? 1 : 0);
    boolean isFirst = which < told || which == 0;
    return isFirst ? 0 : (int) (announced[which] - announced[which - 1]);
  }

  private boolean isProbe() {
    return waitDue || told == unanswered;
  }

  /**
   * The length that RTS gives: 1 in a probe for an empty message, and for one that is large, which
   * is announced apart; 0 in a question.
   */
  public long announcedLength(int i) {
    if (isQuestion()) {
      return 0;
    }
    if (i > 0 || !isProbe()) {
      return out.length(announcement(i));
    }
    long length = out.length(next);
    return length > eagerLimit ? 1 : Math.max(1, length);
  }

  /** That many of {@link #announcements} left; perhaps not all, where a packet has no more room. */
  public void announceSent(int count) {
    asked = next - 1; // every announcement is a question, too, for what has left by now
    told += count - (isProbe() ? 1 : 0);
    waitDue = false;
    announceDue = told < unanswered;
  }

  /** A packet with RTS was lost; those behind it wait for it. */
  public void retransmitRts(long first) {
    int i = 0;
    while (i < told && announced[i] < first) {
      i++;
    }
    told = i;
    asked = Math.min(asked, out.accepted());
    waitDue |= !refused && sendState() == NEEDS_CREDIT; // else it was answered
    announceDue = !refused && (waitDue || told < unanswered);
  }

  /** A stalled sender probes. */
  public void retransmitRts() {
    told = 0;
    announceDue = !refused && (unanswered > 0 || next <= out.tail());
    waitDue |= announceDue && sendState() == NEEDS_CREDIT;
  }

  /** It stalled, and its oldest message is sent again: all behind that may be missing as well. */
  public void onStall() {
    missedUntil = nextOffset > 0 ? next : next - 1;
    missedSent = firstUnaccepted();
    missedBatch = 1;
  }

  /**
   * How many messages are to be sent again now that the peer has accepted what was sent again since
   * a stall, the oldest first: twice as many as before. A lossless rail loses nothing, so nothing
   * tells what of it the peer had to refuse, and one message a stall would take for ever.
   *
   * @return 0 for none: it has not accepted all of that yet, or it lacks nothing any more
   */
  public int takeMissed() {
    long first = firstUnaccepted();
    if (first > missedUntil || refused) {
      missedUntil = 0;
      return 0;
    }
    if (first <= missedSent) {
      return 0;
    }
    int most = Math.min(2 * missedBatch, MOST_MISSED);
    int count = 0;
    long bytes = 0;
    while (count < most && first + count <= missedUntil && mayGoAgain(first + count)) {
      bytes += out.length(first + count);
      if (count > 0 && bytes > MOST_MISSED_BYTES) {
        break;
      }
      count++;
    }
    if (count > 0) {
      missedBatch = most;
      missedSent = first + count - 1;
    }
    return count;
  }

  /** Whether a message that left may be sent again, or, if it has failed, its end told again. */
  public boolean mayGoAgain(long seq) {
    return out.isFailed(seq) || !isUngranted(seq);
  }

  /** Sequences that left at least in part and are not known to be accepted. */
  public boolean hasUnaccepted() {
    return !refused && out.accepted() < (nextOffset > 0 ? next : next - 1);
  }

  /** Lowest sequence not known to be accepted. */
  public long firstUnaccepted() {
    return out.accepted() + 1;
  }

  /** How many bytes of that message have left at least once. */
  public long sentBytesOf(long seq) {
    return seq < next ? out.length(seq) : seq == next ? nextOffset : 0;
  }

  /** Whether any byte of the message, or the message itself if it is empty, has left. */
  private boolean hasLeft(long seq) {
    return seq < next || (seq == next && nextOffset > 0);
  }

  /** Whether the peer is known to have the message. */
  public boolean isAccepted(long seq) {
    return seq <= out.accepted();
  }

  /**
   * The message's memory cannot be read any more. It is given up; the peer will be told to skip it.
   */
  public void fail(long seq, String error) {
    if (out.isFailed(seq)) {
      return;
    }
    out.fail(seq, error);
    aborts.addLast(seq);
    if (!isPlacement) { // its completion tells
      failures.addLast(seq);
    }
    if (seq < next || nextCharged) { // the peer reckons a skipped message without its bytes
      charged -= ReceiveQueue.cost(out.length(seq), eagerLimit) - ChannelLimits.MESSAGE_COST;
    }
    if (seq == next) {
      if (!nextCharged) {
        charged += ChannelLimits.MESSAGE_COST;
      }
      advance();
    }
  }

  /**
   * The peer does not take a message: it is given up, and the peer told so, again if it tells
   * again.
   *
   * @return false if it cannot be: it is accepted, or nothing of it has left
   */
  public boolean onRefused(long seq, int reason, String error) {
    if (seq < 1 || !hasLeft(seq) || isAccepted(seq) || !isPlacement) {
      return false;
    }
    if (out.isFailed(seq)) {
      retransmitAbort(seq);
    } else {
      out.placed(seq).refused(reason);
      fail(seq, error);
    }
    return true;
  }

  /** A message that was given up and that nobody has been told of, or 0. */
  public long takeFailure() {
    return failures.isEmpty() ? 0 : failures.removeFirst();
  }

  /** Whether an abort has to be sent. */
  public boolean isAbortDue() {
    return !aborts.isEmpty();
  }

  /** The sequence to abort, which leaves now. */
  public long takeAbort() {
    return aborts.removeFirst();
  }

  /** The abort of a message was lost. */
  public void retransmitAbort(long seq) {
    if (!refused && !isAccepted(seq) && !aborts.contains(seq)) {
      aborts.addLast(seq);
    }
  }

  /** Whether CHANNEL_FIN has to be sent: everything offered has left and the application closed. */
  public boolean isFinDue() {
    return hasUse && out.isClosed() && !finSent && isAllSent();
  }

  /** Whether all that will ever be offered has left; after the application closed. */
  private boolean isAllSent() {
    return next > out.tail() && out.stop() && next > out.tail();
  }

  /** FIN left (true), or was lost (false). */
  public void finSent(boolean sent) {
    finSent = sent || refused || finConfirmed;
  }

  /** Whether FIN left, and the peer has not said that it has it. */
  public boolean isFinUnconfirmed() {
    return finSent && !finConfirmed && !refused;
  }

  /** The peer says that it has the FIN of this use; whether that is news. */
  public boolean onFinConfirmed() {
    boolean news = isFinUnconfirmed() && isDrained();
    finConfirmed |= news;
    return news;
  }

  /**
   * The peer takes nothing on this channel: what was offered is given up, nothing of it leaves any
   * more, and sending answers {@link Status#CHANNEL_REFUSED}. Once it is refused, again for what
   * was offered meanwhile.
   *
   * @return the first of the messages, up to {@link SendQueue#tail()}, that are given up by this
   *     call; 0 if there is none
   */
  long refuse() {
    refused = true;
    forgetAnnounced();
    announceDue = false;
    aborts.clear();
    finSent = true;
    long last = out.tail();
    long first = refusedUpTo + 1;
    next = last + 1;
    nextOffset = 0;
    nextCharged = false;
    looked = last;
    refusedUpTo = last;
    out.giveUp(last);
    return first <= last ? first : 0;
  }

  /** Whether the peer takes nothing on this channel. */
  public boolean isRefused() {
    return refused;
  }

  /**
   * CHANNEL_STATE arrived. Values only ever grow; older news is ignored.
   *
   * @return whether anything new was accepted or allowed; -1 if the peer claims what was never sent
   */
  public int onPeerState(long peerAccepted, long peerConsumed, long peerCredit) {
    long highestSent = nextOffset > 0 ? next : next - 1;
    if (peerAccepted > highestSent || peerConsumed > peerAccepted) {
      return -1;
    }
    boolean news = false;
    if (peerAccepted > out.accepted()) {
      if (nextOffset > 0 && peerAccepted >= next) {
        return -1; // it cannot have a message whose end never left
      }
      out.accepted(peerAccepted);
      answered(peerAccepted);
      news = true;
    }
    if (peerConsumed > out.peerConsumed()) {
      out.peerConsumed(peerConsumed);
      news = true;
    }
    if (peerCredit > creditLimit) {
      creditLimit = peerCredit;
      news = true;
      if (waitDue) { // if it still waits, that is another wait
        waitDue = false;
        announceDue = told < unanswered;
      }
    }
    return news ? 1 : 0;
  }

  /** CTS arrived, for that announced message and those before it; whether it is news. */
  public boolean onGrant(long seq, int ofRound) {
    boolean known = false;
    if (ofRound != round) {
      return false; // it was revoked
    }
    for (int i = 0; i < unanswered; i++) {
      known |= announced[i] == seq;
    }
    if (known) {
      for (int i = 0; i < unanswered && announced[i] <= seq; i++) {
        if (hasLeft(announced[i])) {
          if (agains == again.length) {
            again = Arrays.copyOf(again, announced.length);
          }
          again[agains++] = announced[i];
        }
      }
      granted = seq;
      answered(seq);
      announceNext();
    }
    return known;
  }

  /** A message that left under a grant that was revoked, and now has to leave again whole; or 0. */
  public long takeRevoked() {
    if (agains == 0) {
      return 0;
    }
    long seq = again[--agains];
    missedSent = Math.max(missedSent, seq); // it goes now, and not once more for a stall before
    return seq;
  }

  /**
   * REVOKE arrived: for that message and those behind it nothing is kept at the peer any more,
   * unless it was accepted. What is large among them is announced again (R32). Nothing more of it
   * leaves until it is granted anew, and then all of it.
   *
   * @param newRound that begins
   * @return whether it is news
   */
  public boolean onRevoke(long seq, int newRound) {
    if ((short) (newRound - round) <= 0 || refused || isPlacement) {
      return false;
    }
    round = newRound;
    long from = Math.max(out.accepted() + 1, unanswered > 0 ? Math.min(seq, announced[0]) : seq);
    granted = Math.min(granted, from - 1);
    looked = Math.min(looked, from - 1);
    lookAgainFrom = from;
    forgetAnnounced();
    agains = 0;
    announceNext();
    return true;
  }

  /** How often the peer has revoked grants of this channel, as announcements tell. */
  public int round() {
    return round;
  }

  /** Whether nothing of a message may leave, or leave again, since its grant was revoked. */
  public boolean isUngranted(long seq) {
    return seq > granted && !isAccepted(seq) && out.length(seq) > eagerLimit;
  }

  /** Nothing up to there needs an answer any more: it was granted, or is there after all. */
  private void answered(long seq) {
    int gone = 0;
    while (gone < unanswered && announced[gone] <= seq) {
      unansweredBytes -= announcedBytes[gone++];
    }
    if (gone > 0) {
      unanswered -= gone;
      told = Math.max(0, told - gone);
      System.arraycopy(announced, gone, announced, 0, unanswered);
      System.arraycopy(announcedBytes, gone, announcedBytes, 0, unanswered);
      announceDue &= told < unanswered || waitDue;
    }
  }

  /** Lowest sequence of which nobody was told yet what became of it. */
  public long firstUndecided() {
    return Math.max(out.accepted(), refusedUpTo) + 1;
  }

  /** The peer uses the number anew, so that it has everything, though it did not say so in time. */
  public void concede() {
    out.accepted(out.tail());
    out.peerConsumed(out.tail());
    finSent = true;
    finConfirmed = true;
    forgetAnnounced();
    announceDue = false;
    aborts.clear();
  }

  /** Whether everything offered is accepted, or will never be. */
  public boolean isDrained() {
    return refused || out.accepted() >= out.tail();
  }

  /** Whether there is anything of it to announce, abort or end. */
  boolean needsAttention() {
    return isRtsDue() || isAbortDue() || isFinDue();
  }

  /** Whether this side has closed, and all that was offered has left. */
  boolean isClosedAndSent() {
    return out.isClosed() && !refused && isAllSent();
  }

  /** Whether the peer has confirmed the end, and consumed everything before it. */
  boolean isEndConsumed() {
    return finConfirmed && out.peerConsumed() >= out.tail();
  }
}
