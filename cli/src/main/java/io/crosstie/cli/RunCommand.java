// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.launch.Job;
import io.crosstie.launch.LocalJob;
import io.crosstie.launch.LocalJobOptions;
import io.crosstie.launch.LocalJobOptions.Binding;
import io.crosstie.launch.LocalJobOptions.OnDeath;
import io.crosstie.ranks.WorldConfig;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code crosstie run}. */
@Command(
    name = "run",
    description = {
      "Starts a parallel program: N processes on this host that join one world of ranks.",
      "",
      "What they write is copied in whole lines; standard input goes to rank 0. The first rank that"
          + " ends badly ends the others (SIGTERM, and SIGKILL five seconds later). An interrupt"
          + " ends them all, and so does the end of this command, whatever it is. A program named"
          + " java is given its share of the processors and of the memory, unless its own options"
          + " say otherwise."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie run -n 4 -- java -cp app.jar Heat",
      "  crosstie run -n 2 --tag-output -x LEVEL=debug --timeout 60 -- java -jar app.jar",
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all ranks have ended with 0",
      "n:that of the first rank that has not; 128 + n if signal n has ended it",
      "2:wrong words on the command line",
      "124:the time was up",
      "127:the program cannot be started"
    })
final class RunCommand implements Callable<Integer> {
  @Option(
      names = {"-n", "--ranks"},
      required = true,
      paramLabel = "N",
      description = "How many ranks.")
  private int ranks;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description =
          "End it after that time; before, ranks tell what they wait for, and those that are JVMs"
              + " show their stacks. SIGUSR1 has them do so at any time.")
  private int timeout;

  @Option(names = "--tag-output", description = "Begin each line with the rank.")
  private boolean tagOutput;

  @Option(
      names = "--output-filename",
      paramLabel = "FILE",
      description = "What rank R writes goes to FILE.R, and not to this command's output.")
  private @Nullable Path outputFile;

  @Option(
      names = "--show-rails",
      description =
          "Tell the rails of each rank, and each change of them, while the program goes on.")
  private boolean showRails;

  @Option(
      names = "--bind-to",
      paramLabel = "core|none",
      description =
          "Bind each rank to its share of the processors (taskset), or none (the default).")
  private Binding binding = Binding.NONE;

  @Option(
      names = "-x",
      paramLabel = "NAME[=VALUE]",
      description = "Set a variable for the ranks; all of this command's own are passed on.")
  private List<String> variables = List.of();

  @Option(
      names = "--algorithm",
      paramLabel = "CHOICE",
      description =
          "How collective operations are done, as in allreduce=ring or allreduce@65536=ring, from"
              + " so many bytes of a rank on; several with commas between them. Where ranks share"
              + " hosts, which -x CROSSTIE_HOSTS=a:2,b:2 has them believe, two-level is the usual"
              + " one of barrier, bcast, reduce, allreduce and allgather. \"crosstie bench"
              + " collectives\" measures which of the others are quickest here.")
  private @Nullable String algorithm;

  @Option(names = "--wdir", paramLabel = "FOLDER", description = "Where the ranks work.")
  private @Nullable Path folder;

  @Option(
      names = "--on-death",
      paramLabel = "abort|continue",
      description =
          "Whether a rank that ends badly ends the others (the default), or they go on and are told"
              + " by errors of what needs it.")
  private OnDeath onDeath = OnDeath.ABORT;

  @Parameters(paramLabel = "PROGRAM", arity = "1..*", description = "The program and its words.")
  private List<String> words = List.of();

  @Spec private CommandSpec spec;

  private final PrintStream out;
  private final PrintStream err;

  RunCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() {
    return new LocalJob(options(), out, err).run();
  }

  /** What was asked for, checked. */
  LocalJobOptions options() {
    if (ranks < 1 || ranks > Job.MAX_SIZE) {
      throw new ParameterException(
          spec.commandLine(), "-n " + ranks + ": there can be 1 to " + Job.MAX_SIZE + " ranks");
    }
    if (timeout < 0) {
      throw new ParameterException(spec.commandLine(), "--timeout " + timeout + " is negative");
    }
    Path where = folder;
    if (where != null && !Files.isDirectory(where)) {
      throw new ParameterException(spec.commandLine(), "--wdir " + where + " is no folder");
    }
    Path file = outputFile;
    if (file != null) {
      Path parent = file.toAbsolutePath().getParent();
      if (parent == null || !Files.isDirectory(parent)) {
        throw new ParameterException(
            spec.commandLine(), "--output-filename " + file + ": its folder is not there");
      }
    }
    return new LocalJobOptions(
        ranks,
        timeout == 0 ? null : Duration.ofSeconds(timeout),
        tagOutput,
        outputFile,
        showRails,
        binding,
        environment(),
        where,
        onDeath,
        words);
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>();
    for (String variable : variables) {
      int at = variable.indexOf('=');
      String name = at < 0 ? variable : variable.substring(0, at);
      String value = at < 0 ? System.getenv(name) : variable.substring(at + 1);
      if (name.isEmpty() || value == null) {
        throw new ParameterException(
            spec.commandLine(),
            "-x " + variable + ": no such variable here; write -x NAME=VALUE to set one");
      }
      environment.put(name, value);
    }
    if (algorithm != null) {
      try {
        WorldConfig unused = new WorldConfig().algorithm(algorithm);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(
            spec.commandLine(), "--algorithm " + algorithm + ": " + e.getMessage(), e);
      }
      environment.put(WorldConfig.ALGORITHM, algorithm);
    }
    return environment;
  }
}
