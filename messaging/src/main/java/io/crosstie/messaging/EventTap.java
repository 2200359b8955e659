// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/**
 * Sees each event of a node at once, besides {@link Node#pollEvents}, which still hands out all of
 * them: for observers such as JFR and logs, not for the application's own logic.
 *
 * <p>It is called by the engine, so it has to be quick, must not block, and must not call the node.
 * If it throws, that is logged and it is not called again; the node goes on.
 */
@FunctionalInterface
public interface EventTap {
  /**
   * One event, on the engine's thread; on the one that starts the node for what happens before the
   * engine runs.
   *
   * @param node the node's name
   */
  void onEvent(String node, NodeEvent event);
}
