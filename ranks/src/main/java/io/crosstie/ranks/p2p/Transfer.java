// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The data of one announced message on its way out: by puts into the memory of the receive, or,
 * where the memory of either side is on the heap, as a stream of pieces that are copied at both
 * ends.
 */
final class Transfer {
  private final SendOp op;
  private final long key;
  private final long receiveId;
  private final Wire wire;
  private final Envelope envelope = new Envelope();
  private long at;
  private int underWay;
  private @Nullable Failure failure;
  private boolean told;

  /** The receive's memory is there no more. */
  private boolean refused;

  Transfer(SendOp op, long key, long receiveId, Wire wire) {
    this.op = op;
    this.key = key;
    this.receiveId = receiveId;
    this.wire = wire;
  }

  /** Of a send that is there no more: only its receive is still to be told. */
  static Transfer givenUp(int rank, long receiveId, Failure why, Wire wire) {
    SendOp none = new SendOp(0, rank, 0, false, MemorySegment.ofArray(new byte[0]), unused -> {});
    Transfer made = new Transfer(none, 0, receiveId, wire);
    made.failure = why;
    return made;
  }

  int rank() {
    return op.rank();
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  boolean isOf(SendOp send) {
    return op == send;
  }

  /**
   * The receiver is no more, which is also why puts have failed before that was known; those that
   * are under way are waited for, since they lend memory.
   */
  void fail(Failure why) {
    failure = why;
    refused = false;
    told = true;
  }

  /**
   * Sends what can be sent.
   *
   * @return whether it is over
   */
  boolean pump() {
    try {
      if (failure == null) {
        if (key != 0) {
          put();
        } else {
          stream();
        }
      }
    } catch (RuntimeException | InternalError e) {
      failure = Failures.unreadable(e);
    }
    Failure why = failure;
    if (underWay > 0 || (why == null && at < op.length())) {
      return false;
    }
    if (why != null && !told) {
      told = tell(why);
      if (!told) {
        return false;
      }
    }
    op.finish(refused ? null : why);
    return true;
  }

  private void put() {
    while (at < op.length() && underWay < Limits.PUTS_UNDER_WAY) {
      long length = Math.min(Limits.PUT_BYTES, op.length() - at);
      if (!wire.put(op.rank(), key, op.memory(), at, length, at, receiveId, this::onPut)) {
        return;
      }
      underWay++;
      at += length;
    }
  }

  /**
   * What is refused is no failure here, as it is none of streamed data: the receive's memory is the
   * receiver's. It may not know that it is gone, and is told; or it has given the receive up, and
   * knows why.
   */
  private void onPut(@Nullable String error, boolean isRefused) {
    underWay--;
    if (error != null && failure == null) {
      refused = isRefused;
      failure =
          Failure.of(
              Failure.Kind.MEMORY,
              "the message could not be put into the memory of rank " + op.rank() + ": " + error);
    }
  }

  private void stream() {
    for (int turn = 0; turn < Limits.STREAM_TURN && at < op.length(); turn++) {
      long length = Math.min(Limits.STREAM_BYTES, op.length() - at);
      envelope.set(Envelope.DATA, 0, 0, 0, 0, receiveId, at);
      if (!wire.offer(op.rank(), Wire.BULK, envelope, op.memory(), at, length)) {
        return;
      }
      at += length;
    }
  }

  private boolean tell(Failure why) {
    byte[] text = why.text().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    envelope.set(Envelope.FAILED, Failures.code(why), 0, why.rank(), 0, receiveId, 0);
    return wire.offer(op.rank(), Wire.BULK, envelope, MemorySegment.ofArray(text), 0, text.length);
  }
}
