// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.memory.BufferPool;
import java.lang.foreign.MemorySegment;

/**
 * A large message whose memory a handler keeps beyond its return, see {@link Channel#retain}. It
 * counts against the bound for large messages until it is released. Any thread.
 */
public final class RetainedMessage implements AutoCloseable {
  private final Channel channel;
  private final Channel.Binding on;
  private final BufferPool.Kept kept;
  private final MemorySegment segment;

  RetainedMessage(
      Channel channel, Channel.Binding on, BufferPool.Kept kept, MemorySegment segment) {
    this.channel = channel;
    this.on = on;
    this.kept = kept;
    this.segment = segment;
  }

  /** The channel that it came on. */
  public Channel channel() {
    return channel;
  }

  /**
   * The message, read-only, with its header in front if it has one. Not to be touched once it was
   * released: the memory is another message's then. After the end of the node it cannot be read.
   *
   * @throws IllegalStateException if it was released
   */
  public MemorySegment segment() {
    if (kept.isReleased()) {
      throw new IllegalStateException("the message was released; copy what is needed before that");
    }
    return segment;
  }

  /** Gives the memory back; a second call does nothing. */
  public void release() {
    if (kept.release()) {
      channel.released(on);
    }
  }

  /** {@link #release()}. */
  @Override
  public void close() {
    release();
  }
}
