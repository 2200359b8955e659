// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** What can be freed. */
public interface Freeable {
  /** Gives it up; it is not to be used any more. */
  void free();
}
