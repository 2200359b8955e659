// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit;

import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs that not every machine has. The one place where a test is left out: no test
 * assumes, is disabled or returns early by itself.
 *
 * <ul>
 *   <li>What can be installed or permitted (a tool, a privilege, an engine, native calls): the test
 *       is left out with a line on standard output, and fails with {@code CI=true}.
 *   <li>What takes long ({@link #TIME}): the same, and {@code -Dtests=long} brings it.
 *   <li>What the processor lacks ({@link #onProcessor}) nobody can install: the test runs the code
 *       that this processor has, and a line says what it did not run, in CI too.
 * </ul>
 */
public final class Facility {
  private static final String CI = "CI";

  /** Lines that were printed: each once for a test class, however many tests it has. */
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  /** Time: what takes long, and what others of the same class show in a plain run. */
  public static final Facility TIME =
      of(() -> Campaign.isLong() ? null : "a long run (-Dtests=long) is needed");

  /** The system: /proc, and what else has no portable form. */
  public static final Facility LINUX =
      of(() -> System.getProperty("os.name").equals("Linux") ? null : "Linux is needed");

  /** A system with a shell, file modes and links. */
  public static final Facility POSIX =
      of(
          () ->
              System.getProperty("os.name").startsWith("Windows")
                  ? "a POSIX system is needed"
                  : null);

  /** IPv6 on the loopback interface. */
  public static final Facility IPV6 = of(Facility::whyNoIpv6);

  /** The right to mount a file system. */
  public static final Facility MOUNTS =
      of(
          () ->
              whyNot(
                  "root, for mounts",
                  "unshare",
                  "--mount",
                  "mount",
                  "-t",
                  "tmpfs",
                  "tmpfs",
                  "/tmp"));

  /** The right to give files to another user. */
  public static final Facility OWNERS =
      of(() -> whyNot("root, to give files away", "setpriv", "--reuid=12345", "true"));

  /** Namespaces of processes, mounts and IPC for a child. */
  public static final Facility NAMESPACES =
      of(
          () ->
              whyNot(
                  "root and unshare, for namespaces",
                  "unshare",
                  "--pid",
                  "--fork",
                  "--kill-child",
                  "--mount-proc",
                  "--mount",
                  "--ipc",
                  "true"));

  /** Network namespaces with names, and cables between them. */
  public static final Facility NETWORKS = of(Facility::whyNoNetworks);

  /** nftables, the tool and the kernel's part. */
  public static final Facility NFT =
      of(
          () ->
              whyNot(
                  "nft (package nftables) and root",
                  "unshare",
                  "--net",
                  "nft",
                  "add",
                  "table",
                  "inet",
                  "probe"));

  /** An env that sets signals back to what they do by default: GNU's. */
  public static final Facility GNU_ENV =
      of(() -> whyNot("GNU coreutils' env", "env", "--default-signal=INT", "true"));

  /** Open MPI's launcher, and the library by which its processes talk to it. */
  public static final Facility OPEN_MPI =
      of(
          () ->
              whyNot(
                  "Open MPI's mpirun and PMIx (packages openmpi-bin and libpmix2)",
                  "mpirun.openmpi",
                  "--version"));

  /** MPICH's launcher. */
  public static final Facility MPICH =
      of(() -> whyNot("MPICH's mpiexec.hydra (package mpich)", "mpiexec.hydra", "--version"));

  /** Slurm's programs, and the right to run its daemons; a test starts them itself. */
  public static final Facility SLURM =
      of(
          () ->
              whyNot(
                  "root and Slurm with PMIx (packages slurm-wlm and libpmix2)",
                  "sh",
                  "-c",
                  "slurmctld -V && slurmd -V && which srun && [ $(id -u) = 0 ]"));

  private final Supplier<@Nullable String> why;
  private boolean known;
  private @Nullable String missing;

  private Facility(Supplier<@Nullable String> why) {
    this.why = why;
  }

  /**
   * A facility that something else knows about.
   *
   * @param why it is missing, for a person, or null if it is there; asked once
   */
  public static Facility of(Supplier<@Nullable String> why) {
    return new Facility(why);
  }

  /** Why it is missing, or null if it is there. */
  public synchronized @Nullable String missing() {
    if (!known) {
      missing = why.get();
      known = true;
    }
    return missing;
  }

  /**
   * Leaves the test out if it is missing, and says so; in CI the test fails.
   *
   * @param forWhat what is not tested without it
   */
  public void require(String forWhat) {
    String reason = missing();
    require(reason == null, reason + ": " + forWhat);
  }

  /**
   * The same for something that the test has to find out itself.
   *
   * @param present whether it is there
   * @param reason what is missing, for a person
   */
  public static void require(boolean present, @Nullable String reason) {
    if (!present) {
      if ("true".equals(System.getenv(CI))) {
        throw new AssertionError("missing, and CI must have everything: " + reason);
      }
      Assumptions.abort(say(reason));
    }
  }

  /**
   * Whether the processor has what no one can add to it. If not, says so, and the test goes on with
   * the code for such processors.
   *
   * @param present whether it has it
   * @param what instructions, for a person
   * @return the same
   */
  public static boolean onProcessor(boolean present, String what) {
    if (!present) {
      String unused = say("this processor has no " + what);
    }
    return present;
  }

  private static String say(@Nullable String reason) {
    String line = "left out of " + test() + ": " + reason;
    if (SAID.add(line)) {
      System.out.println(line);
    }
    return line;
  }

  private static String test() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .map(StackWalker.StackFrame::getDeclaringClass)
                    .filter(type -> type != Facility.class)
                    .findFirst()
                    .map(Class::getSimpleName)
                    .orElse("a test"));
  }

  private static @Nullable String whyNoIpv6() {
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.ofLiteral("::1"))) {
      return socket.isBound() ? null : "IPv6 is needed";
    } catch (SocketException e) {
      return "IPv6 is needed";
    }
  }

  private static @Nullable String whyNoNetworks() {
    String name = "crosstie-probe-" + ProcessHandle.current().pid();
    String why = whyNot("root and iproute2, for network namespaces", "ip", "netns", "add", name);
    if (why != null) {
      return why;
    }
    String[] cable = {"ip", "-n", name, "link", "add", "r1", "type", "veth", "peer", "name", "r2"};
    why = whyNot("a kernel with veth", cable);
    String left =
        whyNot("root and iproute2, for network namespaces", "ip", "netns", "delete", name);
    return why != null ? why : left;
  }

  private static @Nullable String whyNot(String what, String... command) {
    try {
      run(command);
      return null;
    } catch (IOException e) {
      return what + " needed";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return what + " needed (interrupted)";
    }
  }

  /**
   * Runs a command to its end.
   *
   * @throws IOException if it cannot be started, fails, or takes longer than a minute
   */
  public static void run(String... command) throws IOException, InterruptedException {
    Shell.Outcome outcome = Shell.attempt("", command);
    if (outcome.status() != 0) {
      throw new IOException(String.join(" ", command) + ": " + outcome.output());
    }
  }
}
