// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Takes the node's events, only inside {@link Node#pollEvents} and on the polling thread. */
@FunctionalInterface
public interface EventHandler {
  /**
   * One event. What this throws comes out of {@link Node#pollEvents}; the event counts as
   * delivered.
   */
  void onEvent(NodeEvent event);
}
