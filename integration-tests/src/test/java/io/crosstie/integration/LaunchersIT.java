// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.Namespaces;
import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One program, unchanged, under all launchers of Debian's packages. */
final class LaunchersIT {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int RANKS = 4;

  /** What a rank says; launchers and JVMs have a word of their own now and then. */
  private static final Pattern ANSWER =
      Pattern.compile("(rank \\d+ of \\d+ has \\S+) in (net:\\S+) by (.*)");

  private static final Pattern OTHERS = Pattern.compile("rank \\d+ talks to (\\d) others");

  private static final Path NETWORKS = Path.of("/etc/netns");
  private static final String NEAR = "198.18.92.1";
  private static final String FAR = "198.18.92.2";

  /** Of a second cable, by which no launcher goes. */
  private static final String CABLE = "rail2";

  private static final String CABLE_NETWORK = "198.18.93.";

  private static final List<String> FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-Xmx128m",
          "--enable-native-access=ALL-UNNAMED");

  /**
   * Four ranks find one another and add their numbers.
   *
   * @param way that they say they have gone; a pattern
   */
  private static void run(String way, Map<String, String> environment, String... launcher) {
    run(1, way, environment, List.of(), List.of(launcher));
  }

  private static void run(
      int hosts,
      String way,
      Map<String, String> environment,
      List<String> prefix,
      List<String> launcher) {
    ProcessBuilder builder = job(environment, prefix, launcher, RankProgram.class, "sum");
    Shell.Outcome outcome = Shell.attempt("", builder, PATIENCE);
    assertEquals(0, outcome.status(), outcome::output);
    TreeSet<String> expected = new TreeSet<>();
    for (int rank = 0; rank < RANKS; rank++) {
      expected.add("rank " + rank + " of " + RANKS + " has 10");
    }
    TreeSet<String> said = new TreeSet<>();
    TreeSet<String> networks = new TreeSet<>();
    for (String line : outcome.output().lines().toList()) {
      Matcher answer = ANSWER.matcher(line);
      if (answer.matches()) {
        assertTrue(said.add(answer.group(1)), outcome::output);
        boolean unused = networks.add(answer.group(2));
        assertTrue(answer.group(3).matches(way), outcome::output);
      }
    }
    assertEquals(expected, said, outcome::output);
    assertEquals(hosts, networks.size(), outcome::output);
    if (hosts
        > 1) { // the launcher has told which ranks share a host: one of each talks to the other
      int others =
          OTHERS
              .matcher(outcome.output())
              .results()
              .mapToInt(each -> each.group(1).charAt(0) - '0')
              .sum();
      assertEquals(2 * (RANKS - 1), others, outcome::output);
    }
    assertTrue(
        outcome.output().contains("rank 0 of 4 by "), () -> "no line of log: " + outcome.output());
  }

  private static ProcessBuilder job(
      Map<String, String> environment,
      List<String> prefix,
      List<String> launcher,
      Class<?> program,
      String argument) {
    List<String> words = new ArrayList<>(prefix);
    words.addAll(launcher);
    words.addAll(ChildProcess.java(FLAGS, program, argument));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().putAll(environment);
    builder.environment().put("CROSSTIE_JOIN_TIMEOUT", "180");
    return builder;
  }

  /** All examples, and in each a cable is pulled, which goes in again behind it. */
  private static void runExamples(
      Namespaces hosts, Map<String, String> environment, List<String> launcher) {
    ProcessBuilder builder =
        job(environment, Namespaces.on(hosts.a()), launcher, RankExamples.class, CABLE_NETWORK);
    try (ChildProcess job = ChildProcess.start(launcher.getFirst(), builder, null)) {
      for (RankExamples.Named each : RankExamples.ALL) {
        await(job, each.name() + RankExamples.BEGINS);
        set(hosts, "down");
        await(job, each.name() + RankExamples.IS_RIGHT);
        set(hosts, "up");
      }
      assertTrue(job.awaitExit(PATIENCE), () -> job + " does not end");
      assertEquals(0, job.exitValue(), () -> job + ": " + job.lastWords(50));
    }
  }

  private static void set(Namespaces hosts, String state) {
    String unused = Shell.run("ip", "-n", hosts.a(), "link", "set", CABLE, state);
  }

  private static void await(ChildProcess job, String expected) {
    String line = "";
    while (!line.equals(expected)) {
      line = job.read(expected, PATIENCE);
      assertFalse(line.endsWith(RankExamples.IS_WRONG), line);
    }
  }

  @Test
  void openMpi() {
    Facility.OPEN_MPI.require("PMIx under Open MPI's mpirun");
    run(
        "PMIx [0-9.]+[a-z0-9]* of Open MPI",
        Map.of(),
        "mpirun.openmpi",
        "--allow-run-as-root",
        "--oversubscribe",
        "-n",
        "4");
  }

  @Test
  void mpich() {
    Facility.TIME.require("MPICH");
    Facility.MPICH.require("PMI-1 under MPICH's mpiexec.hydra");
    run("PMI-1 \\(PMI_FD\\)", Map.of(), "mpiexec.hydra", "-n", "4");
    run("PMI-1 \\(PMI_PORT\\)", Map.of(), "mpiexec.hydra", "-pmi-port", "-n", "4");
  }

  @Test
  void slurm(@TempDir Path folder) throws Exception {
    Facility.TIME.require("Slurm");
    Facility.SLURM.require("PMI-1, PMIx and variables under Slurm's srun");
    try (SlurmCluster slurm = new SlurmCluster(folder)) {
      Map<String, String> of = slurm.environment();
      run("PMI-1 \\(PMI_FD\\)", of, "srun", "--quiet", "--mpi=pmi2", "-n", "4");
      run(
          "PMIx [0-9.]+[a-z0-9]* of Slurm",
          of,
          "srun",
          "--quiet",
          "--mpi=pmix",
          "-N",
          "2",
          "-n",
          "4");
      run("Slurm's variables", of, "srun", "--quiet", "--mpi=none", "-n", "4");
    }
  }

  /** Runs a command on a host, as rsh does: the host's address, and the command's words. */
  private static String agent(Path folder, Namespaces hosts) throws IOException {
    Path agent = folder.resolve("agent");
    Path unused =
        Files.writeString(
            agent,
            """
            #!/bin/sh
            case $1 in %s) host=%s ;; %s) host=%s ;; *) echo "no host $1" >&2; exit 1 ;; esac
            shift
            exec ip netns exec $host sh -c "mount -t tmpfs tmpfs /dev/shm && $*"
            """
                .formatted(NEAR, hosts.a(), FAR, hosts.b()));
    unused = Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwx------"));
    return agent.toString();
  }

  /** What is done on two hosts. */
  private interface OnHosts {
    void run(Namespaces hosts, String agent) throws Exception;
  }

  /** Two hosts, whose names they know, and what runs commands there. */
  private static void onHosts(Path folder, OnHosts what) throws Exception {
    Facility.TIME.require("launchers over two hosts");
    Facility.NETWORKS.require("launchers over two hosts");
    Facility.OPEN_MPI.require("Open MPI's mpirun over two hosts");
    Facility.MPICH.require("MPICH's mpiexec.hydra over two hosts");
    Facility.SLURM.require("Slurm's srun over two hosts");
    String name = "crosstie-hosts-" + ProcessHandle.current().pid();
    List<Path> tables =
        Stream.of("-a", "-b").map(end -> NETWORKS.resolve(name + end, "hosts")).toList();
    try (Namespaces hosts = new Namespaces(name)) {
      for (Path table : tables) {
        write(table);
      }
      hosts.join("rail1", NEAR + "/24", FAR + "/24");
      what.run(hosts, agent(folder, hosts));
    } finally {
      for (Path table : tables) {
        boolean unused = Files.deleteIfExists(table);
        unused = Files.deleteIfExists(table.getParent());
      }
    }
  }

  private static List<String> hydra(String agent) {
    return List.of(
        "mpiexec.hydra",
        "-launcher",
        "rsh",
        "-launcher-exec",
        agent,
        "-localhost",
        NEAR,
        "-hosts",
        NEAR + ":2," + FAR + ":2",
        "-n",
        "4");
  }

  private static List<String> openMpi(String agent) {
    return List.of(
        "mpirun.openmpi",
        "--allow-run-as-root",
        "--mca",
        "plm_rsh_agent",
        agent,
        "--mca",
        "oob_tcp_if_include",
        "rail1",
        "-H",
        NEAR + ":2," + FAR + ":2",
        "-n",
        "4");
  }

  private static List<String> slurm(String way) {
    return List.of("srun", "--quiet", "--mpi=" + way, "-N", "2", "-n", "4");
  }

  @Test
  void overTwoHosts(@TempDir Path folder) throws Exception {
    onHosts(
        folder,
        (hosts, agent) -> {
          List<String> near = Namespaces.on(hosts.a());
          run(2, "PMI-1 \\(PMI_FD\\)", Map.of(), near, hydra(agent));
          run(2, "PMIx [0-9.]+[a-z0-9]* of Open MPI", Map.of(), near, openMpi(agent));
          try (SlurmCluster slurm = new SlurmCluster(folder, hosts, List.of(NEAR, FAR))) {
            for (String way : List.of("pmi2", "pmix", "none")) {
              String said =
                  switch (way) {
                    case "pmi2" -> "PMI-1 \\(PMI_FD\\)";
                    case "pmix" -> "PMIx [0-9.]+[a-z0-9]* of Slurm";
                    default -> "Slurm's variables";
                  };
              run(2, said, slurm.environment(), near, slurm(way));
            }
          }
        });
  }

  /** The examples under each launcher, over two cables of which one is pulled in each of them. */
  @Test
  void examplesOverTwoHostsWhileARailIsCut(@TempDir Path folder) throws Exception {
    onHosts(
        folder,
        (hosts, agent) -> {
          hosts.join(CABLE, CABLE_NETWORK + "1/24", CABLE_NETWORK + "2/24");
          runExamples(hosts, Map.of(), hydra(agent));
          runExamples(hosts, Map.of(), openMpi(agent));
          try (SlurmCluster slurm = new SlurmCluster(folder, hosts, List.of(NEAR, FAR))) {
            runExamples(hosts, slurm.environment(), slurm("pmix"));
          }
        });
  }

  /** The names of Slurm's nodes, as a host knows them. */
  private static void write(Path table) throws IOException {
    Path unused = Files.createDirectories(table.getParent());
    String text = Files.readString(Path.of("/etc/hosts"));
    unused = Files.writeString(table, text + "\n" + NEAR + " n1\n" + FAR + " n2\n");
  }
}
