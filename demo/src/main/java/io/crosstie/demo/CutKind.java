// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

/** The two ways in which the demo takes a rail away. */
enum CutKind {
  /** The rail's sockets are closed under the library, its files and its port are gone. */
  CLOSE,
  /** Everything looks as before, and nothing comes through any more. */
  BLACK_HOLE
}
