// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.util.List;

/** A job of one has nobody to hear of. */
final class Alone implements WireUp {
  @Override
  public Placement join() {
    return Placement.UNKNOWN;
  }

  @Override
  public void start(String terms, List<String> addresses, Listener listener) {
    // nobody asks
  }

  @Override
  public void fetch(int rank) {
    throw new IllegalStateException("a world of one has no rank " + rank);
  }

  @Override
  public void declareDead(int rank, String why) {
    // nobody else is told
  }

  @Override
  public void leave() {
    // nobody stays
  }

  @Override
  public void close() {
    // there is nothing to close
  }
}
