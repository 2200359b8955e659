// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

/**
 * The receiving half of a channel, as the engine sees it: what the peer has to be told of what it
 * sent: accepted, consumed, credit, and what it was granted (R12). What it sent lies in the {@link
 * ReceiveQueue}. Engine thread only.
 */
public final class ChannelReceiver {
  /** So much accepted is worth telling at once. */
  private static final long URGENT_BYTES = 64 << 10;

  /** The same of placed messages, whose senders mostly wait to have their memory back. */
  private static final long URGENT_PLACED_BYTES = 16 << 10;

  /** No use of the number is known: less than any message number, by more than a use has. */
  private static final long NO_USE = Long.MIN_VALUE;

  /** So many are not told of one by one, where half a window is no less. */
  private static final long URGENT_MESSAGES = 32;

  private final ReceiveQueue in;
  private final long urgentBytes;
  private long inBase = NO_USE;
  private long toldAccepted;
  private long toldAcceptedBytes;
  private long toldConsumed;
  private long toldCredit;
  private boolean stateForced;
  private long askedFor; // the sender waits for the state with this message in it
  private long stateDirtySinceNs = Long.MAX_VALUE;
  private long grantDue;
  private int grantRound; // how often grants were revoked here
  private boolean revokeDue;
  private long revokedFrom; // what the peer has not confirmed; 0 for none

  ChannelReceiver(ReceiveQueue in, boolean isPlacement) {
    this.in = in;
    this.urgentBytes = isPlacement ? URGENT_PLACED_BYTES : URGENT_BYTES;
  }

  /** The handshake is done, which told the peer its first credit. */
  void connect() {
    toldCredit = in.creditLimit();
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
    in.peerFinal(last);
    stateForced = true; // which confirms it, again if it comes again
    return true;
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
  public void retransmitCts(long seq) {
    if (in.isGranted(seq)) {
      grantDue(seq);
    }
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
  public void retransmitRevoke() {
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

  /** Whether the peer does not know the present state. */
  public boolean isStateDirty() {
    return stateForced
        || in.accepted() != toldAccepted
        || in.consumed() != toldConsumed
        || in.creditLimit() != toldCredit;
  }

  /**
   * Whether it has to be told at once: an eighth of the window, of a small one up to a half, as
   * many bytes as a sender may be waiting for to have their memory back, what the sender has asked
   * for, or a repeat that asks for it (R9).
   */
  public boolean isStateUrgent() {
    return stateForced
        || (askedFor > toldAccepted && in.accepted() >= askedFor)
        || in.acceptedBytes() - toldAcceptedBytes >= urgentBytes
        || in.creditLimit() - toldCredit >= urgentCredit(in.windowBytes());
  }

  private static long urgentCredit(long window) {
    return Math.max(window / 8, Math.min(window / 2, URGENT_MESSAGES * ChannelLimits.MESSAGE_COST));
  }

  /**
   * The sender asks for the state, where else it might wait for company: it is told once that
   * message has come, which the question may have overtaken.
   *
   * @param seq a message of the sender's, as {@link ReceiveQueue#isBeyondAnnouncing} has found
   */
  public void onAsked(long seq) {
    askedFor = Math.max(askedFor, seq);
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

  /** CHANNEL_STATE left with these values. */
  public void stateSent(long accepted, long consumed, long credit) {
    toldAccepted = accepted;
    toldAcceptedBytes = in.acceptedBytes();
    toldConsumed = consumed;
    toldCredit = credit;
    stateForced = false;
    stateDirtySinceNs = Long.MAX_VALUE;
  }

  /** MESSAGE_REFUSED has to be sent again, unless that message has been given up. */
  public void retransmitRefusal(long seq) {
    PlacedReceiver placed = in.placed();
    if (placed != null) {
      placed.refuseAgain(seq);
    }
  }

  /** Whether the peer has to be told of a message that is not taken. */
  public boolean isRefusalDue() {
    PlacedReceiver placed = in.placed();
    return placed != null && placed.isRefusalDue();
  }

  /** That message, of which it is told now; 0 if there is none. */
  public long takeRefusal() {
    PlacedReceiver placed = in.placed();
    return placed == null ? 0 : placed.takeRefusal();
  }

  /** Why that message is not taken; 0 if it has been given up. */
  public int refusalReason(long seq) {
    PlacedReceiver placed = in.placed();
    return placed == null ? 0 : placed.refusalReason(seq);
  }

  /** Whether there is anything to grant, to revoke or to refuse. */
  boolean needsAttention() {
    return grantDue != 0 || revokeDue || isRefusalDue();
  }
}
