// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.MinimumRtt;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.multirail.schedule.PrimaryBackup;
import io.crosstie.multirail.schedule.Redundant;
import io.crosstie.multirail.schedule.WeightedRoundRobin;
import io.crosstie.reliability.channel.Priority;
import java.util.List;
import java.util.Set;

/**
 * All that is decided before a run begins.
 *
 * @param seed it follows from this
 * @param kind what it is about
 * @param nodes how many processes
 * @param rails the nets that join all of them
 * @param streams what the applications send
 * @param faults what goes wrong in the safety phase
 * @param manners how each node is run
 * @param schedule which rail takes what
 * @param safetyNs how long that lasts
 * @param healed nets that are whole in the liveness phase; the others stay as their last fault left
 *     them
 * @param bothDial whether both ends of a pair open the connection
 * @param livenessNs everything has to be complete so long after the safety phase
 * @param goodput what the rails that are left have to carry
 * @param outage whether all is silent for long
 * @param tuning limits and times for every node
 */
public record Scenario(
    long seed,
    Kind kind,
    int nodes,
    List<NodeSpec> manners,
    Schedule schedule,
    List<RailSpec> rails,
    List<StreamSpec> streams,
    List<FaultSpec> faults,
    long safetyNs,
    Set<Integer> healed,
    boolean bothDial,
    long livenessNs,
    Goal goodput,
    Outage outage,
    EndpointConfig tuning) {

  /** The same, but short messages over shared memory go the way of all others. */
  Scenario withoutShortcuts() {
    return new Scenario(
        seed,
        kind,
        nodes,
        manners,
        schedule,
        rails,
        streams,
        faults,
        safetyNs,
        healed,
        bothDial,
        livenessNs,
        goodput,
        outage,
        tuning.change().shortcuts(false).build());
  }

  /** What a scenario is about, which decides what may be asked of it. */
  public enum Kind {
    /** Nothing goes wrong. */
    CLEAN,
    /** Unequal rails and reordering, but nothing is lost. */
    SKEW,
    /** Processes stop for a while. */
    PAUSES,
    /** Loss, bursts, repeats, reordering. */
    LOSSY,
    /** Damage of all kinds. */
    CORRUPTION,
    /** Rails are cut and healed. */
    CUTS,
    /** Ports fail and are opened again. */
    PORTS,
    /** A process dies and a new one takes its place. */
    RESTART,
    /** One of several rails is gone from the middle of a bulk transfer on. */
    GOODPUT,
    /** Ports are taken out and put in again while messages flow. */
    CHURN,
    /** Short messages go to and fro, over shared memory too, and processes stop anywhere. */
    MEMORY,
    /**
     * One receiver, a pool that holds little more than one message, and many who want it: greedy
     * ones, some that are granted room and send nothing, a channel that nobody polls.
     */
    NEIGHBOURS,
    /** Channels are closed by both sides and opened again, under the same numbers. */
    REUSE,
    /** All rails, or a process, are silent for about as long as makes a peer lost. */
    OUTAGE,
    /** Ranks with tags, rendezvous and collective operations, among all nodes. */
    RANKS,
    /** Everything at once. */
    CHAOS
  }

  /** Which path scheduler is used. */
  public enum Schedule {
    /** The one that is shipped as the default. */
    ESTIMATED,
    /** The quickest rail. */
    MINIMUM_RTT,
    /** All rails by turns. */
    WEIGHTED,
    /** One rail as long as it lives. */
    PRIMARY,
    /** Everything on all rails. */
    REDUNDANT;

    /** A new one for a connection. */
    PathScheduler scheduler() {
      return switch (this) {
        case ESTIMATED -> new EstimatedCompletion();
        case MINIMUM_RTT -> new MinimumRtt();
        case WEIGHTED -> new WeightedRoundRobin();
        case PRIMARY -> new PrimaryBackup();
        case REDUNDANT -> new Redundant();
      };
    }
  }

  /**
   * How a node is run.
   *
   * @param singleThreaded it relies on all calls coming from one thread
   * @param blocks it waits in the poller, where a doorbell has to wake it, and does not look again
   *     and again
   * @param cycleNs least time from one duty cycle to the next
   * @param stopEvery after about so many places where it may stop in the middle of a step, it does;
   *     0 for never
   * @param computesNs its progress is shared, and its application calls nothing for so long at
   *     most; 0 if one thread runs all duty cycles
   */
  public record NodeSpec(
      boolean singleThreaded, boolean blocks, long cycleNs, int stopEvery, long computesNs) {
    /** One thread runs all of its duty cycles. */
    public NodeSpec(boolean singleThreaded, boolean blocks, long cycleNs, int stopEvery) {
      this(singleThreaded, blocks, cycleNs, stopEvery, 0);
    }

    /** The same where whoever calls runs them, and the node's own thread when nobody does. */
    NodeSpec shared(long mostComputedNs) {
      return new NodeSpec(false, true, cycleNs, stopEvery, mostComputedNs);
    }
  }

  /** When an application offers. */
  public enum Flow {
    /** As soon as it can, or by the clock. */
    FREE,
    /** One message, and the next when that was answered. */
    ASKS,
    /** One for each that came, after it was taken. */
    ANSWERS,
    /** The same, in the handler that takes it. */
    ANSWERS_AT_ONCE
  }

  /**
   * How quick the delivery has to be.
   *
   * @param fromNs from when on
   * @param bytesPerSecond 0 if nothing is asked
   */
  public record Goal(long fromNs, double bytesPerSecond) {
    /** Nothing is asked. */
    public static final Goal NONE = new Goal(0, 0);
  }

  /**
   * A silence on all rails.
   *
   * @param fromNs when it begins
   * @param untilNs when it ends; the same if there is none
   * @param peerTimeoutNs after which a peer is lost
   */
  public record Outage(long fromNs, long untilNs, long peerTimeoutNs) {
    /** There is none. */
    public static final Outage NONE = new Outage(0, 0, Long.MAX_VALUE);

    /** Whether peers may be lost by it. */
    public boolean losesPeers() {
      return untilNs - fromNs >= peerTimeoutNs;
    }
  }

  /**
   * A net with one port per node.
   *
   * @param model what its links are like; of shared memory, the time until it can be seen
   * @param ownThread its ports are used by threads of their own
   */
  public record RailSpec(
      String net, LinkModel model, PortProfile profile, int weight, boolean ownThread) {
    /** One whose ports the engine uses itself. */
    public RailSpec(String net, LinkModel model, PortProfile profile, int weight) {
      this(net, model, profile, weight, false);
    }

    /** The same with threads. */
    public RailSpec withOwnThread() {
      return new RailSpec(net, model, profile, weight, true);
    }

    /** Whether it is shared memory. */
    boolean ring() {
      return profile.isRing();
    }
  }

  /**
   * One direction of one channel.
   *
   * @param messages how many
   * @param sizes which mixture of sizes, 0 to 6
   * @param flow when it offers
   * @param gapNs time between two offers; 0 for as fast as it goes
   * @param lentPercent how many of them lend their memory
   */
  public record StreamSpec(
      int from,
      int to,
      int channel,
      Priority priority,
      int messages,
      int sizes,
      Flow flow,
      long gapNs,
      int lentPercent) {}

  /** What can go wrong. */
  public enum FaultKind {
    /** Both directions are cut. */
    CUT,
    /** One direction is cut. */
    CUT_ONE_WAY,
    /** What goes wrong with packets, see {@link LinkFaults}. */
    PACKETS,
    /** The largest packet shrinks. */
    MTU,
    /** The rate falls. */
    RATE,
    /** The delay grows. */
    DELAY,
    /** Somebody erases the next record in a ring. */
    ERASE,
    /** Somebody writes over the next record in a ring. */
    SCRIBBLE,
    /** A port fails, and cannot be opened. */
    PORT,
    /** A port is taken out; put in again when it ends. */
    REMOVE,
    /** A process does not run; if the amount is 1, its ports' threads do. */
    PAUSE,
    /** A port's thread does not run. */
    STALL,
    /** A port's thread is in a call of the driver that does not return. */
    HANG,
    /** A process is killed; a new one starts, if the amount is 1 at other addresses. */
    RESTART,
    /** An application does not poll. */
    LAZY,
    /** An application does not poll the channel of that number, the amount. */
    UNPOLLED,
    /** What a node sends of large messages vanishes, and nothing else. */
    MUTE
  }

  /**
   * One thing that goes wrong.
   *
   * @param rail the net, or -1
   * @param node the node, or -1 for all
   * @param packets for {@link FaultKind#PACKETS}
   * @param amount new MTU, rate or delay
   */
  public record FaultSpec(
      long fromNs,
      long untilNs,
      FaultKind kind,
      int rail,
      int node,
      LinkFaults packets,
      long amount) {

    /** The same, and no payload is damaged. */
    FaultSpec sparingPayload() {
      LinkFaults f = packets.withDamage(packets.headerPpm(), 0, packets.truncatePpm());
      return new FaultSpec(fromNs, untilNs, kind, rail, node, f, amount);
    }
  }

  /** A node's name. */
  public static String name(int node) {
    return "n" + node;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("seed ").append(seed).append(": ").append(kind).append(", ").append(nodes);
    text.append(" nodes, safety phase ")
        .append(safetyNs / 1_000_000)
        .append(" ms, liveness bound ");
    text.append(livenessNs / 1_000_000).append(" ms, healed rails ").append(healed);
    text.append(bothDial ? ", both dial" : "").append('\n');
    text.append("  ").append(schedule).append(' ').append(manners).append('\n');
    rails.forEach(r -> text.append("  ").append(r).append('\n'));
    streams.forEach(s -> text.append("  ").append(s).append('\n'));
    faults.forEach(f -> text.append("  ").append(f).append('\n'));
    text.append("  ").append(tuning);
    return text.toString();
  }
}
