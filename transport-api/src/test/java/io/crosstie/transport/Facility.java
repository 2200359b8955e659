// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import org.jspecify.annotations.Nullable;

/** By its former name: {@link io.crosstie.testkit.Facility}. */
public final class Facility {
  private Facility() {}

  /** As {@link io.crosstie.testkit.Facility#require(boolean, String)}. */
  public static void require(boolean present, @Nullable String why) {
    io.crosstie.testkit.Facility.require(present, why);
  }
}
