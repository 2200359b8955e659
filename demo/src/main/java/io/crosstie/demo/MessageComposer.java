// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;

/**
 * Builds the messages of the stream one after the other and keeps the sender's own account of them.
 */
final class MessageComposer {
  private final StreamData data;
  private final MessageDigest digest = StreamVerifier.sha256();
  private long messages;
  private long bytes;
  private String sha256 = "";

  MessageComposer(StreamData data) {
    this.data = data;
  }

  /** Writes the next message into {@code target}: header, data, hash. */
  void compose(MemorySegment target, long offset, int length) {
    if (length > 0) {
      data.next(target, offset + TestHeader.BYTES, length - TestHeader.BYTES);
      TestHeader.write(target, offset, length, TestHeader.DATA, messages, bytes);
      StreamVerifier.update(digest, target, offset, length);
    }
    messages++;
    bytes += length;
  }

  /** Writes the last message, of {@link TestHeader#END_BYTES}: what the stream was. */
  void composeEnd(MemorySegment target, long offset) {
    byte[] hash = digest.digest();
    sha256 = StreamVerifier.hex(hash);
    target.set(TestHeader.LONG, offset + TestHeader.END_MESSAGES, messages);
    target.set(TestHeader.LONG, offset + TestHeader.END_STREAM_BYTES, bytes);
    MemorySegment.copy(
        MemorySegment.ofArray(hash), 0, target, offset + TestHeader.END_SHA256, hash.length);
    TestHeader.write(target, offset, TestHeader.END_BYTES, TestHeader.END, messages, bytes);
    messages++;
    bytes += TestHeader.END_BYTES;
  }

  /** Messages composed, the last one included. */
  long messages() {
    return messages;
  }

  /** Bytes composed, those of the last message included. */
  long bytes() {
    return bytes;
  }

  /** SHA-256 of all before the last message, in hexadecimal; empty until then. */
  String sha256() {
    return sha256;
  }
}
