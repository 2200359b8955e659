// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.wire.AbortFrame;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.reliability.wire.AddressesFrame;
import io.crosstie.reliability.wire.ChallengeFrame;
import io.crosstie.reliability.wire.ChannelFinFrame;
import io.crosstie.reliability.wire.ChannelRefusedFrame;
import io.crosstie.reliability.wire.ChannelStateFrame;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.DatagramFrame;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.GrantFrame;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.NackFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PaddingFrame;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.reliability.wire.RailGoneFrame;
import io.crosstie.reliability.wire.RailInfoFrame;
import io.crosstie.reliability.wire.ReferenceFrame;
import io.crosstie.reliability.wire.ResponseFrame;
import io.crosstie.reliability.wire.RtsFrame;
import io.crosstie.transport.RailAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * DATA packets with sound CRCs and senseless content: every frame with extreme numbers in each of
 * its fields, or whatever a generator draws.
 */
final class HostilePackets {
  /** Longest packet. */
  static final int MAX_LENGTH = 60_000;

  /** What numbers are likely to be thought of wrongly. */
  static final long[] EXTREMES = {
    0,
    1,
    2,
    63,
    64,
    65,
    255,
    256,
    1200,
    0xffff,
    0x1_0000,
    131_000,
    (1L << 31) - 1,
    1L << 31,
    (1L << 32) - 1,
    1L << 32,
    1L << 53,
    1L << 62,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -2,
    -1,
  };

  private static final int FRAMES_END = PacketHeader.MAX_HEADER_LENGTH;
  private static final int[] WIDTHS = {1, 2, 4, 8};

  /** Writes one sound frame and returns its length. */
  private interface Writer {
    int write(byte[] m, int at);
  }

  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final byte[] packet = new byte[MAX_LENGTH];
  private final ByteBuffer bytes = ByteBuffer.wrap(packet).order(ByteOrder.LITTLE_ENDIAN);
  private final Map<Integer, Writer> sound = new TreeMap<>();

  HostilePackets() {
    List<RailAddress> addresses =
        List.of(new RailAddress("udp://127.0.0.1:9"), new RailAddress("shm:x:y:/z"));
    sound.put(Frames.PADDING, (m, at) -> PaddingFrame.encode(m, at, 16));
    sound.put(Frames.PING, PingFrame::encode);
    sound.put(Frames.ACK, (m, at) -> AckFrame.encode(m, at, 0, 10, 3, 2));
    sound.put(Frames.NACK, (m, at) -> NackFrame.encode(m, at, 0, NackFrame.NO_ROOM, 1));
    sound.put(Frames.EAGER, (m, at) -> EagerFrame.encode(m, at, 0, 1, 1, 8, 0));
    sound.put(Frames.FRAGMENT, (m, at) -> FragmentFrame.encode(m, at, 0, 1, 2, 8, 0, 8, 64));
    sound.put(
        Frames.REFERENCE,
        (m, at) -> {
          int length = ReferenceFrame.encode(m, at, 1, 3, 64, 0, 1 << 20);
          ReferenceFrame.complete(m, at, 0, 0x7fff_0000_0000L);
          return length;
        });
    sound.put(
        Frames.CHANNEL_STATE, (m, at) -> ChannelStateFrame.encode(m, at, 0, 1, 0, 0, 4 << 20));
    sound.put(Frames.RTS, (m, at) -> RtsFrame.encode(m, at, 1, 4, 1 << 20, 0, 0));
    sound.put(Frames.CTS, (m, at) -> GrantFrame.encode(m, at, Frames.CTS, 1, 1, 0));
    sound.put(Frames.CHANNEL_FIN, (m, at) -> ChannelFinFrame.encode(m, at, 1, 9));
    sound.put(Frames.CHALLENGE, (m, at) -> ChallengeFrame.encode(m, at, 0, 0, 7));
    sound.put(Frames.RESPONSE, (m, at) -> ResponseFrame.encode(m, at, 0, 0, 7));
    sound.put(Frames.RAIL_INFO, (m, at) -> RailInfoFrame.encode(m, at, 0, 0, 1 << 20, 9000));
    sound.put(Frames.ADDRESSES, (m, at) -> AddressesFrame.encode(m, at, 1, addresses));
    sound.put(Frames.CLOSE, (m, at) -> CloseFrame.encode(m, at, 0, CloseFrame.ACKNOWLEDGES, 0));
    sound.put(Frames.RAIL_GONE, (m, at) -> RailGoneFrame.encode(m, at, 5));
    sound.put(Frames.ABORT, (m, at) -> AbortFrame.encode(m, at, 1, 5));
    sound.put(Frames.REVOKE, (m, at) -> GrantFrame.encode(m, at, Frames.REVOKE, 1, 1, 1));
    sound.put(Frames.MESSAGE_REFUSED, (m, at) -> MessageRefusedFrame.encode(m, at, 1, 6, 1));
    sound.put(
        Frames.PLACED, (m, at) -> PlacedFrame.encode(m, at, 4, 1, 7, 8, 0, 0, 1 << 20, 9, 1 << 20));
    sound.put(Frames.DATAGRAM, (m, at) -> DatagramFrame.encode(m, at, 4, 8, 0));
    sound.put(Frames.CHANNEL_REFUSED, (m, at) -> ChannelRefusedFrame.encode(m, at, 1, 1));
    for (int type : new int[] {Frames.FIRST_EXTENSION + 9, Frames.FIRST_OF_UPPER_LAYERS}) {
      sound.put(
          type,
          (m, at) -> {
            java.util.Arrays.fill(m, at, at + 16, (byte) 0);
            m[at] = (byte) type;
            m[at + Frames.EXTENSION_LENGTH] = 16;
            return 16;
          });
    }
  }

  byte[] packet() {
    return packet;
  }

  /** How many packets {@link #extreme} makes. */
  int extremes() {
    int count = 0;
    for (Writer writer : sound.values()) {
      int length = writer.write(packet, PacketHeader.LENGTH);
      for (int width : WIDTHS) {
        count += length / width * EXTREMES.length;
      }
    }
    return count;
  }

  /**
   * The n-th packet with a sound frame of which one field is an extreme number, wherever fields of
   * such a width may lie.
   *
   * @return its length
   */
  int extreme(int n, long connectionId, long packetNumber) {
    int left = n;
    for (Writer writer : sound.values()) {
      int at = begin(0, connectionId, packetNumber);
      int length = writer.write(packet, at);
      for (int width : WIDTHS) {
        int count = length / width * EXTREMES.length;
        if (left < count) {
          put(at + left / EXTREMES.length * width, width, EXTREMES[left % EXTREMES.length]);
          return finish(at + length);
        }
        left -= count;
      }
    }
    throw new IndexOutOfBoundsException(n);
  }

  private void put(int at, int width, long value) {
    switch (width) {
      case 1 -> bytes.put(at, (byte) value);
      case 2 -> bytes.putShort(at, (short) value);
      case 4 -> bytes.putInt(at, (int) value);
      default -> bytes.putLong(at, value);
    }
  }

  /**
   * Some frames, mostly ones that can be believed: with small numbers of channels and messages, so
   * that they meet one another; now and then an extreme one.
   *
   * @return the packet's length
   */
  int random(RandomGenerator random, long connectionId, long packetNumber) {
    int rail = random.nextInt(20) == 0 ? random.nextInt(64) : 0;
    int at = begin(rail, connectionId, packetNumber);
    if (random.nextInt(40) == 0) {
      return finish(at + frameForLater(random, at)); // by itself: the whole packet is refused
    }
    int frames = 1 + random.nextInt(random.nextInt(8) == 0 ? 80 : 4);
    for (int i = 0; i < frames && at < FRAMES_END - 512; i++) {
      at += randomFrame(random, at);
    }
    return finish(at);
  }

  /** Layouts that are defined, and not taken by anybody yet. */
  private int frameForLater(RandomGenerator r, int at) {
    byte[] m = packet;
    int channel = (int) number(r, 6, 31);
    long message = Math.max(1, number(r, 40, 63));
    int header = r.nextInt(40);
    int length = 1 + r.nextInt(300);
    long offset = r.nextBoolean() ? 0 : number(r, 1000, 40);
    long messageLength = offset + length + number(r, 2000, 40);
    long key = number(r, 10, 64);
    long target = number(r, 1 << 20, 64);
    return switch (r.nextInt(6)) {
      case 0 ->
          PlacedFrame.encode(
              m, at, header, channel, message, length, 0, offset, messageLength, key, target);
      case 1 -> DatagramFrame.encode(m, at, header, length, 0);
      case 2 -> MessageRefusedFrame.encode(m, at, channel, message, r.nextInt(8));
      case 3 -> EagerFrame.encode(m, at, header, channel, message, length, 0);
      case 4 -> {
        int count = 2 + r.nextInt(20);
        int frame =
            EagerFrame.encode(
                m, at, EagerFrame.HEADER_LENGTHS, count, channel, message, 20 * count, 0);
        for (int i = 0; i < count; i++) {
          EagerFrame.setMessage(m, at, i, 20, r.nextInt(24));
        }
        yield frame;
      }
      default -> {
        int frame =
            FragmentFrame.encode(
                m, at, r.nextInt(4), channel, message, length, 0, offset, messageLength);
        FragmentFrame.setHeaderLength(m, at, header);
        yield frame;
      }
    };
  }

  private int randomFrame(RandomGenerator r, int at) {
    byte[] m = packet;
    int channel = (int) number(r, 6, 31);
    long message = number(r, 40, 63);
    return switch (r.nextInt(24)) {
      case 0 -> PaddingFrame.encode(m, at, r.nextInt(1000));
      case 1 -> PingFrame.encode(m, at);
      case 2, 3 -> ack(r, at);
      case 4 -> NackFrame.encode(m, at, rail(r), 1 + r.nextInt(3), number(r, 300, 63));
      case 5, 6, 7 -> whole(r, at, channel, message);
      case 8, 9, 10 -> fragment(r, at, channel, message);
      case 11 -> {
        long length = 1 + number(r, 200_000, 40);
        int part = 1 + (int) Math.min(Integer.MAX_VALUE - 1L, number(r, (int) length, 30));
        part = (int) Math.min(part, length);
        ReferenceFrame.encode(m, at, channel, Math.max(1, message), part, 0, length);
        ReferenceFrame.complete(m, at, r.nextInt(), number(r, 1 << 20, 64));
        yield ReferenceFrame.LENGTH;
      }
      case 12 -> {
        long accepted = number(r, 40, 63);
        long consumed = Math.min(accepted, number(r, 40, 63));
        yield ChannelStateFrame.encode(
            m, at, r.nextInt(256), channel, accepted, consumed, number(r, 1 << 24, 63));
      }
      case 13, 14 ->
          RtsFrame.encode(m, at, channel, Math.max(1, message), number(r, 1 << 22, 40), 0, 0);
      case 15 -> GrantFrame.encode(m, at, Frames.CTS, channel, Math.max(1, message), 0);
      case 16 -> ChannelFinFrame.encode(m, at, channel, message);
      case 17 -> ChallengeFrame.encode(m, at, rail(r), r.nextInt(1 << 16), r.nextLong());
      case 18 -> ResponseFrame.encode(m, at, rail(r), 0, r.nextLong());
      case 19 ->
          RailInfoFrame.encode(
              m, at, rail(r), r.nextInt(4), (int) number(r, 1 << 20, 31), 1200 + r.nextInt(70_000));
      case 20 -> AddressesFrame.encode(m, at, r.nextInt(), addresses(r));
      case 21 ->
          r.nextInt(400) == 0
              ? CloseFrame.encode(m, at, r.nextInt(256), r.nextInt(2), r.nextLong())
              : AbortFrame.encode(m, at, channel, Math.max(1, message));
      case 22 ->
          r.nextInt(30) == 0
              ? RailGoneFrame.encode(m, at, rail(r))
              : AbortFrame.encode(m, at, channel, Math.max(1, message));
      default -> ChannelRefusedFrame.encode(m, at, channel, r.nextInt(256));
    };
  }

  private static int rail(RandomGenerator r) {
    return r.nextInt(3) == 0 ? r.nextInt(64) : 0;
  }

  /** Below a bound, or one of the extremes within so many bits, sign apart. */
  private static long number(RandomGenerator r, int usual, int bits) {
    if (r.nextInt(12) != 0) {
      return r.nextInt(Math.max(1, usual));
    }
    long extreme = EXTREMES[r.nextInt(EXTREMES.length)];
    return bits == 64 ? extreme : extreme & ((1L << bits) - 1);
  }

  private int ack(RandomGenerator r, int at) {
    long largest = number(r, 400, 63);
    long run = 1 + Math.min(largest, r.nextInt(50));
    int length = AckFrame.encode(packet, at, rail(r), number(r, 5000, 32), largest, run);
    long below = largest - run;
    for (int i = r.nextInt(10); i > 0 && below > 3; i--) {
      long gap = 1L + r.nextInt((int) Math.min(20, below - 2));
      long next = 1L + r.nextInt((int) Math.min(20, below - gap + 1));
      length = AckFrame.append(packet, at, gap, next);
      below -= gap + next;
    }
    return length;
  }

  private int whole(RandomGenerator r, int at, int channel, long message) {
    int count = r.nextInt(4) == 0 ? 2 + r.nextInt(30) : 1;
    long first = Math.clamp(message, 1L, Long.MAX_VALUE - count - 1);
    if (count == 1) {
      int payload = r.nextInt(10) == 0 ? r.nextInt(20_000) : r.nextInt(200);
      return EagerFrame.encode(packet, at, 0, channel, first, payload, 0);
    }
    int sum = 0;
    int length = EagerFrame.encode(packet, at, 0, count, channel, first, 0, 0);
    for (int i = 0; i < count; i++) {
      int one = r.nextInt(100);
      EagerFrame.setMessageLength(packet, at, i, one);
      sum += one;
    }
    bytes.putInt(at + 16, sum);
    return length;
  }

  private int fragment(RandomGenerator r, int at, int channel, long message) {
    long length = 1 + number(r, 100_000, 40);
    long offset = Math.min(length - 1, number(r, (int) Math.min(length, 100_000), 40));
    int part = (int) Math.min(length - offset, 1 + r.nextInt(1200));
    return FragmentFrame.encode(
        packet, at, 0, channel, Math.max(1, message), part, 0, offset, length);
  }

  private static List<RailAddress> addresses(RandomGenerator r) {
    String[] texts = {
      "udp://127.0.0.1:" + (1 + r.nextInt(100_000)),
      "udp://127.0.0.1:99999999999999999999",
      "udp://[::1]:" + r.nextInt(70_000),
      "udp://[",
      "udp://]:1",
      "udp://:1",
      "udp://-1",
      "udp:",
      "udp://256.256.256.256:80",
      "udp://127.0.0.1",
      "udp://127.0.0.1:-5",
      "udp://127.1:" + r.nextInt(70_000),
      "udp://[fe80::1%lo]:7",
      "udp://[fe80::1%99999999999]:7",
      "udp://0.0.0.0:0",
      "udp://255.255.255.255:7",
      "udp://224.0.0.1:7",
      "shm:",
      "shm::",
      "shm:a:b",
      "shm:" + "x".repeat(200),
      "shm:../../../../etc/passwd",
      "shm:0:0:/",
      "tcp://127.0.0.1:80",
      "~:",
    };
    int count = r.nextInt(5);
    RailAddress[] list = new RailAddress[count];
    for (int i = 0; i < count; i++) {
      list[i] = new RailAddress(texts[r.nextInt(texts.length)]);
    }
    return List.of(list);
  }

  private int begin(int rail, long connectionId, long packetNumber) {
    return PacketHeader.begin(
        packet, 0, PacketHeader.DATA, rail, connectionId, packetNumber & Long.MAX_VALUE);
  }

  /** Payload as the frames ask for, if it fits, with right checksums; then the header's CRC. */
  private int finish(int headerLength) {
    bytes.putShort(PacketHeader.HEADER_LENGTH, (short) headerLength);
    int end = headerLength;
    for (int f = PacketHeader.LENGTH; f < headerLength; ) {
      long payload = Frames.payloadLength(packet, f);
      if (payload > 0 && payload < MAX_LENGTH - end) {
        java.util.Arrays.fill(packet, end, end + (int) payload, (byte) 0x55);
        int type = Frames.type(packet, f);
        if (type == Frames.EAGER || type == Frames.FRAGMENT || type == Frames.PLACED) {
          bytes.putInt(f + 20, crc.compute(packet, end, (int) payload));
        }
        end += (int) payload;
      }
      int length = Frames.length(packet, f);
      if (length <= 0) {
        break;
      }
      f += length;
    }
    PacketHeader.seal(packet, 0, headerLength, crc);
    return end;
  }
}
