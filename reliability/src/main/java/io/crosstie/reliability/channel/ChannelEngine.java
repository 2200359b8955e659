// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.time.StallTimer;

/**
 * A channel as the engine sees it: a sending and a receiving half, each with the queue of its
 * messages, and the end of both. Engine thread only.
 */
public final class ChannelEngine extends RunQueue.Member {
  /** Messages of one use of a number, before their numbers run into the next use's. */
  private static final long MOST_MESSAGES = (1L << 32) - (1 << 26);

  private static final int QUIET_ROUND_TRIPS = 4;

  private final ChannelCore core;
  private final SendQueue out;
  private final ReceiveQueue in;
  private final ChannelSender sender;
  private final ChannelReceiver receiver;
  private final StallTimer stallTimer = new StallTimer();
  private Priority priority = Priority.NORMAL;
  private long activity; // all positions that messages move, added up
  private long activeNs;
  private long askedNs;

  ChannelEngine(ChannelCore core, SendQueue out, ReceiveQueue in, int eagerLimit) {
    this.core = core;
    this.out = out;
    this.in = in;
    this.sender = new ChannelSender(out, eagerLimit);
    this.receiver = new ChannelReceiver(in, core.isPlacement());
  }

  /** What may leave next. */
  public ChannelSender sender() {
    return sender;
  }

  /** What the peer has to be told of what it sent. */
  public ChannelReceiver receiver() {
    return receiver;
  }

  /** What was offered and is not accepted. */
  public SendQueue sent() {
    return out;
  }

  /** What has come and is not consumed. */
  public ReceiveQueue received() {
    return in;
  }

  /** The application's side. */
  public ChannelCore core() {
    return core;
  }

  /** Whether it carries placed messages, and nothing else. */
  public boolean isPlacement() {
    return core.isPlacement();
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

  /** The handshake is done: the credit and the bound that the peer begins with. */
  public void connect(long initialCredit, long peerMaxMessageBytes) {
    sender.connect(initialCredit, peerMaxMessageBytes);
    receiver.connect();
    core.connected(peerMaxMessageBytes);
  }

  /** The peer takes no messages with headers: those are given up. */
  public void refuseHeaders() {
    sender.refuseHeaders();
  }

  /** Whether there is anything of it to announce, grant, abort or end. */
  public boolean needsAttention() {
    return receiver.needsAttention() || sender.needsAttention();
  }

  /** Puts a fault in, as a negative control; before the channel is used. */
  public void plant(PlantedFault fault) {
    in.plant(fault);
    out.plant(fault);
  }

  /** The node is short of memory: gives back what nothing lies in. */
  public void trim() {
    in.trim();
    out.trim();
  }

  /** Nothing has happened for long: gives back what nothing lies in, and windows not in use. */
  public void rest() {
    in.rest();
    out.trim();
  }

  /** Whether {@link #trim} has left something, or may have. */
  public boolean keepsMemory() {
    return core.terminalStatus() == 0 && (in.chargedBytes() > 0 || out.chargedBytes() > 0);
  }

  /**
   * Whether nothing was offered, accepted or consumed since it was asked last, and for some round
   * trips: on a long path a window is used once in each, and would be small for ever.
   */
  public boolean isQuiet(long nowNs) {
    long before = activity;
    activity = out.tail() + out.accepted() + in.accepted() + in.consumed();
    if (activity != before) {
      activeNs = nowNs;
      return false;
    }
    return nowNs - activeNs >= QUIET_ROUND_TRIPS * out.roundTripNs();
  }

  /** When {@link #isQuiet} was asked, as the asker noted it. */
  public long askedNs() {
    return askedNs;
  }

  /** Notes when that is. */
  public void askedNs(long nowNs) {
    askedNs = nowNs;
  }

  /** Whether it waits for its peer for too long. */
  public StallTimer stallTimer() {
    return stallTimer;
  }

  // ---- end ----

  /**
   * The connection is over; sending answers that status from now on. {@link SendQueue#tail()} is
   * final once this has returned true.
   *
   * @return false if an application thread is in the middle of an offer: to be called again a
   *     little later
   */
  public boolean terminate(long status) {
    core.terminate(status); // first: who offers from now on does not hold the lock again
    in.dispose();
    return out.seal();
  }

  /**
   * The peer takes nothing on this channel: see {@link ChannelSender#refuse}. Sending answers
   * {@link Status#CHANNEL_REFUSED} from now on.
   *
   * @return the first of the messages, up to the last offered, that are given up by this call; 0 if
   *     there is none
   */
  public long refuse() {
    core.terminate(Status.CHANNEL_REFUSED); // first: what is offered later finds out by itself
    return sender.refuse();
  }

  /**
   * Whether so many messages have come that their numbers may lie in the range of another use; such
   * a channel's number is never free again.
   */
  public boolean isLongUse() {
    return in.accepted() >= MOST_MESSAGES || out.tail() >= MOST_MESSAGES;
  }

  /**
   * Both sides have closed it, and everything that was sent on it is accepted and what came
   * consumed: nothing but repeats can come.
   */
  public boolean isFinished() {
    return core.isSendingClosed() && sender.isDrained() && core.isPeerFinished();
  }

  /** The same, and the peer has said that it sees it alike: the number is free for another use. */
  public boolean isOver() {
    return sender.isEndConsumed() && isFinished() && !isLongUse();
  }

  /**
   * Whether the peer may see it as over, though it is not known here what it has accepted: both
   * sides have closed, everything has left, and what came is consumed.
   */
  public boolean mayBeOver() {
    return core.isPeerFinished() && sender.isClosedAndSent() && !isLongUse();
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
}
