// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Where a number was measured, without which it means nothing. */
public final class Environment {
  private static final Path CPUS = Path.of("/proc/cpuinfo");
  private static final String UNKNOWN = "unknown";
  private static final Duration GIT_PATIENCE = Duration.ofSeconds(5);

  private Environment() {}

  static void print(PrintStream out, List<String> forkFlags) {
    lines(forkFlags).forEach(out::println);
  }

  /** The machine, the system, the JDK, its flags and the commit; one line each. */
  public static List<String> lines(List<String> forkFlags) {
    RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
    return List.of(
        "# CPU: "
            + cpu()
            + ", "
            + Runtime.getRuntime().availableProcessors()
            + " available; memory: "
            + memory()
            + ", load: "
            + ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
        "# OS: "
            + System.getProperty("os.name")
            + ' '
            + System.getProperty("os.version")
            + ' '
            + System.getProperty("os.arch"),
        "# JDK: " + jvm.getVmName() + ' ' + jvm.getVmVersion() + ", " + jvm.getVmVendor(),
        "# Flags: " + jvm.getInputArguments() + ", in forks also " + forkFlags,
        "# Commit: " + commit());
  }

  private static String cpu() {
    try (Stream<String> lines = Files.lines(CPUS)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(UNKNOWN);
    } catch (IOException e) {
      return UNKNOWN; // another system
    }
  }

  private static String memory() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? (system.getTotalMemorySize() >> 20) + " MiB"
        : UNKNOWN;
  }

  /** Of the source tree that this was built in, if it runs from there and git is at hand. */
  private static String commit() {
    CodeSource source = Environment.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return UNKNOWN;
    }
    try {
      Path built = Path.of(source.getLocation().toURI());
      Path folder = Files.isDirectory(built) ? built : built.getParent();
      if (folder == null) {
        return UNKNOWN;
      }
      Shell.Outcome git =
          Shell.attempt(
              "",
              new ProcessBuilder(
                  "git", "-C", folder.toString(), "describe", "--always", "--dirty", "--abbrev=12"),
              GIT_PATIENCE);
      String text = git.output().strip();
      return git.status() == 0 && !text.isEmpty() ? text : UNKNOWN;
    } catch (URISyntaxException e) {
      return UNKNOWN; // no git
    }
  }
}
