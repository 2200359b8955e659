// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/** What the threads of ports did in a run ({@link SimPortThread}). */
public enum PortThreadCounter {
  /** Steps of their loops. */
  STEPS,
  /** Packets handed to them by engines. */
  OUT,
  /** Packets of theirs that came up to engines. */
  IN,
  /** Waits that were ended by a wake-up or by what arrived. */
  WOKEN,
  /** Waits that were ended by their time. */
  TIMED_OUT,
  /** Pauses because the engine was behind or the link had no room. */
  PAUSES,
  /** Claims of engines for which there was no room. */
  REFUSED_CLAIMS,
  /** Times that a ring's end was too near for a packet. */
  WRAPS,
  /** Times that one was stopped between two steps. */
  STALLS,
  /** Calls of the driver that did not return, or late. */
  HANGS,
  /** Times that an engine was told that one hangs. */
  HUNG,
  /** Ports that were closed while their thread did not run, and taken from it. */
  ABANDONED,
  /** Of these, threads that came back later. */
  CAME_BACK,
  /** Rails that could not be made because the thread was in a call. */
  BUSY
}
