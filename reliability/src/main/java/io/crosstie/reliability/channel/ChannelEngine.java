// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.time.StallTimer;
import io.crosstie.reliability.wire.SinglePacket;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A channel as the engine sees it: what may be sent next, what was accepted, credit and grants
 * (R12), and what the peer has to be told. Engine thread only.
 *
 * <p>Sending goes message by message: a message is charged against the peer's absolute credit when
 * its first byte leaves; one longer than the eager limit has to be granted first. Up to {@value
 * #MAX_UNANSWERED} announcements are unanswered at a time, and always leave together, so that
 * grants come in the order of the channel and no later message can hold the memory that an earlier
 * one waits for.
 */
public final class ChannelEngine extends RunQueue.Member {
  /** Nothing to send. */
  public static final int IDLE = 0;

  /** Something may be sent. */
  public static final int READY = 1;

  /** The next message exceeds the credit. */
  public static final int NEEDS_CREDIT = 2;

  /** The next message is large and not granted yet. */
  public static final int NEEDS_GRANT = 3;

  private static final int LOOK_AHEAD = ReceiveQueue.ANNOUNCED_AHEAD;

  /** A message that may have to wait for its grant counts no more than this as backlog. */
  private static final long LARGE_BACKLOG_BYTES = 1 << 20;

  /** So much accepted is worth telling at once. */
  private static final long URGENT_BYTES = 64 << 10;

  /** Messages of one use of a number, before their numbers run into the next use's. */
  private static final long MOST_MESSAGES = (1L << 32) - (1 << 26);

  /** No use of the number is known: less than any message number, by more than a use has. */
  private static final long NO_USE = Long.MIN_VALUE;

  /** Announcements that may wait for their grants; the peer queues no more of one channel. */
  public static final int MAX_UNANSWERED = 4;

  private final ChannelCore core;
  private final SendQueue out;
  private final ReceiveQueue in;
  private final int eagerLimit;

  // sending
  private long next = 1;
  private long nextOffset;
  private boolean nextCharged;
  private long charged;
  private long creditLimit;
  private long granted;
  private final long[] announced = new long[MAX_UNANSWERED]; // ascending
  private int unanswered;
  private int round; // how often the peer revoked grants
  private long lookAgainFrom; // messages from there on that left are announced again; 0 for none
  private final long[] again = new long[MAX_UNANSWERED]; // granted anew, of which something left
  private int agains;
  private long looked; // how far large messages were looked for
  private boolean announceDue;
  private boolean waitDue; // the peer is to be told that the next message waits for credit
  private long waitToldAt = -1; // for this credit it was
  private final ArrayDeque<Long> aborts = new ArrayDeque<>(1);
  private final ArrayDeque<Long> failures = new ArrayDeque<>(1);
  private long peerMaxBytes = Long.MAX_VALUE;
  private int longestSingle = -1;
  private Priority priority = Priority.NORMAL;
  private boolean hasUse;
  private long outBase; // what is added to message numbers on the wire
  private boolean finSent;
  private boolean finConfirmed;
  private boolean refused;
  private long refusedUpTo;

  // receiving
  private long inBase = NO_USE;
  private long toldAccepted;
  private long toldAcceptedBytes;
  private long toldConsumed;
  private long toldCredit;
  private boolean stateForced;
  private long stateDirtySinceNs = Long.MAX_VALUE;
  private long grantDue;
  private int grantRound; // how often grants were revoked here
  private boolean revokeDue;
  private long revokedFrom; // what the peer has not confirmed; 0 for none

  ChannelEngine(ChannelCore core, SendQueue out, ReceiveQueue in, ChannelLimits limits) {
    this.core = core;
    this.out = out;
    this.in = in;
    this.eagerLimit = limits.eagerLimitBytes();
  }

  /** The application's side. */
  public ChannelCore core() {
    return core;
  }

  /** The channel's number. */
  public int number() {
    return core.number();
  }

  /** Its priority since {@link #takePriority}. */
  public Priority priority() {
    return priority;
  }

  /** What the application has chosen holds from now on; while it stands in no list. */
  public Priority takePriority() {
    priority = core.priority();
    return priority;
  }

  // ---- the use of the number that this is ----

  /** Whether this side's messages have numbers on the wire yet. */
  public boolean hasUse() {
    return hasUse;
  }

  /** Whether they have to get them, since there is something to be said. */
  public boolean needsUse() {
    return !hasUse && (next <= out.tail() || core.isSendingClosed());
  }

  /** What is added to this side's message numbers on the wire: the use that this is. */
  public void setUse(long base) {
    hasUse = true;
    outBase = base;
  }

  /** The number on the wire of a message of this side. */
  public long onWire(long seq) {
    return outBase + seq;
  }

  /** What is added to this side's message numbers on the wire, once there is something to say. */
  public long outBase() {
    return outBase;
  }

  /** The same for those of the peer; so low that no number belongs to it before it is known. */
  public long inBase() {
    return inBase;
  }

  /** Whether anything of the peer is known. */
  public boolean hasPeerUse() {
    return inBase != NO_USE;
  }

  /** The peer uses the number, and its messages have numbers from there on. */
  public void setPeerUse(long base) {
    inBase = base;
  }

  /** The number on the wire of a message of the peer. */
  public long inOnWire(long seq) {
    return inBase == NO_USE ? seq : inBase + seq;
  }

  /**
   * Whether so many messages have come that their numbers may lie in the range of another use; such
   * a channel's number is never free again.
   */
  public boolean isLongUse() {
    return in.accepted() >= MOST_MESSAGES || out.tail() >= MOST_MESSAGES;
  }

  /** The handshake is done: the credit and the bound that the peer begins with. */
  public void connect(long initialCredit, long peerMaxMessageBytes) {
    creditLimit = Math.max(creditLimit, initialCredit);
    toldCredit = in.creditLimit();
    peerMaxBytes = peerMaxMessageBytes;
    longestSingle =
        (int) Math.min(Math.min(SinglePacket.MAX_PAYLOAD, eagerLimit), peerMaxMessageBytes);
    core.connected(peerMaxMessageBytes);
  }

  // ---- sending ----

  /** What stands in the way of the next new byte: one of the four constants. */
  public int sendState() {
    while (next <= out.tail()) {
      if (nextCharged) {
        return isUngranted(next) ? NEEDS_GRANT : READY;
      }
      long length = out.length(next);
      if (length > peerMaxBytes) {
        if (charged + ChannelLimits.MESSAGE_COST > creditLimit) {
          return NEEDS_CREDIT; // giving it up costs its number (R13)
        }
        fail(next, "it is longer than the " + peerMaxBytes + " bytes that the peer takes");
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
    return next <= out.tail();
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
   * Length of the next message if it may leave whole, and is not longer than that; else -1, and
   * {@link #sendState()} tells more.
   */
  public int nextWhole(int longest) {
    if (next > out.tail() || nextOffset != 0) {
      return -1;
    }
    long length = out.length(next);
    return length <= Math.min(longest, peerMaxBytes) && hasCredit(length) ? (int) length : -1;
  }

  /**
   * Where the next message lies if it is the only one that waits, may leave now, and is short
   * enough for a {@link SinglePacket}.
   *
   * @param log as {@link #log()} answered
   * @return its length, and above 32 bits of that its offset in that memory; else -1
   */
  public long onlyPlace(MemoryWords log) {
    if (next != out.tail() || nextOffset != 0) {
      return -1;
    }
    long place = out.place(next, log);
    int length = (int) place;
    return place >= 0 && length <= longestSingle && hasCredit(length) ? place : -1;
  }

  /** Memory of the send log, as it is now. */
  public MemoryWords log() {
    return out.log();
  }

  private boolean hasCredit(long length) {
    return charged + ReceiveQueue.cost(length, eagerLimit) <= creditLimit;
  }

  /** Length of any message not yet accepted. */
  public long length(long seq) {
    return out.length(seq);
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
   * The next message leaves whole.
   *
   * @param length of it
   */
  public void takeWhole(int length) {
    charge(length);
    advance();
  }

  /**
   * Messages that may leave whole go into a frame, as many as fit.
   *
   * @param longest message that may leave whole
   * @return how many; some that do not lie in the log may be left
   */
  public int takeWholes(WholeLengths frame, int longest) {
    long last = out.tail();
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
    if (looked < out.lastLarge() && unanswered < MAX_UNANSWERED) {
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
    long last = Math.min(lastLarge(), next + LOOK_AHEAD);
    looked = Math.max(looked, lookAgainFrom > 0 ? out.accepted() : next - 1);
    while (unanswered < MAX_UNANSWERED && looked < last) {
      long seq = ++looked;
      if (out.length(seq) > eagerLimit && out.length(seq) <= peerMaxBytes) {
        announced[unanswered++] = seq;
        announceDue = true;
      }
    }
    if (looked >= next - 1) {
      lookAgainFrom = 0;
    }
    return announceDue;
  }

  /** Whether RTS has to be sent. */
  public boolean isAnnounceDue() {
    return announceDue && (unanswered > 0 || next <= out.tail());
  }

  /** The next message waits for credit: the peer is told so, once for each credit that it gave. */
  public void onCreditStall() {
    if (waitToldAt != creditLimit) {
      waitToldAt = creditLimit;
      waitDue = true;
      announceDue = true;
    }
  }

  /**
   * How many announcements have to leave, in one packet and in order: all that are unanswered. So
   * whichever of such packets arrives, the peer knows of every large message before the last it
   * names, and grants them in order.
   *
   * @return 1 or more; also without a large message one is sent, to probe a zero window (R12)
   */
  public int announcements() {
    return unanswered + (isProbe() ? 1 : 0);
  }

  /** The messages to announce: as a probe the next one, then large ones to be granted. */
  public long announcement(int i) {
    int probes = isProbe() ? 1 : 0;
    return i < probes ? next : announced[i - probes];
  }

  private boolean isProbe() {
    return unanswered == 0 || (waitDue && next < announced[0]);
  }

  /**
   * The length that RTS gives: 1 in a probe for an empty message, or for one that is longer than
   * the peer takes and waits for the credit that giving it up costs.
   */
  public long announcedLength(long seq) {
    long length = out.length(seq);
    return length > peerMaxBytes ? 1 : Math.max(1, length);
  }

  /** RTS left. */
  public void announceSent() {
    announceDue = false;
    waitDue = false;
  }

  /** RTS has to be sent again: it was lost, or a stalled sender probes. */
  public void announceAgain() {
    announceDue = !refused && (unanswered > 0 || next <= out.tail());
    waitDue |= announceDue && sendState() == NEEDS_CREDIT;
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

  /** See {@link SendQueue#isRow}. */
  public boolean isRow(long first, long last, long bytes) {
    return out.isRow(first, last, bytes);
  }

  /** See {@link SendQueue#lastInRow}. */
  public long lastInRow(long seq, long last) {
    return out.lastInRow(seq, last);
  }

  /** Memory of a message not yet accepted. */
  public MemorySegment source(long seq) {
    return out.source(seq);
  }

  /** Whether that is the application's, which may be closed or truncated at any time. */
  public boolean isLent(long seq) {
    return out.isLent(seq);
  }

  /** Offset in that memory. */
  public long sourceOffset(long seq) {
    return out.offset(seq);
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
    failures.addLast(seq);
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

  /** A message that was given up and that nobody has been told of, or 0. */
  public long takeFailure() {
    return failures.isEmpty() ? 0 : failures.removeFirst();
  }

  /** Whether there is anything of it to announce, grant, abort or end. */
  public boolean needsAttention() {
    return isAnnounceDue() || grantDue != 0 || revokeDue || isAbortDue() || isFinDue();
  }

  /** Whether the message was given up. */
  public boolean isFailed(long seq) {
    return out.isFailed(seq);
  }

  /** Why a message was given up that the peer does not know of yet, or null. */
  public @Nullable String error(long seq) {
    return out.error(seq);
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
  public void abortAgain(long seq) {
    if (!refused && !isAccepted(seq) && !aborts.contains(seq)) {
      aborts.addLast(seq);
    }
  }

  /** Whether CHANNEL_FIN has to be sent: everything offered has left and the application closed. */
  public boolean isFinDue() {
    return core.isSendingClosed() && !finSent && isAllSent();
  }

  /** Whether all that will ever be offered has left; after the application closed. */
  private boolean isAllSent() {
    return next > out.tail() && out.stop() && next > out.tail();
  }

  /** The last sequence of this side. */
  public long finalSequence() {
    return out.tail();
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
   * @return the first of the messages, up to {@link #offered()}, that are given up by this call; 0
   *     if there is none
   */
  public long refuse() {
    refused = true;
    unanswered = 0;
    announceDue = false;
    aborts.clear();
    finSent = true;
    core.terminate(Status.CHANNEL_REFUSED); // first: what is offered later finds out by itself
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
    if (peerConsumed > core.peerConsumedSequence()) {
      core.peerConsumed(peerConsumed);
      news = true;
    }
    if (peerCredit > creditLimit) {
      creditLimit = peerCredit;
      news = true;
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
        if (hasLeft(announced[i]) && agains < again.length) {
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
  public long takeAgain() {
    return agains == 0 ? 0 : again[--agains];
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
    if ((short) (newRound - round) <= 0 || refused) {
      return false;
    }
    round = newRound;
    long from = Math.max(out.accepted() + 1, unanswered > 0 ? Math.min(seq, announced[0]) : seq);
    granted = Math.min(granted, from - 1);
    looked = Math.min(looked, from - 1);
    lookAgainFrom = from;
    unanswered = 0;
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
      gone++;
    }
    if (gone > 0) {
      unanswered -= gone;
      System.arraycopy(announced, gone, announced, 0, unanswered);
      announceDue &= unanswered > 0 || waitDue;
    }
  }

  // ---- receiving ----

  /** Puts a fault in, as a negative control; before the channel is used. */
  public void plant(PlantedFault fault) {
    in.plant(fault);
    out.plant(fault);
  }

  /** See {@link ReceiveQueue#onWhole}. */
  public int onWhole(
      long first,
      int count,
      MessageLengths lengths,
      int total,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    return in.onWhole(first, count, lengths, total, checksum, algorithm, source);
  }

  /** See {@link ReceiveQueue#onNext}. */
  public boolean onNext(
      long seq, MemoryWords packet, long at, int length, int checksum, boolean sums) {
    return in.onNext(seq, packet, at, length, checksum, sums);
  }

  /** See {@link ReceiveQueue#onFragment}. */
  public int onFragment(
      long seq,
      long messageLength,
      long from,
      int length,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    return in.onFragment(seq, messageLength, from, length, checksum, algorithm, source);
  }

  /**
   * The peer gave a message up.
   *
   * @return a {@link FragmentVerdict}
   */
  public int onAbort(long seq) {
    int verdict = in.skip(seq);
    stateForced |= verdict == FragmentVerdict.ACCEPTED || verdict == FragmentVerdict.DUPLICATE;
    return verdict;
  }

  /**
   * The peer will send nothing after that sequence.
   *
   * @return false if it cannot be the last: more was accepted, or it is beyond the credit
   */
  public boolean onFin(long last) {
    if (last < in.accepted() || in.isBeyondCredit(last)) {
      return false;
    }
    core.peerFinal(last);
    stateForced = true; // which confirms it, again if it comes again
    return true;
  }

  /** Whether the peer's FIN has come, as its state tells. */
  public boolean isFinKnown() {
    return core.isPeerFinal();
  }

  /** Whether a peer that keeps to its credit cannot have announced that message yet. */
  public boolean isBeyondAnnouncing(long seq) {
    return in.isBeyondAnnouncing(seq);
  }

  /** Whether the peer has announced that message and has no credit to send it. */
  public boolean isBeyondCredit(long seq) {
    return in.isBeyondCredit(seq);
  }

  /** Whether a large message has its buffer or is past. */
  public boolean isGranted(long seq) {
    return in.isGranted(seq);
  }

  /** Tries to take the buffer. */
  public boolean grant(long seq, long length) {
    return in.grant(seq, length);
  }

  /** A message was announced again that is granted: nothing changes, and the peer is told again. */
  public void grantRepeated(long seq, long length) {
    boolean unused = in.grant(seq, length);
    grantDue(seq);
  }

  /** CTS has to be sent for that sequence. */
  public void grantDue(long seq) {
    grantDue = Math.max(grantDue, seq);
  }

  /** The sequence whose CTS has to be sent, or 0. */
  public long grantDue() {
    return grantDue;
  }

  /** CTS left. */
  public void grantSent() {
    grantDue = 0;
  }

  /** The packet with a CTS was lost; it is of use only while the grant stands. */
  public void grantAgain(long seq) {
    if (in.isGranted(seq)) {
      grantDue(seq);
    }
  }

  /** Bytes of the node's pool that messages of this channel take. */
  public long pooledBytes() {
    return in.pooledBytes();
  }

  /** Of these what was granted and is not accepted, and so may be taken back. */
  public long grantedBytes() {
    return in.grantedBytes();
  }

  /**
   * What of large messages has come, and of the messages in front of them; it grows as long as the
   * sender makes use of its grants.
   */
  public long grantProgress() {
    return in.acceptedBytes() + in.largeBytesIn();
  }

  /** Takes back what was granted and is not accepted; whether there was any. */
  public boolean revoke() {
    long from = in.revoke();
    if (from == 0) {
      return false;
    }
    grantRound = (grantRound + 1) & 0xffff;
    revokedFrom = revokedFrom == 0 ? from : Math.min(revokedFrom, from);
    grantDue = 0;
    revokeDue = true;
    return true;
  }

  /** How often grants of this channel were revoked, modulo 65536. */
  public int grantRound() {
    return grantRound;
  }

  /** The peer announces in the present round: it knows of what was revoked. */
  public void revokeConfirmed() {
    revokedFrom = 0;
    revokeDue = false;
  }

  /** REVOKE has to be sent, unless the peer is known to have it. */
  public void revokeAgain() {
    revokeDue = revokedFrom != 0;
  }

  /** Whether REVOKE has to be sent. */
  public boolean isRevokeDue() {
    return revokeDue;
  }

  /** The first message that it is about; it leaves now. */
  public long takeRevoke() {
    revokeDue = false;
    return revokedFrom;
  }

  /** Messages that were accepted and are not polled; any thread. */
  public long unpolled() {
    return in.unpolled();
  }

  /** Told of each run of messages that is dropped. */
  public interface Dropped {
    /** Messages {@code first} to {@code last}, at least one. */
    void onDropped(long first, long last);
  }

  /**
   * Seconds after the end of the connection: drops what was accepted and not polled, and gives its
   * memory back.
   *
   * @return false if somebody polls it just now; nothing has changed then
   */
  public boolean drop(Dropped told) {
    return in.drop(told);
  }

  /** Takes consumed memory back; whether any was. */
  public boolean release() {
    return in.release();
  }

  /** Whether, since it was asked last, something was refused or not given for want of memory. */
  public boolean takeWantsMemory() {
    return in.takeWantsMemory();
  }

  /** Memory may be there now; whether what was wanted could be had. */
  public boolean tryAgain() {
    return in.tryAgain();
  }

  /** The node is short of memory: gives back what nothing lies in. */
  public void trim() {
    in.trim();
    out.trim();
  }

  /** The peer waits for credit. */
  public void onSenderWaits() {
    in.onSenderWaits();
  }

  /** What is charged for received messages and for promised credit, in bytes. */
  public long receiveCharge() {
    return in.chargedBytes();
  }

  /** What is charged for small messages sent, in bytes; while no other thread sends. */
  public long sendCharge() {
    return out.chargedBytes();
  }

  private final StallTimer stallTimer = new StallTimer();

  /** Whether it waits for its peer for too long. */
  public StallTimer stallTimer() {
    return stallTimer;
  }

  /** Bytes of the channel's own ring that received messages take, partial ones included. */
  public long heldBytes() {
    return in.heldBytes();
  }

  /** Highest sequence accepted in order from the peer. */
  public long receivedSequence() {
    return in.accepted();
  }

  /** Their bytes. */
  public long acceptedBytes() {
    return in.acceptedBytes();
  }

  /** Whether the peer does not know the present state. */
  public boolean isStateDirty() {
    return stateForced
        || in.accepted() != toldAccepted
        || in.consumed() != toldConsumed
        || in.creditLimit() != toldCredit;
  }

  /**
   * Whether it has to be told at once: an eighth of the window, as many bytes as a sender may be
   * waiting for to have their memory back, or a repeat that asks for it (R9).
   */
  public boolean isStateUrgent() {
    return stateForced
        || in.acceptedBytes() - toldAcceptedBytes >= URGENT_BYTES
        || in.creditLimit() - toldCredit >= in.windowBytes() / 8;
  }

  /** The peer must hear the state again, changed or not. */
  public void forceState() {
    stateForced = true;
  }

  /** When the state became dirty, as the connection noted it; Long.MAX_VALUE if it is not. */
  public long stateDirtySinceNs() {
    return stateDirtySinceNs;
  }

  /** Notes when the state became dirty. */
  public void stateDirtySinceNs(long nowNs) {
    stateDirtySinceNs = nowNs;
  }

  /** Highest in-order accepted. */
  public long stateAccepted() {
    return in.accepted();
  }

  /** Highest consumed; never above what was accepted. */
  public long stateConsumed() {
    return in.consumed();
  }

  /** Credit limit. */
  public long stateCredit() {
    return in.creditLimit();
  }

  /** CHANNEL_STATE left with these values. */
  public void stateSent(long accepted, long consumed, long credit) {
    toldAccepted = accepted;
    toldAcceptedBytes = in.acceptedBytes();
    toldConsumed = consumed;
    toldCredit = credit;
    stateForced = false;
    stateDirtySinceNs = Long.MAX_VALUE;
  }

  // ---- end ----

  /**
   * The connection is over; sending answers that status from now on. {@link #offered()} is final
   * once this has returned true.
   *
   * @return false if an application thread is in the middle of an offer: to be called again a
   *     little later
   */
  public boolean terminate(long status) {
    core.terminate(status); // first: who offers from now on does not hold the lock again
    in.dispose();
    return out.seal();
  }

  /** Lowest sequence of which nobody was told yet what became of it. */
  public long firstUndecided() {
    return Math.max(out.accepted(), refusedUpTo) + 1;
  }

  /** Highest sequence offered. */
  public long offered() {
    return out.tail();
  }

  /**
   * Both sides have closed it, and everything that was sent on it is accepted and what came
   * consumed: nothing but repeats can come.
   */
  public boolean isFinished() {
    return core.isSendingClosed() && isDrained() && core.isPeerFinished();
  }

  /** The same, and the peer has said that it sees it alike: the number is free for another use. */
  public boolean isOver() {
    return finConfirmed
        && core.peerConsumedSequence() >= out.tail()
        && isFinished()
        && !isLongUse();
  }

  /**
   * Whether the peer may see it as over, though it is not known here what it has accepted: both
   * sides have closed, everything has left, and what came is consumed.
   */
  public boolean mayBeOver() {
    return core.isSendingClosed()
        && !refused
        && core.isPeerFinished()
        && isAllSent()
        && !isLongUse();
  }

  /** The peer uses the number anew, so that it has everything, though it did not say so in time. */
  public void concede() {
    out.accepted(out.tail());
    core.peerConsumed(out.tail());
    finSent = true;
    finConfirmed = true;
    unanswered = 0;
    announceDue = false;
    aborts.clear();
  }

  /**
   * It is over: gives everything back, and answers {@link Status#CLOSED} for ever.
   *
   * @return false if an application thread is in the middle of an offer that will be refused: to be
   *     called again when that is done
   */
  public boolean free() {
    if (!out.tryTrim()) {
      return false;
    }
    in.dispose();
    core.setFreed();
    return true;
  }

  /** Whether everything offered is accepted, or will never be. */
  public boolean isDrained() {
    return refused || out.accepted() >= out.tail();
  }
}
