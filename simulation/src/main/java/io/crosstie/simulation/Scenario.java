// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.EndpointConfig;
import io.crosstie.reliability.Priority;
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
    /** All rails, or a process, are silent for about as long as makes a peer lost. */
    OUTAGE,
    /** Everything at once. */
    CHAOS
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
   * @param ring shared-memory-like
   */
  public record RailSpec(
      String net, boolean ring, LinkModel model, PortProfile profile, int weight) {}

  /**
   * One direction of one channel.
   *
   * @param messages how many
   * @param sizes which mixture of sizes, 0 to 4
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
    /** A port fails, and cannot be opened. */
    PORT,
    /** A port is taken out; put in again when it ends. */
    REMOVE,
    /** A process does not run. */
    PAUSE,
    /** A process is killed; a new one starts. */
    RESTART,
    /** An application does not poll. */
    LAZY
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
      long amount) {}

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
    rails.forEach(r -> text.append("  ").append(r).append('\n'));
    streams.forEach(s -> text.append("  ").append(s).append('\n'));
    faults.forEach(f -> text.append("  ").append(f).append('\n'));
    text.append("  ").append(tuning);
    return text.toString();
  }
}
