// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.testkit.stream.StreamVerifier;
import java.lang.foreign.MemorySegment;

/** Takes the stream out of the channel and verifies it. */
final class StreamReceiver implements StreamTask, MessageHandler {
  private static final int LIMIT = 256;

  private final Node node;
  private final Channel channel;
  private final Runnable received;
  private final BulkVerifier verifier;
  private volatile boolean stopped;
  private volatile long messages;
  private volatile long bytes;
  private boolean ended;

  /**
   * @param data what is streamed
   * @param received called when the last message was delivered
   */
  StreamReceiver(Node node, Channel channel, StreamData data, Runnable received) {
    this.node = node;
    this.channel = channel;
    this.received = received;
    this.verifier = new BulkVerifier(data);
  }

  @Override
  public void run() {
    while (!stopped) {
      int handled = channel.poll(this, LIMIT);
      if (handled == 0) {
        if (channel.status() < 0) {
          return; // the judgement will tell what did not come
        }
        node.idle();
      }
    }
  }

  @Override
  public Action onMessage(MemorySegment segment, long offset, long length, long sequence) {
    boolean last;
    synchronized (verifier) {
      last = verifier.accept(segment, offset, length, sequence);
    }
    messages = verifier.messages();
    bytes = verifier.bytes();
    if (last && !ended) {
      ended = true;
      received.run();
    }
    return stopped ? Action.BREAK : Action.CONTINUE;
  }

  @Override
  public void stop() {
    stopped = true;
  }

  @Override
  public long messages() {
    return messages;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public StreamVerifier.Account account(long sent) {
    synchronized (verifier) {
      return verifier.account(sent);
    }
  }
}
