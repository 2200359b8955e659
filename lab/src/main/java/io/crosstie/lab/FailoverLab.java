// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.testkit.process.ToolException;
import io.crosstie.testkit.stream.StreamVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Makes faults while an ordered stream of small messages goes at a steady rate beside a load, and
 * finds out afterwards how long the receiver had to wait.
 */
public final class FailoverLab {
  private static final long MS = 1_000_000;
  private static final long BEFORE_NS = 500 * MS;
  private static final long AFTER_NS = 900 * MS;
  private static final int PROBE_BYTES = 64;
  private static final int PROBES_PER_SECOND = 10_000;
  private static final int LOAD_BYTES = 60 << 10;

  /**
   * One cut for so many is made beforehand and told apart: code that runs for the first time when a
   * rail dies is compiled then, beside two processes that keep all processors busy.
   */
  private static final int CUTS_PER_REHEARSAL = 20;

  /** The paced load, as a share of the slowest rail. */
  private static final double PACED_SHARE = 0.6;

  /** One cut in so many is made with the paced load, and two at least if there are two. */
  private static final int PACED_CUTS = 10;

  /**
   * What to do.
   *
   * @param rates of the rails, as for tc, separated by commas
   * @param warmUpSeconds before the first cut of each kind
   * @param cuts of each kind; a tenth of those kinds that take long
   * @param triesPerCut a cut that the machine spoilt is made again, as long as it took no more than
   *     that: 1 where how fast it was does not matter
   * @param kinds of faults by name; all if empty
   * @param seed of the moments
   * @param subjects what to measure, in turn
   * @param ownThreads whether each of Crosstie's rails has a thread of its own
   */
  public record Options(
      String rates,
      int warmUpSeconds,
      int cuts,
      int triesPerCut,
      List<String> kinds,
      long seed,
      List<Subject> subjects,
      boolean ownThreads) {}

  /** What came of all cuts of one kind. */
  private static final class Findings {
    final List<Double> gapsMs = new ArrayList<>();
    final List<Double> loadGapsMs = new ArrayList<>();
    final List<Double> resumesMs = new ArrayList<>();
    final List<Double> failbacksMs = new ArrayList<>();
    final List<Double> rehearsalGapsMs = new ArrayList<>();
    final List<Double> rehearsalFailbacksMs = new ArrayList<>();
    final List<Double> dips = new ArrayList<>();
    final List<Double> pacedDips = new ArrayList<>();
    StreamVerifier.Account account = StreamVerifier.Account.NONE;
    long retransmitted;
    long spurious;
    long packets;
    long failovers;
    long restarts;
    final List<Double> voidedGapsMs = new ArrayList<>();
    double machineLateMs;
    double machineStolen;
  }

  private final Options options;
  private final List<RailPlan> rails;
  private final Report report;
  private final RandomGenerator random;

  private FailoverLab(Options options, Report report) {
    this.options = options;
    this.rails = RailPlan.parse(options.rates);
    this.report = report;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(options.seed);
  }

  /**
   * Makes all cuts.
   *
   * @return the result, as one line
   * @throws ToolException if the lab cannot be built or a process of it fails
   */
  public static Result run(Options options, Report report) {
    List<Fault> faults = Faults.named(options.kinds, options.ownThreads);
    FailoverLab lab = new FailoverLab(options, report);
    Requirements.check();
    TwoHosts.sweep();
    StreamVerifier.Account crosstie = StreamVerifier.Account.NONE;
    JsonArray array = new JsonArray();
    for (Fault fault : faults) {
      JsonObject result = null;
      for (Subject subject : options.subjects) {
        if (fault.needsThread() && subject != Subject.CROSSTIE) {
          continue; // it has no such thread
        }
        Findings findings = lab.measure(subject, fault);
        JsonObject one = lab.json(fault, findings);
        if (subject == Subject.CROSSTIE) {
          crosstie = crosstie.plus(findings.account);
        }
        if (result == null) {
          result = one;
        } else {
          result.add(subject.name().toLowerCase(Locale.ROOT), one);
        }
      }
      array.add(result);
    }
    JsonObject all = new JsonObject();
    all.add("faults", array);
    report.say("all kinds: %s".formatted(crosstie));
    return new Result(new Gson().toJson(all), crosstie.isClean());
  }

  private Findings measure(Subject subject, Fault fault) {
    int cuts = fault.isSlow() ? Math.max(1, options.cuts / 10) : options.cuts;
    Findings findings = new Findings();
    report.say("%s, %s (%s): %d cuts".formatted(subject, fault.kind(), fault.what(), cuts));
    scene(subject, fault, cuts, false, findings);
    if (!fault.pausesAll()) {
      scene(subject, fault, Math.max(Math.min(2, cuts), cuts / PACED_CUTS), true, findings);
    }
    report.say(
        "%s, %s: gap %s ms; %s %s ms; dip %s; below one rail's rate %s; %s"
            .formatted(
                subject,
                fault.kind(),
                Report.spread(findings.gapsMs),
                fault.pausesAll() ? "resumed after" : "full rate after",
                Report.spread(fault.pausesAll() ? findings.resumesMs : findings.failbacksMs),
                Report.percents(Report.median(findings.dips)),
                findings.pacedDips.isEmpty()
                    ? "not measured"
                    : Report.percents(Report.percentile(findings.pacedDips, 1)),
                findings.account));
    return findings;
  }

  private void scene(Subject subject, Fault fault, int cuts, boolean paced, Findings findings) {
    long slowest = rails.stream().mapToLong(RailPlan::bitsPerSecond).min().orElseThrow();
    int perSecond = paced ? (int) (PACED_SHARE * slowest / 8 / LOAD_BYTES) : 0;
    List<Setup.StreamPlan> streams =
        List.of(
            new Setup.StreamPlan("probe", PROBE_BYTES, PROBES_PER_SECOND),
            new Setup.StreamPlan("load", LOAD_BYTES, perSecond));
    try (Scene scene = Scene.build(subject, rails, streams, options.seed, options.ownThreads);
        Injector injector = new Injector(scene, random)) {
      scene.go();
      scene.warmUp(options.warmUpSeconds * 1_000L * MS);
      fault.prepare().on(injector);
      RailCounts before = RailCounts.of(scene.sender().ask("counters"));
      try (Metronome metronome = new Metronome()) {
        int tries = 0;
        int rehearsals = paced || fault.isSlow() ? 0 : cuts / CUTS_PER_REHEARSAL;
        for (; tries < rehearsals; tries++) {
          noteRehearsal(findings, cut(scene, injector, metronome, fault, tries));
        }
        for (int done = 0; done < cuts; tries++) {
          Cut cut = cut(scene, injector, metronome, fault, tries);
          Metronome.Disturbance machine = cut.machine();
          if (machine.spoils() && tries < rehearsals + options.triesPerCut * cuts) {
            noteVoided(findings, cut);
            continue;
          }
          findings.machineLateMs = Math.max(findings.machineLateMs, machine.lateNs() / 1e6);
          findings.machineStolen = Math.max(findings.machineStolen, machine.stolen());
          done++;
          if (subject == Subject.CROSSTIE && cut.failbackMs() >= AFTER_NS / 1e6) {
            sayWhere(scene, cut);
          }
          if (paced) {
            findings.pacedDips.add(cut.worstDip());
            report.say(
                "  below one rail's rate: cut %d: gap %.1f ms, dip %s in the worst 100 ms"
                    .formatted(done, worstGapMs(cut), Report.percents(cut.worstDip())));
          } else {
            note(findings, fault, cut, done);
          }
        }
      }
      JsonObject counters = scene.sender().ask("counters");
      report.detail("sender", counters);
      RailCounts counts = RailCounts.of(counters).minus(before);
      JsonObject other = scene.receiver().ask("counters");
      report.detail("receiver", other);
      findings.retransmitted += counts.again();
      findings.spurious += counts.spurious();
      findings.packets += counts.packets();
      findings.failovers += counts.failovers() + RailCounts.of(other).failovers();
      findings.restarts += restarts(counters) + restarts(other);
      findings.account = findings.account.plus(scene.finish());
    }
  }

  private Cut cut(Scene scene, Injector injector, Metronome metronome, Fault fault, int number) {
    injector.aim(number);
    Metronome.Disturbance unused = metronome.take();
    long fromNs = System.nanoTime();
    Scene.pass(BEFORE_NS + random.nextLong(50 * MS));
    long struckNs = System.nanoTime();
    fault.strike().on(injector);
    Scene.pass(fault.holdNs());
    long healNs = System.nanoTime();
    fault.heal().on(injector);
    Scene.pass(AFTER_NS);
    long endNs = System.nanoTime();
    Metronome.Disturbance machine = metronome.take();
    List<Timeline.Stretch> stretches = scene.stretches(fromNs, endNs);
    List<Long> marks = injector.marks().isEmpty() ? List.of(struckNs) : injector.marks();
    return new Cut(marks, healNs, endNs, stretches.get(0), stretches.get(1), machine);
  }

  /** A rail that does not come back is rare and has a cause: what both sides think of it. */
  private void sayWhere(Scene scene, Cut cut) {
    report.say("  not at full rate %.0f ms after the fault".formatted(cut.failbackMs()));
    report.say("    sender " + scene.sender().ask("counters"));
    report.say("    receiver " + scene.receiver().ask("counters"));
  }

  private void note(Findings findings, Fault fault, Cut cut, int number) {
    List<Double> gaps = Cut.gapsMs(cut.marks(), cut.endNs(), cut.probe());
    findings.gapsMs.addAll(gaps);
    findings.loadGapsMs.addAll(Cut.gapsMs(cut.marks(), cut.endNs(), cut.load()));
    findings.failbacksMs.add(cut.failbackMs());
    findings.dips.add(cut.dip());
    if (fault.pausesAll()) {
      findings.resumesMs.add(cut.resumeMs());
    }
    report.say(
        "  cut %d: gap %.1f ms, full rate after %.0f ms, dip %s; the machine stood still for %.1f ms"
            .formatted(
                number,
                Report.percentile(gaps, 1),
                cut.failbackMs(),
                Report.percents(cut.dip()),
                cut.machine().lateNs() / 1e6));
  }

  private void noteVoided(Findings findings, Cut cut) {
    double gapMs = worstGapMs(cut);
    findings.voidedGapsMs.add(gapMs);
    report.say("  cut void: %s; gap %.1f ms".formatted(cut.machine(), gapMs));
  }

  private void noteRehearsal(Findings findings, Cut cut) {
    double gapMs = worstGapMs(cut);
    findings.rehearsalGapsMs.add(gapMs);
    findings.rehearsalFailbacksMs.add(cut.failbackMs());
    report.say(
        "  rehearsal: gap %.1f ms, full rate after %.0f ms".formatted(gapMs, cut.failbackMs()));
  }

  private static double worstGapMs(Cut cut) {
    return Report.percentile(Cut.gapsMs(cut.marks(), cut.endNs(), cut.probe()), 1);
  }

  /** How often a port was opened again. */
  private static long restarts(JsonObject counters) {
    return counters.has("endpoint")
        ? counters.getAsJsonObject("endpoint").get("PORT_RESTARTS").getAsLong()
        : 0;
  }

  private JsonObject json(Fault fault, Findings findings) {
    JsonObject object = new JsonObject();
    object.addProperty("kind", fault.kind());
    object.addProperty("killsRail", fault.killsRail());
    object.addProperty("cuts", findings.gapsMs.size());
    object.add("gapMs", Report.spread(findings.gapsMs));
    object.add("loadGapMs", Report.spread(findings.loadGapsMs));
    object.add("failbackMs", Report.spread(findings.failbacksMs));
    if (!findings.rehearsalGapsMs.isEmpty()) {
      JsonObject rehearsals = new JsonObject();
      rehearsals.add("gapMs", Report.spread(findings.rehearsalGapsMs));
      rehearsals.add("failbackMs", Report.spread(findings.rehearsalFailbacksMs));
      object.add("rehearsals", rehearsals);
    }
    if (fault.pausesAll()) {
      object.add("resumeMs", Report.spread(findings.resumesMs));
    }
    object.addProperty("goodputDip", Report.round(Report.median(findings.dips), 3));
    if (!findings.pacedDips.isEmpty()) {
      object.add("belowOneRailDip", Report.spread(findings.pacedDips));
    }
    Report.write(findings.account, object);
    object.addProperty("retransmitted", findings.retransmitted);
    object.addProperty(
        "spuriousShare",
        findings.packets == 0 ? 0 : Report.round((double) findings.spurious / findings.packets, 5));
    object.addProperty("failovers", findings.failovers);
    object.addProperty("restarts", findings.restarts);
    object.addProperty("voided", findings.voidedGapsMs.size());
    if (!findings.voidedGapsMs.isEmpty()) {
      object.add("voidedGapMs", Report.spread(findings.voidedGapsMs));
    }
    object.addProperty("machineLateMs", Report.round(findings.machineLateMs, 1));
    object.addProperty("machineStolen", Report.round(findings.machineStolen, 3));
    return object;
  }
}
