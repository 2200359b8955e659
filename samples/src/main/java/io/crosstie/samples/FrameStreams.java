// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.samples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.ChannelHandler;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.Peer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.Function;

/**
 * Carries a protocol of many connections, each a stream of frames, over one node: each stream is a
 * channel of its own, opened and closed at run time by either side. One thread serves all of them,
 * and a stream on which nothing happens costs no poll. Once both sides have closed a stream its
 * number serves another one.
 *
 * <p>Both sides open streams at any time, so they take numbers from different sets: who has the
 * lower name takes even ones. All calls come from one thread.
 */
public final class FrameStreams {
  /** What the application does with a stream. */
  public interface Listener {
    /**
     * A frame has come.
     *
     * @return false if it is to come again later, since an answer could not be sent now
     */
    boolean onFrame(Stream stream, MemorySegment memory, long offset, long length);

    /** The other side sends nothing any more, or is gone. */
    void onEnd(Stream stream);
  }

  /** One connection of that protocol. */
  public static final class Stream {
    private final Channel channel;
    private final Listener listener;

    private Stream(Channel channel, Function<Stream, Listener> listener) {
      this.channel = channel;
      this.listener = listener.apply(this);
      Object unused = channel.attach(this);
    }

    /** Sends a frame; false if there is no room now, see {@link #isUsable()}. */
    public boolean send(byte[] frame) {
      return channel.offer(frame) > 0;
    }

    /** Whether frames can be sent, now or later. */
    public boolean isUsable() {
      return channel.status() == 0;
    }

    /** This side sends nothing any more; what comes is still told. */
    public void close() {
      channel.close();
    }

    /** Its number, which the other side knows it by, too. */
    public int number() {
      return channel.number();
    }
  }

  /** So many numbers are asked for whether they are free, before a new one is taken. */
  private static final int LOOKS = 64;

  private final Node node;
  private final Peer peer;
  private final Function<Stream, Listener> accept;
  private final ArrayDeque<Channel> used = new ArrayDeque<>(); // the longest used first
  private int next;

  private final ChannelHandler handler =
      new ChannelHandler() {
        @Override
        public MessageHandler.Action onMessage(
            Channel channel, MemorySegment segment, long offset, long length, long sequence) {
          Stream stream = streamOn(channel);
          return stream.listener.onFrame(stream, segment, offset, length)
              ? Channel.CONTINUE
              : Channel.RETRY_LATER;
        }

        @Override
        public void onEnd(Channel channel) {
          Stream stream = streamOn(channel);
          stream.listener.onEnd(stream);
        }
      };

  /**
   * Serves the streams with one peer.
   *
   * @param accept asked for the listener of each stream that the peer opens
   */
  public FrameStreams(Node node, Peer peer, Function<Stream, Listener> accept) {
    this.node = node;
    this.peer = peer;
    this.accept = accept;
    this.next = node.name().compareTo(peer.name()) < 0 ? 0 : 1;
  }

  private Stream streamOn(Channel channel) {
    return channel.attachment() instanceof Stream known ? known : new Stream(channel, accept);
  }

  /** Opens a stream; the other side hears of it by its first frame, or by its end. */
  public Stream open(Listener listener) {
    Channel channel = peer.channel(freeNumber());
    used.addLast(channel);
    return new Stream(channel, stream -> listener);
  }

  private int freeNumber() {
    for (int looks = Math.min(LOOKS, used.size()); looks > 0; looks--) {
      Channel oldest = used.removeFirst();
      if (oldest.isOver()) {
        return oldest.number();
      }
      used.addLast(oldest);
    }
    int number = next;
    next += 2;
    return number;
  }

  /** How many numbers this side has taken so far. */
  public int numbers() {
    return next / 2;
  }

  /**
   * Serves all streams: hands out what has come.
   *
   * @return what there was; 0 says that {@link Node#idle()} may follow
   */
  public int poll() {
    return node.poll(handler, 256);
  }
}
