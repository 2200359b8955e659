// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

/** What carries the messages through the lab. */
public enum Subject {
  /** This library, told its rails and names, and nothing else. */
  CROSSTIE,
  /** The kernel's Multipath TCP, one connection per stream. */
  MPTCP
}
