// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.examples.ranks.ConjugateGradient;
import io.crosstie.examples.ranks.HeatDiffusion;
import io.crosstie.examples.ranks.LargeRing;
import io.crosstie.examples.ranks.MasterAndWorkers;
import io.crosstie.examples.ranks.SampleSort;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.Request;
import io.crosstie.ranks.World;
import java.util.List;
import java.util.function.Predicate;

/**
 * What {@link LaunchersIT} has started as ranks: the examples, one after the other. Rank 0 says
 * which one begins, a cable is pulled then, and the example runs again and again until that shows
 * in some rank; the next one begins when the cable is in again.
 */
final class RankExamples {
  /** One of them. */
  record Named(String name, Predicate<World> isRight) {}

  static final List<Named> ALL =
      List.of(
          new Named("heat diffusion", world -> HeatDiffusion.isRight(world, 64, 16, 400)),
          new Named("sample sort", world -> SampleSort.isRight(world, 50_000)),
          new Named("conjugate gradient", world -> ConjugateGradient.isRight(world, 96, 24)),
          new Named("master and workers", world -> MasterAndWorkers.isRight(world, 40)),
          new Named("ring of 64 MiB", world -> LargeRing.isRight(world, 64L << 20, 1)));

  static final String BEGINS = " begins";
  static final String IS_RIGHT = " is right, and the cable was out";
  static final String IS_WRONG = " is wrong";

  private final World world;

  /** What the addresses of the cable that is pulled begin with. */
  private final String network;

  private RankExamples(World world, String network) {
    this.world = world;
    this.network = network;
  }

  public static void main(String[] args) {
    try (World world = World.join()) {
      new RankExamples(world, args[0]).run();
    }
  }

  private void run() {
    meet();
    for (Named each : ALL) {
      while (inAll(isIn() ? 0 : 1) > 0) {
        world.idle();
      }
      say(each.name + BEGINS);
      int wrong = 0;
      do {
        wrong += each.isRight.test(world) ? 0 : 1;
      } while (inAll(isOut() ? 1 : 0) == 0);
      say(each.name + (inAll(wrong) == 0 ? IS_RIGHT : IS_WRONG));
    }
    world.communicator().barrier();
  }

  private void say(String what) {
    if (world.rank() == 0) {
      System.out.println(what);
    }
  }

  /** The sum of what all ranks have. */
  private int inAll(int mine) {
    int[] sum = {mine};
    world.communicator().allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
    return sum[0];
  }

  /** Each connects to each, as long as all cables are in. */
  private void meet() {
    Communicator all = world.communicator();
    for (int other = 0; other < all.size(); other++) {
      if (other != all.rank()) {
        Request.awaitAll(all.irecv(new int[1], other, 1), all.isend(new int[1], other, 1));
      }
    }
  }

  private List<RailInfo> rails() {
    return world.node().peers().stream()
        .map(Peer::rails)
        .flatMap(List::stream)
        .filter(rail -> rail.local().contains(network))
        .toList();
  }

  /** All that go by the cable work. */
  private boolean isIn() {
    return rails().stream().anyMatch(rail -> rail.state() == RailState.ACTIVE) && !isOut();
  }

  /** One that goes by the cable works no more. */
  private boolean isOut() {
    return rails().stream()
        .anyMatch(
            rail ->
                switch (rail.state()) {
                  case SUSPECT, DOWN, PROBING -> true;
                  case UNVALIDATED, ACTIVE, REMOVED -> false;
                });
  }
}
