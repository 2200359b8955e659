// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.foreign.MemorySegment;

/**
 * Takes delivered messages of all channels of a node, only inside {@link Node#poll} and on the
 * polling thread.
 */
@FunctionalInterface
public interface ChannelHandler extends NotificationHandler, DatagramHandler {
  /**
   * One message. If it throws, the message counts as consumed, since it was delivered, and the
   * exception comes out of the poll.
   *
   * @param channel it came on, which tells the {@link Channel#peer()} and what the application
   *     keeps with it ({@link Channel#attachment()}); an answer can be offered on it
   * @param segment read-only memory that holds the message; valid until return
   * @param offset of the first byte
   * @param length in bytes, 0 or more
   * @param sequence the message's number in its channel, counted from 1 without gaps
   * @return what becomes of it: {@link MessageHandler.Action#RETRY_LATER} concerns this channel
   *     only, whose messages stay; {@link MessageHandler.Action#BREAK} ends the whole poll
   */
  MessageHandler.Action onMessage(
      Channel channel, MemorySegment segment, long offset, long length, long sequence);

  /**
   * The same with the header of the message, which lies in front of it, from {@code offset -
   * headerLength} on. Passes on all else unless it is overridden.
   *
   * @param headerLength in bytes, 0 if it has none, to 32
   */
  default MessageHandler.Action onMessage(
      Channel channel,
      MemorySegment segment,
      int headerLength,
      long offset,
      long length,
      long sequence) {
    return onMessage(channel, segment, offset, length, sequence);
  }

  /**
   * Nothing will come on a channel any more, and all that came was handed out: the peer has closed
   * it ({@link Channel#isPeerFinished()}), or its connection is over ({@link Channel#isOver()}).
   * Told once for each channel; counts as one message in what the poll returns. Does nothing unless
   * it is overridden.
   *
   * @param channel that ended; where the peer has closed it, messages can still be offered on it,
   *     and its number is free once this side has closed it, too
   */
  default void onEnd(Channel channel) {}

  /** {@inheritDoc} Does nothing unless it is overridden. */
  @Override
  @SuppressWarnings("FunctionalInterfaceMethodChanged") // who takes messages only is not told
  default void onNotification(
      Region region,
      Peer peer,
      MemorySegment bytes,
      long offset,
      int length,
      long targetOffset,
      long targetLength) {}

  /** {@inheritDoc} Does nothing unless it is overridden: the datagram is gone then. */
  @Override
  @SuppressWarnings("FunctionalInterfaceMethodChanged") // as above
  default void onDatagram(
      Peer peer, MemorySegment segment, int headerLength, long offset, int length) {}
}
