// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Variables that many launchers of programs for machine learning set. */
final class MasterWay implements Way {
  private static final int MAX_PORT = 65535;

  @Override
  public @Nullable Membership find(Environment environment) {
    if (!environment.has("RANK", "WORLD_SIZE", "MASTER_ADDR")) {
      return null;
    }
    int size = environment.number("WORLD_SIZE", 1, Job.MAX_SIZE);
    int rank = environment.number("RANK", 0, size - 1);
    if (size == 1) {
      return Exchange.alone("WORLD_SIZE");
    }
    HostPort at = environment.introducer();
    if (at == null) {
      int port = environment.number("MASTER_PORT", 1, MAX_PORT, Job.DEFAULT_PORT);
      at = new HostPort(environment.needed("MASTER_ADDR"), port);
    }
    Job job =
        new Job(
            rank,
            size,
            environment.key("master-" + at),
            List.of(at),
            false,
            environment.localSize(environment.number("LOCAL_WORLD_SIZE", 0, Job.MAX_SIZE, 0)),
            environment.placement(size, Placement.UNKNOWN),
            environment.joinTimeout(),
            "RANK, WORLD_SIZE and MASTER_ADDR");
    return new Membership(job, new IntroducerClient(job, Introducer.atFirstFree(job)));
  }
}
