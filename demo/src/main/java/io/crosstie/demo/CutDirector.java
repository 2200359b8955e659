// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Makes the cuts one after the other, each when the world is whole again, and measures them. */
final class CutDirector {
  private static final long WHOLE_TIMEOUT_MS = 60_000;
  private static final long FAILOVER_TIMEOUT_MS = 30_000;
  private static final long FAILBACK_TIMEOUT_MS = 60_000;
  private static final long CALM_MS = 700;
  private static final long WARM_UP_MS = 2_000;

  /** So much has to be delivered while rails are missing, to show that the stream goes on. */
  private static final long PROGRESS_BYTES = 4 << 20;

  /** What the director needs of the controller. */
  interface Stage {
    RunState state();

    /** Takes reports until the condition holds or the time is over; returns whether it holds. */
    boolean await(Condition condition, long timeoutMs);

    void cut(String rail, CutPlan.Step step);

    void restore(List<String> rails);

    void say(String text);
  }

  /** Something that reports can make true. */
  @FunctionalInterface
  interface Condition {
    boolean holds();
  }

  private final Stage stage;
  private final RunState state;
  private final List<CutResult> results = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  private double calmMBps;
  private double calmGapMs;

  CutDirector(Stage stage) {
    this.stage = stage;
    this.state = stage.state();
  }

  /** Makes all cuts, once the programs are warm; ends at the first that fails. */
  void run(CutPlan rehearsal, List<CutPlan> plans) {
    warmUp(rehearsal);
    for (int i = 0; i < plans.size() && faults.isEmpty(); i++) {
      stage.say("cut %d of %d: %s".formatted(i + 1, plans.size(), plans.get(i).name()));
      make(i + 1, plans.get(i));
    }
  }

  /**
   * Lets both processes compile what they run, and what they run when rails die, before anything
   * counts.
   */
  private void warmUp(CutPlan rehearsal) {
    stage.say("warming up: the stream on all rails, and one cut that does not count");
    if (!stage.await(state::allCarrying, WHOLE_TIMEOUT_MS)) {
      faults.add("not all rails carried payload: " + states());
      return;
    }
    pause(WARM_UP_MS);
    make(0, rehearsal);
    if (!faults.isEmpty() || !stage.await(state::allCarrying, WHOLE_TIMEOUT_MS)) {
      return; // the first cut tells
    }
    long fromUs = state.receiverTimeUs();
    long fromBytes = state.bytesDelivered();
    pause(WARM_UP_MS);
    long us = state.receiverTimeUs() - fromUs;
    calmMBps = us > 0 ? (double) (state.bytesDelivered() - fromBytes) / us : 0;
  }

  private void make(int number, CutPlan plan) {
    if (!stage.await(state::allCarrying, WHOLE_TIMEOUT_MS)) {
      faults.add("before cut " + number + " not all rails carried payload: " + states());
      return;
    }
    long calmUs = DemoClock.nowUs() + CALM_MS * 300; // what the cut before left is over then
    pause(CALM_MS);
    long cutUs = DemoClock.nowUs();
    int made = state.cutsMade() + plan.cuts();
    plan.rails().forEach(stage::cut);
    if (!stage.await(() -> state.cutsMade() == made, FAILOVER_TIMEOUT_MS)) {
      faults.add(
          "cut %d (%s): only %d of %d were made within %d s; is the machine overloaded?"
              .formatted(
                  number,
                  plan.name(),
                  state.cutsMade() - made + plan.cuts(),
                  plan.cuts(),
                  FAILOVER_TIMEOUT_MS / 1_000));
    }
    Map<String, Double> noticed = holdCut(number, plan, cutUs);
    boolean held = faults.isEmpty();
    long restoredUs = DemoClock.nowUs();
    stage.restore(List.copyOf(plan.rails().keySet()));
    Map<String, Double> back = awaitBack(number, plan, cutUs, restoredUs);
    long backUs = DemoClock.nowUs();
    stage.await(() -> state.receiverTimeUs() > backUs, 2_000); // its pauses are known up to now
    Pauses.Pause gap = state.pauses().longest(cutUs, backUs);
    if (number == 0) {
      stage.say("  rehearsal: gap %.1f ms".formatted(gap.ms()));
      return;
    }
    calmGapMs = Math.max(calmGapMs, state.pauses().longest(calmUs, cutUs - 1).ms());
    boolean total = plan.isTotal(state.rails().size());
    Double resumedMs = total ? Math.max(0, gap.toUs() - restoredUs) / 1e3 : null;
    for (Map.Entry<String, CutPlan.Step> rail : plan.rails().entrySet()) {
      String name = rail.getKey();
      CutResult result =
          new CutResult(
              number,
              name,
              rail.getValue().kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
              noticed.get(name),
              gap.ms(),
              resumedMs,
              back.get(name),
              held && back.containsKey(name));
      results.add(result);
      stage.say(describe(result));
    }
  }

  /**
   * Waits until the cut was noticed and the stream went on without its rails.
   *
   * @return milliseconds after which each rail was not ACTIVE any more
   */
  private Map<String, Double> holdCut(int number, CutPlan plan, long cutUs) {
    long heldFromUs = DemoClock.nowUs();
    Condition noneActive = () -> plan.rails().keySet().stream().noneMatch(state::isActive);
    boolean all = stage.await(noneActive, plan.exact() ? plan.holdMs() : FAILOVER_TIMEOUT_MS);
    Map<String, Double> noticed = new HashMap<>();
    for (String rail : plan.rails().keySet()) {
      if (!state.isActive(rail)) {
        noticed.put(rail, Math.max(0, state.leftActiveUs(rail) - cutUs) / 1e3);
      }
    }
    if (!all) {
      faults.add("cut %d (%s) was not noticed: %s".formatted(number, plan.name(), states()));
      return noticed;
    }
    if (!plan.isTotal(state.rails().size())) {
      long before = state.bytesDelivered();
      if (!stage.await(
          () -> state.bytesDelivered() >= before + PROGRESS_BYTES, FAILOVER_TIMEOUT_MS)) {
        faults.add(
            "with %s cut the stream stood still, although a rail was left: %s"
                .formatted(plan.name(), states()));
        return noticed;
      }
    }
    long heldMs = (DemoClock.nowUs() - heldFromUs) / 1_000;
    pause(plan.holdMs() - heldMs);
    // Packets that were in a socket's queue when it was cut still count as an answer.
    if (stage.await(noneActive, FAILOVER_TIMEOUT_MS)) {
      return noticed;
    }
    for (String rail : plan.rails().keySet()) {
      if (state.isActive(rail)) {
        faults.add("rail %s stayed ACTIVE while it was cut (cut %d)".formatted(rail, number));
      }
    }
    return noticed;
  }

  /**
   * Waits until each rail has carried payload again, were it only for a moment.
   *
   * @return milliseconds after which each did
   */
  private Map<String, Double> awaitBack(int number, CutPlan plan, long cutUs, long restoredUs) {
    Map<String, Double> back = new HashMap<>();
    boolean all =
        stage.await(
            () -> {
              for (String rail : plan.rails().keySet()) {
                if (isBack(rail, cutUs)) {
                  back.putIfAbsent(rail, Math.max(0, state.carryingUs(rail) - restoredUs) / 1e3);
                }
              }
              return back.size() == plan.rails().size();
            },
            FAILBACK_TIMEOUT_MS);
    if (!all) {
      faults.add(
          "after cut %d only %s of %s carried payload again within %d s: %s"
              .formatted(
                  number,
                  back.keySet(),
                  plan.rails().keySet(),
                  FAILBACK_TIMEOUT_MS / 1_000,
                  states()));
    }
    return back;
  }

  private boolean isBack(String rail, long cutUs) {
    return state.isActive(rail) && state.carryingUs(rail) > cutUs;
  }

  private void pause(long milliseconds) {
    if (milliseconds > 0) {
      stage.await(() -> false, milliseconds);
    }
  }

  private String states() {
    List<String> texts = new ArrayList<>();
    state.rails().forEach(rail -> texts.add(rail + " " + state.senderState(rail)));
    return String.join(", ", texts);
  }

  private static String describe(CutResult result) {
    return "  %s (%s): gap %s ms, back after %s ms%s"
        .formatted(
            result.rail(),
            result.how(),
            text(result.gapMs()),
            text(result.failbackMs()),
            result.ok() ? "" : " - FAILED");
  }

  private static String text(@org.jspecify.annotations.Nullable Double value) {
    return value == null ? "?" : String.format(Locale.ROOT, "%.1f", value);
  }

  /** What came of the cuts, of which so many were planned. */
  Verdict.Cuts cuts(int planned) {
    return new Verdict.Cuts(List.copyOf(results), planned, calmMBps, calmGapMs);
  }

  /** Why the run is not what it should be; empty if all is well. */
  List<String> faults() {
    return List.copyOf(faults);
  }
}
