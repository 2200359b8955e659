// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.ChecksumRun;
import io.crosstie.benchmarks.process.Rail;
import io.crosstie.demo.ByteSize;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench checksums}. */
@Command(
    name = "checksums",
    description = {
      "What each checksum leaves of a stream's bandwidth, over the size of a message.",
      "",
      "Two processes, a spinning thread each: run nothing else meanwhile. A round takes some three"
          + " minutes for each rail. The receiver reads every byte, too. A size during which other"
          + " programs ran, or a host moved its processors, is measured again, twice at most."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie bench checksums",
      "  crosstie bench checksums --rail udp --rounds 1 --sizes 1KiB,1MiB"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:some stream failed", "2:wrong words on the command line"})
final class ChecksumsCommand implements Callable<Integer> {
  @Option(
      names = "--rail",
      paramLabel = "RAIL",
      description = "shm or udp. Default: first the one, then the other.")
  private @Nullable String rail;

  @Option(
      names = "--checksums",
      paramLabel = "NAME,...",
      split = ",",
      description = "Only these, for example none,crc32c. Default: all.")
  private List<String> checksums = new ArrayList<>();

  @Option(
      names = "--sizes",
      paramLabel = "SIZE,...",
      split = ",",
      description = "Message sizes, multiples of 8. Default: ${DEFAULT-VALUE}.")
  private List<String> sizes =
      new ArrayList<>(List.of("1KiB", "4KiB", "16KiB", "64KiB", "256KiB", "1MiB"));

  @Option(names = "--rounds", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results there too, one JSON object a line; needs --rail.")
  private @Nullable Path json;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  ChecksumsCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    List<ChecksumRun.Settings> runs;
    try {
      runs = settings();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    int status = 0;
    for (ChecksumRun.Settings run : runs) {
      status = Math.max(status, ChecksumRun.run(run, out));
    }
    return status;
  }

  private List<ChecksumRun.Settings> settings() {
    String only = rail;
    if (json != null && only == null) {
      throw new IllegalArgumentException("--json needs --rail shm or --rail udp");
    }
    List<Rail> rails =
        Arrays.stream(Rail.values())
            .filter(one -> only == null || one.label().equals(only))
            .toList();
    if (rails.isEmpty()) {
      throw new IllegalArgumentException("--rail " + only + " must be shm or udp");
    }
    List<Integer> bytes = sizes.stream().map(ByteSize::parse).map(Math::toIntExact).toList();
    return rails.stream()
        .map(one -> new ChecksumRun.Settings(one, checksums, bytes, rounds, json))
        .toList();
  }
}
