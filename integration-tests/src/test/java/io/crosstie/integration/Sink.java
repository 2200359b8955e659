// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.testkit.stream.NumberedMessage;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Map;

/** Receives what a {@link Source} sent, and checks all of it. */
final class Sink implements WorkerTask {
  private static final int BURST = 64;
  private static final int MAX_FAULTS = 10;

  private final Channel channel;
  private final Map<Long, BitSet> seen;
  private final int throwEvery;
  private final JsonArray faults = new JsonArray();
  private long received;
  private long bytes;
  private long duplicated;
  private long disordered;
  private long gaps;
  private long corrupt;
  private long thrown;
  private long last = -1;
  private long lastSequence;
  private boolean paused;

  /**
   * @param seen what this process has received so far, by seed, so that nothing is taken twice over
   *     the lives of connections
   * @param throwEvery the handler throws at every so many messages, 0 for never
   */
  Sink(Channel channel, Map<Long, BitSet> seen, int throwEvery) {
    this.channel = channel;
    this.seen = seen;
    this.throwEvery = throwEvery;
  }

  @Override
  public int run() {
    if (paused) {
      return 0;
    }
    try {
      return channel.poll(this::take, BURST);
    } catch (HandlerFailure e) {
      thrown++;
      return 1;
    }
  }

  private MessageHandler.Action take(MemorySegment m, long offset, long length, long sequence) {
    received++;
    bytes += length;
    if (sequence != ++lastSequence) {
      fault("sequence " + sequence + " where " + lastSequence + " was expected");
      lastSequence = sequence;
    }
    if (!NumberedMessage.isSound(m, offset, length)) {
      corrupt++;
      fault("a message of " + length + " bytes is not what was sent");
      return Channel.CONTINUE;
    }
    long index = NumberedMessage.number(m, offset);
    BitSet mine = seen.computeIfAbsent(NumberedMessage.stream(m, offset), seed -> new BitSet());
    if (mine.get((int) index)) {
      duplicated++;
      fault("message " + index + " came twice");
    }
    mine.set((int) index);
    if (index <= last) {
      disordered++;
      fault("message " + index + " came after " + last);
    } else if (index != last + 1 && last >= 0) {
      gaps++;
      fault("message " + index + " came after " + last);
    }
    last = index;
    if (throwEvery > 0 && received % throwEvery == 0) {
      throw new HandlerFailure("at message " + index);
    }
    return Channel.CONTINUE;
  }

  private void fault(String what) {
    if (faults.size() < MAX_FAULTS) {
      faults.add(what);
    }
  }

  @Override
  public JsonObject state() {
    JsonObject state = new JsonObject();
    state.addProperty("received", received);
    state.addProperty("bytes", bytes);
    state.addProperty("duplicated", duplicated);
    state.addProperty("disordered", disordered);
    state.addProperty("gaps", gaps);
    state.addProperty("corrupt", corrupt);
    state.addProperty("thrown", thrown);
    state.addProperty("last", last);
    state.addProperty("ready", channel.receivedSequence());
    state.addProperty("peerFinished", channel.isPeerFinished());
    state.addProperty("distinct", seen.values().stream().mapToLong(BitSet::cardinality).sum());
    state.add("faults", faults);
    return state;
  }

  @Override
  public void pause(boolean paused) {
    this.paused = paused;
  }

  /** What a bad handler throws. */
  private static final class HandlerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HandlerFailure(String message) {
      super(message);
    }
  }
}
