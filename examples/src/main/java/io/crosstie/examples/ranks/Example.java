// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.ranks;

import io.crosstie.ranks.World;
import java.util.function.Predicate;

/** Runs an example as one rank, and ends with 1 if its result is wrong. */
final class Example {
  private Example() {}

  static void run(String what, Predicate<World> isRight) {
    boolean right;
    try (World world = World.join()) {
      right = isRight.test(world);
      if (world.rank() == 0) {
        String text = right ? "equal to" : "differs from";
        System.out.println(what + " on " + world.size() + " ranks: " + text + " the serial result");
      }
      world.communicator().barrier();
    }
    if (!right) {
      System.exit(1);
    }
  }
}
