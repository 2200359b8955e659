// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;

/**
 * The receiver's judgement: every message once, in order, with sound contents, and the SHA-256 of
 * the whole. It believes nothing but what it was handed.
 *
 * <p>A message is known by the index in its header; an empty or unsound one by its channel sequence
 * and how far sequences and indices are apart.
 */
final class StreamVerifier {
  private static final int MAX_FAULTS = 10;

  private final MessageDigest digest = sha256();
  private final BitSet missing = new BitSet();
  private final List<String> faults = new ArrayList<>();

  /** Lowest index never seen so far, and all above it. */
  private long next;

  /** How far the next sequence is above the next index: 1 until something is lost or repeated. */
  private long sequenceAhead = 1;

  private long lastSequence;
  private long messages;
  private long bytes;
  private long duplicated;
  private long corrupt;
  private long outOfOrder;
  private boolean ended;
  private boolean digestMatches;
  private String sha256 = "";

  /** Takes one delivered message. Returns whether it was the last of the stream. */
  boolean accept(MemorySegment message, long offset, long length, long sequence) {
    messages++;
    bytes += length;
    if (sequence != lastSequence + 1) {
      fault("sequence " + sequence + " was delivered after " + lastSequence);
    }
    lastSequence = sequence;
    long index = sequence - sequenceAhead;
    boolean end = false;
    if (length > 0) {
      if (TestHeader.isSound(message, offset, length)) {
        index = TestHeader.index(message, offset);
        end = TestHeader.isEnd(message, offset);
        checkPosition(index, TestHeader.position(message, offset), bytes - length);
      } else {
        corrupt++;
        fault("message " + index + " (" + length + " bytes) is not what was sent");
      }
    }
    place(index);
    sequenceAhead = sequence + 1 - next;
    if (end) {
      checkEnd(message, offset);
    } else if (length > 0) {
      update(digest, message, offset, length);
    }
    return end;
  }

  private void checkPosition(long index, long position, long before) {
    if (position != before) {
      fault("message " + index + " belongs at byte " + position + " and came at " + before);
    }
  }

  private void place(long index) {
    if (index == next) {
      next++;
    } else if (index > next && index < Integer.MAX_VALUE) {
      fault("messages " + next + " to " + (index - 1) + " did not come before " + index);
      missing.set((int) next, (int) index);
      next = index + 1;
    } else if (index >= 0 && index < next && missing.get((int) index)) {
      missing.clear((int) index);
      outOfOrder++;
    } else {
      duplicated++;
      fault("message " + index + " came again");
    }
  }

  private void checkEnd(MemorySegment message, long offset) {
    byte[] hash = digest.digest();
    sha256 = hex(hash);
    MemorySegment theirs = message.asSlice(offset + TestHeader.END_SHA256, hash.length);
    digestMatches = theirs.mismatch(MemorySegment.ofArray(hash)) < 0;
    if (!digestMatches) {
      fault("the SHA-256 of the stream is not the sender's");
    }
    long sentMessages = message.get(TestHeader.LONG, offset + TestHeader.END_MESSAGES);
    long sentBytes = message.get(TestHeader.LONG, offset + TestHeader.END_STREAM_BYTES);
    if (sentMessages != messages - 1 || sentBytes != bytes - TestHeader.END_BYTES) {
      fault(
          "the sender sent %d messages of %d bytes, and %d of %d came"
              .formatted(sentMessages, sentBytes, messages - 1, bytes - TestHeader.END_BYTES));
    }
    ended = true;
  }

  private void fault(String text) {
    if (faults.size() < MAX_FAULTS) {
      faults.add(text);
    }
  }

  /** Messages delivered so far. */
  long messages() {
    return messages;
  }

  /** Bytes delivered so far. */
  long bytes() {
    return bytes;
  }

  /**
   * The judgement, given how many messages the sender says it sent.
   *
   * @param sent messages that the sender gave to its channel, the last one included
   */
  Result result(long sent) {
    long lost = missing.cardinality() + Math.max(0, sent - next);
    return new Result(
        messages,
        bytes,
        lost,
        duplicated,
        corrupt,
        outOfOrder,
        sha256,
        ended && digestMatches && faults.isEmpty() && lost == 0,
        List.copyOf(faults));
  }

  /**
   * What came of the stream.
   *
   * @param sha256 of all before the last message; empty if that never came
   * @param sound whether everything came as it was sent
   * @param faults the first few, in words
   */
  record Result(
      long messages,
      long bytes,
      long lost,
      long duplicated,
      long corrupt,
      long outOfOrder,
      String sha256,
      boolean sound,
      List<String> faults) {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  static void update(MessageDigest digest, MemorySegment segment, long offset, long length) {
    digest.update(segment.asSlice(offset, length).asByteBuffer());
  }

  static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash);
  }
}
