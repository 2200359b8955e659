// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import io.crosstie.lab.MpiLab;
import io.crosstie.lab.Report;
import io.crosstie.lab.Requirements;
import io.crosstie.lab.Result;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import mpi.Suite;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The suite of the module {@code mpi} with ranks that are processes. */
final class MpiSuiteIT {
  private static final Facility LAB = Facility.of(Requirements::missing);
  private static final String SHM = "shm:";
  private static final String UDP = "udp://127.0.0.1:0";
  private static final String BOTH = SHM + "," + UDP;

  @ParameterizedTest
  @CsvSource({
    "1,shm", "2,shm", "3,shm", "4,shm", "5,shm", "1,udp", "2,udp", "3,udp", "4,udp", "5,udp",
    "1,both", "2,both", "3,both", "4,both", "5,both"
  })
  void chapters(int ranks, String rails, @TempDir Path folder) throws IOException {
    Facility.TIME.require("the suite of MPI over rails that stay");
    String chosen =
        switch (rails) {
          case "shm" -> SHM;
          case "udp" -> UDP;
          default -> BOTH;
        };
    List<String> options = List.of("-n", "" + ranks, "-x", "CROSSTIE_RAILS=" + chosen);
    List<String> flags = List.of("-Dmpi.test.folder=" + folder);
    try (ChildProcess job = RunningJob.start(options, flags, Suite.class, "0")) {
      RunningJob.awaitEnd(0, job);
      String said = job.unread();
      assertTrue(
          said.matches("(?s).*\\d+ chapters with " + ranks + " ranks: right\\s*"),
          () -> RunningJob.said(job));
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(0, left.count(), "nothing is left behind");
    }
  }

  /** Every 200 ms the next of two rails is cut, for half of that time. */
  @ParameterizedTest
  @CsvSource({"2, 0", "4, 0", "5, 0", "4, 30"})
  void chaptersWhileRailsAreCut(int ranks, int seconds, @TempDir Path folder) {
    if (ranks != 2) {
      Facility.TIME.require("the suite of MPI while rails are cut, other numbers and longer");
    }
    LAB.require("the suite of MPI on two hosts");
    List<String> flags =
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "--enable-native-access=ALL-UNNAMED",
            "-Dmpi.test.folder=" + folder);
    Result result =
        MpiLab.run(
            new MpiLab.Options(
                "1gbit,1gbit",
                ranks,
                600,
                200,
                false,
                ChildProcess.java(flags, Suite.class, Integer.toString(seconds))),
            new Report(System.out, false));
    assertTrue(result.clean(), result.json());
    int cuts = JsonParser.parseString(result.json()).getAsJsonObject().get("cuts").getAsInt();
    assertTrue(cuts > 1, result.json());
  }
}
