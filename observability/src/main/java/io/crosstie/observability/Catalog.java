// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import static io.crosstie.observability.Metric.count;
import static io.crosstie.observability.Metric.gauge;

import io.crosstie.messaging.ConnectionCounter;
import io.crosstie.messaging.EndpointCounter;
import io.crosstie.messaging.NodeCounter;
import io.crosstie.messaging.PortCounter;
import io.crosstie.messaging.RailCounter;

/**
 * The name that each counter has outside; the table in the package's description lists them all.
 * Every switch is complete, so that a new counter cannot be forgotten here.
 */
final class Catalog {
  static final Metric PEER_UP = gauge("crosstie.peer.up", "1 while the peer can be reached");
  static final Metric PEER_RAILS = gauge("crosstie.peer.rails", "Rails to the peer, by state");
  static final Metric PORT_OPEN = gauge("crosstie.port.open", "1 while the port is open");

  private static final String CAUSE = "cause";
  private static final String DIRECTION = "direction";
  private static final String IN = "in";
  private static final String OUT = "out";
  private static final String RESULT = "result";
  private static final String STATE = "state";
  private static final String TYPE = "type";

  private Catalog() {}

  static Metric of(EndpointCounter counter) {
    return switch (counter) {
      case PACKETS_IN -> count("crosstie.node.packets", "Packets received on all ports");
      case INVALID_PACKETS -> dropped("invalid");
      case NOT_TAKEN -> dropped("not_taken");
      case UNKNOWN_CONNECTION -> dropped("unknown_connection");
      case RESETS_OUT -> count("crosstie.node.resets", "Resets sent to strangers");
      case HANDSHAKES_IN -> handshakes("begun");
      case BAD_COOKIES -> handshakes("bad_cookie");
      case REJECTED -> handshakes("rejected");
      case ADDRESSES_DECLINED ->
          count(
              "crosstie.node.addresses.declined",
              "Addresses told by peers that no port of their kind takes");
      case CONNECTIONS -> gauge("crosstie.node.connections", "Connections that exist");
      case POOL_BYTES ->
          gauge("crosstie.node.pool.used", "Memory in use for large messages").bytes();
      case MEMORY_BYTES ->
          gauge("crosstie.node.memory.charged", "Memory charged for messages and promised windows")
              .bytes();
      case MEMORY_REFUSALS ->
          count("crosstie.node.memory.refusals", "Times that memory for messages was refused");
      case MESSAGES_DROPPED ->
          count("crosstie.node.messages.dropped", "Large messages that nobody polled, given up");
      case SELF_PAUSES ->
          count("crosstie.node.self.pauses", "Times that this process was found to have paused");
      case SELF_PAUSED_NS ->
          count("crosstie.node.self.paused", "Time for which this process did not run")
              .nanoseconds();
      case PORT_RESTARTS -> count("crosstie.node.port.restarts", "Ports opened again");
      case CYCLES -> count("crosstie.node.cycles", "Duty cycles of the protocol core");
      case INTERNAL_ERRORS -> count("crosstie.node.internal.errors", "Unexpected errors survived");
    };
  }

  private static Metric dropped(String cause) {
    return count("crosstie.node.packets.dropped", "Packets received and dropped as senseless")
        .with(CAUSE, cause);
  }

  private static Metric handshakes(String result) {
    return count("crosstie.node.handshakes", "Handshakes that others began, and refusals of them")
        .with(RESULT, result);
  }

  static Metric of(NodeCounter counter) {
    return switch (counter) {
      case BUSY_CYCLES -> engineCycles("busy");
      case IDLE_CYCLES -> engineCycles("idle");
      case FAILED_CYCLES -> engineCycles("failed");
      case BLOCKS -> count("crosstie.engine.blocks", "Times that the engine blocked");
      case COMMANDS -> count("crosstie.engine.commands", "Commands done by the engine");
      case EVENTS_DROPPED ->
          count("crosstie.engine.events.dropped", "Events dropped since nobody polled them");
      case LED_CYCLES ->
          count("crosstie.engine.cycles.led", "Duty cycles run by application threads");
      case HOOK_ERRORS -> count("crosstie.engine.hook.errors", "Calls of cycle hooks that threw");
      case HOOK_OVERRUNS ->
          count("crosstie.engine.hook.overruns", "Calls of cycle hooks that took too long");
      case PEERS_REFUSED ->
          count("crosstie.engine.peers.refused", "Connections of peers that may not connect");
    };
  }

  private static Metric engineCycles(String result) {
    return count("crosstie.engine.cycles", "Duty cycles of the engine").with(RESULT, result);
  }

  static Metric of(PortCounter counter) {
    return switch (counter) {
      case PACKETS_IN -> portPackets(IN);
      case PACKETS_OUT -> portPackets(OUT);
      case BYTES_IN -> portBytes(IN);
      case BYTES_OUT -> portBytes(OUT);
      case RECEIVE_CALLS -> portCalls(IN);
      case SEND_CALLS -> portCalls(OUT);
      case DROPPED_IN -> portDropped(IN);
      case DROPPED_OUT -> portDropped(OUT);
      case CLAIMS_REFUSED ->
          count("crosstie.port.back.pressure", "Times that the port had no room for a packet");
      case LINK_EVENTS -> count("crosstie.port.link.events", "What links said about themselves");
      case DOORBELLS -> count("crosstie.port.doorbells", "Doorbells rung");
      case PULLING_RAILS ->
          gauge("crosstie.port.pulling.rails", "Rails on which the peer's memory may be read");
      case PULLS -> count("crosstie.port.pulls", "Parts of messages read in peers' memory");
      case PULLED_BYTES -> count("crosstie.port.pulled", "Bytes read in peers' memory").bytes();
      case PULL_FAILURES ->
          count("crosstie.port.pull.failures", "Rails on which reading peers' memory failed");
      case ADDRESSES_REFUSED ->
          count(
              "crosstie.port.addresses.refused",
              "Addresses of peers that are none of a port, or where nobody was found");
      case SEALED_RAILS ->
          gauge("crosstie.port.sealed.rails", "Rails through memory that no peer can truncate");
      case STREAMED_BYTES ->
          count("crosstie.port.streamed", "Bytes put into rings by streaming stores").bytes();
      case GSO_ACTIVE -> offload("gso");
      case GRO_ACTIVE -> offload("gro");
      case OFFLOAD_FALLBACKS ->
          count("crosstie.port.offload.fallbacks", "Offloads given up because they failed");
      case RECEIVE_BUFFER_ASKED -> buffer(IN, "asked");
      case RECEIVE_BUFFER_GOT -> buffer(IN, "granted");
      case SEND_BUFFER_ASKED -> buffer(OUT, "asked");
      case SEND_BUFFER_GOT -> buffer(OUT, "granted");
    };
  }

  private static Metric portPackets(String direction) {
    return count("crosstie.port.packets", "Packets through the port").with(DIRECTION, direction);
  }

  private static Metric portBytes(String direction) {
    return count("crosstie.port.bytes", "Bytes through the port")
        .bytes()
        .with(DIRECTION, direction);
  }

  private static Metric portCalls(String direction) {
    return count("crosstie.port.system.calls", "System calls that sent or received")
        .with(DIRECTION, direction);
  }

  private static Metric portDropped(String direction) {
    return count("crosstie.port.packets.dropped", "Packets that the port dropped")
        .with(DIRECTION, direction);
  }

  private static Metric offload(String type) {
    return gauge("crosstie.port.offload", "1 while the offload is in use").with(TYPE, type);
  }

  private static Metric buffer(String direction, String result) {
    return gauge("crosstie.port.buffer", "Socket buffer")
        .bytes()
        .with(DIRECTION, direction)
        .with(RESULT, result);
  }

  static Metric of(ConnectionCounter counter) {
    return switch (counter) {
      case MESSAGES_OUT -> messages(OUT);
      case MESSAGES_IN -> messages(IN);
      case BYTES_OUT -> messageBytes(OUT);
      case BYTES_IN -> messageBytes(IN);
      case MESSAGES_ACCEPTED ->
          count("crosstie.peer.messages.accepted", "Messages that the peer has safely");
      case CREDIT_STALLS -> backPressure("credit");
      case GRANT_WAITS -> backPressure("grant");
      case STALL_PROBES ->
          count("crosstie.peer.stall.probes", "Probes of a zero window or a missing answer");
      case PROTOCOL_ERRORS ->
          count("crosstie.peer.protocol.errors", "Sound packets with senseless content");
      case CHANNELS_REFUSED ->
          count("crosstie.peer.channels.refused", "Frames on channels beyond the bound");
      case GRANTS_REVOKED ->
          count("crosstie.peer.grants.revoked", "Grants taken back that brought nothing");
      case CHANNELS_FREED ->
          count("crosstie.peer.channels.freed", "Channels that both sides have closed");
      case FORMER_USE_IN ->
          count("crosstie.peer.channels.former", "Frames of channels that were over");
      case GRANTS_LOST -> count("crosstie.peer.grants.lost", "Grants that the peer took back");
      case INLINE_SENDS ->
          count("crosstie.peer.inline.sends", "Short messages sent inline, before anything else");
      case PREDICTED_PACKETS ->
          count("crosstie.peer.predicted.packets", "Packets taken in by header prediction");
      case PLACED_REFUSED ->
          count("crosstie.peer.placed.refused", "Parts of puts that have no place here");
      case DATAGRAMS_OUT -> datagrams("out");
      case DATAGRAMS_IN -> datagrams("in");
      case DATAGRAMS_UNSENT ->
          count("crosstie.peer.datagrams.unsent", "Datagrams that could not be sent any more");
      case DATAGRAMS_LOST ->
          count("crosstie.peer.datagrams.lost", "Datagrams in packets that were given up");
      case DATAGRAMS_DROPPED ->
          count("crosstie.peer.datagrams.dropped", "Datagrams that came and were not polled");
      case RETRANSMIT_QUEUE ->
          gauge("crosstie.peer.retransmit.queue", "Fragments waiting to be sent again");
    };
  }

  private static Metric messages(String direction) {
    return count("crosstie.peer.messages", "Messages begun to be sent, or accepted in order")
        .with(DIRECTION, direction);
  }

  private static Metric datagrams(String direction) {
    return count("crosstie.peer.datagrams", "Datagrams that left, or came")
        .with(DIRECTION, direction);
  }

  private static Metric messageBytes(String direction) {
    return count("crosstie.peer.bytes", "Bytes of messages, first transmissions only")
        .bytes()
        .with(DIRECTION, direction);
  }

  private static Metric backPressure(String cause) {
    return count("crosstie.peer.back.pressure", "Times that sending had to wait for the peer")
        .with(CAUSE, cause);
  }

  static Metric of(RailCounter counter) {
    return switch (counter) {
      case PACKETS_OUT -> railPackets(OUT);
      case PACKETS_IN -> railPackets(IN);
      case BYTES_OUT -> railBytes(OUT);
      case BYTES_IN -> railBytes(IN);
      case PAYLOAD_FIRST_OUT -> payloadSent("first");
      case PAYLOAD_AGAIN_OUT -> payloadSent("again");
      case PAYLOAD_IN ->
          count("crosstie.rail.payload.accepted", "Payload accepted from this rail").bytes();
      case LOST_BY_THRESHOLD -> retransmissions("threshold");
      case LOST_BY_TIME -> retransmissions("time");
      case LOST_BY_TIMEOUT -> retransmissions("timeout");
      case LOST_BY_NACK -> retransmissions("nack");
      case REINJECTED -> retransmissions("reinjected");
      case LOST_BY_RAIL_DOWN -> retransmissions("rail_down");
      case REDUNDANT_COPIES ->
          count("crosstie.rail.redundant.copies", "Copies sent by a redundant scheduler");
      case SPURIOUS ->
          count(
              "crosstie.rail.spurious", "Packets taken for lost that were acknowledged after all");
      case NACKS_OUT -> nacks(OUT);
      case NACKS_IN -> nacks(IN);
      case CRC_FAILURES ->
          count("crosstie.rail.crc.failures", "Payloads that failed their checksum");
      case DUPLICATE_PACKETS -> duplicates("packet");
      case DUPLICATE_FRAGMENTS -> duplicates("fragment");
      case REFUSED ->
          count("crosstie.rail.packets.refused", "Packets for whose content there was no room");
      case ACKS_OUT -> acks(OUT);
      case ACKS_IN -> acks(IN);
      case PROBES_OUT -> probes("sent");
      case PROBES_ANSWERED -> probes("answered");
      case LINK_ERRORS -> count("crosstie.rail.link.errors", "Errors reported by the driver");
      case RESTARTS -> count("crosstie.rail.restarts", "Times that the rail was opened anew");
      case SUSPECTED -> count("crosstie.rail.suspected", "Changes to SUSPECT");
      case FAILOVERS ->
          count("crosstie.rail.failovers", "Changes to DOWN, but for those from PROBING");
      case FAILBACKS -> count("crosstie.rail.failbacks", "Returns to ACTIVE from DOWN or PROBING");
      case NS_UNVALIDATED -> stateTime("unvalidated");
      case NS_ACTIVE -> stateTime("active");
      case NS_SUSPECT -> stateTime("suspect");
      case NS_DOWN -> stateTime("down");
      case NS_PROBING -> stateTime("probing");
      case SRTT_NS -> gauge("crosstie.rail.rtt", "Smoothed round trip").nanoseconds();
      case MIN_RTT_NS -> gauge("crosstie.rail.rtt.min", "Least round trip").nanoseconds();
      case FLIGHT_BYTES -> gauge("crosstie.rail.flight", "Bytes in flight").bytes();
      case WINDOW_BYTES -> gauge("crosstie.rail.window", "Congestion window").bytes();
      case RATE -> gauge("crosstie.rail.rate", "Estimated delivery rate").bytesPerSecond();
      case PACKET_SIZE -> gauge("crosstie.rail.packet.size", "Packet size in use").bytes();
      case UNPACED ->
          gauge("crosstie.rail.unpaced", "1 where congestion control is left out: loopback");
      case STATE ->
          gauge(
              "crosstie.rail.state",
              "0 unvalidated, 1 active, 2 suspect, 3 down, 4 probing, 5 removed");
    };
  }

  private static Metric railPackets(String direction) {
    return count("crosstie.rail.packets", "Packets over the rail").with(DIRECTION, direction);
  }

  private static Metric railBytes(String direction) {
    return count("crosstie.rail.bytes", "Bytes of packets over the rail")
        .bytes()
        .with(DIRECTION, direction);
  }

  private static Metric payloadSent(String type) {
    return count("crosstie.rail.payload.sent", "Payload sent over the rail")
        .bytes()
        .with(TYPE, type);
  }

  private static Metric retransmissions(String cause) {
    return count("crosstie.rail.retransmissions", "Packets of the rail taken for lost, by cause")
        .with(CAUSE, cause);
  }

  private static Metric nacks(String direction) {
    return count("crosstie.rail.nacks", "Negative acknowledgements").with(DIRECTION, direction);
  }

  private static Metric acks(String direction) {
    return count("crosstie.rail.acks", "Acknowledgement frames").with(DIRECTION, direction);
  }

  private static Metric duplicates(String type) {
    return count("crosstie.rail.duplicates", "Received twice and dropped").with(TYPE, type);
  }

  private static Metric probes(String result) {
    return count("crosstie.rail.probes", "Probes of the rail").with(RESULT, result);
  }

  private static Metric stateTime(String state) {
    return count("crosstie.rail.state.time", "Time in each state").nanoseconds().with(STATE, state);
  }
}
