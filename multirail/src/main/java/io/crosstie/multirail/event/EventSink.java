// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.event;

/** Takes what an application may want to know; on the engine's thread. */
@FunctionalInterface
public interface EventSink {
  /** Something happened. */
  void onEvent(NodeEvent event);
}
