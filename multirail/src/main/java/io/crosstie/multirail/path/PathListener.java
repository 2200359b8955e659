// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.event.RailState;

/**
 * What is told of the rails of one connection to whoever sends over them; on the engine's thread.
 */
public interface PathListener {
  /**
   * A rail went into another state; what is due, and when, is another matter now.
   *
   * @param gapNs how long it had been of no use
   */
  void onRailChanged(RailPath path, RailState from, RailState to, String cause, long gapNs);

  /** A rail took the place of one that was gone: there may be anything to say. */
  void activate();

  /** Why no rail could take the place of one that is gone, for a person. */
  void problem(String text);
}
