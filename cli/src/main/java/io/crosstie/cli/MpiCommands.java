// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.launch.LocalJob;
import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The launchers and the compiler of other MPIs, by the words that people give to them. */
final class MpiCommands {
  private MpiCommands() {}

  /** What they have in common: all words are their own. */
  abstract static class Shim implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "WORD", description = "As for the original.")
    private List<String> words = List.of();

    final List<String> words() {
      return words;
    }
  }

  /** Of those that start programs: they have words that are javac's where that is called. */
  abstract static class Launcher extends Shim {
    /** Asked for by the parser alone. */
    @Option(
        names = {"-h", "-help", "--help"},
        usageHelp = true,
        description = "Show this text.")
    void help(boolean asked) {}

    @Option(
        names = {"--version", "-V"},
        versionHelp = true,
        description = "Show the version.")
    void version(boolean asked) {}
  }

  private static int launch(MpiWords.Launch launch, PrintStream out, PrintStream err) {
    launch.notes().forEach(note -> err.println("crosstie: " + note));
    return new LocalJob(launch.options(), out, err).run();
  }

  /** {@code crosstie mpirun}. */
  @Command(
      name = "mpirun",
      versionProvider = Main.Version.class,
      description = {
        "As Open MPI's mpirun: mpirun -np 4 java -cp app.jar Program.",
        "",
        "Starts the program as \"crosstie run\" does, one process a rank on this host, with the"
            + " classes of MPI on the class path of java. Taken over: -np, -n, -c, --hostfile and"
            + " -H (of this host), -x, --wdir, --timeout, --tag-output, --output-filename,"
            + " --bind-to. Left out with a line: --mca, --map-by, --oversubscribe and others that"
            + " mean nothing here. Errors end the job, as there, unless the program sets another"
            + " error handler."
      })
  static final class Mpirun extends Launcher {
    private final PrintStream out;
    private final PrintStream err;

    @Spec private CommandSpec spec = CommandSpec.create();

    Mpirun(PrintStream out, PrintStream err) {
      this.out = out;
      this.err = err;
    }

    @Override
    public Integer call() {
      MpiWords.Launch launch;
      try {
        launch = MpiWords.mpirun(words(), MpiWords.classPath());
      } catch (MpiWords.Asked asked) { // behind other options, where the parser does not look
        CommandLine line = spec.commandLine();
        switch (asked.what()) {
          case VERSION -> line.printVersionHelp(line.getOut());
          case HELP -> line.usage(line.getOut());
        }
        return 0;
      }
      return launch(launch, out, err);
    }
  }

  /** {@code crosstie mpjrun}. */
  @Command(
      name = "mpjrun",
      aliases = "fmpjrun",
      versionProvider = Main.Version.class,
      description = {
        "As mpjrun.sh of MPJ Express and fmpjrun of FastMPJ: mpjrun -np 4 -cp app.jar Program.",
        "",
        "Starts the program as \"crosstie run\" does, one process a rank on this host, with the"
            + " classes of MPI on its class path. Taken over: -np, -wdir, -machinesfile (of this"
            + " host), -cp, -jar, -class, and options of java. -dev means nothing: all rails are"
            + " used. With --mpj-args the program is given three words before its own, as MPJ"
            + " Express does, which MPI.Init takes away."
      })
  static final class Mpjrun extends Launcher {
    private final PrintStream out;
    private final PrintStream err;

    Mpjrun(PrintStream out, PrintStream err) {
      this.out = out;
      this.err = err;
    }

    @Override
    public Integer call() {
      return launch(MpiWords.mpjrun(words(), MpiWords.classPath()), out, err);
    }
  }

  /** {@code crosstie mpijavac}. */
  @Command(
      name = "mpijavac",
      description = {
        "As Open MPI's mpijavac: mpijavac Program.java.",
        "",
        "Compiles by javac with the classes of MPI on the class path; all words are javac's. With"
            + " --showme it shows the command, and does nothing."
      })
  static final class Mpijavac extends Shim {
    private static final Set<String> SHOW = Set.of("--showme", "-showme", "--verbose", "-verbose");

    private final PrintStream out;

    Mpijavac(PrintStream out) {
      this.out = out;
    }

    @Option(names = "--help", usageHelp = true, description = "Show this text.")
    void help(boolean asked) {}

    @Override
    public Integer call() {
      List<String> given = new ArrayList<>(words());
      boolean shows = given.removeIf(SHOW::contains);
      boolean only = words().stream().anyMatch(word -> word.endsWith("-showme"));
      List<String> command = MpiWords.javac(given, MpiWords.classPath());
      if (shows) {
        out.println(String.join(" ", command));
      }
      if (only) {
        return 0;
      }
      try {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
      } catch (IOException e) {
        throw new ToolException(ToolException.ENVIRONMENT, "no compiler: " + e.getMessage(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ToolException(ToolException.RED, "interrupted", e);
      }
    }
  }
}
