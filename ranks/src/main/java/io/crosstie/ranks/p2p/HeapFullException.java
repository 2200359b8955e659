// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

/** The heap has no room for a message; nothing has changed, and it may be handed in again. */
public final class HeapFullException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * The only one, as there may be no room for another; it has neither stack nor suppressed ones.
   */
  @SuppressWarnings("StaticAssignmentOfThrowable")
  static final HeapFullException INSTANCE = new HeapFullException();

  private HeapFullException() {
    super("the heap has no room for a message", null, false, false);
  }
}
