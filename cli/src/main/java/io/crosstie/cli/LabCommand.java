// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.lab.FailoverLab;
import io.crosstie.lab.Faults;
import io.crosstie.lab.LinkLab;
import io.crosstie.lab.MpiLab;
import io.crosstie.lab.PathLab;
import io.crosstie.lab.PriorityLab;
import io.crosstie.lab.Report;
import io.crosstie.lab.Result;
import io.crosstie.lab.StripeLab;
import io.crosstie.lab.Subject;
import io.crosstie.testkit.process.ToolException;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code crosstie lab}. */
@Command(
    name = "lab",
    description = {
      "Two hosts on this machine, real network interfaces between them, real faults.",
      "",
      "Builds two network namespaces joined by veth pairs of given rates, runs a sender and a"
          + " receiver as processes in them, and measures what the receiver sees. Faults touch the"
          + " kernel and the processes, never the library, which is told its rails and nothing"
          + " else. Everything is removed afterwards, also after Ctrl-C. Needs root, ip, tc and"
          + " nft.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie lab stripe --rates 1gbit,1gbit                  share of two rails' sum",
      "  crosstie lab stripe --rates 1gbit,200mbit --against mptcp beside the kernel's Multipath"
          + " TCP",
      "  crosstie lab stripe --rates 200mbit,200mbit --delays 1ms,10ms   a short and a long cable",
      "  crosstie lab link --rate 100mbit --delay 300ms --mtu 1280 --messages 1KiB,1MiB   a"
          + " satellite",
      "  crosstie lab failover --kinds black-hole-both --cuts 100  a hundred times",
      "  crosstie lab mpi -- java -cp app.jar:... Program          a program of one's own"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:nothing was lost, duplicated, corrupt or out of order",
      "1:something was, or a process failed",
      "2:wrong words on the command line",
      "3:this machine or JVM lacks something; the message says what"
    })
final class LabCommand implements Runnable {
  private static final long MEBIBYTE = 1 << 20;

  /** Whose thread uses a rail. */
  enum Whose {
    INLINE,
    OWN
  }

  /** Which rails there are, and who uses them. */
  static final class Rails {
    @Option(
        names = "--rates",
        paramLabel = "RATES",
        defaultValue = "1gbit,1gbit",
        description = "Rate of each rail. Default: ${DEFAULT-VALUE}.")
    private String rates = "";

    @Option(
        names = "--against",
        paramLabel = "mptcp",
        converter = Against.class,
        description = "Put the kernel's Multipath TCP through the same, too.")
    private @Nullable Subject against;

    @Option(
        names = "--thread",
        paramLabel = "WHOSE",
        defaultValue = "INLINE",
        description =
            "Who uses a rail's socket: the node's thread (inline) or one for each rail (own)."
                + " Default: inline.")
    private Whose thread = Whose.INLINE;

    private List<Subject> subjects() {
      return against == null ? List.of(Subject.CROSSTIE) : List.of(Subject.CROSSTIE, against);
    }

    private boolean ownThreads() {
      return thread == Whose.OWN;
    }
  }

  /** Where the result goes. */
  static final class Output {
    @Option(
        names = "--json",
        description =
            "The last line on standard output is the result as JSON; everything else goes to"
                + " standard error.")
    private boolean json;
  }

  @Spec private CommandSpec spec;

  private final Main main;
  private final PrintStream out;
  private final PrintStream err;

  LabCommand(Main main, PrintStream out, PrintStream err) {
    this.main = main;
    this.out = out;
    this.err = err;
    this.spec = CommandSpec.create();
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  @Command(
      name = "stripe",
      description = {
        "How much of the sum of its rails a stream of large messages gets.",
        "",
        "Each rail is measured alone, then all together. The last line with --json:"
            + " {\"shareOfSum\":..., \"perRail\":[...], \"spuriousShare\":...}, with the result"
            + " of Multipath TCP as \"mptcp\" in it if that was asked for.",
        ""
      },
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  int stripe(
      @Mixin Rails rails,
      @Option(
              names = "--delays",
              paramLabel = "TIMES",
              defaultValue = "",
              description =
                  "How long a packet takes from one end of each rail to the other, for example"
                      + " 1ms,10ms. Default: no time.")
          String delays,
      @Option(
              names = "--warm-up",
              paramLabel = "N",
              defaultValue = "12",
              description =
                  "Seconds before each measurement; with fewer the compilers take part in it."
                      + " Default: ${DEFAULT-VALUE}.")
          int warmUp,
      @Option(
              names = "--seconds",
              paramLabel = "N",
              defaultValue = "8",
              description = "Length of one measurement, up to 300. Default: ${DEFAULT-VALUE}.")
          int seconds,
      @Option(
              names = "--rounds",
              paramLabel = "N",
              defaultValue = "3",
              description = "Medians of so many rounds. Default: ${DEFAULT-VALUE}.")
          int rounds,
      @Option(
              names = "--message",
              paramLabel = "SIZE",
              defaultValue = "64MiB",
              converter = DemoCommand.SizeConverter.class,
              description = "Size of the messages. Default: ${DEFAULT-VALUE}.")
          long message,
      @Mixin Output output) {
    StripeLab.Options options =
        new StripeLab.Options(
            rails.rates,
            delays,
            atLeastOne("--warm-up", warmUp),
            Math.min(300, atLeastOne("--seconds", seconds)),
            atLeastOne("--rounds", rounds),
            messageBytes(message, 64 * MEBIBYTE),
            rails.subjects(),
            rails.ownThreads());
    return run(output.json, report -> StripeLab.run(options, report));
  }

  @Command(
      name = "failover",
      description = {
        "Makes faults, and measures what the receiver of an ordered stream sees of them.",
        "",
        "10 000 small messages a second go beside a load that fills all rails. The gap is the"
            + " longest interval between two deliveries after a cut, and the receiver knows of no"
            + " cut. Each kind also runs beside a load below one rail's rate, whose goodput must"
            + " not dip. Of 20 cuts or more, one in 20 is made beforehand: these rehearsals, in"
            + " JVMs where no rail ever died, are told apart. So is a cut during which this machine"
            + " stood still or its host took its processors away: it is made again, if three tries"
            + " for each cut are enough. What \"none\" shows, this machine does by itself. The last"
            + " line with --json: {\"faults\":[{\"kind\":...,"
            + " \"killsRail\":..., \"cuts\":..., \"gapMs\":{\"p50\":..., \"p99\":..., \"max\":...},"
            + " \"failbackMs\":{...}, \"lost\":0, ...}, ...]}.",
        ""
      },
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  int failover(
      @Mixin Rails rails,
      @Option(
              names = "--warm-up",
              paramLabel = "N",
              defaultValue = "4",
              description = "Seconds before the first cut of each kind. Default: ${DEFAULT-VALUE}.")
          int warmUp,
      @Option(
              names = "--cuts",
              paramLabel = "N",
              defaultValue = "10",
              description =
                  "Cuts of each kind; a tenth for kinds that take seconds. Default:"
                      + " ${DEFAULT-VALUE}.")
          int cuts,
      @Option(
              names = "--kinds",
              paramLabel = "KIND",
              split = ",",
              description =
                  "Only these kinds. Default: all that rails with such threads can have; see"
                      + " --list.")
          List<String> kinds,
      @Option(names = "--list", description = "List the kinds of faults, and do nothing.")
          boolean list,
      @Option(
              names = "--seed",
              paramLabel = "N",
              defaultValue = "1",
              description = "Seed of the content and the moments. Default: ${DEFAULT-VALUE}.")
          long seed,
      @Mixin Output output) {
    if (list) {
      Faults.describe().forEach(out::println);
      return 0;
    }
    FailoverLab.Options options =
        new FailoverLab.Options(
            rails.rates,
            atLeastOne("--warm-up", warmUp),
            atLeastOne("--cuts", cuts),
            3,
            kinds == null ? List.of() : kinds,
            seed,
            rails.subjects(),
            rails.ownThreads());
    return run(output.json, report -> FailoverLab.run(options, report));
  }

  @Command(
      name = "link",
      description = {
        "How one rail is used: alone, with loss, beside another connection, beside a TCP flow.",
        "",
        "With --messages something else is measured: a slow or long path, by a stream of messages"
            + " of each size. The rail is then a cable that this program carries packets through,"
            + " so that it needs no netem. The last line with --json is then {\"rows\":"
            + "[{\"messageBytes\":..., \"shareOfRate\":..., \"spuriousShare\":...,"
            + " \"retransmittedShare\":..., ...}, ...], \"lost\":0, ...}.",
        "",
        "Shares are of the rate, in application bytes. The queue is what a ping beside it has to"
            + " wait longer than on the idle rail. The last line with --json: {\"shareOfRate\":...,"
            + " \"retransmittedShare\":..., \"queueMs\":{...}, \"shareWithLoss1\":...,"
            + " \"shareWithLoss5\":..., \"twoConnections\":[...], \"besideTcp\":[ours,"
            + " theirs], ...}.",
        ""
      },
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  int link(
      @Option(
              names = "--rate",
              paramLabel = "RATE",
              defaultValue = "1gbit",
              description = "Rate of the rail. Default: ${DEFAULT-VALUE}.")
          String rate,
      @Option(
              names = "--seconds",
              paramLabel = "N",
              defaultValue = "20",
              description = "Length of one measurement, up to 300. Default: ${DEFAULT-VALUE}.")
          int seconds,
      @Option(
              names = "--warm-up",
              paramLabel = "N",
              defaultValue = "5",
              description = "Seconds before each. Default: ${DEFAULT-VALUE}.")
          int warmUp,
      @Option(
              names = "--messages",
              paramLabel = "SIZES",
              split = ",",
              converter = DemoCommand.SizeConverter.class,
              description = "Measure a path, with messages of these sizes; up to 16MiB each.")
          List<Long> messages,
      @Option(
              names = "--delay",
              paramLabel = "TIME",
              defaultValue = "0",
              description =
                  "With --messages: how long a packet takes from one end to the other, up to"
                      + " 1000ms. Default: no time.")
          String delay,
      @Option(
              names = "--mtu",
              paramLabel = "N",
              defaultValue = "1500",
              description = "With --messages: MTU of the path. Default: ${DEFAULT-VALUE}.")
          int mtu,
      @Option(
              names = "--queue",
              paramLabel = "SIZE",
              defaultValue = "0",
              converter = DemoCommand.SizeConverter.class,
              description =
                  "With --messages: what waits where the rate is limited, at most. Default: 300 ms"
                      + " of the rate, 64KiB at least.")
          long queue,
      @Option(
              names = "--overtaken",
              paramLabel = "PERCENT",
              defaultValue = "0",
              description =
                  "With --messages: so many packets are overtaken by others. Default:"
                      + " ${DEFAULT-VALUE}.")
          int overtaken,
      @Option(
              names = "--by",
              paramLabel = "N",
              defaultValue = "1000",
              description = "And each of them by so many. Default: ${DEFAULT-VALUE}.")
          int by,
      @Mixin Output output) {
    if (messages != null) {
      PathLab.Options path =
          new PathLab.Options(
              rate,
              delay,
              mtu,
              queue,
              overtaken,
              atLeastOne("--by", by),
              messages.stream().map(each -> messageBytes(each, 16 * MEBIBYTE)).toList(),
              Math.min(300, atLeastOne("--seconds", seconds)),
              atLeastOne("--warm-up", warmUp));
      return run(output.json, report -> PathLab.run(path, report));
    }
    LinkLab.Options options =
        new LinkLab.Options(
            rate, Math.min(300, atLeastOne("--seconds", seconds)), atLeastOne("--warm-up", warmUp));
    return run(output.json, report -> LinkLab.run(options, report));
  }

  @Command(
      name = "priority",
      description = {
        "What high priority is worth on a full rail.",
        "",
        "Round trips of 64 bytes, one at a time, on an idle rail and beside channels of normal"
            + " priority that are kept full, with normal and with high priority in turn. The last"
            + " line with --json: {\"kinds\":[{\"kind\":..., \"p50Ms\":..., \"p99Ms\":...}, ...],"
            + " \"bulkShareOfRate\":..., ...}.",
        ""
      },
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  int priority(
      @Option(
              names = "--rate",
              paramLabel = "RATE",
              defaultValue = "100mbit",
              description = "Rate of the rail. Default: ${DEFAULT-VALUE}.")
          String rate,
      @Option(
              names = "--streams",
              paramLabel = "N",
              defaultValue = "16",
              description = "Channels that are kept full. Default: ${DEFAULT-VALUE}.")
          int streams,
      @Option(
              names = "--message",
              paramLabel = "SIZE",
              defaultValue = "60KiB",
              converter = DemoCommand.SizeConverter.class,
              description = "Size of their messages. Default: ${DEFAULT-VALUE}.")
          long message,
      @Option(
              names = "--trips",
              paramLabel = "N",
              defaultValue = "300",
              description = "Round trips of each kind in a round. Default: ${DEFAULT-VALUE}.")
          int trips,
      @Option(
              names = "--rounds",
              paramLabel = "N",
              defaultValue = "5",
              description = "Medians of so many rounds. Default: ${DEFAULT-VALUE}.")
          int rounds,
      @Option(
              names = "--warm-up",
              paramLabel = "N",
              defaultValue = "8",
              description = "Seconds before the first. Default: ${DEFAULT-VALUE}.")
          int warmUp,
      @Mixin Output output) {
    PriorityLab.Options options =
        new PriorityLab.Options(
            rate,
            streams,
            messageBytes(message, 16 * MEBIBYTE),
            atLeastOne("--trips", trips),
            atLeastOne("--rounds", rounds),
            atLeastOne("--warm-up", warmUp));
    return run(output.json, report -> PriorityLab.run(options, report));
  }

  @Command(
      name = "mpi",
      description = {
        "Programs of MPI whose ranks are on two hosts, while one rail after the other is cut.",
        "",
        "Heat diffusion in the dialect of Open MPI's Java bindings and a sort in that of MPJ"
            + " Express run by turns, every second rank on the other host. For a fifth of the time"
            + " all rails are there, then the last is cut, then it is restored, then the first is"
            + " cut, then it is restored. The result has to be the serial one, and the program has"
            + " to go on all the time. The same heat diffusion in C then runs under Open MPI's"
            + " mpirun over TCP, through the same cuts, if that is installed; then once more where"
            + " TCP gives up a connection after 3 s, and not after a quarter of an hour.",
        "",
        "With a PROGRAM, that runs instead, to its end, while each rail in turn is cut and"
            + " restored. The last line with --json: {\"programs\":[{\"name\":..., \"right\":...,"
            + " \"stepsPerSecond\":[...]}, ...], \"openMpi\":{...},"
            + " \"openMpiImpatient\":{...}}, or {\"cuts\":...,"
            + " \"endedWell\":...}.",
        ""
      },
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  int mpi(
      @Option(
              names = "--rates",
              paramLabel = "RATES",
              defaultValue = "1gbit,1gbit",
              description = "Rate of each rail, two at least. Default: ${DEFAULT-VALUE}.")
          String rates,
      @Option(
              names = "--ranks",
              paramLabel = "N",
              defaultValue = "4",
              description = "How many ranks, 2 to 64. Default: ${DEFAULT-VALUE}.")
          int ranks,
      @Option(
              names = "--seconds",
              paramLabel = "N",
              defaultValue = "60",
              description =
                  "How long each program runs, 5 at least; a PROGRAM is ended after that. Default:"
                      + " ${DEFAULT-VALUE}.")
          int seconds,
      @Option(
              names = "--flap",
              paramLabel = "MS",
              defaultValue = "200",
              description =
                  "With a PROGRAM: every so many milliseconds the next rail is cut, for half of"
                      + " that time. Default: ${DEFAULT-VALUE}.")
          long flapMs,
      @Option(
              names = "--against",
              paramLabel = "open-mpi|none",
              defaultValue = "open-mpi",
              description = "What else to put through the same. Default: ${DEFAULT-VALUE}.")
          String against,
      @Mixin Output output,
      @Parameters(paramLabel = "PROGRAM", arity = "0..*", description = "A program and its words.")
          List<String> program) {
    if (ranks < 2 || ranks > 64) {
      throw new ParameterException(
          spec.commandLine(), "--ranks " + ranks + " is not between 2 and 64");
    }
    if (seconds < 5) {
      throw new ParameterException(spec.commandLine(), "--seconds " + seconds + " is less than 5");
    }
    if (flapMs < 2) {
      throw new ParameterException(spec.commandLine(), "--flap " + flapMs + " is less than 2");
    }
    if (!against.equals("open-mpi") && !against.equals("none")) {
      throw new ParameterException(
          spec.commandLine(), "--against " + against + " is not known; write open-mpi or none");
    }
    MpiLab.Options options =
        new MpiLab.Options(
            rates,
            ranks,
            seconds,
            flapMs,
            against.equals("open-mpi"),
            program == null ? List.of() : program);
    return run(output.json, report -> MpiLab.run(options, report));
  }

  private int run(boolean json, Function<Report, Result> work) {
    PrintStream progress = json ? err : out;
    try {
      Result result = work.apply(new Report(progress, main.verbose));
      if (json) {
        out.println(result.json());
      }
      return result.clean() ? 0 : Main.FAILURE;
    } catch (ToolException e) {
      err.println("crosstie: " + e.getMessage());
      if (main.verbose) {
        e.printStackTrace(err);
      }
      return e.exitCode();
    }
  }

  private int atLeastOne(String option, int value) {
    if (value < 1) {
      throw new ParameterException(spec.commandLine(), option + " " + value + " is less than 1");
    }
    return value;
  }

  private int messageBytes(long bytes, long most) {
    if (bytes < 64 || bytes > most) {
      throw new ParameterException(
          spec.commandLine(), "--message " + bytes + " is not between 64 bytes and " + most);
    }
    return (int) bytes;
  }

  /** Reads what to measure beside Crosstie. */
  static final class Against implements ITypeConverter<Subject> {
    @Override
    public Subject convert(String value) {
      if (value.equals("mptcp")) {
        return Subject.MPTCP;
      }
      throw new TypeConversionException("\"" + value + "\" is not known; write mptcp");
    }
  }
}
