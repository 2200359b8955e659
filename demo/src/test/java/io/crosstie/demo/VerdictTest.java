// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.demo.Report.RailStatus;
import io.crosstie.testkit.stream.StreamVerifier;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class VerdictTest {
  private static final CutResult GOOD =
      new CutResult(1, "shm", "close", 1.0, 2.5, null, 30.25, true);

  private static final int BEATS = 2;

  private static StreamVerifier.Account account(long lost) {
    return new StreamVerifier.Account(10, 1_000, lost, 0, 0, 0, "");
  }

  private static RunState state(StreamVerifier.Account account, long udpBytes) {
    RunState state = new RunState(List.of("shm", "udp1"));
    state.take(
        true,
        new Report.Status(
            1,
            10,
            1_000,
            List.of(
                new RailStatus(
                    "shm",
                    "ACTIVE",
                    Map.of("PAYLOAD_FIRST_OUT", 600L, "LOST_BY_NACK", 3L, "NS_ACTIVE", 5_000_000L)),
                new RailStatus("udp1", "ACTIVE", Map.of("PAYLOAD_FIRST_OUT", udpBytes))),
            List.of()));
    state.take(
        false,
        new Report.Status(
            1,
            10,
            1_000,
            List.of(new RailStatus("shm", "ACTIVE", Map.of("NACKS_OUT", 3L))),
            List.of()));
    state.take(true, new Report.Sent(3_000_000, 10, 1_000, BEATS));
    state.take(false, new Report.Received(2_000_000));
    state.take(
        false,
        new Report.Judged(account, new StreamVerifier.Account(BEATS, BEATS * 64, 0, 0, 0, 0, "")));
    return state;
  }

  private static Verdict verdict(RunState state, List<CutResult> cuts, int planned) {
    Verdict.Cuts made = new Verdict.Cuts(cuts, planned, 400, 1.5);
    return Verdict.of(state, made, List.of(), 1_000_000, DemoOptions.defaults(), "data");
  }

  @Test
  void goodRunIsGood() {
    Verdict verdict = verdict(state(account(0), 528), List.of(GOOD), 1);
    assertEquals(List.of(), verdict.reasons());
    assertTrue(verdict.ok());
  }

  @Test
  void jsonHasThePromisedForm() {
    String json = verdict(state(account(0), 528), List.of(GOOD), 1).toJson();
    assertFalse(json.contains("\n"));
    assertTrue(
        json.startsWith(
            "{\"ok\":true,\"bytes\":1000,\"messages\":10,\"lost\":0,\"duplicated\":0,"
                + "\"corrupt\":0,\"outOfOrder\":0,\"heartbeats\":2,\"rails\":[{\"name\":\"shm\","
                + "\"bytes\":600,"),
        json);
    JsonObject object = JsonParser.parseString(json).getAsJsonObject();
    JsonObject cut = object.getAsJsonArray("cuts").get(0).getAsJsonObject();
    assertEquals("shm", cut.get("rail").getAsString());
    assertEquals(2.5, cut.get("gapMs").getAsDouble());
    assertEquals(30.25, cut.get("failbackMs").getAsDouble());
    assertEquals(0.001, object.get("goodputMBps").getAsDouble(), 0.1);
    JsonObject rail = object.getAsJsonArray("rails").get(0).getAsJsonObject();
    assertEquals(3, rail.getAsJsonObject("retransmissions").get("NACK").getAsLong());
    assertEquals(5, rail.getAsJsonObject("statesMs").get("ACTIVE").getAsLong());
    assertEquals(3, rail.get("nacks").getAsLong());
  }

  @Test
  void everyFaultIsRed() {
    List<Verdict> verdicts =
        List.of(
            verdict(state(account(1), 528), List.of(GOOD), 1),
            verdict(
                state(new StreamVerifier.Account(10, 1_000, 0, 0, 0, 0, "why"), 528),
                List.of(GOOD),
                1),
            verdict(
                state(new StreamVerifier.Account(9, 1_000, 0, 0, 0, 0, ""), 528), List.of(GOOD), 1),
            verdict(state(account(0), 527), List.of(GOOD), 1),
            verdict(state(account(0), 528), List.of(GOOD), 2),
            verdict(
                state(account(0), 528),
                List.of(GOOD, new CutResult(2, "udp1", "close", null, 1.0, null, null, false)),
                2),
            verdict(new RunState(List.of("shm", "udp1")), List.of(), 1),
            Verdict.failed("no reason"));
    for (Verdict verdict : verdicts) {
      assertFalse(verdict.ok(), verdict.toString());
      assertFalse(verdict.reasons().isEmpty(), verdict.toString());
    }
  }

  @Test
  void railThatCarriedNothingIsRed() {
    RunState state = state(new StreamVerifier.Account(10, 600 - BEATS * 64, 0, 0, 0, 0, ""), 0);
    assertFalse(verdict(state, List.of(GOOD), 1).ok());
  }

  @Test
  void tableTellsItAll() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Summary.print(
        verdict(state(account(1), 528), List.of(GOOD), 1),
        true,
        new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String text = bytes.toString(StandardCharsets.UTF_8);
    for (String part :
        List.of(
            "shm (close)",
            "went on over udp1",
            "nack 3",
            "2.5",
            "1 messages lost",
            "VERDICT: FAILED")) {
      assertTrue(text.contains(part), () -> part + " is missing in\n" + text);
    }
  }
}
