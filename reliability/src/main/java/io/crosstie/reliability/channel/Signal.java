// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import org.jspecify.annotations.Nullable;

/**
 * What any thread hands to the engine because there is news about it: it is marked once, and put on
 * a stack that is linked through the marked ones themselves.
 */
public interface Signal {
  /** Marks it as having news for the engine; true if it was not marked before. Any thread. */
  boolean markSignalled();

  /** The engine takes the mark off, before it looks for the news. */
  void clearSignal();

  /** The next one in the stack. */
  @Nullable Signal nextSignalled();

  /** Links the stack; by whoever marked it. */
  void setNextSignalled(@Nullable Signal next);

  /** Who is to be told. */
  @Nullable Object signalOwner();

  /** Notes who is to be told; by whoever marked it. */
  void setSignalOwner(Object owner);
}
