// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Slurm without an interface for processes ({@code srun --mpi=none}): its variables tell rank, size
 * and nodes, and nothing else is shared. So rank 0 introduces on the step's first node, at a port
 * that follows from the numbers of job and step, or at one of those behind it if that is taken: a
 * rank that comes to an introducer of another job goes on to the next. The key follows from the
 * same variables, and is no secret; CROSSTIE_JOB_KEY gives another one.
 */
final class SlurmWay implements Way {
  private static final int PORTS = 8;
  private static final int FIRST_PORT = 20_000;
  private static final int BLOCKS = 1_500; // below those that the kernel gives away

  @Override
  public @Nullable Membership find(Environment environment) {
    if (!environment.has("SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID")) {
      return null; // none, or the script of a batch job, which is no rank
    }
    String sizes =
        environment.has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
    int size = environment.number(sizes, 1, Job.MAX_SIZE);
    int rank = environment.number("SLURM_PROCID", 0, size - 1);
    if (size == 1) {
      return Exchange.alone("Slurm");
    }
    String listed =
        environment.has("SLURM_STEP_NODELIST") ? "SLURM_STEP_NODELIST" : "SLURM_NODELIST";
    List<String> nodes = HostList.expand(listed, environment.needed(listed));
    int localSize = environment.localSize(nodes.size() == 1 ? size : 0);
    boolean local = localSize == size;
    String step = environment.needed("SLURM_JOB_ID") + "." + environment.needed("SLURM_STEP_ID");
    String key =
        environment.key(
            "slurm-"
                + step
                + "-"
                + environment.variables().getOrDefault("SLURM_STEP_LAUNCHER_PORT", "0"));
    List<HostPort> at = new ArrayList<>();
    HostPort told = environment.introducer();
    if (told != null) {
      at.add(told);
    } else {
      int first = FIRST_PORT + PORTS * Math.floorMod(step.hashCode(), BLOCKS);
      String host = local ? "127.0.0.1" : nodes.getFirst();
      for (int port = first; port < first + PORTS; port++) {
        at.add(new HostPort(host, port));
      }
    }
    Job job =
        new Job(
            rank,
            size,
            key,
            at,
            false,
            localSize,
            environment.placement(size, Placement.named(hosts(environment, nodes, size))),
            environment.joinTimeout(),
            "Slurm's variables");
    return new Membership(job, new IntroducerClient(job, Introducer.atFirstFree(job)));
  }

  /** Which node each rank is on, if they were dealt out in blocks, as they are by default. */
  static List<String> hosts(Environment environment, List<String> nodes, int size) {
    String counts = environment.variables().getOrDefault("SLURM_STEP_TASKS_PER_NODE", "");
    String dealt = environment.variables().getOrDefault("SLURM_DISTRIBUTION", "block");
    if (!dealt.startsWith("block")) {
      return List.of();
    }
    List<String> hosts = new ArrayList<>();
    int node = 0;
    for (String part : counts.split(",", -1)) { // 3(x2),1
      String[] words = part.split("[(x)]+", -1);
      try {
        int tasks = Integer.parseInt(words[0]);
        int times = words.length > 1 ? Integer.parseInt(words[1]) : 1;
        for (int i = 0; i < times && node < nodes.size(); i++, node++) {
          for (int task = 0; task < tasks && hosts.size() < size; task++) {
            hosts.add(nodes.get(node));
          }
        }
      } catch (NumberFormatException e) {
        return List.of();
      }
    }
    return hosts.size() == size ? hosts : List.of();
  }
}
