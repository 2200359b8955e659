// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.simulation.PortProfile.RingProfile;
import io.crosstie.simulation.Scenario.FaultKind;
import io.crosstie.simulation.Scenario.FaultSpec;
import io.crosstie.simulation.Scenario.Flow;
import io.crosstie.simulation.Scenario.Goal;
import io.crosstie.simulation.Scenario.Kind;
import io.crosstie.simulation.Scenario.NodeSpec;
import io.crosstie.simulation.Scenario.Outage;
import io.crosstie.simulation.Scenario.RailSpec;
import io.crosstie.simulation.Scenario.Schedule;
import io.crosstie.simulation.Scenario.StreamSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Makes a scenario out of a seed. */
public final class ScenarioGenerator {
  private static final long MS = 1_000_000L;

  /** How many of the links have a delay as between cities. */
  private static final int LONG_DELAY_PERCENT = 15;

  /** What a message of the bulk mixture has on average, in bytes. */
  private static final int BULK_MESSAGE = 130_000;

  /** Header and descriptor of a packet with a fragment. */
  private static final int FRAGMENT_OVERHEAD = 72;

  private static final int[] MTUS = {1200, 1472, 1472, 1472, 4000, 8972};
  private static final Kind[] MIX = {
    Kind.CLEAN, Kind.SKEW, Kind.PAUSES, Kind.LOSSY, Kind.LOSSY, Kind.LOSSY, Kind.CORRUPTION,
    Kind.CORRUPTION, Kind.CUTS, Kind.CUTS, Kind.CUTS, Kind.CUTS, Kind.PORTS, Kind.PORTS,
    Kind.RESTART, Kind.RESTART, Kind.CHAOS, Kind.CHAOS, Kind.CHAOS, Kind.CHAOS,
  };

  private final SplittableRandom random;

  /** For what came later: the scenarios of before stay what they were. */
  private final SplittableRandom more;

  private final long seed;
  private final Plant plant;

  /** Payloads have no checksum, since no rail damages any. Not drawn, as the others. */
  private final boolean trusting;

  private ScenarioGenerator(long seed, Plant plant) {
    this.seed = seed;
    this.plant = plant;
    this.trusting =
        plant == Plant.STREAM_UNFENCED
            || (plant != Plant.NO_CRC && Bytes.mix(seed + 0x7257) % 12 == 0);
    this.random = new SplittableRandom(Bytes.mix(seed + 0x5eed));
    this.more = new SplittableRandom(Bytes.mix(seed + 0x3e3e));
  }

  /** The scenario of a seed, with a planted fault to be found or none. */
  public static Scenario of(long seed, Plant plant) {
    return of(seed, plant, null);
  }

  /**
   * The same of one kind.
   *
   * @param only {@link Kind#MEMORY}, {@link Kind#RANKS}, or null for what the seed says
   */
  public static Scenario of(long seed, Plant plant, @Nullable Kind only) {
    ScenarioGenerator generator = new ScenarioGenerator(seed, plant);
    if (only == Kind.RANKS || plant.isOfRanks()) {
      return generator.ranks();
    }
    return only == Kind.MEMORY ? generator.memory() : generator.scenario();
  }

  private boolean perhaps(int percent) {
    return more.nextInt(100) < percent;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private long between(long low, long high) {
    return low + random.nextLong(high - low + 1);
  }

  /** Between the two, small values as likely as large ones. */
  private long spread(long low, long high) {
    double x =
        StrictMath.log((double) low) + random.nextDouble() * StrictMath.log((double) high / low);
    return Math.round(StrictMath.exp(x));
  }

  private Scenario scenario() {
    switch ((int) (seed % 50)) {
      case 17 -> {
        return goodput();
      }
      case 21 -> {
        return neighbours();
      }
      case 31 -> {
        return outage();
      }
      case 35, 48 -> {
        return reuse();
      }
      case 3, 6, 9, 12, 15, 19, 23, 26, 39, 45 -> {
        return memory();
      }
      default -> {}
    }
    Kind kind = seed % 50 == 7 || seed % 50 == 43 ? Kind.CHURN : MIX[random.nextInt(MIX.length)];
    int nodes = chance(12) ? 3 : 2;
    List<RailSpec> rails = rails(kind, 2 + Math.min(3, random.nextInt(5)));
    long safetyNs = kind == Kind.CLEAN ? between(20, 200) * MS : spread(50, 2500) * MS;
    List<StreamSpec> streams = streams(nodes, safetyNs);
    List<FaultSpec> faults = faults(kind, nodes, rails, safetyNs);
    Set<Integer> healed = healed(rails.size());
    List<NodeSpec> manners = manners(nodes, rails);
    new PortThreadFaults(seed).add(kind, manners, rails, faults, safetyNs);
    share(manners);
    return new Scenario(
        seed,
        kind,
        nodes,
        manners,
        Schedule.ESTIMATED,
        rails,
        streams,
        faults,
        safetyNs,
        healed,
        chance(15),
        30_000 * MS,
        Goal.NONE,
        Outage.NONE,
        bounded(tuning()));
  }

  /**
   * Ranks among all nodes, and whatever befalls rails, ports and processes; where there are more
   * than two, one of them dies in some seeds, and what comes back in its place is no rank.
   */
  private Scenario ranks() {
    Kind kind = MIX[random.nextInt(MIX.length)];
    kind = kind == Kind.RESTART ? Kind.CHAOS : kind;
    int nodes = 2 + random.nextInt(3);
    if (seed % 10 == 9) {
      nodes = seed % 100 == 99 ? 16 : nodes + 3;
    }
    List<RailSpec> rails = rails(kind, 2 + random.nextInt(2));
    long safetyNs = spread(50, 1500) * MS;
    List<FaultSpec> faults = faults(kind, nodes, rails, safetyNs);
    faults.removeIf(fault -> fault.kind() == FaultKind.RESTART);
    if (nodes > 2 && Long.remainderUnsigned(Bytes.mix(seed ^ 0xdead), 3) == 0) {
      restart(faults, safetyNs, nodes, nodes - 1);
    }
    Set<Integer> healed = healed(rails.size());
    List<NodeSpec> manners = manners(nodes, rails);
    new PortThreadFaults(seed).add(kind, manners, rails, faults, safetyNs);
    share(manners);
    return new Scenario(
        seed,
        Kind.RANKS,
        nodes,
        manners,
        Schedule.ESTIMATED,
        rails,
        List.of(),
        faults,
        safetyNs,
        healed,
        chance(15),
        30_000 * MS,
        Goal.NONE,
        Outage.NONE,
        tuning());
  }

  /**
   * Now and then fewer channels than there are streams; drawn apart, so that nothing else moves.
   */
  private EndpointConfig bounded(EndpointConfig tuning) {
    SplittableRandom own = new SplittableRandom(seed ^ 0x6368_616e_6e65_6c73L);
    return own.nextInt(100) < 6 ? tuning.change().maxChannels(1 + own.nextInt(2)).build() : tuning;
  }

  private EndpointConfig tuning() {
    EndpointConfig d = EndpointConfig.defaults("n", -1, 0);
    return new EndpointConfig(
        d.name(),
        -1,
        0,
        plant == Plant.NO_CRC || trusting ? ChecksumKind.NONE : ChecksumKind.CRC32C,
        4 << 20,
        d.eagerLimitBytes(),
        chance(40) ? 1 << (18 + random.nextInt(3)) : 1 << 22,
        chance(40) ? 1 << (18 + random.nextInt(3)) : 1 << 22,
        chance(40) ? 4 << 20 : 64 << 20,
        memoryBytes(),
        chance(80) ? d.maxAckDelayNs() : spread(100_000, 5 * MS),
        d.suspectFloorNs(),
        d.downNs(),
        d.peerTimeoutNs(),
        d.keepAliveNs(),
        d.probesToRecover(),
        d.recoverNs(),
        true,
        d.maxConnections(),
        d.maxChannels(),
        d.accelerator(),
        d.shortcuts());
  }

  /** Some have so little that they push back; not drawn, so that nothing else changes by it. */
  private long memoryBytes() {
    int of = (int) ((seed * 0x9E3779B97F4A7C15L) >>> 61);
    return of == 0 ? 2 << 20 : of == 1 ? 8 << 20 : 64 << 20;
  }

  private List<RailSpec> rails(Kind kind, int count) {
    List<RailSpec> rails = new ArrayList<>();
    boolean equal = chance(25);
    LinkModel first = model();
    for (int i = 0; i < count; i++) {
      boolean ring = i == 0 && kind != Kind.SKEW && chance(25);
      if (ring) {
        long visibleNs = between(200, 3_000);
        int size = 1 << (16 + random.nextInt(6));
        rails.add(memory(i, visibleNs, Math.min(size, 1 << 19)));
        continue;
      }
      LinkModel model = equal ? first : model();
      int largest = chance(80) ? model.mtu() : 8972;
      int receive = chance(80) ? 4 << 20 : 1 << 18;
      int send =
          (int) Math.min(1 << 20, Math.max(16 << 10, model.queueBytes() * (chance(50) ? 1L : 4L)));
      PortProfile profile = PortProfile.datagram(Math.max(largest, model.mtu()), receive, send);
      rails.add(new RailSpec("e" + i, model, profile, 1 + random.nextInt(3)));
    }
    return anyOrder(rails);
  }

  /** A port is polled in the order in which it was added, so that matters. */
  private List<RailSpec> anyOrder(List<RailSpec> rails) {
    if (rails.stream().anyMatch(RailSpec::ring)) {
      for (int i = rails.size() - 1; i > 0; i--) {
        Collections.swap(rails, i, more.nextInt(i + 1));
      }
    }
    return rails;
  }

  private RailSpec memory(int i, long visibleNs, int size) {
    LinkModel model = new LinkModel(visibleNs, 0, 4_000_000_000L, 1 << 30, 1 << 20);
    boolean unfenced = plant == Plant.STREAM_UNFENCED;
    boolean streams = perhaps(60) || unfenced;
    boolean pulls = perhaps(50);
    int failures = perhaps(40) ? 100_000 : 0;
    RingProfile ring = new RingProfile(size, streams, pulls, failures, !trusting, unfenced);
    return new RailSpec("m" + i, model, PortProfile.ring(ring), 1);
  }

  private List<NodeSpec> manners(int nodes, List<RailSpec> rails) {
    List<NodeSpec> list = new ArrayList<>();
    boolean any = rails.stream().anyMatch(RailSpec::ring);
    for (int i = 0; i < nodes; i++) {
      boolean single = any ? perhaps(60) : (i & 1) == 0;
      list.add(new NodeSpec(single, any && perhaps(50), 2_000, 0));
    }
    return list;
  }

  /**
   * Of one scenario in six, some nodes share their progress; drawn apart, so nothing else moves.
   */
  private void share(List<NodeSpec> manners) {
    SplittableRandom own = new SplittableRandom(Bytes.mix(seed + 0x7368_6172_6564L));
    if (own.nextInt(6) != 0) {
      return;
    }
    for (int i = 0; i < manners.size(); i++) {
      if (own.nextInt(100) < 70) {
        manners.set(i, manners.get(i).shared(own.nextBoolean() ? 2 * MS : 100 * MS));
      }
    }
  }

  /**
   * Shared memory and perhaps networks beside it, in any order; short messages one at a time, each
   * answered, and others beside them; processes that stop anywhere, and what else happens to rails.
   */
  private Scenario memory() {
    int nodes = chance(10) ? 3 : 2;
    long safetyNs = spread(5, 250) * MS;
    List<RailSpec> rails = new ArrayList<>();
    int rings = chance(70) ? 1 : chance(70) ? 2 : 3;
    int others = random.nextInt(3);
    for (int i = 0; i < rings; i++) {
      long visibleNs = chance(40) ? 0 : spread(50, 3_000);
      rails.add(memory(i, visibleNs, 1 << (14 + random.nextInt(6))));
    }
    for (int i = 0; i < others; i++) {
      LinkModel m = model();
      long delayNs = spread(5_000, chance(70) ? 300_000 : 3 * MS);
      LinkModel near =
          new LinkModel(
              delayNs,
              m.jitterNs() == 0 ? 0 : delayNs / 4,
              m.bytesPerSecond(),
              m.queueBytes(),
              m.mtu());
      PortProfile profile = PortProfile.datagram(Math.max(m.mtu(), chance(50) ? 8972 : 0));
      rails.add(new RailSpec("e" + i, near, profile, 1 + random.nextInt(3)));
    }
    List<RailSpec> ordered = anyOrder(rails);
    List<NodeSpec> manners = new ArrayList<>();
    int stops = chance(30) ? 0 : (int) spread(60, 20_000);
    for (int i = 0; i < nodes; i++) {
      long cycleNs = chance(50) ? 1_000 : spread(500, 3_000);
      manners.add(new NodeSpec(chance(60), chance(40), cycleNs, chance(80) ? stops : 0));
    }
    share(manners);
    Schedule[] schedules = Schedule.values();
    Schedule schedule =
        chance(65) ? Schedule.ESTIMATED : schedules[random.nextInt(schedules.length)];
    Set<Integer> healed = healed(ordered.size());
    return new Scenario(
        seed,
        Kind.MEMORY,
        nodes,
        manners,
        schedule,
        ordered,
        talk(nodes, safetyNs),
        writeOver(memoryFaults(nodes, ordered, safetyNs), nodes, ordered, safetyNs),
        safetyNs,
        healed,
        chance(15),
        60_000 * MS,
        Goal.NONE,
        Outage.NONE,
        tuning());
  }

  /** Questions and answers, mostly short, and sometimes a stream beside them. */
  private List<StreamSpec> talk(int nodes, long safetyNs) {
    List<StreamSpec> streams = new ArrayList<>();
    int pairs = chance(70) ? 1 : 2;
    for (int i = 0; i < pairs; i++) {
      int from = random.nextInt(nodes);
      int to = nodes == 2 ? 1 - from : from == 0 ? 1 + random.nextInt(nodes - 1) : 0;
      int sizes = chance(70) ? 5 : chance(60) ? 6 : random.nextInt(4);
      int messages = (int) spread(10, sizes >= 5 ? 400 : 40);
      long gap = chance(70) ? 0 : safetyNs / messages;
      Priority priority = chance(30) ? Priority.HIGH : Priority.NORMAL;
      Flow answers = chance(50) ? Flow.ANSWERS : Flow.ANSWERS_AT_ONCE;
      streams.add(new StreamSpec(from, to, i + 1, priority, messages, sizes, Flow.ASKS, gap, 0));
      streams.add(new StreamSpec(to, from, i + 1, priority, 0, sizes, answers, 0, 0));
    }
    if (chance(50)) {
      int from = random.nextInt(nodes);
      int to = nodes == 2 ? 1 - from : from == 0 ? 1 + random.nextInt(nodes - 1) : 0;
      int sizes = random.nextInt(7);
      int messages = (int) spread(5, sizes == 0 || sizes >= 5 ? 600 : sizes <= 2 ? 200 : 20);
      long gap = chance(40) ? 0 : safetyNs / messages;
      int lent = sizes == 3 || sizes == 4 ? 40 : 5;
      streams.add(
          new StreamSpec(from, to, 9, Priority.NORMAL, messages, sizes, Flow.FREE, gap, lent));
    }
    return streams;
  }

  private List<FaultSpec> memoryFaults(int nodes, List<RailSpec> rails, long safetyNs) {
    List<FaultSpec> faults = new ArrayList<>();
    int pauses = random.nextInt(4);
    for (int i = 0; i < pauses; i++) {
      long from = between(0, safetyNs);
      faults.add(node(from, from + spread(1, 500) * MS, FaultKind.PAUSE, random.nextInt(nodes)));
    }
    if (chance(40)) {
      cuts(faults, rails, safetyNs, nodes);
    }
    if (chance(30)) {
      each(faults, rails, safetyNs, 2, FaultKind.PACKETS, true, chance(40));
    }
    if (chance(15)) {
      ports(faults, rails, safetyNs, nodes);
    }
    if (chance(10)) {
      churn(faults, rails, safetyNs, nodes);
    }
    if (chance(10)) {
      restart(faults, safetyNs, nodes, 1);
    }
    if (chance(15)) {
      links(faults, rails, safetyNs);
    }
    return planted(faults, rails, safetyNs);
  }

  /** Somebody writes over the rings. */
  private List<FaultSpec> writeOver(
      List<FaultSpec> faults, int nodes, List<RailSpec> rails, long safetyNs) {
    int n = chance(75) ? 0 : 1 + random.nextInt(4);
    n += plant == Plant.NO_SAFETY_NET || plant == Plant.PREDICTED_UNCHECKED ? 20 : 0;
    int victim = random.nextInt(nodes); // were both ends erased, nobody would be to blame
    for (int i = 0; i < n; i++) {
      int rail = random.nextInt(rails.size());
      if (rails.get(rail).ring()) {
        long from = between(0, safetyNs);
        FaultKind kind = chance(30) || trusting ? FaultKind.ERASE : FaultKind.SCRIBBLE;
        int node = kind == FaultKind.ERASE ? victim : random.nextInt(nodes);
        faults.add(new FaultSpec(from, from + 20 * MS, kind, rail, node, LinkFaults.NONE, 0));
      }
    }
    return faults;
  }

  private LinkModel model() {
    long delay = chance(LONG_DELAY_PERCENT) ? spread(10 * MS, 120 * MS) : spread(5_000, 10 * MS);
    long rate = spread(2_000_000, 1_250_000_000L);
    int queue = (int) Math.min(4 << 20, Math.max(64 << 10, rate / 1000 * spread(1, 20)));
    return new LinkModel(
        delay, chance(50) ? delay / 4 : 0, rate, queue, MTUS[random.nextInt(MTUS.length)]);
  }

  private List<StreamSpec> streams(int nodes, long safetyNs) {
    List<StreamSpec> streams = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      int from = random.nextInt(nodes);
      int to = nodes == 2 ? 1 - from : from == 0 ? 1 + random.nextInt(nodes - 1) : 0;
      int sizes = random.nextInt(5);
      int messages = (int) spread(5, sizes == 0 ? 1500 : sizes <= 2 ? 400 : 25);
      long gap = chance(30) ? 0 : safetyNs / messages;
      streams.add(
          new StreamSpec(
              from,
              to,
              i + 1,
              chance(30) ? Priority.HIGH : Priority.NORMAL,
              messages,
              sizes,
              Flow.FREE,
              gap,
              sizes >= 3 ? 30 : chance(20) ? 10 : 0));
    }
    return streams;
  }

  private Set<Integer> healed(int rails) {
    Set<Integer> healed = new HashSet<>();
    int sure = random.nextInt(rails);
    for (int i = 0; i < rails; i++) {
      if (i == sure || chance(60)) {
        healed.add(i);
      }
    }
    return healed;
  }

  private List<FaultSpec> faults(Kind kind, int nodes, List<RailSpec> rails, long safetyNs) {
    List<FaultSpec> faults = new ArrayList<>();
    switch (kind) {
      case CLEAN, GOODPUT, OUTAGE, MEMORY, NEIGHBOURS, REUSE, RANKS -> {}
      case SKEW -> {
        for (int i = 0; i < rails.size(); i++) {
          if (chance(60)) {
            LinkModel model = rails.get(i).model();
            long by = Math.max(1000, model.delayNs() / 8);
            LinkFaults f = LinkFaults.NONE.withReordering((int) spread(1000, 50_000), by);
            faults.add(new FaultSpec(0, Long.MAX_VALUE, FaultKind.PACKETS, i, -1, f, 0));
          }
        }
      }
      case PAUSES -> {
        int n = 1 + random.nextInt(3);
        for (int i = 0; i < n; i++) {
          long from = between(0, safetyNs);
          faults.add(
              node(from, from + spread(5, 3000) * MS, FaultKind.PAUSE, random.nextInt(nodes)));
        }
      }
      case LOSSY -> each(faults, rails, safetyNs, 3, FaultKind.PACKETS, true, false);
      case CORRUPTION -> each(faults, rails, safetyNs, 3, FaultKind.PACKETS, false, true);
      case CUTS -> cuts(faults, rails, safetyNs, nodes);
      case PORTS -> {
        ports(faults, rails, safetyNs, nodes);
        each(faults, rails, safetyNs, 1, FaultKind.PACKETS, true, false);
      }
      case CHURN -> {
        churn(faults, rails, safetyNs, nodes);
        if (chance(50)) {
          each(faults, rails, safetyNs, 1, FaultKind.PACKETS, true, false);
        }
        if (chance(30)) {
          cuts(faults, rails, safetyNs, nodes);
        }
      }
      case RESTART -> {
        restart(faults, safetyNs, nodes, 1);
        each(faults, rails, safetyNs, 2, FaultKind.PACKETS, true, true);
        if (chance(40)) {
          cuts(faults, rails, safetyNs, nodes);
        }
      }
      case CHAOS -> {
        each(faults, rails, safetyNs, 3, FaultKind.PACKETS, true, true);
        cuts(faults, rails, safetyNs, nodes);
        if (chance(50)) {
          ports(faults, rails, safetyNs, nodes);
        }
        if (chance(40)) {
          long from = between(0, safetyNs);
          faults.add(
              node(from, from + spread(5, 1000) * MS, FaultKind.PAUSE, random.nextInt(nodes)));
        }
        if (chance(40)) {
          long from = between(0, safetyNs);
          faults.add(
              node(from, from + spread(20, 1000) * MS, FaultKind.LAZY, random.nextInt(nodes)));
        }
        if (chance(20)) {
          restart(faults, safetyNs, nodes, 1);
        }
        links(faults, rails, safetyNs);
      }
    }
    return planted(faults, rails, safetyNs);
  }

  /** What a planted fault needs to be found. */
  private List<FaultSpec> planted(List<FaultSpec> faults, List<RailSpec> rails, long safetyNs) {
    if (plant == Plant.NO_CRC) {
      LinkFaults f = LinkFaults.NONE.withDamage(0, 20_000, 0);
      faults.add(new FaultSpec(0, safetyNs, FaultKind.PACKETS, rails.size() - 1, -1, f, 0));
    }
    if (trusting) {
      faults.replaceAll(FaultSpec::sparingPayload);
    }
    return faults;
  }

  private static FaultSpec node(long from, long until, FaultKind kind, int node) {
    return new FaultSpec(from, until, kind, -1, node, LinkFaults.NONE, 0);
  }

  private void each(
      List<FaultSpec> faults,
      List<RailSpec> rails,
      long safetyNs,
      int most,
      FaultKind kind,
      boolean losses,
      boolean damage) {
    int n = 1 + random.nextInt(most);
    for (int i = 0; i < n; i++) {
      long from = chance(50) ? 0 : between(0, safetyNs);
      long until = chance(40) ? Long.MAX_VALUE : from + spread(10, 1500) * MS;
      int rail = random.nextInt(rails.size());
      LinkFaults f = packets(losses, damage, rails.get(rail).model());
      faults.add(new FaultSpec(from, until, kind, rail, chance(30) ? random.nextInt(2) : -1, f, 0));
    }
  }

  private LinkFaults packets(boolean losses, boolean damage, LinkModel model) {
    LinkFaults f = LinkFaults.NONE;
    if (losses) {
      f = chance(60) ? f.withLoss((int) spread(500, 250_000)) : f;
      f =
          chance(40)
              ? f.withBursts((int) spread(500, 20_000), (int) spread(10_000, 300_000), 900_000)
              : f;
      f = chance(40) ? f.withRepeats((int) spread(500, 200_000)) : f;
      f =
          chance(40)
              ? f.withReordering(
                  (int) spread(1000, 300_000), model.delayNs() * between(1, 4) + 1000)
              : f;
    }
    if (damage) {
      f =
          f.withDamage(
              chance(50) ? (int) spread(500, 50_000) : 0,
              chance(70) ? (int) spread(500, 100_000) : 0,
              chance(40) ? (int) spread(500, 20_000) : 0);
    }
    return f;
  }

  private void cuts(List<FaultSpec> faults, List<RailSpec> rails, long safetyNs, int nodes) {
    if (chance(25)) {
      // all of them at once
      long from = between(0, safetyNs);
      long until = from + spread(5, 3000) * MS;
      for (int i = 0; i < rails.size(); i++) {
        faults.add(new FaultSpec(from, until, FaultKind.CUT, i, -1, LinkFaults.NONE, 0));
      }
    }
    int n = 1 + random.nextInt(5);
    for (int i = 0; i < n; i++) {
      long from = between(0, safetyNs);
      long until = chance(30) ? Long.MAX_VALUE : from + spread(2, 1500) * MS;
      boolean oneWay = chance(30);
      faults.add(
          new FaultSpec(
              from,
              until,
              oneWay ? FaultKind.CUT_ONE_WAY : FaultKind.CUT,
              random.nextInt(rails.size()),
              oneWay || chance(30) ? random.nextInt(nodes) : -1,
              LinkFaults.NONE,
              0));
    }
  }

  private void ports(List<FaultSpec> faults, List<RailSpec> rails, long safetyNs, int nodes) {
    int n = 1 + random.nextInt(3);
    for (int i = 0; i < n; i++) {
      long from = between(0, safetyNs);
      faults.add(
          new FaultSpec(
              from,
              from + spread(1, 800) * MS,
              FaultKind.PORT,
              random.nextInt(rails.size()),
              random.nextInt(nodes),
              LinkFaults.NONE,
              0));
    }
  }

  private void churn(List<FaultSpec> faults, List<RailSpec> rails, long safetyNs, int nodes) {
    int n = 1 + random.nextInt(6);
    for (int i = 0; i < n; i++) {
      long from = between(0, safetyNs);
      long until = from + spread(1, 800) * MS;
      int rail = random.nextInt(rails.size());
      int node = random.nextInt(nodes);
      faults.add(new FaultSpec(from, until, FaultKind.REMOVE, rail, node, LinkFaults.NONE, 0));
    }
  }

  /** Of one of so many nodes, of which those from {@code undialed} on are dialed by nobody. */
  private void restart(List<FaultSpec> faults, long safetyNs, int nodes, int undialed) {
    long from = between(0, safetyNs);
    long until = from + spread(1, 500) * MS;
    int node = random.nextInt(nodes);
    // these may come from elsewhere; not drawn, so that nothing else changes by it
    boolean elsewhere =
        node >= undialed && Long.remainderUnsigned(Bytes.mix(seed ^ 0xe15e), 3) == 0;
    faults.add(
        new FaultSpec(
            from, until, FaultKind.RESTART, -1, node, LinkFaults.NONE, elsewhere ? 1 : 0));
  }

  private void links(List<FaultSpec> faults, List<RailSpec> rails, long safetyNs) {
    int n = random.nextInt(3);
    for (int i = 0; i < n; i++) {
      int rail = random.nextInt(rails.size());
      LinkModel model = rails.get(rail).model();
      long from = between(0, safetyNs);
      long until = from + spread(10, 1500) * MS;
      switch (random.nextInt(3)) {
        case 0 ->
            faults.add(new FaultSpec(from, until, FaultKind.MTU, rail, -1, LinkFaults.NONE, 1200));
        case 1 ->
            faults.add(
                new FaultSpec(
                    from,
                    until,
                    FaultKind.RATE,
                    rail,
                    -1,
                    LinkFaults.NONE,
                    Math.max(500_000, model.bytesPerSecond() / 20)));
        default ->
            faults.add(
                new FaultSpec(
                    from, until, FaultKind.DELAY, rail, -1, LinkFaults.NONE, spread(1, 50) * MS));
      }
    }
  }

  /** Some rails; one is cut when a bulk transfer is under way, and the others have to carry it. */
  private Scenario goodput() {
    List<RailSpec> rails = new ArrayList<>();
    int count = 2 + random.nextInt(3);
    int cut = random.nextInt(count);
    long cutNs = 150 * MS;
    long bytesPerSecond = 0;
    long before = 0;
    for (int i = 0; i < count; i++) {
      long rate = spread(4_000_000, 16_000_000);
      bytesPerSecond += i == cut ? 0 : rate;
      before += rate * cutNs / 1_000 / MS;
      LinkModel model = new LinkModel(spread(10_000, 2 * MS), 0, rate, 256 << 10, 1472);
      rails.add(new RailSpec("e" + i, model, PortProfile.datagram(1472, 4 << 20, 256 << 10), 1));
    }
    long bytes = before + Math.max(bytesPerSecond / 10 * 8, 50L * BULK_MESSAGE);
    List<StreamSpec> streams = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int messages = (int) (bytes / 3 / BULK_MESSAGE);
      streams.add(new StreamSpec(0, 1, i + 1, Priority.NORMAL, messages, 4, Flow.FREE, 0, 0));
    }
    List<FaultSpec> faults = new ArrayList<>();
    faults.add(new FaultSpec(cutNs, Long.MAX_VALUE, FaultKind.CUT, cut, -1, LinkFaults.NONE, 0));
    Set<Integer> healed = new HashSet<>();
    for (int i = 0; i < count; i++) {
      if (i != cut) {
        healed.add(i);
      }
    }
    double payload = (1472.0 - FRAGMENT_OVERHEAD) / 1472;
    return new Scenario(
        seed,
        Kind.GOODPUT,
        2,
        manners(2, rails),
        Schedule.ESTIMATED,
        rails,
        streams,
        faults,
        300 * MS,
        healed,
        false,
        30_000 * MS,
        new Goal(cutNs + 100 * MS, 0.9 * payload * bytesPerSecond),
        Outage.NONE,
        EndpointConfig.defaults("n", -1, 0));
  }

  /**
   * Node 0 receives, and its pool holds two of the largest messages: node 1 has a few of them,
   * several others are greedy, and of these some are mute for a while. Sometimes one channel is not
   * polled.
   */
  private Scenario neighbours() {
    int nodes = chance(15) ? 10 + random.nextInt(56) : 3 + random.nextInt(6);
    long safetyNs = between(3_000, 6_000) * MS;
    List<RailSpec> rails = new ArrayList<>();
    int count = 1 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      LinkModel model =
          new LinkModel(spread(10_000, 3 * MS), 0, spread(40_000_000, 400_000_000L), 1 << 20, 8972);
      rails.add(new RailSpec("e" + i, model, PortProfile.datagram(8972), 1));
    }
    List<StreamSpec> streams = new ArrayList<>();
    streams.add(new StreamSpec(1, 0, 1, Priority.NORMAL, 3, 7, Flow.FREE, safetyNs / 6, 30));
    for (int i = 2; i < nodes; i++) {
      int messages = nodes > 10 ? 6 : 60;
      streams.add(new StreamSpec(i, 0, 2, Priority.NORMAL, messages, 8, Flow.FREE, 0, 30));
    }
    List<FaultSpec> faults = new ArrayList<>();
    int mute = Math.min(nodes - 2, 2 + random.nextInt(3));
    for (int i = 0; i < mute; i++) {
      long from = i == 0 ? between(0, 10 * MS) : between(0, safetyNs / 2);
      for (int rail = 0; rail < count; rail++) {
        faults.add(
            new FaultSpec(
                from,
                from + spread(1_500, 4_000) * MS,
                FaultKind.MUTE,
                rail,
                2 + i,
                LinkFaults.NONE,
                0));
      }
    }
    boolean unpolled = chance(50);
    if (unpolled) {
      // Beside it there is room for the largest if the pool holds two; all others go on.
      streams.add(new StreamSpec(2, 0, 5, Priority.NORMAL, 12, 8, Flow.FREE, 0, 0));
      faults.add(new FaultSpec(0, Long.MAX_VALUE, FaultKind.UNPOLLED, -1, 0, LinkFaults.NONE, 5));
    }
    if (chance(40)) {
      each(faults, rails, safetyNs, 2, FaultKind.PACKETS, true, chance(50));
    }
    boolean two = !chance(70);
    boolean fits = unpolled && two;
    if (fits) { // when the other channel has what it may have
      streams.set(0, new StreamSpec(1, 0, 1, Priority.NORMAL, 3, 7, Flow.FREE, safetyNs, 30));
    }
    EndpointConfig d = EndpointConfig.defaults("n", -1, 0);
    EndpointConfig tuning =
        d.change()
            .checksum(trusting ? ChecksumKind.NONE : d.checksum())
            .maxMessageBytes(SimApp.LARGEST)
            .largePoolBytes(two ? 2 * SimApp.LARGEST : SimApp.LARGEST)
            .build();
    Set<Integer> healed = new HashSet<>();
    for (int i = 0; i < count; i++) {
      healed.add(i);
    }
    return new Scenario(
        seed,
        Kind.NEIGHBOURS,
        nodes,
        manners(nodes, rails),
        Schedule.ESTIMATED,
        rails,
        streams,
        planted(faults, rails, safetyNs),
        fits ? 8 * safetyNs : safetyNs, // longer than anybody may wait for his turn
        healed,
        false,
        60_000 * MS,
        Goal.NONE,
        Outage.NONE,
        tuning);
  }

  /**
   * Channels that are closed after a few messages and opened again, under all that can happen to
   * packets: late ones above all.
   */
  private Scenario reuse() {
    int nodes = chance(10) ? 3 : 2;
    long safetyNs = spread(200, 2_000) * MS;
    List<RailSpec> rails = rails(Kind.REUSE, 1 + random.nextInt(3));
    List<StreamSpec> streams = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      int from = random.nextInt(nodes);
      int to = nodes == 2 ? 1 - from : from == 0 ? 1 + random.nextInt(nodes - 1) : 0;
      int sizes = chance(50) ? 5 : chance(50) ? 1 : 3;
      int messages = (int) spread(20, sizes == 3 ? 60 : 250);
      long gap = chance(50) ? 0 : safetyNs / messages;
      Priority priority = chance(30) ? Priority.HIGH : Priority.NORMAL;
      streams.add(new StreamSpec(from, to, i + 1, priority, messages, sizes, Flow.FREE, gap, 10));
      if (chance(50)) {
        int back = messages / 2;
        streams.add(new StreamSpec(to, from, i + 1, priority, back, sizes, Flow.FREE, gap, 10));
      }
    }
    List<FaultSpec> faults = new ArrayList<>();
    for (int i = 0; i < rails.size(); i++) {
      LinkFaults late =
          LinkFaults.NONE
              .withReordering((int) spread(5_000, 200_000), spread(1, 400) * MS)
              .withLoss((int) spread(500, 100_000))
              .withRepeats((int) spread(500, 100_000));
      faults.add(new FaultSpec(0, safetyNs, FaultKind.PACKETS, i, -1, late, 0));
    }
    if (chance(30)) {
      cuts(faults, rails, safetyNs, nodes);
    }
    if (chance(40)) {
      long from = between(0, safetyNs);
      faults.add(node(from, from + spread(1, 500) * MS, FaultKind.PAUSE, random.nextInt(nodes)));
    }
    if (chance(30)) {
      long from = between(0, safetyNs);
      faults.add(node(from, from + spread(20, 500) * MS, FaultKind.LAZY, random.nextInt(nodes)));
    }
    if (chance(15)) {
      ports(faults, rails, safetyNs, nodes);
    }
    if (chance(20)) {
      restart(faults, safetyNs, nodes, 1);
    }
    EndpointConfig tuning = tuning();
    boolean tight = chance(40); // there is room for no channel that is over
    return new Scenario(
        seed,
        Kind.REUSE,
        nodes,
        manners(nodes, rails),
        Schedule.ESTIMATED,
        rails,
        streams,
        planted(faults, rails, safetyNs),
        safetyNs,
        healed(rails.size()),
        chance(15),
        60_000 * MS,
        Goal.NONE,
        Outage.NONE,
        tight ? tuning.change().maxChannels(streams.size()).build() : tuning);
  }

  /** Everything is cut, or one process stops, for shorter or longer than makes a peer lost. */
  private Scenario outage() {
    List<RailSpec> rails = rails(Kind.OUTAGE, 1 + random.nextInt(4));
    long timeoutNs = spread(1000, 4000) * MS;
    boolean loses = chance(70);
    long lengthNs = loses ? timeoutNs + spread(1, 4000) * MS : timeoutNs / 10 * between(2, 8);
    long fromNs = between(0, 600 * MS);
    long untilNs = fromNs + lengthNs;
    long safetyNs = untilNs + 300 * MS;
    List<FaultSpec> faults = new ArrayList<>();
    if (chance(60)) {
      for (int i = 0; i < rails.size(); i++) {
        faults.add(new FaultSpec(fromNs, untilNs, FaultKind.CUT, i, -1, LinkFaults.NONE, 0));
      }
    } else {
      faults.add(node(fromNs, untilNs, FaultKind.PAUSE, random.nextInt(2)));
    }
    Set<Integer> healed = new HashSet<>();
    for (int i = 0; i < rails.size(); i++) {
      healed.add(i);
    }
    return new Scenario(
        seed,
        Kind.OUTAGE,
        2,
        manners(2, rails),
        Schedule.ESTIMATED,
        rails,
        streams(2, safetyNs),
        faults,
        safetyNs,
        healed,
        chance(30),
        30_000 * MS,
        Goal.NONE,
        new Outage(fromNs, untilNs, timeoutNs),
        tuning().change().peerTimeoutNs(timeoutNs).build());
  }
}
