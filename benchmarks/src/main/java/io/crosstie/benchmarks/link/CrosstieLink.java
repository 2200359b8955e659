// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Completion;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.SendCompletion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Crosstie as an application uses it: a node with default configuration, apart from its rails, its
 * progress mode and, for one kind of row, its checksum. Messages below 64 KiB are offered, larger
 * ones are lent.
 */
final class CrosstieLink implements Link {
  /** What an application would lend instead of having it copied. */
  private static final int MAX_OFFER = (1 << 16) - 1;

  private static final long BYTES_PER_TURN = 1 << 16;
  private static final int POLL_LIMIT = 64;

  private final LinkNode end;
  private final MemorySegment messages;
  private final boolean lends;
  private final int maxLent;
  private final SendCompletion returned = this::onReturned;
  private final MessageHandler toSink = this::toSink;
  private final MessageHandler back = this::back;
  private @Nullable Channel channel;
  private @Nullable Sink sink;
  private @Nullable String failure;
  private int lent;
  private int sinceTurn;
  private long bytesSinceTurn;

  CrosstieLink(
      LinkSpec spec, List<String> rails, Progress progress, String checksum, boolean accelerator) {
    messages = spec.messages();
    lends = spec.size() > MAX_OFFER;
    maxLent = spec.slots() - 1;
    end = new LinkNode(spec.near(), rails, progress, checksum, accelerator);
  }

  @Override
  public String address() {
    return end.address();
  }

  @Override
  public void connect(String peer) {
    end.connect(peer);
  }

  @Override
  public boolean isReady() {
    Peer peer = end.awaitPeer();
    if (peer == null || !end.hasAllRails(peer)) {
      return false;
    }
    channel = peer.channel(1);
    return true;
  }

  private Channel channel() {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  @Override
  public boolean send(long offset, int length) {
    if (lends) {
      return lend(offset, length);
    }
    long sequence = channel().offer(messages, offset, length);
    if (sequence <= 0) {
      return refused(sequence);
    }
    bytesSinceTurn += length;
    if (++sinceTurn == LinkSpec.MESSAGES_PER_TURN || bytesSinceTurn >= BYTES_PER_TURN) {
      turn();
    }
    return true;
  }

  private boolean lend(long offset, int length) {
    if (lent == maxLent) {
      return false;
    }
    long sequence = channel().send(messages, offset, length, returned);
    if (sequence <= 0) {
      return refused(sequence);
    }
    lent++;
    turn();
    return true;
  }

  private static boolean refused(long status) {
    if (status != Channel.BACK_PRESSURED && status != Channel.CONNECTING) {
      throw new LinkException("a message was refused for good with status " + status);
    }
    return false;
  }

  private void turn() {
    sinceTurn = 0;
    bytesSinceTurn = 0;
    end.turn();
  }

  private void onReturned(Completion completion) {
    lent--;
    if (!completion.isDone()) {
      failure = completion.error();
    }
  }

  @Override
  public void progress() {
    end.node().idle(channel().poll(toSink, POLL_LIMIT));
    check();
  }

  @Override
  public int poll(Sink sink) {
    this.sink = sink;
    int count = channel().poll(toSink, POLL_LIMIT);
    if (count == 0) {
      idleUnlessSpinning();
    }
    return count;
  }

  @Override
  public int echo() {
    int count = channel().poll(back, POLL_LIMIT);
    if (count == 0) {
      idleUnlessSpinning();
    }
    return count;
  }

  private void idleUnlessSpinning() {
    check();
    end.idleUnlessSpinning();
  }

  private void check() {
    if (failure != null || channel().status() != 0) {
      throw new LinkException(
          failure != null ? failure : "the channel ended with status " + channel().status());
    }
  }

  private MessageHandler.Action toSink(
      MemorySegment segment, long offset, long length, long sequence) {
    Sink taker = sink;
    if (taker == null) {
      throw new IllegalStateException("a message came that nobody expects");
    }
    taker.onData(segment, offset, length);
    return MessageHandler.Action.CONTINUE;
  }

  private MessageHandler.Action back(
      MemorySegment segment, long offset, long length, long sequence) {
    return channel().offer(segment, offset, length) > 0
        ? MessageHandler.Action.CONTINUE
        : MessageHandler.Action.RETRY_LATER;
  }

  /** A node with a thread of its own waits by itself, and its application elsewhere, too. */
  @Override
  public void idle() {
    if (end.isCaller()) {
      end.node().idle();
    } else {
      Link.super.idle();
    }
  }

  @Override
  public boolean isAllAccepted() {
    return channel().acceptedSequence() >= channel().offeredSequence();
  }

  @Override
  public String note() {
    return end.note(channel().peer());
  }

  @Override
  public void close() {
    end.close();
  }
}
