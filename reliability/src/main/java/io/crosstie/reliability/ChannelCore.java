// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import java.lang.foreign.MemorySegment;

/** SKELETON: signatures only; the body follows. */
public abstract class ChannelCore {
  /** The channel's number. */
  public abstract int number();

  /** Copies a message into the send log; any application thread. Positive sequence or a {@link Status}. */
  public abstract long offer(MemorySegment source, long offset, long length);

  /**
   * Claims room for a message of that length in the send log, to be written in place through {@link #claimSegment()} and
   * {@link #claimOffset()}, and ended by {@link #commitClaim()} or {@link #abortClaim()}, by the same thread. Up to the eager limit.
   * Returns the sequence or a {@link Status}. The claim holds off other threads' offers on this channel.
   */
  public abstract long claim(int length);

  /** Memory of the open claim. */
  public abstract MemorySegment claimSegment();

  /** Offset of the open claim. */
  public abstract long claimOffset();

  /** Sends the claimed message. */
  public abstract void commitClaim();

  /** Gives the claim back; its sequence is not used. */
  public abstract void abortClaim();

  /** Lends native shared-arena memory until it is accepted; completion is told inside a poll. */
  public abstract long send(MemorySegment segment, long offset, long length, SendCompletion completion);

  /** Delivers messages and completions; one thread at a time. Returns how many were consumed or completed. */
  public abstract int poll(MessageHandler handler, int limit);

  /** Highest sequence known to be accepted by the peer, in order. */
  public abstract long acceptedSequence();

  /** Highest sequence known to be consumed by the peer's handler. */
  public abstract long peerConsumedSequence();

  /** Highest sequence offered. */
  public abstract long offeredSequence();

  /** Highest sequence received in order (delivered or ready for poll). */
  public abstract long receivedSequence();

  /** Ends this side's sending (half-close) after what was offered. */
  public abstract void closeSending();

  /** Whether the peer ended its sending and everything was delivered. */
  public abstract boolean isPeerFinished();

  /** 0 while usable, else the {@link Status} that calls answer now. */
  public abstract long terminalStatus();
}
