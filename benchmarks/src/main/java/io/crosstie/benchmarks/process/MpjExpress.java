// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.FileTree;
import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * MPJ Express, from Debian's package {@code libmpj-java}, by its own launcher, with the very class
 * files that run on ours. Where the rail is shared memory it runs as it does by default, its ranks
 * as threads of one JVM; where it is UDP, over TCP by its device {@code niodev}, a process a rank,
 * for which its daemon is started and ended.
 *
 * <p>The package's launcher does not find log4j, which it depends on and puts elsewhere. So the
 * jars are copied to a folder where each lies beside the others, as in MPJ Express's own release.
 */
final class MpjExpress {
  /** As in the package. */
  private static final Path JARS = Path.of("/usr/share/mpj/lib");

  private static final Path JAVA_JARS = Path.of("/usr/share/java");
  private static final Path CONFIGURATION = Path.of("/etc/mpj/mpjexpress.conf");
  private static final String LOG4J = "log4j-1.2.jar";
  private static final String PROGRAM = "io.crosstie.examples.mpi.MpjBench";
  private static final String DAEMON_PORT = "mpjexpress.mpjdaemon.port.1";
  private static final List<String> PORTS =
      List.of(DAEMON_PORT, "mpjexpress.mpjdaemon.port.2", "mpjexpress.mpjrun.port.1");

  private @Nullable Path home;

  /** Says what is not installed, null if all is. */
  static @Nullable String missing() {
    boolean there =
        Files.exists(JARS.resolve("starter.jar"))
            && Files.exists(CONFIGURATION)
            && Files.exists(JAVA_JARS.resolve(LOG4J));
    return there ? null : "libmpj-java not installed";
  }

  /**
   * Runs the program.
   *
   * @param arguments of {@code MpjBench}
   * @return what it printed
   * @throws CaseException if that fails
   */
  String run(int ranks, Rail rail, List<String> arguments, Duration patience) {
    try {
      Path at = prepared();
      if (rail == Rail.SHM) {
        return start(at, ranks, List.of(), arguments, patience);
      }
      String port = Integer.toString(configure(at));
      ProcessBuilder daemon =
          command(at, List.of(ChildProcess.java(), "-jar", jar(at, "daemon.jar"), port));
      try (ChildProcess running = ChildProcess.start("MPJ Express's daemon", daemon, null)) {
        awaitListening(running, Integer.parseInt(port));
        try {
          return start(at, ranks, List.of("-dev", "niodev"), arguments, patience);
        } finally {
          running.handle().descendants().forEach(ProcessHandle::destroyForcibly);
          running.kill();
        }
      }
    } catch (IOException e) {
      throw new CaseException("MPJ Express cannot be started: " + e, e);
    }
  }

  private static String start(
      Path at, int ranks, List<String> device, List<String> arguments, Duration patience)
      throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                ChildProcess.java(),
                "-jar",
                jar(at, "starter.jar"),
                "-np",
                Integer.toString(ranks)));
    words.addAll(device);
    words.addAll(Flags.JVM);
    words.addAll(List.of("-cp", classes() + ":" + jar(at, LOG4J), PROGRAM));
    words.addAll(arguments);
    return NativePeer.run(command(at, words), patience.toNanos());
  }

  /** Its launcher starts the first java of the search path. */
  private static ProcessBuilder command(Path at, List<String> words) {
    ProcessBuilder builder = new ProcessBuilder(words).directory(at.toFile());
    String bin = Path.of(System.getProperty("java.home"), "bin").toString();
    Map<String, String> environment = builder.environment();
    String unused = environment.put("MPJ_HOME", at.toString());
    unused = environment.merge("PATH", bin, (path, first) -> first + ":" + path);
    return builder;
  }

  private static String jar(Path at, String name) {
    return at.resolve("lib").resolve(name).toString();
  }

  /** Where the program is, without our own package {@code mpi}. */
  private static String classes() throws IOException {
    try {
      Class<?> program = Class.forName(PROGRAM, false, MpjExpress.class.getClassLoader());
      return Path.of(program.getProtectionDomain().getCodeSource().getLocation().toURI())
          .toString();
    } catch (ClassNotFoundException | URISyntaxException e) {
      throw new IOException(PROGRAM + " is not on the class path", e);
    }
  }

  private Path prepared() throws IOException {
    Path made = home;
    if (made == null) {
      made = Files.createTempDirectory("crosstie-bench-mpj-");
      Path folder = made;
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      Path lib = Files.createDirectories(made.resolve("lib"));
      Path unused = Files.createDirectories(made.resolve("conf"));
      unused = Files.createDirectories(made.resolve("logs")); // the daemon's
      try (DirectoryStream<Path> jars = Files.newDirectoryStream(JARS, "*.jar")) {
        for (Path each : jars) {
          copy(each, lib);
        }
      }
      copy(JAVA_JARS.resolve(LOG4J), lib);
      unused = Files.writeString(made.resolve("machines"), "127.0.0.1\n");
      int unusedPort = configure(made);
      home = made;
    }
    return made;
  }

  private static void copy(Path file, Path to) throws IOException {
    Path unused =
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
  }

  /** With ports that are free; returns the daemon's. */
  private static int configure(Path at) throws IOException {
    int[] ports = Ports.free(PORTS.size());
    Path unused =
        Files.write(
            at.resolve("conf/mpjexpress.conf"),
            configured(Files.readAllLines(CONFIGURATION), ports));
    return ports[0];
  }

  /** The lines of its configuration with those ports, the daemon's first. */
  static List<String> configured(List<String> lines, int[] ports) {
    List<String> all = new ArrayList<>();
    for (String line : lines) {
      int key = PORTS.indexOf(line.strip().split("=", 2)[0].strip());
      all.add(key < 0 ? line : PORTS.get(key) + "=" + ports[key]);
    }
    return all;
  }

  /** Until it can be connected to, or has ended. */
  private static void awaitListening(ChildProcess daemon, int port) throws IOException {
    long untilNs = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!listens(port)) {
      if (!daemon.isAlive() || System.nanoTime() - untilNs > 0) {
        throw new IOException("its daemon does not listen: " + daemon.lastWords(5));
      }
      boolean unused = daemon.awaitExit(Duration.ofMillis(50));
    }
  }

  /** By the kernel's tables: it would take a connection for a job. */
  private static boolean listens(int port) throws IOException {
    String listening = String.format(Locale.ROOT, ":%04X [0-9A-F]+:0000 0A ", port);
    Pattern line = Pattern.compile(listening);
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      Path file = Path.of(table);
      if (Files.exists(file) && Files.readAllLines(file).stream().anyMatch(line.asPredicate())) {
        return true;
      }
    }
    return false;
  }

  private static void delete(Path folder) {
    try {
      FileTree.delete(folder);
    } catch (IOException | UncheckedIOException e) {
      // it is a temporary folder
    }
  }
}
