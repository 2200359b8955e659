// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A sink that looks at every byte: right content, in order, nothing twice; nothing missing either
 * if the subject promises that.
 */
public final class Checker implements Sink {
  private final int size;
  private final boolean reliable;
  private final long words;
  private long message;
  private long index;
  private long lostBytes;

  /**
   * Begins with message 0.
   *
   * @param size of every message in bytes
   * @param reliable whether a gap is a fault
   */
  public Checker(int size, boolean reliable) {
    this.size = size;
    this.reliable = reliable;
    this.words = size / Content.WORD;
  }

  @Override
  public void onData(MemorySegment memory, long offset, long length) {
    if (length % Content.WORD != 0) {
      throw new LinkException("a piece of " + length + " bytes came, which is no multiple of 8");
    }
    if (length > 0) {
      takePlace(Content.messageAt(memory, offset), Content.indexAt(memory, offset));
    }
    for (long at = 0; at < length; at += Content.WORD) {
      long found = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + at);
      if (found != Content.word(message, index)) {
        throw new LinkException(
            "byte %d of message %d is wrong: %016x instead of %016x"
                .formatted(index * Content.WORD, message, found, Content.word(message, index)));
      }
      if (++index == words) {
        index = 0;
        message++;
      }
    }
  }

  /** Where the piece says that it stands must be where we are, or behind a gap. */
  private void takePlace(long atMessage, long atIndex) {
    if (atMessage == message && atIndex == index) {
      return;
    }
    long gap = ((atMessage - message) * words + atIndex - index) * Content.WORD;
    if (reliable || gap < 0 || atIndex >= words || gap > (1L << 40)) {
      throw new LinkException(
          "expected byte %d of message %d of %d bytes, but byte %d of message %d came"
              .formatted(index * Content.WORD, message, size, atIndex * Content.WORD, atMessage));
    }
    lostBytes += gap;
    message = atMessage;
    index = atIndex;
  }

  /** Bytes that never came. */
  public long lostBytes() {
    return lostBytes;
  }
}
