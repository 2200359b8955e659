// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Claim;
import io.crosstie.messaging.Completion;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.SendCompletion;
import io.crosstie.messaging.Status;
import io.crosstie.testkit.process.ToolException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Sends the stream: small messages by {@code offer} and {@code claim}, which copy, and large ones
 * by {@code send}, which lends native memory until its completion is told.
 */
final class StreamSender implements StreamTask {
  /** Up to this size every other small message is claimed and written in place. */
  private static final int CLAIM_MAX = 1_024;

  private static final int SLOT_BYTES = 4 << 20;
  private static final int SLOTS = 16;
  private static final int GREAT_SLOTS = 2;
  private static final int COMPLETIONS = 64;

  private final Node node;
  private final Channel channel;
  private final MessageComposer composer;
  private final MessageSizes sizes;
  private final Runnable sent;
  private final Claim claim = new Claim();
  private final ArrayDeque<Slot> slots = new ArrayDeque<>();
  private final ArrayDeque<Slot> greatSlots = new ArrayDeque<>();
  private final MessageHandler nothing =
      (segment, offset, length, sequence) -> {
        throw new IllegalStateException("the receiver sends nothing on this channel");
      };

  private volatile boolean finishing;
  private volatile boolean stopped;
  private volatile long messages;
  private volatile long bytes;
  private @Nullable String failure;

  /** Memory that is lent for one message at a time. */
  private final class Slot implements SendCompletion {
    final MemorySegment memory;
    final ArrayDeque<Slot> home;

    Slot(MemorySegment memory, ArrayDeque<Slot> home) {
      this.memory = memory;
      this.home = home;
      home.add(this);
    }

    @Override
    public void onComplete(Completion completion) {
      home.add(this);
      if (!completion.isDone() && failure == null) {
        failure = completion.error();
      }
    }
  }

  /**
   * @param sent called when the peer has accepted everything
   */
  StreamSender(
      Node node, Channel channel, MessageComposer composer, MessageSizes sizes, Runnable sent) {
    this.node = node;
    this.channel = channel;
    this.composer = composer;
    this.sizes = sizes;
    this.sent = sent;
  }

  @Override
  public void run() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment scratch = arena.allocate(MessageSizes.SMALL_MAX, 64);
      makeSlots(arena);
      try {
        while (!finishing && !stopped) {
          sendNext(scratch);
        }
        if (!stopped) {
          composer.composeEnd(scratch, 0);
          offer(scratch, TestHeader.BYTES);
        }
        while (!stopped && !isAllAccepted()) {
          idle();
        }
        if (!stopped) {
          sent.run();
        }
      } finally {
        awaitSlots();
      }
    }
  }

  private void makeSlots(Arena arena) {
    for (int i = 0; i < SLOTS; i++) {
      var unused = new Slot(arena.allocate(SLOT_BYTES, 64), slots);
    }
    for (int i = 0; i < GREAT_SLOTS; i++) {
      var unused = new Slot(arena.allocate(MessageSizes.MAX, 64), greatSlots);
    }
  }

  private void sendNext(MemorySegment scratch) {
    int length = sizes.next();
    if (length > MessageSizes.SMALL_MAX) {
      lend(length <= SLOT_BYTES ? slots : greatSlots, length);
    } else if (length <= CLAIM_MAX && (composer.messages() & 1) == 0) {
      claim(length);
    } else {
      composer.compose(scratch, 0, length);
      offer(scratch, length);
    }
  }

  private void offer(MemorySegment scratch, int length) {
    long result = channel.offer(scratch, 0, length);
    while (!stopped && result < 0) {
      waitFor(result);
      result = channel.offer(scratch, 0, length);
    }
    count(result);
  }

  private void claim(int length) {
    long result = channel.claim(length, claim);
    while (!stopped && result < 0) {
      waitFor(result);
      result = channel.claim(length, claim);
    }
    if (result > 0) {
      composer.compose(claim.segment(), claim.offset(), length);
      claim.commit();
      count(result);
    }
  }

  private void lend(ArrayDeque<Slot> home, int length) {
    Slot slot = home.poll();
    while (!stopped && slot == null) {
      idle();
      slot = home.poll();
    }
    if (slot == null) {
      return;
    }
    composer.compose(slot.memory, 0, length);
    long result = channel.send(slot.memory, 0, length, slot);
    while (!stopped && result < 0) {
      waitFor(result);
      result = channel.send(slot.memory, 0, length, slot);
    }
    if (result < 0) {
      home.add(slot);
    }
    count(result);
  }

  private void count(long result) {
    if (result > 0) {
      messages = composer.messages();
      bytes = composer.bytes();
    }
  }

  /** Back pressure: makes room or lets others do so; anything else is the end. */
  private void waitFor(long status) {
    if (status != Channel.BACK_PRESSURED && status != Channel.CONNECTING) {
      throw new ToolException(
          ToolException.RED, "the channel does not take messages any more: " + Status.name(status));
    }
    idle();
  }

  private void idle() {
    if (channel.poll(nothing, COMPLETIONS) == 0) {
      if (channel.status() < 0 && !stopped) {
        throw new ToolException(
            ToolException.RED, "the channel is over: " + Status.name(channel.status()));
      }
      node.idle();
    }
    if (failure != null && !stopped) {
      throw new ToolException(ToolException.RED, failure);
    }
  }

  private boolean isAllAccepted() {
    return channel.acceptedSequence() >= channel.offeredSequence()
        && slots.size() == SLOTS
        && greatSlots.size() == GREAT_SLOTS;
  }

  /**
   * Memory under a message may go only when the library has let go of it, or its channel is over.
   */
  private void awaitSlots() {
    while ((slots.size() < SLOTS || greatSlots.size() < GREAT_SLOTS) && channel.status() == 0) {
      if (channel.poll(nothing, COMPLETIONS) == 0) {
        node.idle();
      }
    }
  }

  @Override
  public void finish() {
    finishing = true;
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
}
