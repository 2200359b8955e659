// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.lang.foreign.MemorySegment;

/** Builds the messages of the stream one after the other. */
final class MessageComposer {
  private final StreamData data;
  private long messages;
  private long bytes;
  private long source;

  MessageComposer(StreamData data) {
    this.data = data;
  }

  /** Writes the next message into {@code target}: header and data. */
  void compose(MemorySegment target, long offset, int length) {
    if (length > 0) {
      int some = length - TestHeader.BYTES;
      data.copy(source, target, offset + TestHeader.BYTES, some);
      TestHeader.write(target, offset, length, TestHeader.DATA, messages, bytes, source);
      source += some;
    }
    messages++;
    bytes += length;
  }

  /** Writes the last message, a header alone. */
  void composeEnd(MemorySegment target, long offset) {
    TestHeader.write(target, offset, TestHeader.BYTES, TestHeader.END, messages, bytes, source);
    messages++;
    bytes += TestHeader.BYTES;
  }

  /** Messages composed, the last one included. */
  long messages() {
    return messages;
  }

  /** Bytes composed, those of the last message included. */
  long bytes() {
    return bytes;
  }
}
