// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.wire.Samples.FrameWriter;
import io.crosstie.transport.RailAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Every frame: what was written is read back, and nothing beside it is touched. */
class FramesTest {
  private static final int OFF = 3;
  private static final byte OLD = 0x5a;

  private final byte[] m = new byte[8192];

  private void written(int type, int length, FrameWriter writer) {
    Arrays.fill(m, OLD);
    assertEquals(length, writer.write(m, OFF));
    assertEquals(type, Frames.type(m, OFF));
    assertEquals(length, Frames.length(m, OFF));
    for (int i = 0; i < m.length; i++) {
      if (i < OFF || i >= OFF + length) {
        assertEquals(OLD, m[i], "byte " + (i - OFF) + " was touched");
      }
    }
  }

  @Test
  void header() {
    Arrays.fill(m, OLD);
    var crc = io.crosstie.checksum.Checksum.of(io.crosstie.checksum.ChecksumKind.CRC32C);
    assertEquals(24, PacketHeader.begin(m, OFF, PacketHeader.RESET, 63, -2, Long.MAX_VALUE));
    PacketHeader.seal(m, OFF, 4096, crc);
    assertEquals(2, PacketHeader.version(m, OFF));
    assertEquals(PacketHeader.RESET, PacketHeader.kind(m, OFF));
    assertEquals(63, PacketHeader.rail(m, OFF));
    assertEquals(4096, PacketHeader.headerLength(m, OFF));
    assertEquals(-2, PacketHeader.connectionId(m, OFF));
    assertEquals(Long.MAX_VALUE, PacketHeader.packetNumber(m, OFF));
    assertEquals(crc.compute(m, OFF + 4, 4092), Layouts.i32(m, OFF + PacketHeader.HEADER_CRC));
    assertEquals(OLD, m[OFF + 24]);
  }

  @Test
  void padding() {
    written(Frames.PADDING, 8, (m, off) -> PaddingFrame.encode(m, off, Integer.MAX_VALUE));
    assertEquals(Integer.MAX_VALUE, PaddingFrame.payloadLength(m, OFF));
    assertEquals(Integer.MAX_VALUE, Frames.payloadLength(m, OFF));
  }

  @Test
  void ping() {
    written(Frames.PING, 8, PingFrame::encode);
    assertEquals(0, Frames.payloadLength(m, OFF));
  }

  @Test
  void ack() {
    written(Frames.ACK, 24, (m, off) -> AckFrame.encode(m, off, 63, 0xffff_fffeL, 1L << 60, 1));
    assertEquals(63, AckFrame.rail(m, OFF));
    assertEquals(0xffff_fffeL, AckFrame.delayMicros(m, OFF));
    assertEquals(1L << 60, AckFrame.largest(m, OFF));
    assertEquals(1, AckFrame.runCount(m, OFF));
    assertEquals(0, AckFrame.gap(m, OFF, 0));
    assertEquals(1, AckFrame.run(m, OFF, 0));
  }

  @Test
  void ackWithManyRuns() {
    written(
        Frames.ACK,
        AckFrame.MAX_LENGTH,
        (m, off) -> {
          int length = AckFrame.encode(m, off, 1, 0, 1_000_000, 5);
          for (int i = 1; i < AckFrame.MAX_RUNS; i++) {
            length = AckFrame.append(m, off, i, 2L * i);
          }
          return length;
        });
    assertEquals(64, AckFrame.runCount(m, OFF));
    assertEquals(63, AckFrame.gap(m, OFF, 63));
    assertEquals(126, AckFrame.run(m, OFF, 63));
    assertEquals(AckFrame.MAX_LENGTH, AckFrame.append(m, OFF, 1, 1), "a 65th run is not told");
    assertEquals(64, AckFrame.runCount(m, OFF));
  }

  @Test
  void ackOfMoreThanItCanTell() {
    written(
        Frames.ACK,
        24,
        (m, off) -> {
          AckFrame.encode(m, off, 1, Long.MAX_VALUE, 1L << 40, 1L << 33);
          return AckFrame.append(m, off, 1, 1);
        });
    assertEquals(0xffff_ffffL, AckFrame.delayMicros(m, OFF));
    assertEquals(AckFrame.MAX_RUN, AckFrame.run(m, OFF, 0));
    assertEquals(1, AckFrame.runCount(m, OFF), "nothing is told below a run that was cut");

    AckFrame.encode(m, OFF, 1, -5, 1L << 40, 9);
    assertEquals(0, AckFrame.delayMicros(m, OFF));
    assertEquals(24, AckFrame.append(m, OFF, 1L << 32, 1), "a gap that cannot be told");
    assertEquals(32, AckFrame.append(m, OFF, AckFrame.MAX_RUN, 1L << 35));
    assertEquals(AckFrame.MAX_RUN, AckFrame.gap(m, OFF, 1));
    assertEquals(AckFrame.MAX_RUN, AckFrame.run(m, OFF, 1));
    assertEquals(32, AckFrame.append(m, OFF, 1, 1));
  }

  @Test
  void nack() {
    written(Frames.NACK, 16, (m, off) -> NackFrame.encode(m, off, 62, NackFrame.NO_ROOM, 1L << 61));
    assertEquals(62, NackFrame.rail(m, OFF));
    assertEquals(NackFrame.NO_ROOM, NackFrame.reason(m, OFF));
    assertEquals(1L << 61, NackFrame.packetNumber(m, OFF));
  }

  @Test
  void whole() {
    written(
        Frames.EAGER,
        24,
        (m, off) -> EagerFrame.encode(m, off, 32, Integer.MAX_VALUE, 1L << 61, 1 << 30, -7));
    assertEquals(32, EagerFrame.headerLength(m, OFF, 0));
    assertEquals(Integer.MAX_VALUE, EagerFrame.channel(m, OFF));
    assertEquals(1, EagerFrame.count(m, OFF));
    assertEquals(1L << 61, EagerFrame.firstMessage(m, OFF));
    assertEquals(1 << 30, EagerFrame.payloadLength(m, OFF));
    assertEquals(1 << 30, EagerFrame.messageLength(m, OFF, 0));
    assertEquals(1 << 30, Frames.payloadLength(m, OFF));
    assertEquals(-7, EagerFrame.checksum(m, OFF));
    EagerFrame.setChecksum(m, OFF, 8);
    assertEquals(8, EagerFrame.checksum(m, OFF));
  }

  @Test
  void wholeWithSeveralMessages() {
    for (int count = 2; count <= 20; count++) {
      var lengths = new int[count];
      Arrays.setAll(lengths, i -> i == 0 ? 0xffff : i - 1);
      int length = 24 + (2 * count + 7) / 8 * 8;
      written(Frames.EAGER, length, (m, off) -> Samples.whole(m, off, 1, lengths));
      assertEquals(length, EagerFrame.length(count));
      assertEquals(count, EagerFrame.count(m, OFF));
      for (int i = 0; i < count; i++) {
        assertEquals(lengths[i], EagerFrame.messageLength(m, OFF, i));
        assertEquals(0, EagerFrame.headerLength(m, OFF, i));
      }
      for (int i = 24 + 2 * count; i < length; i++) {
        assertEquals(0, m[OFF + i], "padding");
      }
    }
  }

  @Test
  void wholeWithSeveralMessagesWithHeaders() {
    for (int count = 2; count <= 20; count++) {
      var lengths = new int[count];
      var headers = new int[count];
      Arrays.setAll(lengths, i -> i == 0 ? 0xffff : i - 1);
      Arrays.setAll(headers, i -> i == 0 ? 32 : i / 2);
      int length = 24 + (4 * count + 7) / 8 * 8;
      written(
          Frames.EAGER, length, (m, off) -> Samples.eagerWithHeaders(m, off, 9, lengths, headers));
      assertEquals(length, EagerFrame.lengthWithHeaders(count));
      assertEquals(count, EagerFrame.count(m, OFF));
      assertEquals(9, EagerFrame.firstMessage(m, OFF));
      for (int i = 0; i < count; i++) {
        assertEquals(lengths[i], EagerFrame.messageLength(m, OFF, i));
        assertEquals(headers[i], EagerFrame.headerLength(m, OFF, i));
      }
      for (int i = 24 + 4 * count; i < length; i++) {
        assertEquals(0, m[OFF + i], "padding");
      }
    }
  }

  /** Appended one by one, messages make the same frame as if all had been known at first. */
  @Test
  void wholeThatGrows() {
    var random = new SplittableRandom(15);
    int most = 2024; // fill the longest header
    for (int round = 0; round < 50; round++) {
      int max = round == 0 ? most : 1 + random.nextInt(40);
      int highest = random.nextBoolean() ? EagerFrame.MAX_SHARED_LENGTH : 3;
      int[] lengths = random.ints(max, 0, highest + 1).toArray();
      lengths[random.nextInt(max)] = highest;
      Arrays.fill(m, OLD);
      int length = EagerFrame.encode(m, OFF, 0, 7, 1L << 50, lengths[0], 0xa1a2a3a4);
      for (int count = 2; count <= max; count++) {
        length += EagerFrame.append(m, OFF, lengths[count - 1]);
        assertEquals(EagerFrame.length(count), length);
        if (count < 20 || count == max) {
          assertArrayEquals(encoded(Arrays.copyOf(lengths, count)), m);
        }
      }
    }
  }

  @Test
  void wholeHoldsAsManyAsHaveRoom() {
    for (int bytes = EagerFrame.length(1); bytes < 200; bytes++) {
      int most = EagerFrame.mostMessages(bytes);
      assertTrue(EagerFrame.length(most) <= bytes, bytes + " bytes");
      assertTrue(EagerFrame.length(most + 1) > bytes, bytes + " bytes");
    }
  }

  private byte[] encoded(int[] lengths) {
    var expected = new byte[m.length];
    Arrays.fill(expected, OLD);
    int count = lengths.length;
    int sum = Arrays.stream(lengths).sum();
    EagerFrame.encode(expected, OFF, 0, count, 7, 1L << 50, sum, 0xa1a2a3a4);
    for (int i = 0; i < count; i++) {
      EagerFrame.setMessageLength(expected, OFF, i, lengths[i]);
    }
    return expected;
  }

  @Test
  void fragment() {
    written(
        Frames.FRAGMENT,
        40,
        (m, off) -> FragmentFrame.encode(m, off, 3, 9, 1L << 50, 77, -9, 1L << 51, 1L << 52));
    assertEquals(3, FragmentFrame.flags(m, OFF));
    assertEquals(9, FragmentFrame.channel(m, OFF));
    assertEquals(1L << 50, FragmentFrame.messageNumber(m, OFF));
    assertEquals(77, FragmentFrame.payloadLength(m, OFF));
    assertEquals(77, Frames.payloadLength(m, OFF));
    assertEquals(-9, FragmentFrame.checksum(m, OFF));
    assertEquals(1L << 51, FragmentFrame.offset(m, OFF));
    assertEquals(1L << 52, FragmentFrame.messageLength(m, OFF));
    FragmentFrame.setChecksum(m, OFF, 8);
    assertEquals(8, FragmentFrame.checksum(m, OFF));
    assertEquals(0, FragmentFrame.headerLength(m, OFF));
    FragmentFrame.setHeaderLength(m, OFF, 32);
    assertEquals(32, FragmentFrame.headerLength(m, OFF));
    assertEquals(3, FragmentFrame.flags(m, OFF));
    assertEquals(9, FragmentFrame.channel(m, OFF));
  }

  @Test
  void reference() {
    written(
        Frames.REFERENCE,
        48,
        (m, off) -> ReferenceFrame.encode(m, off, 9, 1L << 50, 1 << 18, 1L << 40, 1L << 41));
    ReferenceFrame.complete(m, OFF, -7, -1L << 40);
    assertEquals(0, Frames.payloadLength(m, OFF));
    assertEquals(9, FragmentFrame.channel(m, OFF));
    assertEquals(1L << 50, FragmentFrame.messageNumber(m, OFF));
    assertEquals(1 << 18, FragmentFrame.payloadLength(m, OFF));
    assertEquals(-7, FragmentFrame.checksum(m, OFF));
    assertEquals(1L << 40, FragmentFrame.offset(m, OFF));
    assertEquals(1L << 41, FragmentFrame.messageLength(m, OFF));
    assertEquals(-1L << 40, ReferenceFrame.address(m, OFF));
  }

  @Test
  void placed() {
    written(
        Frames.PLACED,
        56,
        (m, off) -> PlacedFrame.encode(m, off, 7, 9, 1L << 50, 77, -9, 8, 1L << 52, -2, 1L << 53));
    assertPlaced();
    assertEquals(77, Frames.payloadLength(m, OFF));
  }

  private void assertPlaced() {
    assertEquals(0, FragmentFrame.flags(m, OFF));
    assertEquals(7, FragmentFrame.headerLength(m, OFF));
    assertEquals(9, FragmentFrame.channel(m, OFF));
    assertEquals(1L << 50, FragmentFrame.messageNumber(m, OFF));
    assertEquals(77, FragmentFrame.payloadLength(m, OFF));
    assertEquals(-9, FragmentFrame.checksum(m, OFF));
    assertEquals(8, FragmentFrame.offset(m, OFF));
    assertEquals(1L << 52, FragmentFrame.messageLength(m, OFF));
    assertEquals(-2, PlacedFrame.key(m, OFF));
    assertEquals(1L << 53, PlacedFrame.targetOffset(m, OFF));
  }

  @Test
  void datagram() {
    written(Frames.DATAGRAM, 16, (m, off) -> DatagramFrame.encode(m, off, 32, 1 << 30, -7));
    assertEquals(32, DatagramFrame.headerLength(m, OFF));
    assertEquals(1 << 30, DatagramFrame.payloadLength(m, OFF));
    assertEquals(1 << 30, Frames.payloadLength(m, OFF));
    assertEquals(-7, DatagramFrame.checksum(m, OFF));
  }

  @Test
  void channelState() {
    written(
        Frames.CHANNEL_STATE,
        32,
        (m, off) -> ChannelStateFrame.encode(m, off, 4, 9, 1L << 50, 1L << 49, 1L << 51));
    assertEquals(4, ChannelStateFrame.flags(m, OFF));
    assertEquals(9, ChannelStateFrame.channel(m, OFF));
    assertEquals(1L << 50, ChannelStateFrame.accepted(m, OFF));
    assertEquals(1L << 49, ChannelStateFrame.consumed(m, OFF));
    assertEquals(1L << 51, ChannelStateFrame.creditLimit(m, OFF));
  }

  @Test
  void announceAndGrantAndFin() {
    written(Frames.RTS, 24, (m, off) -> RtsFrame.encode(m, off, 9, 1L << 50, 1L << 40, 200, 0));
    assertEquals(9, RtsFrame.channel(m, OFF));
    assertEquals(1L << 50, RtsFrame.messageNumber(m, OFF));
    assertEquals(1L << 40, RtsFrame.messageLength(m, OFF));
    assertEquals(200, RtsFrame.behind(m, OFF));
    assertEquals(0, RtsFrame.round(m, OFF));
    written(Frames.CTS, 16, (m, off) -> GrantFrame.encode(m, off, Frames.CTS, 9, 1L << 50, 0));
    assertEquals(9, GrantFrame.channel(m, OFF));
    assertEquals(1L << 50, GrantFrame.messageNumber(m, OFF));
    written(Frames.RTS, 24, (m, off) -> RtsFrame.encode(m, off, 9, 8, 7, 0, 0x1fffe));
    assertEquals(0xfffe, RtsFrame.round(m, OFF));
    assertEquals(9, RtsFrame.channel(m, OFF));
    written(Frames.CTS, 16, (m, off) -> GrantFrame.encode(m, off, Frames.CTS, 9, 8, 0x1fffe));
    assertEquals(0xfffe, GrantFrame.round(m, OFF));
    assertEquals(9, GrantFrame.channel(m, OFF));
    written(
        Frames.REVOKE,
        16,
        (m, off) -> GrantFrame.encode(m, off, Frames.REVOKE, 9, 1L << 50, 0x1fffe));
    assertEquals(9, GrantFrame.channel(m, OFF));
    assertEquals(1L << 50, GrantFrame.messageNumber(m, OFF));
    assertEquals(0xfffe, GrantFrame.round(m, OFF));
    written(Frames.ABORT, 16, (m, off) -> AbortFrame.encode(m, off, 9, 1L << 50));
    assertEquals(9, AbortFrame.channel(m, OFF));
    assertEquals(1L << 50, AbortFrame.messageNumber(m, OFF));
    written(Frames.CHANNEL_FIN, 16, (m, off) -> ChannelFinFrame.encode(m, off, 9, 1L << 50));
    assertEquals(9, ChannelFinFrame.channel(m, OFF));
    assertEquals(1L << 50, ChannelFinFrame.lastMessageNumber(m, OFF));
  }

  @Test
  void challengeAndResponse() {
    written(Frames.CHALLENGE, 16, (m, off) -> ChallengeFrame.encode(m, off, 63, 0xfffe, -3));
    assertEquals(63, ChallengeFrame.rail(m, OFF));
    assertEquals(0xfffe, ChallengeFrame.flags(m, OFF));
    assertEquals(-3, ChallengeFrame.token(m, OFF));
    written(Frames.RESPONSE, 16, (m, off) -> ResponseFrame.encode(m, off, 63, 0xfffe, -3));
    assertEquals(63, ResponseFrame.rail(m, OFF));
    assertEquals(0xfffe, ResponseFrame.flags(m, OFF));
    assertEquals(-3, ResponseFrame.token(m, OFF));
  }

  @Test
  void railInfoAndRailGone() {
    written(Frames.RAIL_INFO, 16, (m, off) -> RailInfoFrame.encode(m, off, 63, 1, 1 << 30, 9000));
    assertEquals(63, RailInfoFrame.rail(m, OFF));
    assertEquals(RailInfoFrame.LOSSLESS, RailInfoFrame.flags(m, OFF));
    assertEquals(1 << 30, RailInfoFrame.receiveBufferBytes(m, OFF));
    assertEquals(9000, RailInfoFrame.maxPacketLength(m, OFF));
    written(Frames.RAIL_GONE, 8, (m, off) -> RailGoneFrame.encode(m, off, 63));
    assertEquals(63, RailGoneFrame.rail(m, OFF));
  }

  @Test
  void channelRefused() {
    int last = Integer.MAX_VALUE;
    written(Frames.CHANNEL_REFUSED, 8, (m, off) -> ChannelRefusedFrame.encode(m, off, last, 1));
    assertEquals(last, ChannelRefusedFrame.channel(m, OFF));
    assertEquals(ChannelRefusedFrame.NO_MORE_CHANNELS, ChannelRefusedFrame.reason(m, OFF));
  }

  @Test
  void messageRefused() {
    written(
        Frames.MESSAGE_REFUSED, 16, (m, off) -> MessageRefusedFrame.encode(m, off, 9, 1L << 50, 5));
    assertEquals(9, MessageRefusedFrame.channel(m, OFF));
    assertEquals(1L << 50, MessageRefusedFrame.messageNumber(m, OFF));
    assertEquals(MessageRefusedFrame.TOO_LONG, MessageRefusedFrame.reason(m, OFF));
  }

  @Test
  void addresses() {
    String longest = "udp://" + "h".repeat(RailAddress.MAX_LENGTH - 6);
    for (List<RailAddress> list :
        List.of(
            List.<RailAddress>of(),
            Samples.addresses("a:"),
            Samples.addresses("udp://[::1]:7400", "shm:x/y", "a:~!"),
            Collections.nCopies(16, new RailAddress(longest)))) {
      int length = AddressesFrame.length(list);
      written(Frames.ADDRESSES, length, (m, off) -> AddressesFrame.encode(m, off, -4, list));
      assertEquals(list.size(), AddressesFrame.count(m, OFF));
      assertEquals(-4, AddressesFrame.generation(m, OFF));
      assertEquals(list, AddressesFrame.addresses(m, OFF));
    }
    List<RailAddress> tooMany = Collections.nCopies(17, new RailAddress("a:"));
    assertThrows(IllegalArgumentException.class, () -> AddressesFrame.encode(m, OFF, 1, tooMany));
  }

  @Test
  void close() {
    written(Frames.CLOSE, 16, (m, off) -> CloseFrame.encode(m, off, 200, 1, -1));
    assertEquals(200, CloseFrame.reason(m, OFF));
    assertEquals(CloseFrame.ACKNOWLEDGES, CloseFrame.flags(m, OFF));
    assertEquals(-1, CloseFrame.detail(m, OFF));
  }

  @Test
  void onlyWhatNeedsNoAnswerIsNotAckEliciting() {
    for (int type = 1; type < 256; type++) {
      boolean silent = type == Frames.PADDING || type == Frames.ACK || type == Frames.CLOSE;
      assertEquals(!silent, Frames.isAckEliciting(type), "type " + type);
    }
  }

  @Test
  void everyKindHasAName() {
    for (int kind = PacketHeader.DATA; kind <= PacketHeader.RESET; kind++) {
      assertFalse(PacketHeader.kindName(kind).contains(" "));
    }
  }
}
