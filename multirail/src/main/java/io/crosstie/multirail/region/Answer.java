// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What this node answers to a request of a peer; used again and again. The bytes that were asked
 * for are read from the region as they leave, as long as that is open. Engine thread.
 */
final class Answer extends Put {
  private final Answers owner;
  private @Nullable ExportedRegion region;
  private @Nullable Answer next;

  Answer(Answers owner) {
    super(new byte[PlacedKind.ANSWER_BYTES]);
    this.owner = owner;
  }

  /** It says that, and has no bytes. */
  void say(long request, int status, long word) {
    region = null;
    PlacedKind.encodeAnswer(header(), status, word);
    set(PlacedKind.ANSWER, request, 0, MemorySegment.NULL, 0, 0);
  }

  /** It has these bytes of the region. */
  void give(long request, ExportedRegion from, long offset, long length) {
    region = from;
    PlacedKind.encodeAnswer(header(), PlacedKind.DONE, 0);
    set(PlacedKind.ANSWER, request, 0, from.memory(), offset, length);
  }

  /** Where its bytes come from; null if it has none. */
  @Nullable ExportedRegion region() {
    return region;
  }

  @Override
  public boolean isReadable() {
    ExportedRegion from = region;
    return from == null || from.isOpen();
  }

  /** The one behind it in a list. */
  @Nullable Answer next() {
    return next;
  }

  void next(@Nullable Answer behind) {
    next = behind;
  }

  @Override
  public void onComplete(long sequence, @Nullable String error) {
    owner.onComplete(this, error);
  }
}
