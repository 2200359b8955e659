// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;

/**
 * Writes handshake packets and sends them, by a rail or as the reply to what a port has just
 * received. A rail or port may lose them; the timers of whoever wants an answer make up for that.
 */
final class HandshakePackets {
  /** Writes a packet without its checksum, of at most so many bytes, and returns its length. */
  @FunctionalInterface
  interface Content {
    int encode(byte[] to, int offset, int limit);
  }

  private final PortTable ports;
  private final ErrorSink errors;
  private final Counters<EndpointCounter> counters;
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final byte[] packet = new byte[PacketHeader.MAX_HANDSHAKE_LENGTH];
  private final MemorySegment packetSegment = MemorySegment.ofArray(packet);

  HandshakePackets(PortTable ports, ErrorSink errors, Counters<EndpointCounter> counters) {
    this.ports = ports;
    this.errors = errors;
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
      errors.onError(x);
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
}
