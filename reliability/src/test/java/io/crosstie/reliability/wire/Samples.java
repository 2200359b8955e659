// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.transport.RailAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One packet of each kind, all of their fields different from each other. */
final class Samples {
  static final long CONNECTION_ID = 0x1112131415161718L;
  static final long PACKET_NUMBER = 0x0102030405060708L;
  static final long TOKEN = 0xd1d2d3d4d5d6d7d8L;
  static final long INITIATOR = 0xe1e2e3e4e5e6e7e8L;
  static final long RESPONDER = 0xf1f2f3f4f5f6f7f8L;
  static final long RESPONDERS_ID = 0x2122232425262728L;
  static final long KEY = 0x3132333435363738L;
  static final int MAX_PACKET_LENGTH = 9000;
  static final long MAX_MESSAGE_LENGTH = 1 << 30;

  static final Limits LIMITS = new Limits(1 << 30, 1, 4 << 20, 64 << 10, 1000);
  static final Init INIT = new Init(2, 3, INITIATOR, "sim-0", "sim-1");
  static final Retry RETRY = new Retry(2, INITIATOR, RESPONDER, Cookie.of(bytes(1, 9)));
  static final Hello HELLO =
      new Hello(
          2,
          3,
          RETRY.cookie(),
          "sim-1",
          RESPONDERS_ID,
          new Introduction(
              INITIATOR,
              "sim-0",
              Introduction.NO_RANK,
              CONNECTION_ID,
              LIMITS,
              new RailInfo(0x400000, 0xffe0, false),
              addresses("udp://198.18.1.1:7400", "shm:a")));
  static final Welcome WELCOME =
      new Welcome(
          2,
          3,
          CONNECTION_ID,
          INITIATOR,
          new Introduction(
              RESPONDER,
              "sim-é",
              1,
              RESPONDERS_ID,
              LIMITS,
              new RailInfo(0x400000, 0xffe0, true),
              addresses("udp://198.18.1.2:7400")));
  static final Reject REJECT =
      new Reject(CONNECTION_ID, Reject.WRONG_NAME, 2, 3, INITIATOR, "not sim-1");

  private static final Checksum CRC32C = Checksum.of(ChecksumKind.CRC32C);

  private Samples() {}

  /** Writes one frame and returns its length. */
  interface FrameWriter {
    int write(byte[] m, int off);
  }

  /** Writes one handshake packet and returns its length. */
  interface PacketWriter {
    int write(byte[] m, int off, int limit);
  }

  static List<RailAddress> addresses(String... texts) {
    return Arrays.stream(texts).map(RailAddress::new).toList();
  }

  /** A frame of each type, and an extension. */
  static Map<String, FrameWriter> frames() {
    var frames = new LinkedHashMap<String, FrameWriter>();
    frames.put("PADDING", (m, off) -> PaddingFrame.encode(m, off, 5));
    frames.put("PING", PingFrame::encode);
    frames.put(
        "ACK",
        (m, off) -> {
          AckFrame.encode(m, off, 6, 1000, 0x40, 3);
          return AckFrame.append(m, off, 2, 7);
        });
    frames.put("NACK", (m, off) -> NackFrame.encode(m, off, 6, NackFrame.PAYLOAD_CHECKSUM, 0x21));
    frames.put("EAGER of three", (m, off) -> whole(m, off, 0x31, 1, 2, 3));
    frames.put("EAGER", (m, off) -> EagerFrame.encode(m, off, 0, 7, 0x34, 4, 0xb1b2b3b4));
    frames.put(
        "FRAGMENT",
        (m, off) -> FragmentFrame.encode(m, off, 0, 7, 0x35, 8, 0xc1c2c3c4, 0x1000, 0x2000));
    frames.put(
        "REFERENCE",
        (m, off) -> {
          int length = ReferenceFrame.encode(m, off, 7, 0x35, 8, 0x1000, 0x2000);
          ReferenceFrame.complete(m, off, 0xc1c2c3c4, 0x7fff_0102_0304_0506L);
          return length;
        });
    frames.put(
        "CHANNEL_STATE", (m, off) -> ChannelStateFrame.encode(m, off, 0, 7, 0x33, 0x32, 0x123456));
    frames.put("RTS", (m, off) -> RtsFrame.encode(m, off, 7, 0x36, 0x100000, 0, 0));
    frames.put("CTS", (m, off) -> GrantFrame.encode(m, off, Frames.CTS, 7, 0x37, 0));
    frames.put("REVOKE", (m, off) -> GrantFrame.encode(m, off, Frames.REVOKE, 7, 0x37, 0x201));
    frames.put("ABORT", (m, off) -> AbortFrame.encode(m, off, 7, 0x39));
    frames.put("CHANNEL_FIN", (m, off) -> ChannelFinFrame.encode(m, off, 7, 0x38));
    frames.put("CHALLENGE", (m, off) -> ChallengeFrame.encode(m, off, 6, 0, TOKEN));
    frames.put("RESPONSE", (m, off) -> ResponseFrame.encode(m, off, 6, 0, TOKEN));
    frames.put(
        "RAIL_INFO",
        (m, off) -> RailInfoFrame.encode(m, off, 6, RailInfoFrame.LOSSLESS, 0x400000, 0xffe0));
    frames.put(
        "ADDRESSES",
        (m, off) -> AddressesFrame.encode(m, off, 9, addresses("udp://h:74", "shm:x")));
    frames.put("CLOSE", (m, off) -> CloseFrame.encode(m, off, 3, CloseFrame.ACKNOWLEDGES, 0x99));
    frames.put("RAIL_GONE", (m, off) -> RailGoneFrame.encode(m, off, 6));
    frames.put(
        "CHANNEL_REFUSED",
        (m, off) -> ChannelRefusedFrame.encode(m, off, 7, ChannelRefusedFrame.NO_MORE_CHANNELS));
    frames.put("EAGER with header", (m, off) -> EagerFrame.encode(m, off, 3, 7, 0x3a, 4, 0xb5b6));
    frames.put(
        "EAGER of three with headers",
        (m, off) -> {
          int[] lengths = {2, 0, 3};
          return eagerWithHeaders(m, off, 0x3b, lengths, new int[] {1, 0, 3});
        });
    frames.put("FRAGMENT with header", (m, off) -> fragment(m, off, 0, 0x20, 8, 0x1000, 0x2000));
    frames.put(
        "FRAGMENT, open", (m, off) -> fragment(m, off, FragmentFrame.OPEN, 0, 8, 0x1000, 0x1008));
    frames.put(
        "FRAGMENT, final", (m, off) -> fragment(m, off, FragmentFrame.FINAL, 0, 0, 0x1008, 0x1008));
    frames.put(
        "PLACED",
        (m, off) ->
            PlacedFrame.encode(
                m, off, 5, 8, 0x41, 9, 0xc5c6c7c8, 0x1000, 0x2000, KEY, 0x123456789L));
    frames.put("GET", (m, off) -> request(m, off, PlacedKind.GET, 16));
    frames.put("COMPARE_AND_SET", (m, off) -> request(m, off, PlacedKind.COMPARE_AND_SET, 24));
    frames.put(
        "ANSWER",
        (m, off) -> {
          int length = PlacedFrame.encode(m, off, 16, 8, 0x41, 18, 0xc5c6c7c8, 0, 0x2000, KEY, 0);
          PlacedFrame.setKind(m, off, PlacedKind.ANSWER);
          return length;
        });
    frames.put("DATAGRAM", (m, off) -> DatagramFrame.encode(m, off, 2, 6, 0xc9cacbcc));
    frames.put(
        "MESSAGE_REFUSED",
        (m, off) -> MessageRefusedFrame.encode(m, off, 7, 0x42, MessageRefusedFrame.NO_RIGHT));
    frames.put("extension", (m, off) -> extension(m, off, 0x90, 8));
    frames.put("upper layer", (m, off) -> extension(m, off, Frames.FIRST_OF_UPPER_LAYERS, 16));
    return frames;
  }

  /** The name in {@link #frames} of the last frame of that type. */
  static String nameOf(int type) {
    byte[] m = new byte[PacketHeader.MAX_HEADER_LENGTH];
    String name = "";
    for (Map.Entry<String, FrameWriter> frame : frames().entrySet()) {
      int unused = frame.getValue().write(m, 0);
      name = Frames.type(m, 0) == type ? frame.getKey() : name;
    }
    return name;
  }

  static int whole(byte[] m, int off, long first, int... lengths) {
    int sum = Arrays.stream(lengths).sum();
    int length = EagerFrame.encode(m, off, 0, lengths.length, 7, first, sum, 0);
    EagerFrame.setChecksum(m, off, 0xa1a2a3a4);
    if (lengths.length > 1) {
      for (int i = 0; i < lengths.length; i++) {
        EagerFrame.setMessageLength(m, off, i, lengths[i]);
      }
    }
    return length;
  }

  static int eagerWithHeaders(byte[] m, int off, long first, int[] lengths, int[] headers) {
    int sum = Arrays.stream(lengths).sum();
    int each = EagerFrame.HEADER_LENGTHS;
    int length = EagerFrame.encode(m, off, each, lengths.length, 7, first, sum, 0xa5a6a7a8);
    for (int i = 0; i < lengths.length; i++) {
      EagerFrame.setMessage(m, off, i, lengths[i], headers[i]);
    }
    return length;
  }

  /** A request, which is as long as its header. */
  static int request(byte[] m, int off, int kind, int bytes) {
    int length =
        PlacedFrame.encode(m, off, bytes, 8, 0x41, bytes, 0xc5c6c7c8, 0, bytes, KEY, 0x123456780L);
    PlacedFrame.setKind(m, off, kind);
    return length;
  }

  static int fragment(
      byte[] m, int off, int flags, int header, int length, long offset, long messageLength) {
    int written =
        FragmentFrame.encode(
            m, off, flags, 7, 0x3e, length, length == 0 ? 0 : 0xc1c2c3c4, offset, messageLength);
    FragmentFrame.setHeaderLength(m, off, header);
    return written;
  }

  static int extension(byte[] m, int off, int type, int length) {
    Arrays.fill(m, off, off + length, (byte) 0);
    Layouts.putU8(m, off, type);
    Layouts.putU16(m, off + Frames.EXTENSION_LENGTH, length);
    return length;
  }

  /** One packet of each kind. */
  static Map<String, byte[]> packets() {
    var packets = new LinkedHashMap<String, byte[]>();
    packets.put("DATA", data(frames().values().toArray(FrameWriter[]::new)));
    packets.put("INIT", handshake(INIT::encode));
    packets.put("RETRY", handshake(RETRY::encode));
    packets.put("HELLO", handshake(HELLO::encode));
    packets.put("WELCOME", handshake(WELCOME::encode));
    packets.put("REJECT", handshake(REJECT::encode));
    packets.put(
        "RESET", handshake((m, off, limit) -> Reset.encode(m, off, 3, CONNECTION_ID, RESPONDER)));
    return packets;
  }

  /** A DATA packet of these frames, with payload. */
  static byte[] data(FrameWriter... frames) {
    var m = new byte[PacketHeader.MAX_HEADER_LENGTH + 512];
    int length = PacketHeader.begin(m, 0, PacketHeader.DATA, 5, CONNECTION_ID, PACKET_NUMBER);
    int payload = 0;
    for (FrameWriter frame : frames) {
      int off = length;
      length += frame.write(m, off);
      payload += Frames.payloadLength(m, off);
    }
    PacketHeader.seal(m, 0, length, CRC32C);
    byte[] packet = Arrays.copyOf(m, length + payload);
    System.arraycopy(bytes(0x41, payload), 0, packet, length, payload);
    return packet;
  }

  static byte[] handshake(PacketWriter writer) {
    var m = new byte[PacketHeader.MAX_HANDSHAKE_LENGTH];
    int length = writer.write(m, 0, PacketHeader.MAX_HANDSHAKE_LENGTH);
    PacketHeader.seal(m, 0, length, CRC32C);
    return Arrays.copyOf(m, length);
  }

  /** Makes the header's CRC right again, if the length it names is possible. */
  static byte[] resealed(byte[] packet) {
    int length = packet.length < PacketHeader.LENGTH ? 0 : PacketHeader.headerLength(packet, 0);
    if (length >= PacketHeader.LENGTH && length <= packet.length) {
      PacketHeader.seal(packet, 0, length, CRC32C);
    }
    return packet;
  }

  static byte[] bytes(int first, int count) {
    var bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (first + i);
    }
    return bytes;
  }

  static byte[] concat(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  /** Validates what is in an array of exactly the readable size, so that reading beyond throws. */
  static int validate(PacketValidator validator, byte[] packet, long maxMessageLength) {
    int available = Math.min(packet.length, PacketHeader.MAX_HEADER_LENGTH);
    byte[] m = Arrays.copyOf(packet, available);
    return validator.validate(m, 0, available, packet.length, maxMessageLength);
  }

  static int validate(PacketValidator validator, byte[] packet) {
    return validate(validator, packet, MAX_MESSAGE_LENGTH);
  }
}
