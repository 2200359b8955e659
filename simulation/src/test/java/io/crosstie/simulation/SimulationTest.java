// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.simulation.Scenario.Kind;
import io.crosstie.testkit.Campaign;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The shipped core on a simulated network: some hundred seeds, and what failed before. */
class SimulationTest {
  private static final int SEEDS = Campaign.count(30, 300);

  /** Each seed by itself is simulated on one thread. */
  private static final int THREADS = Runtime.getRuntime().availableProcessors();

  private static final int SEEDS_TO_FIND_A_PLANT = 2000;

  private static final int SEEDS_FOR_ALL_PATHS = 400;

  private static final int LEAST_ENTRIES = 5;

  /**
   * Where a plain run begins to look for what the first seeds do not show, or show slowly. Should a
   * change of the core let other seeds show it, it takes longer, and that is all.
   */
  private static final Map<Plant, Integer> SOON_FOUND_FROM =
      Map.ofEntries(
          entry(Plant.RANK_TURN_FORGOTTEN, 3),
          entry(Plant.CLAIM_STAYS_OPEN, 4),
          entry(Plant.RANK_UNREADABLE_UNTOLD, 72),
          entry(Plant.PULL_FAILURE_UNTOLD, 20),
          entry(Plant.WHOLES_MISPLACED, 129),
          entry(Plant.REFUSED_IS_ACKNOWLEDGED, 39),
          entry(Plant.POSITION_TOO_FAR, 39),
          entry(Plant.REVOKED_NOT_AGAIN, 39),
          entry(Plant.NACK_BEHIND_POSITION_IGNORED, 39),
          entry(Plant.NO_SAFETY_NET, 39),
          entry(Plant.NOT_CUT_AGAIN, 39),
          entry(Plant.FORMER_USE_TAKEN, 48),
          entry(Plant.PREDICTED_UNCHECKED, 206),
          entry(Plant.NO_NUMBER, 69),
          entry(Plant.COPIES_WITHOUT_END, 89),
          entry(Plant.PLACED_AGAIN, 98),
          entry(Plant.PLACED_UNCHECKED, 101),
          entry(Plant.DATAGRAM_TWICE, 174),
          entry(Plant.SUMMED_AT_SOURCE, 232),
          entry(Plant.EARLY_RELEASE, 87),
          entry(Plant.ATOMIC_TWICE, 106),
          entry(Plant.PLACED_GAP_MISPLACED, 106));

  /** Likewise, seeds in which a message takes paths that are seldom taken: general, over memory. */
  private static final List<Long> SOON_ENTERED = List.of(130L, 56L, 35L, 229L, 61L, 57L, 271L, 21L);

  private static final List<Long> SOON_ENTERED_OVER_MEMORY =
      List.of(244L, 234L, 253L, 61L, 68L, 65L, 57L, 270L);

  /** Likewise, seeds in which threads of ports meet what they seldom meet. */
  private static final List<Long> SOON_WITH_PORT_THREADS = List.of(60L, 52L, 283L, 160L);

  @Test
  void nothingIsLostInAnyOfTheFirstSeeds() {
    assertClean(SEEDS, 1, null);
  }

  /** Matching, rendezvous and collective operations of the module ranks, among 2 to 16 nodes. */
  @Test
  void nothingIsLostOrOvertakenAmongRanks() {
    assertClean(Campaign.count(6, 200), Campaign.count(70, 1), Kind.RANKS); // six short ones
  }

  /** Inline sends and header prediction are short cuts: without them all is as well. */
  @Test
  void nothingIsLostWithoutTheShortcuts() {
    assertClean(SEEDS / 3, 1, null, false);
    assertClean(SEEDS / 3, 1, Kind.MEMORY, false);
  }

  @Test
  void withoutTheShortcutsNoMessageTakesThem() {
    for (long seed = 1; seed <= 20; seed++) {
      Scenario scenario = ScenarioGenerator.of(seed, Plant.NONE, Kind.MEMORY).withoutShortcuts();
      Simulation simulation = new Simulation(scenario, Plant.NONE, new Trace(0, null));
      PathCensus census = simulation.takeCensus();
      simulation.run();
      assertEquals(0, census.get(MessagePath.INLINE_IN_OFFER), "seed " + seed);
      assertEquals(0, census.get(MessagePath.INLINE_IN_CYCLE), "seed " + seed);
      assertEquals(0, census.get(MessagePath.HEADER_PREDICTION), "seed " + seed);
    }
  }

  private static void assertClean(long seeds, long from, Kind only) {
    assertClean(seeds, from, only, true);
  }

  private static void assertClean(long seeds, long from, Kind only, boolean shortcuts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    SimMain.Options options =
        new SimMain.Options(Plant.NONE, only, shortcuts, false, false, THREADS);
    int status = SimMain.run(seeds, from, out, options);
    assertEquals(0, status, () -> bytes.toString(StandardCharsets.UTF_8));
  }

  @Test
  void whatFailedOnceDoesNotFailAgain() throws Exception {
    try (InputStream in = SimulationTest.class.getResourceAsStream("seeds.txt")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().toList()) {
        String seed = line.replaceFirst("#.*", "").strip();
        if (seed.startsWith("memory ")) {
          assertClean(1, Long.parseLong(seed.substring("memory ".length())), Kind.MEMORY);
        } else if (seed.startsWith("ranks ")) {
          assertClean(1, Long.parseLong(seed.substring("ranks ".length())), Kind.RANKS);
        } else if (!seed.isEmpty()) {
          assertClean(1, Long.parseLong(seed), null);
        }
      }
    }
  }

  @Test
  void manyAtATimeSayTheSameAsOneByOne() {
    String[] said = new String[2];
    for (int i = 0; i < 2; i++) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
      SimMain.Options options =
          new SimMain.Options(Plant.NONE, null, true, false, false, 1 + 3 * i);
      assertEquals(0, SimMain.run(Campaign.count(12, 30), 1, out, options));
      said[i] =
          bytes
              .toString(StandardCharsets.UTF_8)
              .replaceFirst(" in [0-9.,]+ s", "")
              .replaceAll("(?m)^\\.\\.\\. .*\\R", ""); // progress, by the clock
    }
    assertEquals(said[0], said[1]);
  }

  @Test
  void aSeedReplaysIdentically() {
    for (long seed = 1; seed <= Campaign.count(15, 40); seed++) {
      SimMain.Outcome once = SimMain.runSeed(seed, Plant.NONE, 0, null);
      SimMain.Outcome twice = SimMain.runSeed(seed, Plant.NONE, 100, null);
      assertEquals(once.traceHash(), twice.traceHash(), "seed " + seed);
      assertEquals(once.events(), twice.events(), "seed " + seed);
      assertEquals(once.virtualNs(), twice.virtualNs(), "seed " + seed);
      assertFalse(twice.lines().isEmpty());
    }
  }

  /** What is quick, and what comes seldom, is simulated like everything else. */
  @Test
  void everyPathThatAMessageCanTakeIsEntered() {
    Map<MessagePath, Long> entered = new EnumMap<>(MessagePath.class);
    SOON_ENTERED_OVER_MEMORY.forEach(seed -> enter(seed, Kind.MEMORY, entered));
    SOON_ENTERED.forEach(seed -> enter(seed, null, entered));
    for (long seed = 1; seed <= SEEDS_FOR_ALL_PATHS && !isEachEntered(entered); seed++) {
      enter(seed, seed % 3 == 0 ? null : Kind.MEMORY, entered);
    }
    for (MessagePath path : MessagePath.values()) {
      assertTrue(entered.get(path) >= LEAST_ENTRIES, () -> path + " was not entered: " + entered);
    }
  }

  private static void enter(long seed, @Nullable Kind only, Map<MessagePath, Long> entered) {
    Scenario scenario = ScenarioGenerator.of(seed, Plant.NONE, only);
    Simulation simulation = new Simulation(scenario, Plant.NONE, new Trace(0, null));
    PathCensus census = simulation.takeCensus();
    simulation.run();
    for (MessagePath path : MessagePath.values()) {
      entered.merge(path, census.get(path), Long::sum);
    }
  }

  private static boolean isEachEntered(Map<MessagePath, Long> entered) {
    return Arrays.stream(MessagePath.values())
        .allMatch(path -> entered.getOrDefault(path, 0L) >= LEAST_ENTRIES);
  }

  @Test
  void everyPathHasAPlantedFaultOfItsOwn() {
    for (MessagePath path : MessagePath.values()) {
      assertNotEquals(Plant.NONE, path.plant(), path + " has none");
    }
    for (PlantedFault fault : PlantedFault.values()) { // none is there that nobody can plant
      assertEquals(fault, Plant.valueOf(fault.name()).core());
    }
  }

  /** Every way that packets take through a port's thread, and all that can befall it. */
  @Test
  void theThreadsOfPortsRunInTheSimulatorToo() {
    long[] counts = new long[PortThreadCounter.values().length];
    Iterator<Long> seeds =
        Stream.concat(SOON_WITH_PORT_THREADS.stream(), Stream.iterate(1L, seed -> seed + 1))
            .iterator();
    while (Arrays.stream(counts).anyMatch(n -> n == 0)) {
      long seed = seeds.next();
      assertTrue(seed <= SEEDS_TO_FIND_A_PLANT, Arrays.toString(counts));
      Scenario scenario = ScenarioGenerator.of(seed, Plant.NONE);
      Simulation simulation = new Simulation(scenario, Plant.NONE, new Trace(0, null));
      simulation.run();
      for (PortThreadCounter counter : PortThreadCounter.values()) {
        counts[counter.ordinal()] += simulation.portThreads().get(counter);
      }
    }
  }

  /** Callers and the node's own thread take turns, while the application computes and calls. */
  @Test
  void progressIsSharedInTheSimulatorToo() {
    int found = 0;
    for (long seed = 1; found < 3; seed++) {
      assertTrue(seed <= SEEDS_TO_FIND_A_PLANT, "shared in " + found);
      Scenario scenario = ScenarioGenerator.of(seed, Plant.NONE, Kind.MEMORY);
      if (scenario.manners().stream().allMatch(node -> node.computesNs() > 0)) {
        Simulation simulation = new Simulation(scenario, Plant.NONE, new Trace(0, null));
        simulation.run();
        boolean both = true; // not in the shortest ones
        for (SimProcess process : simulation.processes()) {
          SharedTurns turns = process.shared();
          both &= turns != null && turns.haveBothRun();
        }
        found += both ? 1 : 0;
      }
    }
  }

  /** One side takes fewer channels than there are streams; what is refused is named. */
  @Test
  void channelsAreRefusedInTheSimulatorToo() {
    int refused = 0;
    for (long seed = 1; refused < 2; seed++) {
      assertTrue(seed <= SEEDS_TO_FIND_A_PLANT, "refused in " + refused);
      Scenario scenario = ScenarioGenerator.of(seed, Plant.NONE);
      if (scenario.tuning().maxChannels() < scenario.streams().size()) {
        SimMain.Outcome outcome = SimMain.runSeed(seed, Plant.NONE, 1 << 20, null);
        assertTrue(outcome.ok(), () -> outcome.scenario().seed() + ": " + outcome.violation());
        refused += outcome.lines().stream().anyMatch(l -> l.contains("ChannelRefused")) ? 1 : 0;
      }
    }
  }

  /** Twins and strangers ask all the time, are told so, and never get in. */
  @Test
  void intrudersAreRejectedInTheSimulatorToo() {
    int least = Campaign.count(2, 3);
    int twins = 0;
    int strangers = 0;
    for (long seed = 1; twins < least || strangers < least; seed++) {
      assertTrue(seed <= SEEDS_TO_FIND_A_PLANT, twins + " twins, " + strangers + " strangers");
      Simulation simulation =
          new Simulation(ScenarioGenerator.of(seed, Plant.NONE), Plant.NONE, new Trace(0, null));
      Intruder intruder = simulation.intruder();
      if (intruder != null) {
        simulation.run();
        twins += intruder.isTwin() && intruder.rejections() > 0 ? 1 : 0;
        strangers += !intruder.isTwin() && intruder.rejections() > 0 ? 1 : 0;
      }
    }
  }

  /** A process that was killed comes back under its old addresses, and under others. */
  @Test
  void processesComeBackElsewhereInTheSimulatorToo() {
    int[] restarts = new int[2];
    for (long seed = 1; restarts[0] < 2 || restarts[1] < 2; seed++) {
      assertTrue(seed <= SEEDS_TO_FIND_A_PLANT, Arrays.toString(restarts));
      for (Scenario.FaultSpec fault : ScenarioGenerator.of(seed, Plant.NONE).faults()) {
        if (fault.kind() == Scenario.FaultKind.RESTART) {
          SimMain.Outcome outcome = SimMain.runSeed(seed, Plant.NONE, 0, null);
          assertTrue(outcome.ok(), () -> outcome.scenario().seed() + ": " + outcome.violation());
          restarts[(int) fault.amount()]++;
        }
      }
    }
  }

  @Test
  void seedsDiffer() {
    assertNotEquals(
        SimMain.runSeed(1, Plant.NONE, 0, null).traceHash(),
        SimMain.runSeed(2, Plant.NONE, 0, null).traceHash());
  }

  @ParameterizedTest
  @EnumSource(value = Plant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedFaultIsFound(Plant plant) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    int from = Campaign.isLong() ? 1 : SOON_FOUND_FROM.getOrDefault(plant, 1);
    SimMain.Options options = new SimMain.Options(plant, null, true, false, true, THREADS);
    int status = SimMain.run(SEEDS_TO_FIND_A_PLANT, from, out, options);
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(1, status, plant + " was not found");
    assertTrue(text.contains("VIOLATED"), text);
    assertTrue(text.contains("--plant " + plant.option()), text);
    assertFalse(text.contains("not deterministic"), text);
  }

  @Test
  void theCommandLineIsChecked() {
    PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    assertEquals(0, SimMain.main(List.of("--seeds", "2", "--from", "5"), out));
    assertThrows(
        IllegalArgumentException.class, () -> SimMain.main(List.of("--plant", "roses"), out));
    assertThrows(IllegalArgumentException.class, () -> SimMain.main(List.of("--seeds"), out));
    assertThrows(IllegalArgumentException.class, () -> SimMain.main(List.of("--seeds", "x"), out));
    assertThrows(IllegalArgumentException.class, () -> SimMain.main(List.of("--sows"), out));
  }
}
