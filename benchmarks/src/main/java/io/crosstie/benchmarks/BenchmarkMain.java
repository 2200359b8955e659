// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.checksum.ChecksumKind;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the JMH benchmarks of this module: {@code crosstie bench micro}. */
public final class BenchmarkMain {
  /** Exit status: done. */
  public static final int DONE = 0;

  /** Exit status: a benchmark failed. */
  public static final int FAILED = 1;

  /** Exit status: wrong words. */
  public static final int USAGE = 2;

  private static final String HELP =
      """
      Usage: crosstie bench micro [--quick] [--json FILE] [-p NAME=VALUE,...] [PATTERN...]
      Measures parts of Crosstie with JMH; a full run takes about half an hour.
        PATTERN           regular expressions of the benchmarks to run; all without one:
                          Checksum (compute, copyFused, copyThenCompute),
                          Packet (encode, validate, decode, encodeValidateDecode),
                          RoundTrip (offerToPoll), Stream (offerToPoll),
                          Watchdog (look, turn)
        --quick           short and inexact, three kinds of checksums, some three minutes for all
        --json FILE       also writes the results as JMH's JSON
        -p NAME=V1,V2     values of a parameter: kind, accelerator, size, rail, batch
        --forks N         JVMs per benchmark, 1 by default; 0 measures in this one, badly
        --verbose         shows what JMH has to say
        --help            shows this
      """;

  /** What runs our code in JVMs of its own, without warnings. */
  private static final List<String> FORK_FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow", // JMH's own
          "-XX:+UseSerialGC",
          "-Xms512m",
          "-Xmx512m");

  private static final String ACCELERATOR = "accelerator";
  private static final String KIND = "kind";
  private static final String[] QUICK_KINDS = {
    ChecksumKind.NONE.name(), ChecksumKind.CRC32C.name(), ChecksumKind.ADLER32.name()
  };

  /** JMH takes a lock on the machine, which fails where somebody else's file is left. */
  private static final String IGNORE_LOCK = "jmh.ignoreLock";

  private static final int MAX_CAUSES = 10;

  private boolean quick;
  private boolean verbose;
  private int forks = 1;
  private @Nullable Path json;
  private final Map<String, String[]> parameters = new LinkedHashMap<>();
  private final List<String> patterns = new ArrayList<>();

  private BenchmarkMain() {}

  /** Runs as a program. */
  public static void main(String[] args) {
    System.exit(run(args, System.out));
  }

  /**
   * Runs the benchmarks that the words ask for.
   *
   * @param args as {@code --help} tells
   * @param out for results, and for what is wrong with the words
   * @return exit status: 0 done, 1 a benchmark failed, 2 wrong words
   */
  public static int run(String[] args, PrintStream out) {
    if (Arrays.asList(args).contains("--help")) {
      out.print(HELP);
      return DONE;
    }
    BenchmarkMain main = new BenchmarkMain();
    try {
      main.parse(args);
    } catch (IllegalArgumentException e) {
      out.println("crosstie bench micro: " + e.getMessage() + "; see --help");
      return USAGE;
    }
    return main.measure(out);
  }

  private void parse(String[] args) {
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--quick" -> quick = true;
        case "--verbose" -> verbose = true;
        case "--json" -> json = file(value(args, ++i));
        case "--forks" -> forks = forks(value(args, ++i));
        case "-p" -> parameter(value(args, ++i));
        default -> pattern(args[i]);
      }
    }
  }

  private static String value(String[] args, int at) {
    if (at == args.length) {
      throw new IllegalArgumentException(args[at - 1] + " needs a value");
    }
    return args[at];
  }

  private static Path file(String text) {
    Path file = Path.of(text).toAbsolutePath();
    Path folder = file.getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isWritable(folder)) {
      throw new IllegalArgumentException("--json " + text + " is no file that can be written");
    }
    return file;
  }

  private static int forks(String text) {
    if (!text.matches("[0-9]{1,2}")) {
      throw new IllegalArgumentException("--forks " + text + " must be a number from 0 to 99");
    }
    return Integer.parseInt(text);
  }

  private void parameter(String text) {
    int equals = text.indexOf('=');
    if (equals <= 0 || equals == text.length() - 1) {
      throw new IllegalArgumentException("-p " + text + " must be NAME=VALUE,...");
    }
    parameters.put(text.substring(0, equals), text.substring(equals + 1).split(",", -1));
  }

  private void pattern(String text) {
    if (text.startsWith("-")) {
      throw new IllegalArgumentException("unknown option " + text);
    }
    try {
      Pattern unused = Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no regular expression: " + e.getDescription(), e);
    }
    patterns.add(text);
  }

  private int measure(PrintStream out) {
    Environment.print(out, forks == 0 ? List.of() : FORK_FLAGS);
    String lockBefore = System.setProperty(IGNORE_LOCK, "true");
    try {
      var unused = new Runner(options().build(), new LineFormat(out, verbose)).run();
      return DONE;
    } catch (NoBenchmarksException e) {
      out.println("crosstie bench micro: no benchmark matches " + patterns + "; see --help");
      return USAGE;
    } catch (RunnerException e) {
      out.println("crosstie bench micro: " + rootOf(e) + "; add --verbose to see where");
      return FAILED;
    } finally {
      if (lockBefore == null) {
        System.clearProperty(IGNORE_LOCK);
      } else {
        System.setProperty(IGNORE_LOCK, lockBefore);
      }
    }
  }

  /** JMH keeps the benchmark's own exception as cause or as suppressed. */
  private static Throwable rootOf(Throwable error) {
    Throwable root = error;
    for (int depth = 0; depth < MAX_CAUSES; depth++) {
      Throwable next = root.getCause();
      if (next == null && root.getSuppressed().length > 0) {
        next = root.getSuppressed()[0];
      }
      if (next == null) {
        break;
      }
      root = next;
    }
    return root;
  }

  private static boolean hasAccelerator() {
    Accelerator found = Accelerators.find();
    return found != null && found.sumsCopies();
  }

  private ChainedOptionsBuilder options() {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .shouldFailOnError(true)
            .shouldDoGC(!quick)
            .forks(forks)
            .addProfiler(GCProfiler.class)
            .jvmArgsAppend(FORK_FLAGS.toArray(String[]::new));
    if (quick) {
      options.warmupIterations(2).warmupTime(TimeValue.milliseconds(500));
      options.measurementIterations(3).measurementTime(TimeValue.milliseconds(200));
      parameters.putIfAbsent(KIND, QUICK_KINDS);
    } else {
      options.warmupIterations(3).warmupTime(TimeValue.milliseconds(500));
      options.measurementIterations(5).measurementTime(TimeValue.milliseconds(500));
    }
    if (!hasAccelerator()) {
      parameters.putIfAbsent(ACCELERATOR, new String[] {"false"});
    }
    if (json != null) {
      options.resultFormat(ResultFormatType.JSON).result(json.toString());
    }
    parameters.forEach(options::param);
    patterns.forEach(options::include);
    return options;
  }
}
