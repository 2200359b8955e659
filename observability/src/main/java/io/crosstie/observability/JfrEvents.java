// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events as JDK Flight Recorder stores them. */
final class JfrEvents {
  private JfrEvents() {}

  /** What all have. */
  @Category("Crosstie")
  @StackTrace(false)
  abstract static class OfNode extends Event {
    @Label("Node")
    String node = "";
  }

  /** What all about a peer have. */
  abstract static class OfPeer extends OfNode {
    @Label("Peer")
    String peer = "";
  }

  /** What all about a rail have. */
  abstract static class OfRail extends OfPeer {
    @Label("Rail")
    int rail;

    @Label("Rail Name")
    String railName = "";
  }

  @Name("io.crosstie.RailStateChanged")
  @Label("Rail State Changed")
  @Description("The health of a rail was judged anew")
  static final class RailStateChanged extends OfRail {
    @Label("From")
    String from = "";

    @Label("To")
    String to = "";

    @Label("Cause")
    String cause = "";

    @Label("Gap")
    @Description(
        "To SUSPECT or DOWN: how long nothing had arrived; to ACTIVE: how long it was away")
    @Timespan(Timespan.NANOSECONDS)
    long gap;
  }

  @Name("io.crosstie.Failover")
  @Label("Failover")
  @Description("A rail in use was given up; its traffic goes by others")
  static final class Failover extends OfRail {
    @Label("Cause")
    String cause = "";

    @Label("Gap")
    @Description("How long nothing had arrived on the rail")
    @Timespan(Timespan.NANOSECONDS)
    long gap;
  }

  @Name("io.crosstie.Failback")
  @Label("Fail-back")
  @Description("A rail that was given up is in use again")
  static final class Failback extends OfRail {
    @Label("Away")
    @Description("How long the rail was out of use")
    @Timespan(Timespan.NANOSECONDS)
    long away;
  }

  @Name("io.crosstie.CrcFailure")
  @Label("CRC Failure")
  @Description("A payload failed its checksum under a sound header")
  static final class CrcFailure extends OfRail {}

  @Name("io.crosstie.SelfPause")
  @Label("Self-Pause")
  @Description("This process did not run for a while; no rail is blamed")
  static final class SelfPause extends OfNode {
    @Label("Pause")
    @Timespan(Timespan.NANOSECONDS)
    long pause;
  }

  @Name("io.crosstie.PeerUp")
  @Label("Peer Up")
  static final class PeerUp extends OfPeer {
    @Label("Rank")
    int rank;

    @Label("Incarnation")
    long incarnation;
  }

  @Name("io.crosstie.PeerLost")
  @Label("Peer Lost")
  static final class PeerLost extends OfPeer {
    @Label("Cause")
    String cause = "";

    @Label("Unknown Messages")
    @Description("Messages offered and not known to be accepted")
    long unknownMessages;
  }

  @Name("io.crosstie.PeerRestarted")
  @Label("Peer Restarted")
  static final class PeerRestarted extends OfPeer {
    @Label("Old Incarnation")
    long oldIncarnation;

    @Label("New Incarnation")
    long newIncarnation;

    @Label("Unknown Messages")
    @Description("Messages offered and not known to be accepted")
    long unknownMessages;
  }

  @Name("io.crosstie.PeerClosed")
  @Label("Peer Closed")
  @Description("The peer closed the connection in good order")
  static final class PeerClosed extends OfPeer {}

  @Name("io.crosstie.PortFailed")
  @Label("Port Failed")
  @Description("A local port is closed; it is opened again as soon as that works")
  static final class PortFailed extends OfNode {
    @Label("Port")
    String port = "";

    @Label("Cause")
    String cause = "";
  }

  @Name("io.crosstie.PortRestarted")
  @Label("Port Restarted")
  @Description("A local port that had failed is open again")
  static final class PortRestarted extends OfNode {
    @Label("Port")
    String port = "";
  }
}
