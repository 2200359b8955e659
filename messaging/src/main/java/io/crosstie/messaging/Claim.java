// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Room in a channel's send log, to be written in place. Make one and use it again and again:
 *
 * <pre>{@code
 * if (channel.claim(16, claim) > 0) {
 *   claim.segment().set(JAVA_LONG_UNALIGNED, claim.offset(), value);
 *   claim.commit();
 * }
 * }</pre>
 *
 * <p>An open claim holds off other threads' offers on its channel, so end it soon, by {@link
 * #commit()} or {@link #abort()}, on the thread that claimed; {@link #close()} aborts what was not
 * committed. No method waits or takes notice of interrupts. Not thread safe.
 */
public final class Claim implements AutoCloseable {
  private @Nullable Channel channel;
  private Channel.@Nullable Binding binding;
  private @Nullable MemorySegment segment;
  private long offset;
  private int length;
  private long sequence;

  /** A claim that is not open. */
  public Claim() {}

  void open(Channel of, Channel.Binding on, int bytes, long number) {
    channel = of;
    binding = on;
    segment = on.core().claimSegment();
    offset = on.core().claimOffset();
    length = bytes;
    sequence = number;
  }

  /** Whether it waits for {@link #commit()} or {@link #abort()}. */
  public boolean isOpen() {
    return binding != null;
  }

  /** The memory to write to, valid until the claim is ended. */
  public MemorySegment segment() {
    MemorySegment memory = segment;
    if (memory == null) {
      throw notOpen();
    }
    return memory;
  }

  /** Where in {@link #segment()} the message begins, in bytes. */
  public long offset() {
    return offset;
  }

  /** The message's length in bytes, as claimed. */
  public int length() {
    return length;
  }

  /** The message's sequence number, if it is committed. */
  public long sequence() {
    return sequence;
  }

  /**
   * Sends the message.
   *
   * @return {@link #sequence()}, or the negative {@link Channel#status()} if the channel has ended
   *     since the claim was opened: then nothing is sent, and nothing will be named of it
   */
  public long commit() {
    Channel.Binding on = binding;
    Channel of = channel;
    if (on == null || of == null) {
      throw notOpen();
    }
    of.check();
    forget();
    long result = on.core().commitClaim();
    if (result > 0) {
      of.committed(on);
    }
    return result;
  }

  /** Gives the room back; nothing is sent and the sequence number is not used. */
  public void abort() {
    Channel.Binding on = binding;
    Channel of = channel;
    if (on == null || of == null) {
      throw notOpen();
    }
    forget();
    on.core().abortClaim();
    of.notOffered(on);
  }

  /** Aborts if still open. */
  @Override
  public void close() {
    if (isOpen()) {
      abort();
    }
  }

  private void forget() {
    channel = null;
    binding = null;
    segment = null;
  }

  private static IllegalStateException notOpen() {
    return new IllegalStateException(
        "the claim is not open; call channel.claim(length, claim) first and check that it returned"
            + " a sequence");
  }
}
