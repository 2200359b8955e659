// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.stream.StreamVerifier;
import java.lang.foreign.MemorySegment;

/**
 * The receiver's judgement of the large stream: every message once, in order, and every byte of it
 * compared with the source, which this process has, too. It believes nothing but what it was
 * handed.
 *
 * <p>A message is known by the index in its header; an empty one by its channel sequence and how
 * far sequences and indices are apart.
 */
final class BulkVerifier {
  private final StreamData data;
  private final StreamVerifier verifier = new StreamVerifier(0, 0);

  /** How far the next sequence is above the next index: 1 until something is lost or repeated. */
  private long sequenceAhead = 1;

  private long lastSequence;

  /** Bytes of the source so far, as long as nothing is lost. */
  private long source;

  private boolean ended;

  BulkVerifier(StreamData data) {
    this.data = data;
  }

  /** Takes one delivered message. Returns whether it was the last of the stream. */
  boolean accept(MemorySegment message, long offset, long length, long sequence) {
    if (sequence != lastSequence + 1) {
      verifier.fault("sequence " + sequence + " was delivered after " + lastSequence);
    }
    lastSequence = sequence;
    boolean end = false;
    if (length == 0) {
      verifier.takeSound(sequence - sequenceAhead, 0);
    } else if (TestHeader.isSound(message, offset, length, data)) {
      end = TestHeader.isEnd(message, offset);
      long index = TestHeader.index(message, offset);
      check(index, TestHeader.position(message, offset), verifier.bytes(), "of the stream");
      check(index, TestHeader.source(message, offset), source, "of the source");
      source = TestHeader.source(message, offset) + length - TestHeader.BYTES;
      verifier.takeSound(index, length);
      if (end && index != verifier.delivered() - 1) {
        verifier.fault(
            "message %d was the last, and %d came".formatted(index, verifier.delivered()));
      }
    } else {
      long index = verifier.next();
      source += Math.max(0, length - TestHeader.BYTES);
      verifier.takeCorrupt(
          length, "message " + index + " (" + length + " bytes) is not what was sent");
    }
    sequenceAhead = sequence + 1 - verifier.next();
    ended |= end;
    return end;
  }

  private void check(long index, long says, long is, String what) {
    if (says != is) {
      verifier.fault(
          "message %d belongs at byte %d %s and came at %d".formatted(index, says, what, is));
    }
  }

  /** Messages delivered so far. */
  long messages() {
    return verifier.delivered();
  }

  /** Bytes delivered so far. */
  long bytes() {
    return verifier.bytes();
  }

  /**
   * The judgement.
   *
   * @param sent messages that the sender gave to its channel, the last one included
   */
  StreamVerifier.Account account(long sent) {
    if (!ended) {
      verifier.fault("the last message did not come");
    }
    return verifier.account(sent - 1);
  }
}
