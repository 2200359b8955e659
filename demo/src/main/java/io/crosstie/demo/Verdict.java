// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome, as the last line of {@code --json} has it.
 *
 * @param ok whether everything below is as it should be
 * @param bytes delivered, payload of the stream's messages
 * @param sha256 of the whole stream, as the receiver computed it
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
    String sha256,
    List<Rail> rails,
    List<CutResult> cuts,
    double goodputMBps,
    double seconds,
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

  /** Weighs everything; {@code faults} are those found on the way. */
  static Verdict of(
      RunState state,
      List<CutResult> cuts,
      int cutsPlanned,
      List<String> faults,
      long startUs,
      DemoOptions options,
      String data) {
    List<String> reasons = new ArrayList<>(faults);
    StreamVerifier.Result result = state.result();
    if (result == null) {
      result = noResult(state);
      reasons.add("the receiver gave no judgement");
    }
    reasons.addAll(result.faults());
    Report.Sent sent = state.sent();
    check(reasons, result.lost() == 0, result.lost() + " messages lost");
    check(reasons, result.duplicated() == 0, result.duplicated() + " messages duplicated");
    check(reasons, result.corrupt() == 0, result.corrupt() + " messages corrupt");
    check(reasons, result.outOfOrder() == 0, result.outOfOrder() + " messages out of order");
    check(reasons, result.sound(), "the receiver does not call the stream sound");
    check(reasons, sent != null, "the stream was not sent to its end");
    if (sent != null) {
      check(
          reasons,
          sent.sha256().equals(result.sha256()),
          "SHA-256 of the sender is " + sent.sha256() + ", of the receiver " + result.sha256());
      check(
          reasons,
          sent.bytes() == result.bytes() && sent.messages() == result.messages(),
          "%d bytes in %d messages were sent, %d in %d delivered"
              .formatted(sent.bytes(), sent.messages(), result.bytes(), result.messages()));
    }
    long planned = cuts.stream().mapToInt(CutResult::cut).distinct().count();
    check(reasons, planned == cutsPlanned, planned + " of " + cutsPlanned + " cuts were made");
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
        firsts == result.bytes(),
        "first transmissions of all rails are %d bytes, the stream has %d"
            .formatted(firsts, result.bytes()));
    long endUs = state.receivedAtUs() > 0 ? state.receivedAtUs() : state.receiverTimeUs();
    double seconds = Math.max(0, endUs - startUs) / 1e6;
    return new Verdict(
        reasons.isEmpty(),
        result.bytes(),
        result.messages(),
        result.lost(),
        result.duplicated(),
        result.corrupt(),
        result.outOfOrder(),
        result.sha256(),
        rails,
        cuts,
        seconds > 0 ? Math.round(result.bytes() / seconds / 1e5) / 10.0 : 0,
        Math.round(seconds * 1e3) / 1e3,
        options.seed(),
        data,
        reasons.stream().distinct().toList());
  }

  /** What is known where the receiver said nothing: what it reported last, all else lost. */
  private static StreamVerifier.Result noResult(RunState state) {
    Report.Status sender = state.sender();
    Report.Status receiver = state.receiver();
    long delivered = receiver == null ? 0 : receiver.messages();
    long lost = Math.max(0, (sender == null ? 0 : sender.messages()) - delivered);
    return new StreamVerifier.Result(
        delivered, state.bytesDelivered(), lost, 0, 0, 0, "", false, List.of());
  }

  private static void check(List<String> reasons, boolean holds, String otherwise) {
    if (!holds) {
      reasons.add(otherwise);
    }
  }

  /** The outcome of a run that could not begin or go on, in the same form. */
  static Verdict failed(@Nullable String reason) {
    return new Verdict(
        false,
        0,
        0,
        0,
        0,
        0,
        0,
        "",
        List.of(),
        List.of(),
        0,
        0,
        0,
        "",
        List.of(String.valueOf(reason)));
  }

  String toJson() {
    return GSON.toJson(this);
  }
}
