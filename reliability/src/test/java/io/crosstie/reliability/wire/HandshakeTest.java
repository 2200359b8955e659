// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.RailAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Handshake packets: what was written is read back; what is malformed is no packet. */
@Tag("R23")
class HandshakeTest {
  private final PacketValidator validator = new PacketValidator();

  private interface Parser {
    Object parse(byte[] m, int off, int length);
  }

  private static final List<Parser> PARSERS =
      List.of(Init::parse, Retry::parse, Hello::parse, Welcome::parse, Reject::parse);

  private void roundTrip(Object message, byte[] packet, Parser parser) {
    assertEquals(packet.length, Samples.validate(validator, packet));
    assertEquals(message, parser.parse(packet, 0, packet.length));
    // The same somewhere in the middle of a larger memory.
    byte[] shifted = Samples.concat(Samples.concat(Samples.bytes(7, 13), packet), new byte[5]);
    assertEquals(message, parser.parse(shifted, 13, packet.length));
    for (Parser other : PARSERS) {
      Object parsed = other.parse(packet, 0, packet.length);
      assertTrue(parsed == null || parsed.equals(message), "read as another kind");
    }
    for (int length = 0; length < packet.length; length++) {
      assertNull(parser.parse(packet, 0, length));
      byte[] cut = Arrays.copyOf(packet, length);
      assertNull(parser.parse(cut, 0, packet.length));
      if (length >= PacketHeader.LENGTH) {
        // With a header that confirms the shorter length.
        Layouts.putU16(cut, PacketHeader.HEADER_LENGTH, length);
        Object parsed = parser.parse(cut, 0, length);
        assertTrue(parsed == null || parsed.equals(message), "read although it was cut");
      }
    }
    assertNull(parser.parse(packet, -1, packet.length));
    assertNull(parser.parse(packet, 1, packet.length));
  }

  private static Introduction introduction(String name, List<RailAddress> addresses) {
    return new Introduction(
        -5,
        name,
        Integer.MAX_VALUE,
        Long.MIN_VALUE,
        new Limits(Long.MAX_VALUE, 255, Long.MAX_VALUE, 0, Integer.MAX_VALUE),
        new RailInfo(0, Integer.MAX_VALUE, true),
        addresses);
  }

  @Test
  void samples() {
    roundTrip(Samples.INIT, Samples.handshake(Samples.INIT::encode), Init::parse);
    roundTrip(Samples.RETRY, Samples.handshake(Samples.RETRY::encode), Retry::parse);
    roundTrip(Samples.HELLO, Samples.handshake(Samples.HELLO::encode), Hello::parse);
    roundTrip(Samples.WELCOME, Samples.handshake(Samples.WELCOME::encode), Welcome::parse);
    roundTrip(Samples.REJECT, Samples.handshake(Samples.REJECT::encode), Reject::parse);
  }

  @Test
  void extremes() {
    String longest = "é".repeat(32);
    var init = new Init(0xffff, 0xffff, -1, longest, longest);
    roundTrip(init, Samples.handshake(init::encode), Init::parse);
    var anyone = new Init(1, 1, 0, "x", "");
    roundTrip(anyone, Samples.handshake(anyone::encode), Init::parse);
    var retry = new Retry(0xffff, 0, -1, Cookie.of(new byte[64]));
    roundTrip(retry, Samples.handshake(retry::encode), Retry::parse);
    var empty = new Retry(1, -1, 0, Cookie.EMPTY);
    roundTrip(empty, Samples.handshake(empty::encode), Retry::parse);
    var hello =
        new Hello(0xffff, 63, retry.cookie(), longest, -1, introduction(longest, List.of()));
    roundTrip(hello, Samples.handshake(hello::encode), Hello::parse);
    var welcome = new Welcome(1, 0, -1, -1, introduction("x", Samples.addresses("a:")));
    roundTrip(welcome, Samples.handshake(welcome::encode), Welcome::parse);
    var reject = new Reject(0, 0xffff, 1, 0xffff, -1, "");
    roundTrip(reject, Samples.handshake(reject::encode), Reject::parse);
  }

  @Test
  void reset() {
    byte[] packet = Samples.packets().get("RESET");
    assertEquals(Reset.LENGTH, Samples.validate(validator, packet));
    assertEquals(Samples.CONNECTION_ID, PacketHeader.connectionId(packet, 0));
    assertEquals(Samples.RESPONDER, Reset.incarnation(packet, 0));
    assertEquals(3, PacketHeader.rail(packet, 0));
    assertTrue(Reset.mayAnswer(PacketHeader.DATA, Reset.LENGTH + 1));
    assertFalse(Reset.mayAnswer(PacketHeader.DATA, Reset.LENGTH), "never as long as its cause");
    assertFalse(Reset.mayAnswer(PacketHeader.RESET, 1200));
    assertFalse(Reset.mayAnswer(PacketHeader.INIT, 1200));
  }

  @Test
  void noAnswerIsLongerThanItsCause() {
    int cause = Samples.handshake(Samples.INIT::encode).length;
    assertEquals(cause, Samples.handshake(Samples.HELLO::encode).length);
    String longest = "udp://" + "h".repeat(RailAddress.MAX_LENGTH - 6);
    List<RailAddress> many = Collections.nCopies(16, new RailAddress(longest));
    var welcome = new Welcome(1, 0, 1, 1, introduction("n".repeat(64), many));
    assertTrue(Samples.handshake(welcome::encode).length <= cause);
    var reject = new Reject(1, 1, 1, 1, 1, "x".repeat(1000));
    assertTrue(Samples.handshake(reject::encode).length <= cause);
    var retry = new Retry(1, 1, 2, Cookie.of(new byte[64]));
    assertTrue(Samples.handshake(retry::encode).length <= cause);
  }

  @Test
  void addressesThatDoNotFitAreLeftOut() {
    String name = "n".repeat(64);
    for (int length : new int[] {2, 20, 60, 100, 240}) {
      for (int count : new int[] {0, 1, 3, 9, 16}) {
        List<RailAddress> addresses =
            Collections.nCopies(count, new RailAddress("a:" + "b".repeat(length - 2)));
        var sender = introduction(name, addresses);
        var hello = new Hello(1, 0, Cookie.of(new byte[64]), name, sender);
        int expected = Math.min(count, (1200 - 96 - 3 * 64 - 2) / (1 + length));
        assertEquals(expected, hello.addressesThatFit());
        byte[] packet = Samples.handshake(hello::encode);
        assertEquals(1200, Samples.validate(validator, packet));
        Hello parsed = Hello.parse(packet, 0, packet.length);
        assertEquals(addresses.subList(0, expected), parsed.sender().addresses());

        var welcome = new Welcome(1, 0, 1, 1, sender);
        expected = Math.min(count, (1200 - 96 - 64 - 2) / (1 + length));
        assertEquals(expected, welcome.addressesThatFit());
        packet = Samples.handshake(welcome::encode);
        assertEquals(packet.length, Samples.validate(validator, packet));
        Welcome read = Welcome.parse(packet, 0, packet.length);
        assertEquals(addresses.subList(0, expected), read.sender().addresses());
      }
    }
  }

  @Test
  void unknownExtensionsAreSkipped() {
    byte[] packet = Samples.handshake(Samples.HELLO::encode);
    int at = endOfAddresses();
    Layouts.putU16(packet, at, 4 + 7 + 4);
    Layouts.putU16(packet, at + 2, 0xabcd);
    Layouts.putU16(packet, at + 4, 7);
    Arrays.fill(packet, at + 6, at + 13, (byte) 0xff);
    Layouts.putU16(packet, at + 13, 0x1234);
    assertEquals(Samples.HELLO, Hello.parse(packet, 0, packet.length));
    for (int total : new int[] {1, 3, 10, 12, 14, 16, 1199, 0xffff}) {
      Layouts.putU16(packet, at, total);
      assertNull(Hello.parse(packet, 0, packet.length), "extensions of " + total + " bytes");
    }
  }

  private static int endOfAddresses() {
    return 96 + 5 + 5 + 9 + 1 + "udp://198.18.1.1:7400".length() + 1 + "shm:a".length();
  }

  @Test
  void whatFollowsTheLastFieldIsIgnored() {
    for (byte[] packet : List.of(Samples.packets().get("INIT"), Samples.packets().get("HELLO"))) {
      packet[1199] = 1;
      Object parsed =
          PacketHeader.kind(packet, 0) == PacketHeader.INIT
              ? Init.parse(packet, 0, 1200)
              : Hello.parse(packet, 0, 1200);
      assertNotEquals(null, parsed);
    }
  }

  private static void malformed(byte[] sample, Parser parser, int at, int... values) {
    byte[] packet = sample.clone();
    for (int i = 0; i < values.length; i++) {
      packet[at + i] = (byte) values[i];
    }
    assertNull(
        parser.parse(packet, 0, packet.length),
        "byte " + at + " set to " + Arrays.toString(values));
  }

  @Test
  void malformedFields() {
    byte[] init = Samples.handshake(Samples.INIT::encode);
    malformed(init, Init::parse, 24, 0, 0);
    malformed(init, Init::parse, 24, 4, 0);
    malformed(init, Init::parse, 28, 0);
    malformed(init, Init::parse, 28, 65);
    malformed(init, Init::parse, 29, 65);
    malformed(init, Init::parse, 40, 0xff);
    malformed(init, Init::parse, 40, '\n');
    malformed(init, Init::parse, 44, 0xc3);
    malformed(init, Init::parse, 40, 0xe2, 0x80, 0xae);
    byte[] retry = Samples.handshake(Samples.RETRY::encode);
    malformed(retry, Retry::parse, 24, 0, 0);
    malformed(retry, Retry::parse, 26, 65);
    malformed(retry, Retry::parse, 26, 17);
    byte[] hello = Samples.handshake(Samples.HELLO::encode);
    malformed(hello, Hello::parse, 24, 0, 0);
    malformed(hello, Hello::parse, 28, 0xfe);
    malformed(hello, Hello::parse, 40, 0, 0, 0, 0, 0, 0, 0, 0);
    malformed(hello, Hello::parse, 63, 0x80);
    malformed(hello, Hello::parse, 56, 0, 0, 0, 0, 0, 0, 0, 0);
    malformed(hello, Hello::parse, 71, 0x80);
    malformed(hello, Hello::parse, 79, 0x80);
    malformed(hello, Hello::parse, 83, 0x80);
    malformed(hello, Hello::parse, 87, 0x80);
    malformed(hello, Hello::parse, 88, 0xaf, 0x04);
    malformed(hello, Hello::parse, 91, 0x80);
    malformed(hello, Hello::parse, 92, 0);
    malformed(hello, Hello::parse, 92, 65);
    malformed(hello, Hello::parse, 94, 65);
    malformed(hello, Hello::parse, 95, 17);
    malformed(hello, Hello::parse, 95, 3);
    malformed(hello, Hello::parse, 115, 0);
    malformed(hello, Hello::parse, 115, 241);
    malformed(hello, Hello::parse, 116, ':');
    malformed(hello, Hello::parse, 117, ' ');
    byte[] welcome = Samples.handshake(Samples.WELCOME::encode);
    malformed(welcome, Welcome::parse, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    malformed(welcome, Welcome::parse, 5, 64);
    byte[] reject = Samples.handshake(Samples.REJECT::encode);
    malformed(reject, Reject::parse, 26, 0, 0);
    malformed(reject, Reject::parse, 30, 17);
    malformed(reject, Reject::parse, 31, 1);
  }

  @Test
  void textOfARejectIsMadePresentable() {
    assertEquals("a?b?", new Reject(0, 1, 1, 1, 1, "a\nb\u202e").text());
    assertEquals("é".repeat(100), new Reject(0, 1, 1, 1, 1, "é".repeat(101)).text());
    assertEquals("x" + "é".repeat(99), new Reject(0, 1, 1, 1, 1, "x" + "é".repeat(101)).text());
    assertEquals("😀".repeat(50), new Reject(0, 1, 1, 1, 1, "😀".repeat(51)).text());
    byte[] packet = Samples.handshake(Samples.REJECT::encode);
    packet[40] = (byte) 0xff;
    packet[41] = 7;
    Reject parsed = Reject.parse(packet, 0, packet.length);
    assertEquals("\ufffd?t sim-1", parsed.text());
  }

  @Test
  void misuseIsTold() {
    Class<IllegalArgumentException> misuse = IllegalArgumentException.class;
    assertThrows(misuse, () -> new Init(0, 1, 1, "a", ""));
    assertThrows(misuse, () -> new Init(2, 1, 1, "a", ""));
    assertThrows(misuse, () -> new Init(1, 1, 1, "", ""));
    assertThrows(misuse, () -> new Init(1, 1, 1, "a\0", ""));
    assertThrows(misuse, () -> new Init(1, 1, 1, "\ud800", ""));
    assertThrows(misuse, () -> new Init(1, 1, 1, "é".repeat(33), ""));
    assertThrows(misuse, () -> new Init(1, 1, 1, "a", "é".repeat(33)));
    assertThrows(misuse, () -> new Retry(0, 1, 2, Cookie.EMPTY));
    assertThrows(misuse, () -> Cookie.of(new byte[65]));
    assertThrows(misuse, () -> new Reject(1, -1, 1, 1, 1, ""));
    assertThrows(misuse, () -> new RailInfo(-1, 1200, false));
    assertThrows(misuse, () -> new RailInfo(1, 1199, false));
    assertThrows(misuse, () -> new Limits(0, 0, 0, 0, 0));
    assertThrows(misuse, () -> new Limits(1, 256, 0, 0, 0));
    assertThrows(misuse, () -> introduction("", List.of()));
    assertThrows(misuse, () -> introduction("a", Collections.nCopies(17, new RailAddress("a:"))));
    Introduction sender = Samples.HELLO.sender();
    assertThrows(misuse, () -> new Hello(1, 64, Cookie.EMPTY, "", sender));
    assertThrows(misuse, () -> new Hello(0, 0, Cookie.EMPTY, "", sender));
    assertThrows(misuse, () -> new Welcome(1, 0, 0, 1, sender));
    var m = new byte[1200];
    assertThrows(misuse, () -> Samples.HELLO.encode(m, 0, 1199));
  }

  @Test
  void cookiesAreComparedByContentAndKeepTheirSecret() {
    byte[] bytes = "secret".getBytes(StandardCharsets.US_ASCII);
    Cookie cookie = Cookie.of(bytes);
    bytes[0] = 'x';
    assertEquals(Cookie.of("secret".getBytes(StandardCharsets.US_ASCII)), cookie);
    assertNotEquals(Cookie.of(bytes), cookie);
    assertEquals("Cookie[6 bytes]", cookie.toString());
  }

  @Test
  void randomBodiesNeverThrow() {
    var random = new Random(20_261);
    List<byte[]> samples = List.copyOf(Samples.packets().values());
    int read = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] packet = samples.get(1 + random.nextInt(5)).clone();
      int used = Math.min(packet.length, 160);
      for (int n = 1 + random.nextInt(4); n > 0; n--) {
        int at = PacketHeader.LENGTH + random.nextInt(used - PacketHeader.LENGTH);
        packet[at] = (byte) random.nextInt();
      }
      for (Parser parser : PARSERS) {
        read += parser.parse(packet, 0, packet.length) == null ? 0 : 1;
      }
    }
    assertTrue(read > 10_000 && read < 100_000, "read " + read);
  }
}
