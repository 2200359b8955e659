// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.perf.PerfClient;
import io.crosstie.benchmarks.perf.PerfException;
import io.crosstie.benchmarks.perf.PerfServer;
import io.crosstie.benchmarks.perf.PerfTest;
import io.crosstie.demo.ByteSize;
import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code crosstie perf}. */
@Command(
    name = "perf",
    description = {
      "Measures between two hosts: round trips, streams both ways, the rate of small messages, and"
          + " puts.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {PerfCommand.Server.class, PerfCommand.Client.class},
    synopsisSubcommandLabel = "SIDE",
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie perf server                              on one host; it says its addresses",
      "  crosstie perf client udp://198.18.1.2:7411        on the other",
      "  crosstie perf server --rail shm: --rail udp://127.0.0.1:7411",
      "  crosstie perf client udp://127.0.0.1:7411 --rail shm: --rail udp://127.0.0.1:0"
    })
final class PerfCommand implements Callable<Integer> {
  private static final long MAX_SIZE = 1 << 30;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(), "say which side this is: perf server or perf client");
  }

  /** How each side's node is driven, and by what it copies. */
  static final class Driving {
    @Option(
        names = "--idle",
        paramLabel = "HOW",
        description = "spin, adaptive or block. Default: ${DEFAULT-VALUE}.")
    private String idle = "adaptive";

    @Option(
        names = "--progress",
        paramLabel = "WHO",
        description =
            "Who drives the node: caller, thread (its own, the default of Progress) or shared."
                + " Default: ${DEFAULT-VALUE}.")
    private String progress = "caller";

    @Option(names = "--no-accelerator", description = "Let Java alone copy and sum on this side.")
    private boolean noAccelerator;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    private Idle idle() {
      return switch (idle) {
        case "spin" -> Idle.spin();
        case "block" -> Idle.block();
        case "adaptive" -> Idle.adaptive();
        default ->
            throw new ParameterException(
                spec.commandLine(), "--idle " + idle + " must be spin, adaptive or block");
      };
    }

    Progress progress() {
      Idle waits = idle();
      return switch (progress) {
        case "caller" -> Progress.caller(waits);
        case "thread" -> Progress.thread(waits);
        case "shared" -> Progress.shared(waits);
        default ->
            throw new ParameterException(
                spec.commandLine(), "--progress " + progress + " must be caller, thread or shared");
      };
    }

    boolean accelerator() {
      return !noAccelerator;
    }
  }

  /** {@code crosstie perf server}. */
  @Command(
      name = "server",
      description = {"The side that answers. Ends with Ctrl-C.", ""},
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  static final class Server implements Callable<Integer> {
    @Option(
        names = "--rail",
        paramLabel = "URI",
        description = "A rail; may be repeated. Default: udp://0.0.0.0:7411.")
    private List<String> rails = new ArrayList<>();

    @Mixin private Driving driving = new Driving();

    @Option(names = "--once", description = "End after the first client.")
    private boolean once;

    @Spec private CommandSpec spec = CommandSpec.create();

    private final PrintStream out;

    Server(PrintStream out) {
      this.out = out;
    }

    @Override
    public Integer call() {
      List<String> all = rails.isEmpty() ? List.of("udp://0.0.0.0:7411") : rails;
      try {
        PerfServer.run(
            new PerfServer.Settings(all, driving.progress(), driving.accelerator(), once), out);
        return 0;
      } catch (CrosstieException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }
  }

  /** {@code crosstie perf client}. */
  @Command(
      name = "client",
      description = {"The side that measures.", ""},
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false,
      exitCodeListHeading = "%nExit status:%n",
      exitCodeList = {
        "0:measured",
        "1:the server was not found, or was lost on the way",
        "2:wrong words on the command line"
      })
  static final class Client implements Callable<Integer> {
    @Parameters(
        arity = "1..*",
        paramLabel = "ADDRESS",
        description = "Where the server is, as it says it.")
    private List<String> seeds = new ArrayList<>();

    @Option(
        names = "--rail",
        paramLabel = "URI",
        description = "A rail of this side; may be repeated. Default: udp://0.0.0.0:0.")
    private List<String> rails = new ArrayList<>();

    @Mixin private Driving driving = new Driving();

    @Option(
        names = "--tests",
        paramLabel = "NAME,...",
        split = ",",
        description =
            "latency, out, in, rate, put, notify, get, atomic (fetch-and-add), datagram (round"
                + " trips of datagrams), datagram-rate. Default: all.")
    private List<String> tests = Arrays.stream(PerfTest.values()).map(PerfTest::label).toList();

    @Option(
        names = "--size",
        paramLabel = "SIZE",
        description = "Message size of latency, notify and datagram. Default: ${DEFAULT-VALUE}.")
    private String size = "64";

    @Option(
        names = "--stream-size",
        paramLabel = "SIZE",
        description = "Message size of out, in, put and get. Default: ${DEFAULT-VALUE}.")
    private String streamSize = "1MiB";

    @Option(
        names = "--rate-size",
        paramLabel = "SIZE",
        description = "Message size of rate and datagram-rate. Default: ${DEFAULT-VALUE}.")
    private String rateSize = "32";

    @Option(
        names = "--seconds",
        paramLabel = "N",
        description = "How long each test goes on, after three seconds to warm up. Default: 5.")
    private int seconds = 5;

    @Option(
        names = "--count",
        paramLabel = "N",
        description = "So many messages of each test instead, without warm-up.")
    private long count;

    @Option(
        names = "--checksum",
        paramLabel = "NAME",
        description = "Checksum of what this side sends. Default: ${DEFAULT-VALUE}.")
    private String checksum = "crc32c";

    @Option(names = "--json", paramLabel = "FILE", description = "Results as JSON lines.")
    private @Nullable Path json;

    @Option(
        names = "--hgrm",
        paramLabel = "FILE",
        description = "The distribution of round trips, as HdrHistogram writes it.")
    private @Nullable Path histogram;

    @Spec private CommandSpec spec = CommandSpec.create();

    private final PrintStream out;
    private final PrintStream err;

    Client(PrintStream out, PrintStream err) {
      this.out = out;
      this.err = err;
    }

    @Override
    public Integer call() throws IOException {
      PerfClient.Settings settings = settings();
      NodeConfig config;
      try {
        config = PerfClient.config(settings);
      } catch (CrosstieException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
      try (Node node = Node.start(config)) {
        PerfClient.run(node, settings, out, err);
        return 0;
      } catch (PerfException | CrosstieException e) {
        err.println("crosstie: " + e.getMessage());
        return Main.FAILURE;
      }
    }

    private PerfClient.Settings settings() {
      if (seconds < 1 || count < 0) {
        throw new ParameterException(
            spec.commandLine(), "--seconds must be at least 1, --count 0 or more");
      }
      try {
        return new PerfClient.Settings(
            seeds,
            rails.isEmpty() ? List.of("udp://0.0.0.0:0") : rails,
            driving.progress(),
            tests.stream().map(PerfTest::of).toList(),
            bytes(size),
            bytes(streamSize),
            bytes(rateSize),
            count,
            seconds,
            checksum,
            driving.accelerator(),
            json,
            histogram);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }

    private static int bytes(String text) {
      long bytes = ByteSize.parse(text);
      if (bytes < 1 || bytes > MAX_SIZE) {
        throw new IllegalArgumentException("size " + text + " must be 1 to 1GiB");
      }
      return (int) bytes;
    }
  }
}
