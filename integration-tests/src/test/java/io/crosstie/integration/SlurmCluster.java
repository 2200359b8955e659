// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.Namespaces;
import io.crosstie.testkit.process.Ports;
import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Slurm on this machine, of two nodes without munge, in a folder and on ports of its own. */
final class SlurmCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LAST_PATIENCE = Duration.ofSeconds(60);
  private static final long POLL_NS = 200_000_000;
  private static final List<String> NODES = List.of("n1", "n2");

  private final Path configuration;
  private final @Nullable Namespaces hosts;
  private final List<ChildProcess> daemons = new ArrayList<>();
  private boolean started;

  /** Both nodes on this host. */
  SlurmCluster(Path folder) throws IOException {
    this(folder, null, List.of("127.0.0.1", "127.0.0.1"));
  }

  /**
   * The nodes on these hosts, or on this one.
   *
   * @param addresses of both nodes
   */
  SlurmCluster(Path folder, @Nullable Namespaces hosts, List<String> addresses) throws IOException {
    this.hosts = hosts;
    configuration = folder.resolve("slurm.conf");
    String host = Shell.run("uname", "-n").strip().replaceAll("\\..*", "");
    int[] ports = Ports.free(1 + NODES.size());
    StringBuilder text =
        new StringBuilder(
            """
            ClusterName=crosstie
            SlurmctldHost=%1$s(%4$s)
            SlurmctldPort=%2$d
            SlurmUser=root
            SlurmdUser=root
            AuthType=auth/none
            CredType=cred/none
            ProctrackType=proctrack/linuxproc
            TaskPlugin=task/none
            SwitchType=switch/none
            SlurmdParameters=config_overrides
            ReturnToService=2
            SlurmctldPidFile=%3$s/controller.pid
            SlurmdPidFile=%3$s/%%n.pid
            SlurmdSpoolDir=%3$s/%%n
            StateSaveLocation=%3$s/state
            SlurmctldLogFile=%3$s/controller.log
            SlurmdLogFile=%3$s/%%n.log
            PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE MaxTime=INFINITE State=UP
            """
                .formatted(host, ports[0], folder, addresses.getFirst()));
    Path unused = Files.createDirectory(folder.resolve("state"));
    for (int i = 0; i < NODES.size(); i++) {
      unused = Files.createDirectory(folder.resolve(NODES.get(i)));
      StringBuilder unusedToo =
          text.append(
              "NodeName=%s NodeHostname=%s NodeAddr=%s Port=%d CPUs=8%n"
                  .formatted(NODES.get(i), host, addresses.get(i), ports[1 + i]));
    }
    unused = Files.writeString(configuration, text);
    Path pmix = Files.createDirectory(folder.resolve("pmix"));
    unused = Files.writeString(folder.resolve("mpi.conf"), "PMIxCliTmpDirBase=" + pmix + "\n");
    try {
      start(prefix(), "slurmctld", "-D");
      for (int i = 0; i < NODES.size(); i++) {
        startNode(folder, i);
      }
      awaitNodes();
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  /** What its commands need. */
  Map<String, String> environment() {
    return Map.of("SLURM_CONF", configuration.toString());
  }

  /** What runs a command on the first host. */
  private List<String> prefix() {
    return hosts == null ? List.of() : Namespaces.on(hosts.a());
  }

  private void start(List<String> prefix, String... words) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(all);
    builder.environment().putAll(environment());
    daemons.add(ChildProcess.start(words[words.length - 1], builder, null));
  }

  /**
   * PMIx's servers of two nodes would use the same files, so each node has a folder of its own. On
   * another host it needs that one's names, and the control groups, which {@code ip netns exec}
   * hides.
   */
  private void startNode(Path folder, int number) throws IOException {
    String node = NODES.get(number);
    Path own = Files.createDirectory(folder.resolve(node + ".pmix"));
    List<String> prefix = new ArrayList<>();
    String names = "/etc/hosts";
    if (hosts != null) {
      String host = number == 0 ? hosts.a() : hosts.b();
      prefix.addAll(List.of("nsenter", "--net=" + Namespaces.FOLDER.resolve(host)));
      names = "/etc/netns/" + host + "/hosts";
    }
    String script =
        "mount --bind \"$0\" \"$1\" && mount --bind \"$3\" /etc/hosts && exec slurmd -D -N \"$2\"";
    start(
        prefix,
        "unshare",
        "--mount",
        "sh",
        "-c",
        script,
        own.toString(),
        folder + "/pmix",
        node,
        names);
  }

  /** Runs one of its commands on the first host. */
  private Shell.Outcome ask(String... words) {
    List<String> all = new ArrayList<>(prefix());
    all.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(all);
    builder.environment().putAll(environment());
    return Shell.attempt("", builder, PATIENCE);
  }

  private void awaitNodes() {
    List<String> ready = NODES.stream().map(node -> node + " idle").toList();
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Shell.Outcome outcome = ask("sinfo", "-h", "-N", "-o", "%N %t");
      if (outcome.output().lines().map(String::strip).toList().containsAll(ready)) {
        return;
      }
      if (System.nanoTime() - endNs > 0) {
        StringBuilder said = new StringBuilder(outcome.output());
        daemons.forEach(daemon -> said.append(daemon).append(daemon.lastWords(10)).append('\n'));
        throw new AssertionError("Slurm does not start: " + said);
      }
      LockSupport.parkNanos(POLL_NS);
    }
  }

  /** Whether no job is left; it is asked for a while. */
  private boolean isIdle() {
    long endNs = System.nanoTime() + LAST_PATIENCE.toNanos();
    while (!ask("squeue", "-h").output().isBlank()) {
      if (System.nanoTime() - endNs > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NS);
    }
    return true;
  }

  /** Processes of its jobs: Slurm starts them apart from its daemons, with its configuration. */
  private List<ProcessHandle> left() {
    String mine = "SLURM_CONF=" + configuration + "\0";
    return ProcessHandle.allProcesses()
        .filter(
            process -> {
              try {
                Path environ = Path.of("/proc", Long.toString(process.pid()), "environ");
                return ("\0" + Files.readString(environ, StandardCharsets.ISO_8859_1))
                    .contains("\0" + mine);
              } catch (IOException e) {
                return false; // it has ended
              }
            })
        .toList();
  }

  @Override
  public void close() {
    if (started && !ask("squeue", "-h").output().isBlank()) {
      Shell.Outcome unused = ask("scancel", "--user=root");
      boolean unusedToo = isIdle();
    }
    for (ChildProcess daemon : daemons.reversed()) {
      if (daemon.isAlive()) {
        daemon.signal("TERM");
      }
    }
    daemons.forEach(ChildProcess::close);
    for (ProcessHandle process : left()) {
      boolean unused = process.destroyForcibly();
    }
  }
}
