// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.crosstie.testkit.stream.StreamVerifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome, as the last line of {@code --json} has it.
 *
 * @param ok whether everything below is as it should be
 * @param bytes delivered, payload of the large stream's messages
 * @param messages of these
 * @param lost of either stream, as are the next three
 * @param heartbeats delivered
 * @param allRailsMBps bytes delivered per microsecond with all rails, before the first cut
 * @param calmGapMs longest time between two heartbeats while nothing was cut
 * @param goodputMBps bytes delivered per microsecond, from the first offer to the last delivery
 * @param reasons why it is not ok, in words
 */
record Verdict(
    boolean ok,
    long bytes,
    long messages,
    long lost,
    long duplicated,
    long corrupt,
    long outOfOrder,
    long heartbeats,
    List<Rail> rails,
    List<CutResult> cuts,
    double goodputMBps,
    double seconds,
    double allRailsMBps,
    double calmGapMs,
    long seed,
    String data,
    List<String> reasons) {
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

  /**
   * A rail over the whole run; sums over the time of all cuts.
   *
   * @param bytes payload bytes in first transmissions: over all rails they sum up to the stream
   * @param retransmissions packets whose contents were sent again, by cause
   * @param statesMs milliseconds in each state, as the sender saw it
   */
  record Rail(
      String name,
      long bytes,
      long packets,
      long wireBytes,
      long retransmittedBytes,
      Map<String, Long> retransmissions,
      long nacks,
      long duplicates,
      long crcFailures,
      Map<String, Long> statesMs) {

    static Rail of(String name, Map<String, Long> atSender, Map<String, Long> atReceiver) {
      Map<String, Long> causes = new LinkedHashMap<>();
      Map<String, Long> states = new LinkedHashMap<>();
      atSender.forEach(
          (counter, value) -> {
            if (counter.startsWith("LOST_BY_") || counter.equals("REINJECTED")) {
              causes.put(counter.replace("LOST_BY_", ""), value);
            } else if (counter.startsWith("NS_")) {
              states.put(counter.substring(3), value / 1_000_000);
            }
          });
      return new Rail(
          name,
          get(atSender, "PAYLOAD_FIRST_OUT"),
          get(atSender, "PACKETS_OUT"),
          get(atSender, "BYTES_OUT"),
          get(atSender, "PAYLOAD_AGAIN_OUT"),
          causes,
          get(atReceiver, "NACKS_OUT"),
          get(atReceiver, "DUPLICATE_FRAGMENTS"),
          get(atReceiver, "CRC_FAILURES"),
          states);
    }

    private static long get(Map<String, Long> counters, String name) {
      return counters.getOrDefault(name, 0L);
    }
  }

  /**
   * What came of the cuts.
   *
   * @param planned how many there should have been
   */
  record Cuts(List<CutResult> results, int planned, double allRailsMBps, double calmGapMs) {}

  /** Weighs everything; {@code faults} are those found on the way. */
  static Verdict of(
      RunState state,
      Cuts made,
      List<String> faults,
      long startUs,
      DemoOptions options,
      String data) {
    List<String> reasons = new ArrayList<>(faults);
    List<CutResult> cuts = made.results();
    Report.Judged judged = state.judged();
    if (judged == null) {
      judged = noJudgement(state);
      reasons.add("the receiver gave no judgement");
    }
    StreamVerifier.Account stream = judged.stream();
    StreamVerifier.Account beats = judged.heartbeats();
    StreamVerifier.Account both = stream.plus(beats);
    check(reasons, stream.first().isEmpty(), stream.first());
    check(reasons, beats.first().isEmpty(), "heartbeats: " + beats.first());
    check(reasons, both.lost() == 0, both.lost() + " messages lost");
    check(reasons, both.duplicated() == 0, both.duplicated() + " messages duplicated");
    check(reasons, both.corrupt() == 0, both.corrupt() + " messages corrupt");
    check(reasons, both.outOfOrder() == 0, both.outOfOrder() + " messages out of order");
    Report.Sent sent = state.sent();
    check(reasons, sent != null, "the stream was not sent to its end");
    if (sent != null) {
      check(
          reasons,
          sent.bytes() == stream.bytes()
              && sent.messages() == stream.delivered()
              && sent.heartbeats() == beats.delivered(),
          "%d bytes in %d messages and %d heartbeats were sent, %d in %d and %d delivered"
              .formatted(
                  sent.bytes(),
                  sent.messages(),
                  sent.heartbeats(),
                  stream.bytes(),
                  stream.delivered(),
                  beats.delivered()));
    }
    long planned = cuts.stream().mapToInt(CutResult::cut).distinct().count();
    check(
        reasons, planned == made.planned(), planned + " of " + made.planned() + " cuts were made");
    for (CutResult cut : cuts) {
      check(
          reasons,
          cut.ok(),
          "cut " + cut.cut() + ": " + cut.rail() + " did not fail over and back");
    }
    List<Rail> rails = new ArrayList<>();
    long firsts = 0;
    for (String name : state.rails()) {
      Rail rail = Rail.of(name, state.counters(true, name), state.counters(false, name));
      rails.add(rail);
      firsts += rail.bytes();
      check(reasons, rail.bytes() > 0, "rail " + name + " carried nothing");
    }
    check(
        reasons,
        firsts == both.bytes(),
        "first transmissions of all rails are %d bytes, the streams have %d"
            .formatted(firsts, both.bytes()));
    long endUs = state.receivedAtUs() > 0 ? state.receivedAtUs() : state.receiverTimeUs();
    double seconds = Math.max(0, endUs - startUs) / 1e6;
    return new Verdict(
        reasons.isEmpty(),
        stream.bytes(),
        stream.delivered(),
        both.lost(),
        both.duplicated(),
        both.corrupt(),
        both.outOfOrder(),
        beats.delivered(),
        rails,
        cuts,
        seconds > 0 ? Math.round(stream.bytes() / seconds / 1e5) / 10.0 : 0,
        Math.round(seconds * 1e3) / 1e3,
        Math.round(made.allRailsMBps() * 10) / 10.0,
        made.calmGapMs(),
        options.seed(),
        data,
        reasons.stream().distinct().toList());
  }

  /** What is known where the receiver said nothing: what it reported last, all else lost. */
  private static Report.Judged noJudgement(RunState state) {
    Report.Status sender = state.sender();
    Report.Status receiver = state.receiver();
    long delivered = receiver == null ? 0 : receiver.messages();
    long lost = Math.max(0, (sender == null ? 0 : sender.messages()) - delivered);
    return new Report.Judged(
        new StreamVerifier.Account(delivered, state.bytesDelivered(), lost, 0, 0, 0, ""),
        StreamVerifier.Account.NONE);
  }

  private static void check(List<String> reasons, boolean holds, String otherwise) {
    if (!holds) {
      reasons.add(otherwise);
    }
  }

  /** The outcome of a run that could not begin or go on, in the same form. */
  static Verdict failed(@Nullable String reason) {
    List<String> reasons = List.of(String.valueOf(reason));
    return new Verdict(
        false, 0, 0, 0, 0, 0, 0, 0, List.of(), List.of(), 0, 0, 0, 0, 0, "", reasons);
  }

  String toJson() {
    return GSON.toJson(this);
  }
}
