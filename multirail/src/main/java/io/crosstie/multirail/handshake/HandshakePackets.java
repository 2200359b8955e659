// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Limits;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.RailInfo;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Reset;
import io.crosstie.reliability.wire.Takes;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Writes handshake packets and sends them, by a rail or as the reply to what a port has just
 * received. A rail or port may lose them; the timers of whoever wants an answer make up for that.
 */
final class HandshakePackets {
  /** What the initiator calls the rail that the handshake uses. */
  static final int FIRST_RAIL = 0;

  /** Writes a packet without its checksum, of at most so many bytes, and returns its length. */
  @FunctionalInterface
  interface Content {
    int encode(byte[] to, int offset, int limit);
  }

  private final HandshakeHost host;
  private final PortTable ports;
  private final EndpointConfig config;
  private final Counters<EndpointCounter> counters;
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final byte[] packet = new byte[PacketHeader.MAX_HANDSHAKE_LENGTH];
  private final MemorySegment packetSegment = MemorySegment.ofArray(packet);

  HandshakePackets(
      HandshakeHost host,
      PortTable ports,
      EndpointConfig config,
      Counters<EndpointCounter> counters) {
    this.host = host;
    this.ports = ports;
    this.config = config;
    this.counters = counters;
  }

  /** Returns whether the rail took it. */
  boolean send(Rail rail, Content content) {
    int length = write(content);
    try {
      long base = rail.claim(length);
      if (base < 0) {
        return false;
      }
      MemorySegment.copy(packet, 0, rail.txMemory(), JAVA_BYTE, base, length);
      rail.commit(length);
      rail.flush();
      return true;
    } catch (InternalError x) {
      ports.close(rail); // and with it the claim
      return false;
    } catch (RuntimeException | Error x) {
      rail.abort();
      host.onError(null, x);
      return false;
    }
  }

  /** The same by the rail of an attempt. */
  void send(SeedRail rail, Content content) {
    if (send(rail.rail, content)) {
      rail.onCommitted();
    }
  }

  /** Answers what the port has received last. */
  void reply(RailPort port, Content content) {
    int length = write(content);
    port.reply(packetSegment, 0, length);
  }

  private int write(Content content) {
    int length = content.encode(packet, 0, PacketHeader.MAX_HANDSHAKE_LENGTH);
    PacketHeader.seal(packet, 0, length, crc);
    return length;
  }

  /**
   * Answers with a REJECT.
   *
   * @param connectionId the sender's; 0 if that is not known
   * @param incarnation the sender's
   * @param text for the people there
   */
  void reject(RailPort port, long connectionId, int reason, long incarnation, String text) {
    counters.increment(EndpointCounter.REJECTED);
    Reject reject =
        new Reject(
            connectionId,
            reason,
            PacketHeader.WIRE_VERSION,
            PacketHeader.WIRE_VERSION,
            incarnation,
            text);
    reply(port, reject::encode);
  }

  /** Answers a packet for a connection that is not here with a RESET. */
  void reset(RailPort port, int rail, long connectionId) {
    counters.increment(EndpointCounter.RESETS_OUT);
    long incarnation = config.incarnation();
    reply(port, (to, offset, limit) -> Reset.encode(to, offset, rail, connectionId, incarnation));
  }

  /** Rejects who has accepted what this side cannot use: says that the connection is over. */
  void close(SeedRail rail, long connectionId) {
    counters.increment(EndpointCounter.REJECTED);
    send(
        rail,
        (to, offset, limit) -> {
          PacketHeader.begin(to, offset, PacketHeader.DATA, FIRST_RAIL, connectionId, 0);
          return PacketHeader.LENGTH + CloseFrame.encode(to, offset + PacketHeader.LENGTH, 0, 0, 0);
        });
  }

  /**
   * What HELLO and WELCOME say of this node, for the connection that has this id here, by that rail
   * of that port.
   */
  Introduction introduction(long connectionId, RailPort port, Rail rail) {
    Limits limits =
        new Limits(
            Math.min(
                config.maxMessageBytes(), // of which those up to the eager limit need no pool
                Math.max(config.largePoolBytes(), config.eagerLimitBytes())),
            config.checksum().wireCode(),
            config.initialWindowBytes(),
            config.eagerLimitBytes(),
            (int) (config.maxAckDelayNs() / 1000));
    RailInfo info =
        new RailInfo(
            port.attributes().receiveBufferBytes(),
            rail.maxPacketLength(),
            port.attributes().lossless());
    return new Introduction(
        config.incarnation(),
        config.name(),
        config.rank(),
        connectionId,
        limits,
        info,
        ports.localAddresses(),
        Takes.IMPLEMENTED);
  }

  /** Why nothing could be exchanged with a node of such limits; null if it can. */
  @Nullable String whyIncompatible(Limits peer) {
    if (!ChecksumKind.isWireCode(peer.checksumCode())) {
      return "the code "
          + peer.checksumCode()
          + " stands for no kind of checksum that \""
          + config.name()
          + "\" knows";
    }
    if (peer.eagerLimit() != config.eagerLimitBytes()) {
      return "the eager limit must be the same on both sides; that of \""
          + config.name()
          + "\" is "
          + config.eagerLimitBytes()
          + " bytes";
    }
    return null;
  }
}
