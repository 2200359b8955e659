// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.lab.FailoverLab;
import io.crosstie.lab.MpiLab;
import io.crosstie.lab.PathLab;
import io.crosstie.lab.PriorityLab;
import io.crosstie.lab.Report;
import io.crosstie.lab.Requirements;
import io.crosstie.lab.Result;
import io.crosstie.lab.StripeLab;
import io.crosstie.lab.Subject;
import io.crosstie.testkit.Campaign;
import io.crosstie.testkit.Facility;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The laboratory in short: that it works, and that nothing is lost in it; how fast is its own. */
@Execution(ExecutionMode.CONCURRENT) // its rates leave the processors idle
final class LabIT {
  private static final String RATES = "200mbit,200mbit";
  private static final Facility LAB = Facility.of(Requirements::missing);

  /** What is fast is not judged here, so that nothing has to be compiled before. */
  private static final int WARM_UP_S = Campaign.count(1, 4);

  private static final int TRIES = Campaign.count(1, 3);

  private static final List<Subject> CROSSTIE = List.of(Subject.CROSSTIE);

  private static Report report() {
    return new Report(System.out, false);
  }

  @Test
  void twoRailsCarryLargeMessages() {
    Facility.TIME.require("striping");
    LAB.require("the lab: striping over two rails");
    allRailsAreUsed("");
  }

  @Test
  void railsOfDifferentLengthCarryLargeMessages() {
    Facility.TIME.require("rails of different length");
    LAB.require("the lab: striping over a short and a long cable");
    allRailsAreUsed("1ms,10ms");
  }

  private static void allRailsAreUsed(String delays) {
    Result result =
        StripeLab.run(
            new StripeLab.Options(RATES, delays, WARM_UP_S, 2, 1, 1 << 20, CROSSTIE, false),
            report());
    assertTrue(result.clean(), result.json());
    JsonObject json = JsonParser.parseString(result.json()).getAsJsonObject();
    assertTrue(json.get("delivered").getAsLong() > 0, result.json());
    for (JsonElement share : json.getAsJsonArray("perRail")) {
      assertTrue(share.getAsDouble() > 0.01, () -> "a rail was not used: " + result.json());
    }
  }

  /** A slow path with small packets, some of which are overtaken by many others. */
  @Test
  void aPathOutOfOrderLosesNothing() {
    Facility.TIME.require("paths out of order");
    LAB.require("the lab: a slow path out of order");
    Result result =
        PathLab.run(
            new PathLab.Options("4mbit", "20ms", 1280, 0, 3, 100, List.of(1000), 1, WARM_UP_S),
            report());
    assertTrue(result.clean(), result.json());
    JsonObject json = JsonParser.parseString(result.json()).getAsJsonObject();
    assertTrue(json.get("delivered").getAsLong() > 0, result.json());
    JsonObject row = json.getAsJsonArray("rows").get(0).getAsJsonObject();
    assertEquals(1280, row.get("mtu").getAsInt());
    assertTrue(row.get("shareOfRate").getAsDouble() > 0, result.json());
    assertTrue(row.get("packets").getAsLong() > 0, result.json());
  }

  @Test
  void priorityIsMeasuredBesideFullChannels() {
    Facility.TIME.require("priority");
    LAB.require("the lab: priority on a full rail");
    Result result =
        PriorityLab.run(new PriorityLab.Options("200mbit", 2, 20_000, 5, 1, WARM_UP_S), report());
    assertTrue(result.clean(), result.json());
    JsonObject json = JsonParser.parseString(result.json()).getAsJsonObject();
    assertTrue(json.get("bulkShareOfRate").getAsDouble() > 0, result.json());
    assertEquals(4, json.getAsJsonArray("kinds").size());
  }

  @Test
  void programsOfMpiSurviveTheCutOfAnInterface() {
    Facility.TIME.require("programs of MPI");
    LAB.require("the lab: programs of MPI, on two hosts");
    Result result = MpiLab.run(new MpiLab.Options(RATES, 2, 16, 200, false, List.of()), report());
    assertTrue(result.clean(), result.json());
    JsonObject json = JsonParser.parseString(result.json()).getAsJsonObject();
    assertEquals(2, json.getAsJsonArray("programs").size());
  }

  @Test
  void cutsLoseNothing() {
    Facility.TIME.require("cuts");
    LAB.require("the lab: interfaces down and black holes");
    for (JsonObject fault :
        faults(Campaign.count(1, 2), false, "interface-down-sender", "black-hole-both")) {
      assertTrue(fault.get("killsRail").getAsBoolean());
    }
  }

  /** One kind for each way in which the lab does damage on the way. */
  @Test
  void damageOnTheWayLosesNothing() {
    Facility.TIME.require("damage on the way");
    LAB.require("the lab: corruption, repeats, reordering and a smaller MTU");
    String[] kinds =
        Campaign.isLong()
            ? new String[] {"corruption", "repeats", "reordering", "mtu-shrunk"}
            : new String[] {"corruption", "reordering"};
    for (JsonObject fault : faults(1, false, kinds)) {
      assertFalse(fault.get("killsRail").getAsBoolean());
    }
  }

  /** The thread stands still, in the kernel, while all others go on: given up, and replaced. */
  @Test
  void driversThatHangAreReplaced() {
    Facility.TIME.require("drivers that hang");
    LAB.require("the lab: drivers that hang");
    String[] kinds =
        Campaign.isLong()
            ? new String[] {"driver-hung-sender", "driver-hung-receiver"}
            : new String[] {"driver-hung-receiver"};
    for (JsonObject fault : faults(2, true, kinds)) {
      assertTrue(fault.get("restarts").getAsLong() >= 4, fault.toString());
    }
  }

  private static List<JsonObject> faults(int cuts, boolean ownThreads, String... kinds) {
    Result result =
        FailoverLab.run(
            new FailoverLab.Options(
                RATES, WARM_UP_S, cuts, TRIES, List.of(kinds), 1, CROSSTIE, ownThreads),
            report());
    assertTrue(result.clean(), result.json());
    JsonObject json = JsonParser.parseString(result.json()).getAsJsonObject();
    List<JsonObject> faults = new ArrayList<>();
    for (JsonElement element : json.getAsJsonArray("faults")) {
      JsonObject fault = element.getAsJsonObject();
      assertEquals(cuts, fault.get("cuts").getAsInt(), result.json());
      for (String count : List.of("lost", "duplicated", "corrupt", "outOfOrder")) {
        assertEquals(0, fault.get(count).getAsLong(), result.json());
      }
      faults.add(fault);
    }
    assertEquals(kinds.length, faults.size());
    return faults;
  }
}
