// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Counters of a node's progress engine; those of the protocol are in {@link Node#counters()}. */
public enum NodeCounter {
  /** Duty cycles that found something to do. */
  BUSY_CYCLES,
  /** Duty cycles that found nothing to do. */
  IDLE_CYCLES,
  /** Times that the engine blocked in its poller. */
  BLOCKS,
  /**
   * Duty cycles that an error ended which nothing in the core contained; the next one went on. See
   * {@link EndpointCounter#INTERNAL_ERRORS} for those that were.
   */
  FAILED_CYCLES,
  /** Commands (connect, add a rail, close, ...) done on the engine's thread. */
  COMMANDS,
  /**
   * Events that were dropped because nobody called {@link Node#pollEvents}; never one that tells of
   * unknown messages.
   */
  EVENTS_DROPPED,
  /** Packets of handshakes of peers that were not configured and, as configured, not accepted. */
  PEERS_REFUSED,
  /**
   * Duty cycles that application threads ran in the stead of the node's own: one that waits, see
   * {@link Progress#thread()}, or each that calls, see {@link Progress#shared()}.
   */
  LED_CYCLES,
  /**
   * Times that a {@link CycleHook} threw, or told of what was thrown in it; the next duty cycle
   * called it again.
   */
  HOOK_ERRORS,
  /** Times that a {@link CycleHook} took longer than a millisecond. */
  HOOK_OVERRUNS
}
