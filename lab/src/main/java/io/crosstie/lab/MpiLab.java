// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.FileTree;
import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Programs of MPI whose ranks are on two hosts, while one rail after the other is cut and restored.
 * The ranks of one host have shared memory besides.
 */
public final class MpiLab {
  private static final String EXAMPLES = "io.crosstie.examples.mpi.";
  private static final long SECOND_NS = 1_000_000_000;
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final int LOOKS = 40;

  /** So much longer than all stages a program runs. */
  private static final int SECONDS_MORE = 10;

  /** How long a program may take after its time, with the serial computation. */
  private static final Duration END = Duration.ofSeconds(90);

  /** TCP gives up a connection that gets no answer for 3 s, not for a quarter of an hour. */
  private static final int FEW_RETRIES = 3;

  private static final int FEW_LINES = 5;

  /** Whole, first rail cut, whole, second one cut, whole. */
  private static final int STAGES = 5;

  private static final List<String> FLAGS =
      List.of("-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED");

  /**
   * What is to be done.
   *
   * @param rates of two rails or more
   * @param ranks how many
   * @param seconds how long there are cuts, and a program of one's own runs at most
   * @param flapMs how long each rail in turn is cut and then there again, with such a program
   * @param againstOpenMpi whether the same is done to Open MPI
   * @param program words of a program of one's own; empty for heat and sort
   */
  public record Options(
      String rates,
      int ranks,
      int seconds,
      long flapMs,
      boolean againstOpenMpi,
      List<String> program) {}

  private final Options options;
  private final Report report;
  private final TwoHosts hosts;
  private final Path folder;

  private MpiLab(Options options, Report report, TwoHosts hosts, Path folder) {
    this.options = options;
    this.report = report;
    this.hosts = hosts;
    this.folder = folder;
  }

  /**
   * Runs it.
   *
   * @return clean if all results were right and no rank ended badly, and no cut stopped a program
   * @throws ToolException if the lab cannot be built
   */
  public static Result run(Options options, Report report) {
    List<RailPlan> rails = RailPlan.parse(options.rates);
    if (rails.size() < 2 || options.ranks < 2) {
      throw new ToolException(
          ToolException.USAGE, "two rails and two ranks at least, or nothing is left after a cut");
    }
    Requirements.check();
    TwoHosts.sweep();
    Path folder = folder();
    TwoHosts hosts = Cleanup.keep(TwoHosts.build(rails));
    try {
      MpiLab lab = new MpiLab(options, report, hosts, folder);
      return options.program.isEmpty() ? lab.examples() : lab.flaps();
    } finally {
      hosts.close();
      Cleanup.forget(hosts);
      remove(folder);
    }
  }

  private static Path folder() {
    try {
      Path folder = Files.createTempDirectory("crosstie-lab-mpi-");
      for (String host : List.of("a", "b")) {
        Path unused = Files.createDirectory(folder.resolve(host));
      }
      return folder;
    } catch (IOException e) {
      throw new ToolException(ToolException.ENVIRONMENT, "no folder for the lab: " + e, e);
    }
  }

  private static void remove(Path folder) {
    try {
      FileTree.delete(folder);
    } catch (IOException e) {
      System.err.println("crosstie: " + folder + " is left (" + e + ")");
    }
  }

  // ------------------------------------------------------------------ heat and sort

  private Result examples() {
    List<String> time = List.of("1", Integer.toString(options.seconds + SECONDS_MORE));
    JsonObject result = new JsonObject();
    JsonArray programs = new JsonArray();
    boolean clean = true;
    for (String name : List.of("Heat", "Sort")) {
      List<String> arguments = new ArrayList<>(List.of(name.equals("Heat") ? "256" : "4000"));
      arguments.addAll(time);
      List<String> words =
          ChildProcess.java(
              FLAGS, System.getProperty("java.class.path"), EXAMPLES + name, arguments);
      try (MpiJob job = MpiJob.ranks(hosts, options.ranks, folder.toString(), words)) {
        Stages stages = cutInTurn(job, LOOKS);
        report.say(stages.line("Crosstie, " + name.toLowerCase(Locale.ROOT)));
        programs.add(stages.json(name.toLowerCase(Locale.ROOT)));
        if (!stages.isWell()) {
          job.said().forEach(report::say);
          clean = false;
        }
      }
    }
    result.add("programs", programs);
    if (options.againstOpenMpi) {
      String missing = OpenMpiHeat.missing();
      if (missing == null) {
        List<String> arguments = new ArrayList<>(List.of("256"));
        arguments.addAll(time);
        result.add("openMpi", openMpi("Open MPI in C, heat", arguments));
        hosts.setTcpRetries(FEW_RETRIES);
        result.add("openMpiImpatient", openMpi("the same, TCP gives up after 3 s", arguments));
      } else {
        report.say("left out: Open MPI, " + missing);
      }
    }
    return new Result(new Gson().toJson(result), clean);
  }

  private JsonObject openMpi(String name, List<String> arguments) {
    try (MpiJob job = OpenMpiHeat.start(hosts, options.ranks, folder, arguments)) {
      Stages stages = cutInTurn(job, 0);
      report.say(stages.line(name));
      if (!stages.isWell()) {
        job.said().stream().limit(FEW_LINES).forEach(line -> report.say("  it says: " + line));
      }
      return stages.json("heat");
    }
  }

  /** What a program did between cuts, and what came of it. */
  private record Stages(
      List<Double> stepsPerSecond, boolean ended, boolean endedWell, @Nullable String verdict) {
    /** It went on whatever was cut, and its result is the serial one. */
    boolean isWell() {
      return endedWell
          && verdict != null
          && verdict.endsWith(": right")
          && stepsPerSecond.size() == STAGES
          && stepsPerSecond.stream().allMatch(rate -> rate > 0);
    }

    private String end() {
      return !ended
          ? "did not come to its end"
          : verdict != null
              ? verdict
              : endedWell ? "ended without a result" : "the job was ended by an error";
    }

    String line(String name) {
      List<String> rates =
          stepsPerSecond.stream().map(rate -> String.format(Locale.ROOT, "%.0f", rate)).toList();
      return name
          + ": "
          + end()
          + "; steps a second, with a rail cut in every second place: "
          + String.join(", ", rates);
    }

    JsonObject json(String name) {
      JsonObject object = new JsonObject();
      object.addProperty("name", name);
      object.addProperty("right", isWell());
      object.addProperty("end", end());
      JsonArray rates = new JsonArray();
      stepsPerSecond.forEach(rate -> rates.add(Report.round(rate, 1)));
      object.add("stepsPerSecond", rates);
      return object;
    }
  }

  /**
   * Cuts the last rail and restores it, then the first one.
   *
   * @param more looks behind a stage at most, whether it has gone on
   */
  private Stages cutInTurn(MpiJob job, int more) {
    List<Double> rates = new ArrayList<>();
    List<RailPlan> order = List.of(hosts.rails().getLast(), hosts.rails().getFirst());
    long stageNs = options.seconds * SECOND_NS / STAGES;
    try (Console links = Console.links(hosts.a())) {
      if (job.awaitSteps(1, START) && !job.hasEnded()) {
        for (int stage = 0; stage < STAGES && !job.hasEnded(); stage++) {
          boolean cut = stage % 2 == 1;
          String link = "link set dev " + order.get(stage / 2 % order.size()).device();
          if (cut) {
            links.run(link + " down");
          }
          long before = job.steps();
          long fromNs = System.nanoTime();
          Scene.pass(stageNs * 9 / 10);
          for (int look = 0; look < more && !job.awaitSteps(before + 1, LOOK); look++) {
            // each look counts as one, however long this machine stood still in it
          }
          rates.add((job.steps() - before) * 1e9 / (System.nanoTime() - fromNs));
          if (cut) {
            links.run(link + " up");
          }
        }
      }
    }
    boolean ended = job.awaitEnd(END);
    String verdict =
        job.said().stream().filter(line -> line.matches(".* steps: \\w+")).findAny().orElse(null);
    return new Stages(rates, ended, job.hasEndedWell(), verdict);
  }

  // ------------------------------------------------------------------ any program

  private Result flaps() {
    int cuts = 0;
    boolean well;
    try (MpiJob job = MpiJob.ranks(hosts, options.ranks, folder.toString(), options.program);
        Console links = Console.links(hosts.a())) {
      long halfNs = options.flapMs * 1_000_000 / 2;
      long endNs = System.nanoTime() + options.seconds * SECOND_NS;
      while (!job.hasEnded() && System.nanoTime() < endNs) {
        RailPlan rail = hosts.rails().get(cuts % hosts.rails().size());
        Scene.pass(halfNs);
        links.run("link set dev " + rail.device() + " down");
        cuts++;
        Scene.pass(halfNs);
        links.run("link set dev " + rail.device() + " up");
      }
      well = job.hasEndedWell();
      job.said().forEach(report::say);
    }
    report.say(cuts + " cuts; " + (well ? "all ranks have ended well" : "not all have ended well"));
    JsonObject result = new JsonObject();
    result.addProperty("cuts", cuts);
    result.addProperty("endedWell", well);
    return new Result(new Gson().toJson(result), well);
  }
}
