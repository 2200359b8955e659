// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.demo.ByteSize;
import io.crosstie.demo.DemoOptions;
import io.crosstie.demo.FailoverDemo;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code crosstie demo}. */
@Command(
    name = "demo",
    description = {
      "Two processes, three rails, some die, nothing is lost.",
      "",
      "Starts a sender and a receiver, joined by one shared-memory and two UDP rails, and streams a"
          + " file between them in messages of 0 bytes to 64 MiB. Meanwhile rails are cut from"
          + " outside the library, their sockets closed or made deaf, their memory taken away, and"
          + " brought back. In the end the receiver judges what came.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie demo                             the JDK's own lib/modules, until all cuts are"
          + " made",
      "  crosstie demo --file /var/lib/big.iso     another file",
      "  crosstie demo --size 8GiB --seed 7        generated data, at least 8 GiB",
      "  crosstie demo --seconds 60                at least a minute",
      "  crosstie demo --driver netty              UDP by Netty instead of Linux system calls",
      "  crosstie demo --json | tail -n 1 | jq .ok for a script",
      "  crosstie demo --no-reinjection            the negative control: the verdict has to be red"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:nothing lost, duplicated, corrupt or out of order, and every cut failed over and back",
      "1:the verdict is red",
      "2:wrong words on the command line, or a file that cannot be read",
      "3:this machine or JVM lacks something; the message says what"
    })
final class DemoCommand implements Callable<Integer> {
  private static final List<String> DRIVERS = List.of("auto", "linux", "netty");
  private static final List<String> SCHEDULERS =
      List.of("ect", "weighted", "min-rtt", "primary-backup", "redundant");

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Stream this file. Default: the JDK's own lib/modules.")
  private @Nullable Path file;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "Stream at least that much, for example 4GiB. Without --file: generated data instead of a"
              + " file.")
  private long size;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Stream for at least that long. Default: until all cuts have failed back.")
  private int seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of message sizes and generated data. Default: ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Option(
      names = "--driver",
      paramLabel = "NAME",
      description =
          "Driver of both UDP rails: auto, linux or netty. Default: ${DEFAULT-VALUE}. The word"
              + " driver=NAME does the same.")
  private String driver = "auto";

  @Option(
      names = "--scheduler",
      paramLabel = "NAME",
      description =
          "Path scheduler: ect, weighted, min-rtt, primary-backup or redundant. Default: ect.")
  private @Nullable String scheduler;

  @Option(
      names = "--no-reinjection",
      description =
          "The negative control: what is outstanding on a rail that dies is not sent again on"
              + " others.")
  private boolean noReinjection;

  @Option(
      names = "--json",
      description =
          "The last line on standard output is the verdict as JSON; everything else goes to"
              + " standard error.")
  private boolean json;

  @Parameters(hidden = true, arity = "0..*")
  private List<String> words = List.of();

  @Spec private CommandSpec spec;

  private final Main main;
  private final PrintStream out;
  private final PrintStream err;

  DemoCommand(Main main, PrintStream out, PrintStream err) {
    this.main = main;
    this.out = out;
    this.err = err;
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() {
    return FailoverDemo.run(options(), out, err);
  }

  /** What was asked for, checked. */
  DemoOptions options() {
    for (String word : words) {
      if (!word.startsWith("driver=")) {
        throw new ParameterException(spec.commandLine(), "unknown word \"" + word + "\"");
      }
      driver = word.substring("driver=".length());
    }
    checkChoice("driver", driver, DRIVERS);
    if (scheduler != null) {
      checkChoice("scheduler", scheduler, SCHEDULERS);
    }
    if (seconds < 0) {
      throw new ParameterException(spec.commandLine(), "--seconds " + seconds + " is negative");
    }
    return new DemoOptions(
        file, size, seconds, seed, json, !noReinjection, driver, scheduler, main.verbose);
  }

  private void checkChoice(String what, String value, List<String> choices) {
    if (!choices.contains(value)) {
      throw new ParameterException(
          spec.commandLine(),
          "unknown " + what + " \"" + value + "\"; choose one of " + String.join(", ", choices));
    }
  }

  /** Reads sizes such as 4GiB. */
  static final class SizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      try {
        return ByteSize.parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
