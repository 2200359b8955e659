// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.reliability.wire.Cookie;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Limits;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.RailInfo;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A peer without an endpoint: it knows the handshake, as initiator and as responder, keeps what
 * arrives, and otherwise sends whatever a test has it send.
 */
public final class Rogue implements PortHandler {
  /** The one that it uses at present. */
  String name;

  final String address;
  long incarnation = 77;
  long localId = 7777;

  /** What it says of itself. */
  Limits limits = new Limits(1 << 20, ChecksumKind.CRC32C.wireCode(), 4 << 20, 64 << 10, 1000);

  RailInfo railInfo = new RailInfo(1 << 20, 1472, false);
  List<RailAddress> addresses = List.of();

  /** The number that its WELCOME gives the rail. */
  int welcomeRail;

  final List<byte[]> received = new ArrayList<>();
  final List<Reject> rejects = new ArrayList<>();
  int retries;
  long remoteId;
  long number;

  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final RailPort port;
  private final byte[] out = new byte[1472];
  private @Nullable Rail rail;
  private Cookie cookie = Cookie.EMPTY;

  Rogue(MemoryNet net, String name) throws RailException {
    this(net, name, "mem://" + name);
  }

  Rogue(MemoryNet net, String name, String address) throws RailException {
    this.name = name;
    this.address = address;
    this.port = net.opener(address).open(this);
  }

  /** From now on packets go there. */
  void towards(String remote) throws RailException {
    rail = port.connect(new RailAddress(remote));
  }

  /** Takes in what has arrived, and answers handshakes. */
  void poll(long nowNs) {
    int unused = port.poll(nowNs, 1000);
  }

  void send(byte[] packet, int length) {
    Rail to = rail;
    if (to == null) {
      throw new IllegalStateException("towards whom?");
    }
    long base = to.claim(length);
    MemorySegment.copy(packet, 0, to.txMemory(), ValueLayout.JAVA_BYTE, base, length);
    to.commit(length);
  }

  void sealAndSend(byte[] packet, int length) {
    PacketHeader.seal(packet, 0, length, crc);
    send(packet, length);
  }

  void init() {
    sealAndSend(
        out,
        new Init(PacketHeader.WIRE_VERSION, PacketHeader.WIRE_VERSION, incarnation, name, "")
            .encode(out, 0, 1200));
  }

  void hello() {
    sealAndSend(out, encodeHello(out));
  }

  int encodeHello(byte[] packet) {
    return new Hello(PacketHeader.WIRE_VERSION, 0, cookie, "", introduction())
        .encode(packet, 0, 1200);
  }

  Introduction introduction() {
    return new Introduction(incarnation, name, -1, localId, limits, railInfo, addresses);
  }

  static boolean isReset(byte[] m) {
    return PacketHeader.kind(m, 0) == PacketHeader.RESET;
  }

  static boolean holds(byte[] m, int frameType) {
    if (PacketHeader.kind(m, 0) != PacketHeader.DATA) {
      return false;
    }
    int end = PacketHeader.headerLength(m, 0);
    for (int f = PacketHeader.LENGTH; f < end; f += Frames.length(m, f)) {
      if (Frames.type(m, f) == frameType) {
        return true;
      }
    }
    return false;
  }

  /** Acknowledges everything up to the packet that came last. */
  void acknowledge() {
    long largest = PacketHeader.packetNumber(received.getLast(), 0);
    byte[] packet = new byte[64];
    int at = begin(packet);
    at += AckFrame.encode(packet, at, 0, 0, largest, largest + 1);
    sealAndSend(packet, at);
  }

  /** Begins a DATA packet and says where its first frame goes. */
  int begin(byte[] packet) {
    return PacketHeader.begin(packet, 0, PacketHeader.DATA, 0, remoteId, number++);
  }

  @Override
  public void onPacket(RailPort from, MemorySegment memory, long offset, int length, long source) {
    byte[] m = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    received.add(m);
    switch (PacketHeader.kind(m, 0)) {
      case PacketHeader.INIT -> {
        Init init = Init.parse(m, 0, length);
        if (init != null) {
          Retry retry =
              new Retry(
                  PacketHeader.WIRE_VERSION, init.incarnation(), incarnation, Cookie.of((byte) 1));
          answer(from, retry.encode(out, 0, 1200));
        }
      }
      case PacketHeader.HELLO -> {
        Hello hello = Hello.parse(m, 0, length);
        if (hello != null) {
          Introduction peer = hello.sender();
          remoteId = peer.connectionId();
          Welcome welcome =
              new Welcome(
                  PacketHeader.WIRE_VERSION,
                  welcomeRail,
                  remoteId,
                  peer.incarnation(),
                  introduction());
          answer(from, welcome.encode(out, 0, 1200));
        }
      }
      case PacketHeader.RETRY -> {
        Retry retry = Retry.parse(m, 0, length);
        if (retry != null) {
          retries++;
          cookie = retry.cookie();
        }
      }
      case PacketHeader.WELCOME -> {
        Welcome welcome = Welcome.parse(m, 0, length);
        if (welcome != null) {
          remoteId = welcome.sender().connectionId();
        }
      }
      case PacketHeader.REJECT -> {
        Reject reject = Reject.parse(m, 0, length);
        if (reject != null) {
          rejects.add(reject);
        }
      }
      default -> {}
    }
  }

  private void answer(RailPort from, int length) {
    PacketHeader.seal(out, 0, length, crc);
    from.reply(MemorySegment.ofArray(out), 0, length);
  }

  @Override
  public void onLinkEvent(RailPort from, @Nullable Rail of, LinkEvent event, int errno) {}
}
