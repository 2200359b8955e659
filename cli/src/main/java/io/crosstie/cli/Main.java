// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.testkit.process.ToolException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code crosstie} command. */
@Command(
    name = "crosstie",
    description = {
      "Fault-tolerant, multi-rail messaging for the JVM: messages go over every path that joins two"
          + " processes, and keep going when a path dies.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {
      DemoCommand.class,
      LiveCommand.class,
      LabCommand.class,
      RunCommand.class,
      MpiCommands.Mpirun.class,
      MpiCommands.Mpjrun.class,
      MpiCommands.Mpijavac.class,
      SimCommand.class,
      BenchCommand.class,
      PerfCommand.class,
      InfoCommand.class,
      StatCommand.class,
      SendCommand.class,
      ReceiveCommand.class,
      CompletionCommand.class,
      VersionCommand.class,
      HelpCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie demo                     watch three rails die and come back",
      "  crosstie demo --size 4GiB --json  the same with generated data, for a script",
      "  crosstie run -n 4 -- java ...     start a parallel program of four ranks",
      "  crosstie sim --seeds 1000         simulate a thousand seeded networks",
      "  crosstie bench udp --quick        measure two processes, ours beside others",
      "  crosstie info                     what this machine offers, and what improves it",
      "  crosstie stat                     the running nodes of this host",
      "  crosstie lab failover --cuts 10   cut network interfaces between two hosts (needs root)",
      "  crosstie help demo                all about one command"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all is well",
      "1:the verdict is red, or something failed on the way",
      "2:wrong words on the command line",
      "3:this machine or JVM lacks something; the message says what"
    })
public final class Main implements Runnable {
  static final int FAILURE = 1;
  static final int USAGE = 2;
  static final int ENVIRONMENT = 3;

  private static final List<String> SHIMS = List.of("mpirun", "mpjrun", "mpijavac");

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Say more, and show the stack trace of an error.")
  boolean verbose;

  @Spec private CommandSpec spec;

  private Main(CommandSpec spec) {
    this.spec = spec;
  }

  public static void main(String[] args) {
    System.exit(run(System.out, System.err, args));
  }

  /** Runs a command line and returns its exit status. */
  static int run(PrintStream out, PrintStream err, String... args) {
    return commandLine(out, err).execute(args);
  }

  static CommandLine commandLine(PrintStream out, PrintStream err) {
    Main main = new Main(CommandSpec.create());
    Failures failures = new Failures(main);
    CommandLine line = new CommandLine(main, new Factory(main, out, err));
    line.setOut(new PrintWriter(out, true, out.charset()));
    line.setErr(new PrintWriter(err, true, err.charset()));
    line.setParameterExceptionHandler(failures);
    line.setExecutionExceptionHandler(failures);
    line.setUsageHelpWidth(100);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    CommandLine run = Objects.requireNonNull(line.getSubcommands().get("run"));
    CommandLine unused = run.setStopAtPositional(true);
    for (String shim : SHIMS) { // all that is not known is a word of theirs
      CommandLine its = Objects.requireNonNull(line.getSubcommands().get(shim));
      unused =
          its.setStopAtPositional(true)
              .setUnmatchedOptionsArePositionalParams(true)
              .setPosixClusteredShortOptionsAllowed(false); // -hostfile is no -h
    }
    CommandLine lab = Objects.requireNonNull(line.getSubcommands().get("lab"));
    unused = Objects.requireNonNull(lab.getSubcommands().get("mpi")).setStopAtPositional(true);
    return line;
  }

  @Override
  public void run() {
    CommandLine line = spec.commandLine();
    line.usage(line.getOut());
  }

  /** Makes commands, and gives them their streams. */
  private record Factory(Main main, PrintStream out, PrintStream err)
      implements CommandLine.IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      if (type == DemoCommand.class) {
        return type.cast(new DemoCommand(main, out, err));
      }
      if (type == LiveCommand.class) {
        return type.cast(new LiveCommand(out));
      }
      if (type == LabCommand.class) {
        return type.cast(new LabCommand(main, out, err));
      }
      if (type == RunCommand.class) {
        return type.cast(new RunCommand(out, err));
      }
      if (type == MpiCommands.Mpirun.class) {
        return type.cast(new MpiCommands.Mpirun(out, err));
      }
      if (type == MpiCommands.Mpjrun.class) {
        return type.cast(new MpiCommands.Mpjrun(out, err));
      }
      if (type == MpiCommands.Mpijavac.class) {
        return type.cast(new MpiCommands.Mpijavac(out));
      }
      if (type == SimCommand.class) {
        return type.cast(new SimCommand(out));
      }
      if (type == BenchCommand.class) {
        return type.cast(new BenchCommand());
      }
      if (type == PerfCommand.class) {
        return type.cast(new PerfCommand());
      }
      if (type == PerfCommand.Server.class) {
        return type.cast(new PerfCommand.Server(out));
      }
      if (type == PerfCommand.Client.class) {
        return type.cast(new PerfCommand.Client(out, err));
      }
      if (type == InfoCommand.class) {
        return type.cast(new InfoCommand(out));
      }
      if (type == StatCommand.class) {
        return type.cast(new StatCommand(out));
      }
      if (type == SendCommand.class) {
        return type.cast(new SendCommand(out, err));
      }
      if (type == ReceiveCommand.class) {
        return type.cast(new ReceiveCommand(out, err));
      }
      if (type == CompletionCommand.class) {
        return type.cast(new CompletionCommand(out));
      }
      if (type == MicroBenchCommand.class) {
        return type.cast(new MicroBenchCommand(main, out));
      }
      if (type == ProcessBenchCommand.Udp.class) {
        return type.cast(new ProcessBenchCommand.Udp(out));
      }
      if (type == ProcessBenchCommand.Shm.class) {
        return type.cast(new ProcessBenchCommand.Shm(out));
      }
      if (type == BusyCommand.class) {
        return type.cast(new BusyCommand(out));
      }
      if (type == ManyCommand.class) {
        return type.cast(new ManyCommand(out));
      }
      if (type == ChecksumsCommand.class) {
        return type.cast(new ChecksumsCommand(out));
      }
      if (type == RanksBenchCommand.class) {
        return type.cast(new RanksBenchCommand(out));
      }
      if (type == CollectivesCommand.class) {
        return type.cast(new CollectivesCommand(out));
      }
      if (type == KernelsCommand.class) {
        return type.cast(new KernelsCommand(out));
      }
      if (type == MpiBenchCommand.class) {
        return type.cast(new MpiBenchCommand(out));
      }
      if (type == PairsCommand.class) {
        return type.cast(new PairsCommand(out));
      }
      return CommandLine.defaultFactory().create(type);
    }
  }

  /** One line for an error: what, where, what to do next. */
  private record Failures(Main main)
      implements CommandLine.IParameterExceptionHandler, CommandLine.IExecutionExceptionHandler {
    @Override
    public int handleParseException(ParameterException e, String[] args) {
      CommandLine line = e.getCommandLine();
      line.getErr()
          .println(
              "crosstie: "
                  + Suggestions.explain(e)
                  + " see "
                  + line.getCommandSpec().qualifiedName()
                  + " --help");
      return USAGE;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine line, ParseResult parsed) {
      String message = e.getMessage();
      boolean told = e instanceof ToolException && message != null;
      line.getErr()
          .println(
              "crosstie: "
                  + (told ? message : e + "; this should not happen, add --verbose to see where"));
      if (main.verbose) {
        e.printStackTrace(line.getErr());
      }
      return e instanceof ToolException demo ? demo.exitCode() : FAILURE;
    }
  }

  /** The version that the build wrote into the manifest. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"crosstie " + number()};
    }

    static String number() {
      String version = Main.class.getPackage().getImplementationVersion();
      return version == null ? "(development)" : version;
    }
  }
}
