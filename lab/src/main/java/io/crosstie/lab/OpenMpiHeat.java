// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.Namespaces;
import io.crosstie.testkit.process.Shell;
import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The heat equation in C under Open MPI, on the same two hosts and over the same rails. */
final class OpenMpiHeat {
  private static final String SOURCE = "mpi-heat.c";

  private OpenMpiHeat() {}

  /** Says which programs are not installed, null if all are. */
  static @Nullable String missing() {
    for (String program : List.of("mpicc", "mpirun.openmpi")) {
      if (Shell.attempt("", program, "--version").status() != 0) {
        return program + " is not installed (Debian: openmpi-bin, libopenmpi-dev)";
      }
    }
    return null;
  }

  /**
   * Compiles it and starts it, every second rank on the other host.
   *
   * @param folder for what is compiled
   * @throws ToolException if it cannot be compiled
   */
  static MpiJob start(TwoHosts hosts, int ranks, Path folder, List<String> arguments) {
    RailPlan first = hosts.rails().getFirst();
    List<String> words = new ArrayList<>(Namespaces.on(hosts.a()));
    words.addAll(List.of("mpirun.openmpi", "--allow-run-as-root", "--map-by", "node"));
    words.addAll(List.of("--bind-to", "none"));
    option(words, "plm_rsh_agent", agent(hosts, folder));
    option(words, "oob_tcp_if_include", first.device());
    option(words, "pml", "ob1");
    option(words, "btl", "tcp,self");
    option(
        words,
        "btl_tcp_if_include",
        String.join(",", hosts.rails().stream().map(RailPlan::device).toList()));
    option(words, "mpi_yield_when_idle", "1");
    String slots = ":" + (ranks + 1) / 2;
    words.addAll(List.of("-H", first.here() + slots + "," + first.there() + slots));
    words.addAll(List.of("-n", Integer.toString(ranks), compile(folder)));
    words.addAll(arguments);
    return MpiJob.of("mpirun", words);
  }

  private static void option(List<String> words, String name, String value) {
    words.addAll(List.of("--mca", name, value));
  }

  private static String compile(Path folder) {
    Path source = folder.resolve(SOURCE);
    Path made = folder.resolve("mpi-heat");
    try (InputStream in = OpenMpiHeat.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new ToolException(ToolException.ENVIRONMENT, SOURCE + " is not in the jar");
      }
      long unused = Files.copy(in, source, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new ToolException(ToolException.ENVIRONMENT, SOURCE + ": " + e, e);
    }
    String unused =
        Shell.run("mpicc", "-O3", "-ffp-contract=off", "-o", "" + made, source.toString());
    return made.toString();
  }

  /** Runs a command on a host, as rsh does: the host's address, and the command's words. */
  private static String agent(TwoHosts hosts, Path folder) {
    RailPlan first = hosts.rails().getFirst();
    Path agent = folder.resolve("agent");
    try {
      Path unused =
          Files.writeString(
              agent,
              """
              #!/bin/sh
              case $1 in %s) host=%s ;; %s) host=%s ;; *) echo "no host $1" >&2; exit 1 ;; esac
              shift
              exec ip netns exec $host sh -c "$*"
              """
                  .formatted(first.here(), hosts.a(), first.there(), hosts.b()));
      unused = Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new ToolException(ToolException.ENVIRONMENT, agent + ": " + e, e);
    }
    return agent.toString();
  }
}
