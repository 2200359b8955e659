// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.PacketValidator.BAD_CONNECTION_ID;
import static io.crosstie.reliability.wire.PacketValidator.BAD_FRAME;
import static io.crosstie.reliability.wire.PacketValidator.BAD_HANDSHAKE;
import static io.crosstie.reliability.wire.PacketValidator.BAD_HEADER_CRC;
import static io.crosstie.reliability.wire.PacketValidator.BAD_HEADER_LENGTH;
import static io.crosstie.reliability.wire.PacketValidator.BAD_KIND;
import static io.crosstie.reliability.wire.PacketValidator.BAD_LENGTH_SUM;
import static io.crosstie.reliability.wire.PacketValidator.BAD_PACKET_NUMBER;
import static io.crosstie.reliability.wire.PacketValidator.BAD_RAIL;
import static io.crosstie.reliability.wire.PacketValidator.BAD_VERSION;
import static io.crosstie.reliability.wire.PacketValidator.MESSAGE_TOO_LARGE;
import static io.crosstie.reliability.wire.PacketValidator.NOT_TAKEN;
import static io.crosstie.reliability.wire.PacketValidator.TOO_SHORT;
import static io.crosstie.reliability.wire.PacketValidator.UNKNOWN_FRAME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.crosstie.reliability.wire.Samples.FrameWriter;
import io.crosstie.transport.RailAddress;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is accepted, and the reason for which everything else is refused. */
@Tag("R21")
class PacketValidatorTest {
  private final PacketValidator validator = new PacketValidator(Takes.ALL);

  private void check(int expected, byte[] packet, long maxMessageLength) {
    assertEquals(expected, Samples.validate(validator, packet, maxMessageLength));
  }

  private void check(int expected, byte[] packet) {
    check(expected, packet, Samples.MAX_MESSAGE_LENGTH);
  }

  private void refused(int expected, FrameWriter... frames) {
    check(expected, Samples.data(frames));
  }

  private void accepted(FrameWriter... frames) {
    byte[] packet = Samples.data(frames);
    check(PacketHeader.headerLength(packet, 0), packet);
  }

  /** A frame of the given type with bytes set to other values. */
  private static FrameWriter with(String frame, int at, int... values) {
    return (m, off) -> {
      int length = Samples.frames().get(frame).write(m, off);
      for (int i = 0; i < values.length; i++) {
        Layouts.putU8(m, off + at + i, values[i]);
      }
      return length;
    };
  }

  private static int[] u64(long value) {
    var bytes = new int[8];
    Arrays.setAll(bytes, i -> (int) (value >>> (8 * i)) & 0xff);
    return bytes;
  }

  private static int[] u32(int value) {
    return Arrays.copyOf(u64(value), 4);
  }

  @Test
  void everySampleIsAccepted() {
    for (Map.Entry<String, byte[]> sample : Samples.packets().entrySet()) {
      byte[] packet = sample.getValue();
      int headerLength = PacketHeader.headerLength(packet, 0);
      check(headerLength, packet);
    }
    Samples.frames().values().forEach(this::accepted);
  }

  @Test
  void everyTruncationIsRefused() {
    for (byte[] packet : Samples.packets().values()) {
      for (int length = 0; length < packet.length; length++) {
        assertTrue(Samples.validate(validator, Arrays.copyOf(packet, length)) < 0);
      }
    }
    check(TOO_SHORT, Arrays.copyOf(Samples.packets().get("DATA"), 23));
  }

  @Test
  void everyTruncationOfTheCopyIsRefused() {
    byte[] packet = Samples.packets().get("DATA");
    int headerLength = Samples.validate(validator, packet);
    for (int available = 0; available < headerLength; available++) {
      byte[] m = Arrays.copyOf(packet, available);
      assertTrue(validator.validate(m, 0, available, packet.length, Long.MAX_VALUE) < 0);
    }
    byte[] m = Arrays.copyOf(packet, headerLength);
    assertEquals(
        headerLength, validator.validate(m, 0, headerLength, packet.length, Long.MAX_VALUE));
  }

  @Test
  void mergedPacketsAreRefused() {
    for (byte[] first : Samples.packets().values()) {
      for (byte[] second : Samples.packets().values()) {
        check(BAD_LENGTH_SUM, Samples.concat(first, second));
      }
      check(BAD_LENGTH_SUM, Samples.concat(first, new byte[1]));
    }
  }

  @Test
  void everyFlippedBitOfAHeaderIsRefused() {
    for (byte[] packet : Samples.packets().values()) {
      int headerLength = Samples.validate(validator, packet);
      for (int bit = 0; bit < 8 * headerLength; bit++) {
        packet[bit / 8] ^= (byte) (1 << bit % 8);
        assertTrue(Samples.validate(validator, packet) < 0);
        packet[bit / 8] ^= (byte) (1 << bit % 8);
      }
      assertEquals(headerLength, Samples.validate(validator, packet));
    }
  }

  @Test
  void aFlippedBitOfThePayloadIsNotTheHeadersBusiness() {
    byte[] packet = Samples.packets().get("DATA");
    packet[packet.length - 1] ^= 1;
    assertTrue(Samples.validate(validator, packet) > 0);
  }

  @Test
  void headerFields() {
    byte[] ping = Samples.data(PingFrame::encode);
    for (int other : new int[] {0x01, 0x11, 0x31, 0xf1}) {
      byte[] packet = ping.clone();
      packet[PacketHeader.VERSION_AND_KIND] = (byte) other;
      check(BAD_VERSION, Samples.resealed(packet));
    }
    for (int other : new int[] {0x20, 0x28, 0x2f}) {
      byte[] packet = ping.clone();
      packet[PacketHeader.VERSION_AND_KIND] = (byte) other;
      check(BAD_KIND, Samples.resealed(packet));
    }
    for (int length : new int[] {0, 8, 16, 24, 31, 33, 40, 4096, 4104, 0xfff8}) {
      byte[] packet = ping.clone();
      Layouts.putU16(packet, PacketHeader.HEADER_LENGTH, length);
      check(BAD_HEADER_LENGTH, Samples.resealed(packet));
    }
    byte[] crc = ping.clone();
    crc[0] ^= 1;
    check(BAD_HEADER_CRC, crc);
    byte[] rail = ping.clone();
    rail[PacketHeader.RAIL] = 64;
    check(BAD_RAIL, Samples.resealed(rail));
    byte[] number = ping.clone();
    number[PacketHeader.PACKET_NUMBER + 7] = (byte) 0x80;
    check(BAD_PACKET_NUMBER, Samples.resealed(number));
  }

  @Test
  void connectionIdsAreThereOrNotAsTheKindAsks() {
    for (Map.Entry<String, byte[]> sample : Samples.packets().entrySet()) {
      byte[] packet = sample.getValue().clone();
      boolean before = packet[PacketHeader.CONNECTION_ID] != 0;
      Arrays.fill(packet, PacketHeader.CONNECTION_ID, PacketHeader.PACKET_NUMBER, (byte) 0);
      packet[PacketHeader.CONNECTION_ID + 7] = (byte) (before ? 0 : 0x80);
      int expected =
          sample.getKey().equals("REJECT")
              ? PacketHeader.headerLength(packet, 0)
              : BAD_CONNECTION_ID;
      check(expected, Samples.resealed(packet));
    }
  }

  @Test
  void handshakesHaveTheirLength() {
    for (String kind : new String[] {"INIT", "HELLO"}) {
      byte[] packet = Arrays.copyOf(Samples.packets().get(kind), 1192);
      Layouts.putU16(packet, PacketHeader.HEADER_LENGTH, 1192);
      check(BAD_HANDSHAKE, Samples.resealed(packet));
    }
    byte[] reset = Arrays.copyOf(Samples.packets().get("RESET"), 40);
    Layouts.putU16(reset, PacketHeader.HEADER_LENGTH, 40);
    check(BAD_HANDSHAKE, Samples.resealed(reset));
    byte[] welcome = Arrays.copyOf(Samples.packets().get("WELCOME"), 1208);
    Layouts.putU16(welcome, PacketHeader.HEADER_LENGTH, 1208);
    check(BAD_HEADER_LENGTH, Samples.resealed(welcome));
  }

  @Test
  void unknownFramesAreRefusedUnlessTheyAreExtensions() {
    refused(UNKNOWN_FRAME, (m, off) -> Samples.extension(m, off, 0, 8));
    for (int type = Frames.DATAGRAM + 1; type < Frames.FIRST_EXTENSION; type++) {
      int unknown = type;
      refused(UNKNOWN_FRAME, (m, off) -> Samples.extension(m, off, unknown, 8));
    }
    for (int type = Frames.FIRST_EXTENSION; type < 256; type++) {
      int known = type;
      accepted((m, off) -> Samples.extension(m, off, known, 48), PingFrame::encode);
      refused(BAD_FRAME, (m, off) -> Samples.extension(m, off, known, 48) - 8);
    }
    for (int length : new int[] {0, 4, 7, 9, 15, 24, 0xfff8, 0xffff}) {
      refused(BAD_FRAME, with("extension", Frames.EXTENSION_LENGTH, length & 0xff, length >> 8));
    }
  }

  @Test
  void reservedFieldsAreZeroAndFlagsAreFree() {
    int[][] reserved = {
      {Frames.PADDING, 1, 2, 3},
      {Frames.PING, 1, 2, 3, 4, 5, 6, 7},
      {Frames.NACK, 3, 4, 5, 6, 7},
      {Frames.FRAGMENT, 3},
      {Frames.REFERENCE, 3},
      {Frames.PLACED, 3},
      {Frames.DATAGRAM, 2, 3, 12, 13, 14, 15},
      {Frames.REVOKE, 1},
      {Frames.CHANNEL_REFUSED, 2, 3},
      {Frames.MESSAGE_REFUSED, 2, 3},
      {Frames.CHANNEL_STATE, 2, 3},
      {Frames.CTS, 1},
      {Frames.ABORT, 1, 2, 3},
      {Frames.CHANNEL_FIN, 1, 2, 3},
      {Frames.CHALLENGE, 4, 5, 6, 7},
      {Frames.RESPONSE, 4, 5, 6, 7},
      {Frames.RAIL_INFO, 12, 13, 14, 15},
      {Frames.CLOSE, 3, 4, 5, 6, 7},
      {Frames.RAIL_GONE, 2, 3, 4, 5, 6, 7},
    };
    for (int[] frame : reserved) {
      for (int i = 1; i < frame.length; i++) {
        refused(BAD_FRAME, with(Samples.nameOf(frame[0]), frame[i], 0x10));
      }
    }
    for (String frame : new String[] {"FRAGMENT", "REFERENCE"}) {
      accepted(with(frame, FragmentFrame.FLAGS, 0xfc));
    }
    accepted(with("REFERENCE", ReferenceFrame.ADDRESS, u64(-1)));
    accepted(with("CHANNEL_STATE", ChannelStateFrame.FLAGS, 0xff));
    accepted(with("CHALLENGE", ChallengeFrame.FLAGS, 0xff, 0xff));
    accepted(with("RESPONSE", ResponseFrame.FLAGS, 0xff, 0xff));
    accepted(with("RAIL_INFO", RailInfoFrame.FLAGS, 0xff, 0xff));
    accepted(with("CLOSE", CloseFrame.FLAGS, 0xff));
  }

  @Test
  void railsAreAtMost63() {
    for (String frame :
        new String[] {
          "ACK", "NACK", "CHALLENGE", "RESPONSE", "RAIL_INFO", "RAIL_GONE",
        }) {
      accepted(with(frame, 1, 63));
      refused(BAD_FRAME, with(frame, 1, 64));
      refused(BAD_FRAME, with(frame, 1, 255));
    }
  }

  @Test
  void channelsAreNotNegative() {
    for (String frame :
        new String[] {
          "EAGER",
          "EAGER of three",
          "FRAGMENT",
          "REFERENCE",
          "PLACED",
          "MESSAGE_REFUSED",
          "EAGER of three with headers",
          "CHANNEL_STATE",
          "RTS",
          "CTS",
          "ABORT",
          "CHANNEL_FIN",
          "CHANNEL_REFUSED",
          "REVOKE",
        }) {
      accepted(with(frame, 4, u32(0)));
      accepted(with(frame, 4, u32(Integer.MAX_VALUE)));
      refused(BAD_FRAME, with(frame, 4, u32(Integer.MIN_VALUE)));
    }
  }

  @Test
  void messageNumbersArePositive() {
    for (String frame :
        new String[] {
          "EAGER",
          "EAGER of three",
          "EAGER of three with headers",
          "FRAGMENT",
          "REFERENCE",
          "PLACED",
          "RTS",
          "CTS",
          "ABORT",
          "REVOKE",
          "MESSAGE_REFUSED",
        }) {
      accepted(with(frame, 8, u64(1)));
      refused(BAD_FRAME, with(frame, 8, u64(0)));
      refused(BAD_FRAME, with(frame, 8, u64(-1)));
    }
    accepted(with("CHANNEL_FIN", 8, u64(0)));
    refused(BAD_FRAME, with("CHANNEL_FIN", 8, u64(-1)));
    accepted(with("EAGER of three", 8, u64(Long.MAX_VALUE - 3)));
    refused(BAD_FRAME, with("EAGER of three", 8, u64(Long.MAX_VALUE - 1)));
  }

  @Test
  @Tag("R3")
  void ackRangesNeverReachBelowZero() {
    accepted((m, off) -> AckFrame.encode(m, off, 0, 0, 0, 1));
    refused(BAD_FRAME, (m, off) -> AckFrame.encode(m, off, 0, 0, 0, 2));
    refused(BAD_FRAME, (m, off) -> AckFrame.encode(m, off, 0, 0, -1, 1));
    refused(BAD_FRAME, (m, off) -> AckFrame.encode(m, off, 0, 0, 10, 0));
    accepted((m, off) -> AckFrame.encode(m, off, 0, 0, Long.MAX_VALUE, AckFrame.MAX_RUN));
    accepted((m, off) -> ack(m, off, 10, 0, 5, 2, 4));
    refused(BAD_FRAME, (m, off) -> ack(m, off, 10, 0, 5, 2, 5));
    refused(BAD_FRAME, (m, off) -> ack(m, off, 10, 0, 5, 3, 4));
    refused(BAD_FRAME, (m, off) -> ack(m, off, 10, 1, 5));
    refused(BAD_FRAME, (m, off) -> ack(m, off, 10, 0, 5, 0, 1));
    refused(BAD_FRAME, (m, off) -> ack(m, off, 10, 0, 5, 1, 0));
    var enormous = new int[128];
    Arrays.fill(enormous, -1);
    enormous[0] = 0;
    accepted((m, off) -> ack(m, off, Long.MAX_VALUE, enormous));
    accepted((m, off) -> ack(m, off, 127 * 0xffff_ffffL - 1, enormous));
    refused(BAD_FRAME, (m, off) -> ack(m, off, 127 * 0xffff_ffffL - 2, enormous));
    refused(BAD_FRAME, (m, off) -> ack(m, off, 5, enormous));
    for (int count : new int[] {0, 65, 3, 0xffff}) {
      refused(BAD_FRAME, with("ACK", AckFrame.RUN_COUNT, count & 0xff, count >> 8));
    }
  }

  /** An ACK of any gaps and runs, also impossible ones. */
  private static int ack(byte[] m, int off, long largest, int... gapsAndRuns) {
    AckFrame.encode(m, off, 0, 0, largest, 1);
    for (int i = 0; i < gapsAndRuns.length; i++) {
      Layouts.putI32(m, off + AckFrame.RUNS + 4 * i, gapsAndRuns[i]);
    }
    Layouts.putU16(m, off + AckFrame.RUN_COUNT, gapsAndRuns.length / 2);
    return AckFrame.length(gapsAndRuns.length / 2);
  }

  @Test
  void nackReasons() {
    accepted(with("NACK", NackFrame.REASON, NackFrame.NO_ROOM));
    refused(BAD_FRAME, with("NACK", NackFrame.REASON, 0));
    accepted(with("NACK", NackFrame.REASON, NackFrame.NOT_PULLED));
    refused(BAD_FRAME, with("NACK", NackFrame.REASON, 4));
    accepted(with("NACK", NackFrame.PACKET_NUMBER, u64(0)));
    refused(BAD_FRAME, with("NACK", NackFrame.PACKET_NUMBER, u64(-1)));
  }

  @Test
  void lengthsOfWholeMessagesAddUp() {
    accepted((m, off) -> Samples.whole(m, off, 1, 0));
    accepted((m, off) -> Samples.whole(m, off, 1, 0, 0, 0, 0, 0));
    for (int at = EagerFrame.MESSAGE_LENGTHS; at < EagerFrame.MESSAGE_LENGTHS + 8; at++) {
      refused(BAD_FRAME, with("EAGER of three", at, 9));
    }
    refused(BAD_FRAME, with("EAGER of three", EagerFrame.COUNT, 0, 0));
    refused(BAD_FRAME, with("EAGER of three", EagerFrame.COUNT, 2, 0));
    refused(BAD_FRAME, with("EAGER of three", EagerFrame.COUNT, 5, 0));
    refused(BAD_FRAME, with("EAGER of three", EagerFrame.COUNT, 0xff, 0xff));
    check(BAD_FRAME, withWord("EAGER", EagerFrame.PAYLOAD_LENGTH, -1));
    check(BAD_LENGTH_SUM, withWord("EAGER", EagerFrame.PAYLOAD_LENGTH, 5));
    check(BAD_LENGTH_SUM, withWord("FRAGMENT", FragmentFrame.PAYLOAD_LENGTH, 7));
    check(BAD_LENGTH_SUM, withWord("PADDING", PaddingFrame.PAYLOAD_LENGTH, Integer.MAX_VALUE));
    check(BAD_FRAME, withWord("PADDING", PaddingFrame.PAYLOAD_LENGTH, -1));
  }

  /** A packet of one frame with one field set to another value after the payload was added. */
  private static byte[] withWord(String frame, int at, int value) {
    byte[] packet = Samples.data(Samples.frames().get(frame));
    Layouts.putI32(packet, PacketHeader.LENGTH + at, value);
    return Samples.resealed(packet);
  }

  @Test
  void sumsBeyond32BitsAreNotTaken() {
    FrameWriter none = (m, off) -> PaddingFrame.encode(m, off, 0);
    byte[] packet = Samples.data(none, none, none, none);
    for (int i = 0; i < 4; i++) {
      // Their sum is 2^32, which is 0 as an int, the true length of the payload.
      int at = PacketHeader.LENGTH + PaddingFrame.LENGTH * i;
      Layouts.putI32(packet, at + PaddingFrame.PAYLOAD_LENGTH, 1 << 30);
    }
    check(BAD_LENGTH_SUM, Samples.resealed(packet));
  }

  @Test
  void fragmentsLieInTheirMessage() {
    accepted(fragment(0, 1, 1));
    accepted(fragment(92, 8, 100));
    refused(BAD_FRAME, fragment(93, 8, 100));
    refused(BAD_FRAME, fragment(101, 8, 100));
    refused(BAD_FRAME, fragment(-1, 8, 100));
    refused(BAD_FRAME, fragment(0, 0, 100));
    refused(BAD_FRAME, fragment(0, 1, 0));
    refused(BAD_FRAME, fragment(0, 8, -1));
    refused(BAD_FRAME, fragment(Long.MAX_VALUE, 8, Long.MAX_VALUE));
    refused(BAD_FRAME, fragment(Long.MAX_VALUE - 3, 8, 100));
    refused(BAD_FRAME, fragment(Long.MIN_VALUE, 8, 100));
    check(BAD_FRAME, withWord("FRAGMENT", FragmentFrame.PAYLOAD_LENGTH, Integer.MIN_VALUE));
    check(BAD_FRAME, withWord("FRAGMENT, final", FragmentFrame.PAYLOAD_LENGTH, -1));
  }

  private static FrameWriter fragment(long offset, int length, long messageLength) {
    return (m, off) -> FragmentFrame.encode(m, off, 0, 7, 1, length, 0, offset, messageLength);
  }

  @Test
  void headersLieInTheirMessage() {
    for (int header : new int[] {0, 1, 31, 32}) {
      accepted((m, off) -> EagerFrame.encode(m, off, header, 7, 1, 32, 0));
      accepted((m, off) -> Samples.fragment(m, off, 0, header, 1, 31, 32));
      accepted((m, off) -> DatagramFrame.encode(m, off, header, 32, 0));
      accepted((m, off) -> withHeaders(m, off, 32, header, 0, 0));
    }
    for (int header : new int[] {33, 64, 255}) {
      refused(BAD_FRAME, (m, off) -> EagerFrame.encode(m, off, header, 7, 1, 300, 0));
      refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, 0, header, 1, 31, 300));
      refused(BAD_FRAME, (m, off) -> DatagramFrame.encode(m, off, header, 300, 0));
      refused(BAD_FRAME, (m, off) -> withHeaders(m, off, 300, header, 0, 0));
      refused(BAD_FRAME, with("REFERENCE", FragmentFrame.HEADER_LENGTH, header));
    }
    refused(BAD_FRAME, (m, off) -> EagerFrame.encode(m, off, 8, 7, 1, 7, 0));
    refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, 0, 8, 1, 0, 7));
    refused(BAD_FRAME, (m, off) -> DatagramFrame.encode(m, off, 8, 7, 0));
    refused(BAD_FRAME, (m, off) -> withHeaders(m, off, 7, 8, 300, 0));
    refused(BAD_FRAME, (m, off) -> withHeaders(m, off, 300, 0, 7, 8));
    // of several, only this says that each has a header length
    for (int headers : new int[] {2, 3, 32, 255}) {
      refused(BAD_FRAME, with("EAGER of three with headers", EagerFrame.HEADERS, headers));
    }
    // the byte behind each header length, and the padding behind the third of them
    for (int at : new int[] {27, 31, 35, 36, 37, 38, 39}) {
      refused(BAD_FRAME, with("EAGER of three with headers", at, 1));
    }
    for (int at : new int[] {24, 25, 28, 32}) {
      refused(BAD_FRAME, with("EAGER of three with headers", at, 9));
    }
    refused(BAD_FRAME, with("EAGER of three with headers", EagerFrame.COUNT, 2, 0));
    refused(BAD_FRAME, with("EAGER of three with headers", EagerFrame.COUNT, 0xff, 0xff));
    check(BAD_FRAME, withWord("EAGER of three with headers", EagerFrame.PAYLOAD_LENGTH, 6));
  }

  private static int withHeaders(byte[] m, int off, int... lengthsAndHeaders) {
    int count = lengthsAndHeaders.length / 2;
    var lengths = new int[count];
    var headers = new int[count];
    Arrays.setAll(lengths, i -> lengthsAndHeaders[2 * i]);
    Arrays.setAll(headers, i -> lengthsAndHeaders[2 * i + 1]);
    return Samples.eagerWithHeaders(m, off, 1, lengths, headers);
  }

  @Test
  void openMessagesEndOnce() {
    int open = FragmentFrame.OPEN;
    int last = FragmentFrame.FINAL;
    accepted((m, off) -> Samples.fragment(m, off, open, 0, 8, 0, 8));
    accepted((m, off) -> Samples.fragment(m, off, open, 4, 8, 0, 100));
    accepted((m, off) -> Samples.fragment(m, off, last, 4, 8, 92, 100));
    accepted((m, off) -> Samples.fragment(m, off, last, 0, 0, 100, 100));
    refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, open, 0, 8, 1, 8));
    refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, open, 0, 0, 8, 8));
    refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, last, 0, 0, 99, 100));
    refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, last, 0, 0, 0, 0));
    refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, 0, 0, 0, 100, 100));
    refused(BAD_FRAME, (m, off) -> Samples.fragment(m, off, open | last, 0, 8, 0, 8));
    for (String frame : new String[] {"REFERENCE", "PLACED"}) {
      refused(BAD_FRAME, with(frame, FragmentFrame.FLAGS, open));
      refused(BAD_FRAME, with(frame, FragmentFrame.FLAGS, last));
    }
  }

  @Test
  @Tag("R27")
  void placedFragmentsHaveAPlace() {
    accepted(placed(0, 1, 0, 1, 1, 0));
    accepted(placed(5, 5, 0, 5, 1, 0));
    accepted(placed(5, 8, 92, 100, -1, Long.MAX_VALUE - 95));
    refused(BAD_FRAME, placed(5, 8, 92, 100, -1, Long.MAX_VALUE - 94));
    refused(BAD_FRAME, placed(5, 8, 92, 100, -1, -1));
    refused(BAD_FRAME, placed(5, 8, 92, 100, -1, Long.MIN_VALUE));
    refused(BAD_FRAME, placed(5, 8, 92, 100, 0, 0));
    refused(BAD_FRAME, placed(5, 4, 0, 100, 1, 0));
    refused(BAD_FRAME, placed(5, 8, 4, 100, 1, 0));
    accepted(placed(5, 8, 5, 100, 1, 0));
    refused(BAD_FRAME, placed(33, 80, 0, 100, 1, 0));
    refused(BAD_FRAME, placed(0, 8, 93, 100, 1, 0));
    refused(BAD_FRAME, placed(0, 0, 93, 100, 1, 0));
    byte[] hundred = Samples.data(placed(0, 8, 0, 100, 1, 0));
    check(80, hundred, 100);
    check(MESSAGE_TOO_LARGE, hundred, 99);
    check(BAD_LENGTH_SUM, withWord("PLACED", FragmentFrame.PAYLOAD_LENGTH, 7));
  }

  @Test
  @Tag("R27")
  void requestsAreAllHeaderAndAnswersHaveNoPlace() {
    for (String frame : new String[] {"PLACED", "GET", "COMPARE_AND_SET", "ANSWER"}) {
      for (int kind : new int[] {6, 7, 0x80, 0xff}) {
        refused(BAD_FRAME, with(frame, PlacedFrame.KIND, kind));
      }
    }
    for (int kind = 1; kind <= 5; kind++) {
      refused(BAD_FRAME, with("PLACED", PlacedFrame.KIND, kind));
    }
    accepted(with("GET", PlacedFrame.KIND, PlacedKind.FETCH_ADD));
    accepted(with("GET", PlacedFrame.KIND, PlacedKind.SWAP));
    refused(BAD_FRAME, with("GET", PlacedFrame.KIND, PlacedKind.COMPARE_AND_SET));
    refused(BAD_FRAME, with("COMPARE_AND_SET", PlacedFrame.KIND, PlacedKind.GET));
    refused(BAD_FRAME, with("GET", FragmentFrame.HEADER_LENGTH, 15));
    refused(BAD_FRAME, with("GET", FragmentFrame.MESSAGE_LENGTH, 17));
    refused(BAD_FRAME, with("ANSWER", FragmentFrame.HEADER_LENGTH, 17));
    refused(BAD_FRAME, with("ANSWER", PlacedFrame.TARGET_OFFSET, u64(8)));
    refused(BAD_FRAME, with("ANSWER", PlacedFrame.KEY, u64(0)));
  }

  private static FrameWriter placed(
      int header, int length, long offset, long messageLength, long key, long target) {
    return (m, off) ->
        PlacedFrame.encode(m, off, header, 7, 1, length, 0, offset, messageLength, key, target);
  }

  @Test
  @Tag("R35")
  void datagramsAreOfOnePacket() {
    accepted((m, off) -> DatagramFrame.encode(m, off, 0, 0, 0));
    byte[] hundred = Samples.data((m, off) -> DatagramFrame.encode(m, off, 0, 100, 0));
    check(40, hundred, 100);
    check(MESSAGE_TOO_LARGE, hundred, 99);
    check(BAD_FRAME, withWord("DATAGRAM", DatagramFrame.PAYLOAD_LENGTH, -1));
    check(BAD_LENGTH_SUM, withWord("DATAGRAM", DatagramFrame.PAYLOAD_LENGTH, 7));
  }

  @Test
  void refusalsHaveAReason() {
    accepted(with("MESSAGE_REFUSED", MessageRefusedFrame.REASON, 1));
    accepted(with("MESSAGE_REFUSED", MessageRefusedFrame.REASON, 255));
    refused(BAD_FRAME, with("MESSAGE_REFUSED", MessageRefusedFrame.REASON, 0));
    accepted(with("CHANNEL_REFUSED", ChannelRefusedFrame.REASON, 0));
    accepted(with("CHANNEL_REFUSED", ChannelRefusedFrame.REASON, 255));
  }

  /** What a node did not say it takes is refused for that reason, and only if it is sound. */
  @Test
  void whatIsNotTakenIsRefusedAsThat() {
    int headers = Takes.HEADERS;
    int open = Takes.OPEN_MESSAGES;
    int placed = Takes.PLACED_MESSAGES;
    needs(headers, Samples.frames().get("EAGER with header"));
    needs(headers, Samples.frames().get("EAGER of three with headers"));
    needs(headers, Samples.frames().get("FRAGMENT with header"));
    needs(headers, with("REFERENCE", FragmentFrame.HEADER_LENGTH, 1));
    needs(open, Samples.frames().get("FRAGMENT, open"));
    needs(open, Samples.frames().get("FRAGMENT, final"));
    needs(headers | open, (m, off) -> Samples.fragment(m, off, FragmentFrame.OPEN, 1, 1, 0, 1));
    needs(placed, placed(0, 1, 0, 1, 1, 0));
    needs(placed, Samples.frames().get("PLACED"));
    needs(placed | Takes.REGION_REQUESTS, Samples.frames().get("GET"));
    needs(placed | Takes.REGION_REQUESTS, Samples.frames().get("COMPARE_AND_SET"));
    needs(placed | Takes.REGION_REQUESTS, Samples.frames().get("ANSWER"));
    needs(Takes.DATAGRAMS, Samples.frames().get("DATAGRAM"));
    byte[] refusal = Samples.data(Samples.frames().get("MESSAGE_REFUSED"));
    for (int takes = 0; takes <= Takes.ALL; takes++) {
      int expected = (takes & (open | placed)) == 0 ? NOT_TAKEN : 40;
      assertEquals(expected, Samples.validate(new PacketValidator(takes), refusal));
    }
  }

  private static void needs(int what, FrameWriter frame) {
    byte[] packet = Samples.data(frame);
    int length = PacketHeader.headerLength(packet, 0);
    for (int takes = 0; takes <= Takes.ALL; takes++) {
      int expected = (takes & what) == what ? length : NOT_TAKEN;
      assertEquals(expected, Samples.validate(new PacketValidator(takes), packet), "" + takes);
    }
    byte[] malformed = packet.clone();
    malformed[PacketHeader.LENGTH + 7] = (byte) 0x80; // in channel or payload length
    PacketValidator plain = new PacketValidator();
    assertEquals(BAD_FRAME, Samples.validate(plain, Samples.resealed(malformed)));
  }

  @Test
  void plainMessagesAreTakenByEverybody() {
    PacketValidator plain = new PacketValidator();
    int taken = 0;
    for (FrameWriter frame : Samples.frames().values()) {
      int result = Samples.validate(plain, Samples.data(frame));
      assertTrue(result > 0 || result == NOT_TAKEN, "" + result);
      taken += result > 0 ? 1 : 0;
    }
    assertEquals(Samples.frames().size() - 11, taken);
  }

  @Test
  void messagesAreAtMostAsLongAsTheNodeTakes() {
    byte[] whole = Samples.data(Samples.frames().get("EAGER"));
    check(48, whole, 4);
    check(MESSAGE_TOO_LARGE, whole, 3);
    byte[] three = Samples.data(Samples.frames().get("EAGER of three"));
    check(56, three, 3);
    check(MESSAGE_TOO_LARGE, three, 2);
    byte[] fragment = Samples.data(fragment(50, 8, 100));
    check(64, fragment, 100);
    check(MESSAGE_TOO_LARGE, fragment, 99);
    byte[] announce = Samples.data((m, off) -> RtsFrame.encode(m, off, 1, 1, 100, 0, 0));
    check(48, announce, 100);
    check(MESSAGE_TOO_LARGE, announce, 99);
    accepted((m, off) -> RtsFrame.encode(m, off, 1, 1, 1, 0, 0));
    accepted((m, off) -> RtsFrame.encode(m, off, 1, 1, 0, 0, 0)); // a question
    refused(BAD_FRAME, (m, off) -> RtsFrame.encode(m, off, 1, 1, -1, 0, 0));
  }

  @Test
  void channelStatesAreInOrder() {
    accepted((m, off) -> ChannelStateFrame.encode(m, off, 0, 1, 0, 0, 0));
    accepted((m, off) -> ChannelStateFrame.encode(m, off, 0, 1, 5, 5, 1));
    refused(BAD_FRAME, (m, off) -> ChannelStateFrame.encode(m, off, 0, 1, 5, 6, 1));
    refused(BAD_FRAME, (m, off) -> ChannelStateFrame.encode(m, off, 0, 1, 5, -1, 1));
    refused(BAD_FRAME, (m, off) -> ChannelStateFrame.encode(m, off, 0, 1, -1, -1, 1));
    refused(BAD_FRAME, (m, off) -> ChannelStateFrame.encode(m, off, 0, 1, 5, 5, -1));
  }

  @Test
  void railInfoIsUsable() {
    accepted((m, off) -> RailInfoFrame.encode(m, off, 1, 0, 0, 1200));
    refused(BAD_FRAME, (m, off) -> RailInfoFrame.encode(m, off, 1, 0, 0, 1199));
    refused(BAD_FRAME, (m, off) -> RailInfoFrame.encode(m, off, 1, 0, 0, -1));
    refused(BAD_FRAME, (m, off) -> RailInfoFrame.encode(m, off, 1, 0, -1, 1200));
  }

  @Test
  void addressesAreTextWithAScheme() {
    // "udp://h:74" has 10 characters, "shm:x" has 5; 17 bytes, then 7 of padding.
    refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.COUNT, 17));
    refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.COUNT, 1));
    refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.COUNT, 3));
    for (int length : new int[] {0, 16, 17, 23, 25, 32, 0xffff}) {
      refused(
          BAD_FRAME, with("ADDRESSES", AddressesFrame.ENTRIES_LENGTH, length & 0xff, length >> 8));
    }
    for (int length : new int[] {0, 1, 9, 11, 24, 241, 255}) {
      refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.ENTRIES, length));
    }
    for (int at = 1; at <= 10; at++) {
      for (int c : new int[] {0, 1, ' ', 0x7f, 0x80, 0xa1, 0xff}) {
        refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.ENTRIES + at, c));
      }
      accepted(with("ADDRESSES", AddressesFrame.ENTRIES + at, at == 4 ? ':' : '!'));
    }
    refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.ENTRIES + 1, ':'));
    refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.ENTRIES + 15, 'x'));
    for (int at = 17; at < 24; at++) {
      refused(BAD_FRAME, with("ADDRESSES", AddressesFrame.ENTRIES + at, 1));
    }
  }

  @Test
  void addressesOfEveryLength() {
    for (int length = 2; length <= RailAddress.MAX_LENGTH; length++) {
      for (int colon = 1; colon < length; colon++) {
        var address = new RailAddress("a".repeat(colon) + ":" + "b".repeat(length - colon - 1));
        accepted((m, off) -> AddressesFrame.encode(m, off, 1, List.of(address)));
      }
    }
    var longest = new RailAddress("a:" + "b".repeat(RailAddress.MAX_LENGTH - 2));
    FrameWriter sixteen =
        (m, off) ->
            AddressesFrame.encode(
                m, off, 1, Collections.nCopies(AddressesFrame.MAX_ADDRESSES, longest));
    accepted(sixteen);
    FrameWriter tooLong =
        (m, off) -> {
          int length = AddressesFrame.encode(m, off, 1, List.of(longest, new RailAddress("a:")));
          Layouts.putU8(m, off + AddressesFrame.ENTRIES, RailAddress.MAX_LENGTH + 1);
          Layouts.putU8(m, off + AddressesFrame.ENTRIES + 1 + RailAddress.MAX_LENGTH, 'b');
          Layouts.putU8(m, off + AddressesFrame.ENTRIES + 2 + RailAddress.MAX_LENGTH, 0);
          Layouts.putU8(m, off + AddressesFrame.ENTRIES + 3 + RailAddress.MAX_LENGTH, 0);
          Layouts.putU8(m, off + AddressesFrame.COUNT, 1);
          return length;
        };
    refused(BAD_FRAME, tooLong);
    // Without any padding, and then with a count that points behind the end.
    List<RailAddress> full = Samples.addresses("a:bcdef");
    accepted((m, off) -> AddressesFrame.encode(m, off, 1, full));
    FrameWriter behind =
        (m, off) -> {
          int length = AddressesFrame.encode(m, off, 1, full);
          Layouts.putU8(m, off + AddressesFrame.COUNT, 2);
          return length;
        };
    refused(BAD_FRAME, behind, PingFrame::encode);
    refused(BAD_FRAME, behind);
  }

  @Test
  void headersAreAsLongAsTheyMayBeAndNotLonger() {
    var pings = new FrameWriter[(PacketHeader.MAX_HEADER_LENGTH - PacketHeader.LENGTH) / 8];
    Arrays.fill(pings, (FrameWriter) PingFrame::encode);
    accepted(pings);
    FrameWriter[] oneMore = Arrays.copyOf(pings, pings.length + 1);
    oneMore[pings.length] = PingFrame::encode;
    refused(BAD_HEADER_LENGTH, oneMore);
    accepted((m, off) -> Samples.whole(m, off, 1, new int[2024]));
    refused(BAD_HEADER_LENGTH, (m, off) -> Samples.whole(m, off, 1, new int[2025]));
    for (int count : new int[] {1012, 1013}) {
      FrameWriter headers =
          (m, off) -> Samples.eagerWithHeaders(m, off, 1, new int[count], new int[count]);
      check(count == 1012 ? 4096 : BAD_HEADER_LENGTH, Samples.data(headers));
    }
  }

  @Test
  void whatIsBehindTheCopiedHeaderIsNotNeeded() {
    byte[] packet = Samples.data((m, off) -> PaddingFrame.encode(m, off, 0));
    packet = Arrays.copyOf(packet, 65_000);
    Layouts.putI32(packet, PacketHeader.LENGTH + PaddingFrame.PAYLOAD_LENGTH, 65_000 - 32);
    check(32, Samples.resealed(packet));
  }

  @Test
  void validatingAndReadingAllocatesNothing() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    byte[] packet = Samples.packets().get("DATA");
    byte[] bad = packet.clone();
    bad[40] ^= 1;
    long sum = 0;
    long least = Long.MAX_VALUE;
    int rounds = 20_000;
    // The first rounds may load classes and compile; from some round on there is nothing.
    long end = System.nanoTime() + 60_000_000_000L;
    for (int k = 0; least >= rounds && (k < 200 || System.nanoTime() < end); k++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < rounds; i++) {
        int headerLength = validator.validate(packet, 0, packet.length, packet.length, 1 << 30);
        sum += validator.validate(bad, 0, packet.length, packet.length, 1 << 30);
        for (int at = PacketHeader.LENGTH; at < headerLength; at += Frames.length(packet, at)) {
          sum += Frames.type(packet, at) + Frames.payloadLength(packet, at);
        }
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(sum > 0);
    assertTrue(least < rounds, "bytes allocated in " + rounds + " rounds: " + least);
  }
}
