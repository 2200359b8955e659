// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.MemorySegment;

/**
 * A sink for timed runs, in which messages are sent from slots that were filled before: sums the
 * words of each message, or of the part of it that comes in one piece, and compares with what they
 * have to sum to. Every byte is read, and no single wrong one passes; what {@link Checker} sees
 * besides is words that changed places.
 *
 * <p>Where everything arrives in order, the slot is the next one. Where messages may be lost, the
 * first word of a piece tells it.
 */
public final class SumChecker implements Sink {
  private final int slots;
  private final boolean reliable;
  private final int wordsPerMessage;
  private int slot;
  private int index;

  /**
   * Begins with the first slot.
   *
   * @param size of every message in bytes
   * @param slots from which messages are sent in turn; number {@code n} holds message {@code n} of
   *     {@link Content}
   * @param reliable whether everything arrives in order
   */
  public SumChecker(int size, int slots, boolean reliable) {
    this.slots = slots;
    this.reliable = reliable;
    wordsPerMessage = size / Content.WORD;
  }

  @Override
  public void onData(MemorySegment memory, long offset, long length) {
    if (length % Content.WORD != 0) {
      throw new LinkException("a piece of " + length + " bytes came, which is no multiple of 8");
    }
    if (!reliable && length > 0) {
      takePlace(WordSum.of(memory, offset, 1));
    }
    int left = (int) (length / Content.WORD);
    long at = offset;
    while (left > 0) {
      int words = Math.min(left, wordsPerMessage - index);
      long found = WordSum.of(memory, at, words);
      long expected = Content.sum(slot, index, words);
      if (found != expected) {
        throw new LinkException(
            "%d bytes from byte %d of slot %d on sum to %016x instead of %016x"
                .formatted(words * Content.WORD, index * Content.WORD, slot, found, expected));
      }
      at += (long) words * Content.WORD;
      left -= words;
      index += words;
      if (index == wordsPerMessage) {
        index = 0;
        slot = slot + 1 == slots ? 0 : slot + 1;
      }
    }
  }

  private void takePlace(long word) {
    long atSlot = Content.messageOf(word);
    long atIndex = Content.indexOf(word);
    if (atSlot >= slots || atIndex >= wordsPerMessage) {
      throw new LinkException("the word %016x is of no slot".formatted(word));
    }
    slot = (int) atSlot;
    index = (int) atIndex;
  }
}
