// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All ways in which a process may find its job: it is told by the program, or the environment shows
 * who has started it. The first way that is marked out there is gone: {@code CROSSTIE_RANK}; PMIx;
 * PMI-1; Slurm's variables alone; Kubernetes; {@code RANK}, {@code WORLD_SIZE} and {@code
 * MASTER_ADDR}. Each comes to the same: the rank, the size, a key, and where ranks are introduced.
 */
public final class Ways {
  private static final System.Logger LOGGER = System.getLogger("io.crosstie");

  /** What says everything by itself. */
  private static final String VARIABLES =
      Job.RANK + ", " + Job.SIZE + ", " + Job.KEY + " and " + Job.INTRODUCER;

  /** Set by launchers whose own wire-up was not found; with them nobody is alone. */
  private static final List<String> SIZES =
      List.of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS");

  private Ways() {}

  private static List<Way> all() {
    return List.of(
        Ways::told,
        new PmixWay(),
        new PmiWay(),
        new SlurmWay(),
        new KubernetesWay(),
        new MasterWay());
  }

  /** The job that the program itself describes. */
  public static Membership of(Job job) {
    if (job.size() == 1) {
      return new Membership(job, new Alone());
    }
    Introducer own = null;
    if (!job.hosted() && job.rank() == 0) {
      HostPort at = job.introducers().getFirst();
      InetSocketAddress address = new InetSocketAddress(at.host(), at.port());
      own = Introducer.open(job.key(), job.size(), address, job.placement());
    }
    return new Membership(job, new IntroducerClient(job, own));
  }

  /**
   * The job that the environment describes; a job of one, and a line of the log, if none does. With
   * PMI and PMIx this waits for others as far as the launcher makes it.
   *
   * @throws LaunchException if the job cannot be joined
   */
  public static Membership find(Map<String, String> variables) {
    return find(new Environment(variables), all());
  }

  static Membership find(Environment environment, List<Way> ways) {
    List<String> blocked = new ArrayList<>();
    for (Way way : ways) {
      try {
        Membership found = way.find(environment);
        if (found != null) {
          report(found.job(), blocked);
          return found;
        }
      } catch (Way.Blocked e) {
        blocked.add(String.valueOf(e.getMessage()));
      }
    }
    for (String size : SIZES) {
      if (blocked.isEmpty() && environment.has(size) && !environment.needed(size).equals("1")) {
        blocked.add(size + " is set, but nothing else by which ranks find one another");
      }
    }
    if (!blocked.isEmpty()) {
      throw new LaunchException(
          "this process belongs to a parallel job, but finds no way to the others: "
              + String.join("; ", blocked)
              + "; or set "
              + VARIABLES);
    }
    Job none = Job.find(environment.variables()); // which says what is wrong with half of it
    if (none != null) {
      return of(none);
    }
    LOGGER.log(
        System.Logger.Level.WARNING,
        "no launcher was found, so this is a world of one rank; start the program by crosstie run"
            + " -n 4 -- java ..., by mpirun, mpiexec or srun, or set "
            + VARIABLES);
    return of(Job.alone());
  }

  /** One line a job, by rank 0, unless crosstie run or the program says where everybody is. */
  private static void report(Job job, List<String> blocked) {
    System.Logger.Level level =
        job.rank() == 0 && !job.hosted() ? System.Logger.Level.INFO : System.Logger.Level.DEBUG;
    if (LOGGER.isLoggable(level)) {
      String where = job.size() == 1 ? "" : ", introduced at " + HostPort.list(job.introducers());
      String skipped = blocked.isEmpty() ? "" : " (" + String.join("; ", blocked) + ")";
      LOGGER.log(
          level,
          "rank {0} of {1} by {2}{3}{4}",
          Integer.toString(job.rank()),
          Integer.toString(job.size()),
          job.launcher(),
          where,
          skipped);
    }
  }

  private static @Nullable Membership told(Environment environment) {
    if (!environment.has(Job.RANK)) {
      return null;
    }
    Job job = Job.find(environment.variables());
    return job == null ? null : of(job);
  }
}
