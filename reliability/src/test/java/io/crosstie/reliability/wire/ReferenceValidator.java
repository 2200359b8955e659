// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The rules of PROTOCOL.md once more, written down as plainly as can be, with numbers that cannot
 * overflow, and sharing no code with {@link PacketValidator}. The two must agree on every packet.
 */
final class ReferenceValidator {
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

  private final ByteBuffer b;
  private final BigInteger maxMessageLength;
  private final int takes;
  private BigInteger payload = BigInteger.ZERO;

  private ReferenceValidator(byte[] packet, long maxMessageLength, int takes) {
    this.takes = takes;
    this.b = ByteBuffer.wrap(packet).order(ByteOrder.LITTLE_ENDIAN);
    this.maxMessageLength = BigInteger.valueOf(maxMessageLength);
  }

  static boolean accepts(byte[] packet, long maxMessageLength, int takes) {
    try {
      return new ReferenceValidator(packet, maxMessageLength, takes).packet();
    } catch (IndexOutOfBoundsException e) {
      return false;
    }
  }

  private int u8(int at) {
    return b.get(at) & 0xff;
  }

  private int u16(int at) {
    return b.getShort(at) & 0xffff;
  }

  private BigInteger u32(int at) {
    return BigInteger.valueOf(b.getInt(at) & 0xffff_ffffL);
  }

  private BigInteger u64(int at) {
    return new BigInteger(Long.toUnsignedString(b.getLong(at)));
  }

  /** A number that Java can hold as a positive long or 0. */
  private boolean isCount(int at) {
    return u64(at).compareTo(MAX) <= 0;
  }

  private boolean isSmallCount(int at) {
    return u32(at).compareTo(BigInteger.valueOf(Integer.MAX_VALUE)) <= 0;
  }

  private boolean isMessageNumber(int at) {
    return isCount(at) && u64(at).signum() > 0;
  }

  private boolean areZero(int from, int to) {
    for (int i = from; i < to; i++) {
      if (b.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  private boolean isRail(int at) {
    return u8(at) < 64;
  }

  private boolean packet() {
    int end = u16(6);
    int kind = u8(4) & 15;
    if (u8(4) >> 4 != 2 || kind < 1 || kind > 7 || end < 32 || end > 4096 || end % 8 != 0) {
      return false;
    }
    var crc = new CRC32C();
    crc.update(b.array(), 4, end - 4);
    if ((int) crc.getValue() != b.getInt(0) || !isRail(5) || !isCount(16)) {
      return false;
    }
    boolean hasId = u64(8).signum() > 0;
    if (kind != 6 && hasId != (kind == 1 || kind == 5 || kind == 7)) {
      return false;
    }
    int length = b.capacity();
    if (kind != 1) {
      boolean full = (kind != 2 && kind != 4) || length == 1200;
      return end == length && length <= 1200 && full && (kind != 7 || length == 32);
    }
    for (int at = 24; at < end; ) {
      int frame = frame(at);
      if (frame == 0 || at + frame > end) {
        return false;
      }
      at += frame;
    }
    return payload.add(BigInteger.valueOf(end)).equals(BigInteger.valueOf(length));
  }

  private boolean carries(int at) {
    payload = payload.add(u32(at));
    return isSmallCount(at);
  }

  private boolean may(int what) {
    return (takes & what) != 0;
  }

  private boolean isTaken(BigInteger length) {
    return length.compareTo(maxMessageLength) <= 0;
  }

  /** The length of a frame, or 0 if it is not sound. */
  private int frame(int at) {
    int type = u8(at);
    if (type >= 0x80) {
      return u16(at + 2) % 8 == 0 ? u16(at + 2) : 0;
    }
    return switch (type) {
      case 0x01 -> areZero(at + 1, at + 4) && carries(at + 4) ? 8 : 0;
      case 0x02 -> areZero(at + 1, at + 8) ? 8 : 0;
      case 0x03 -> ack(at);
      case 0x04 ->
          isRail(at + 1)
                  && u8(at + 2) >= 1
                  && u8(at + 2) <= 3
                  && areZero(at + 3, at + 8)
                  && isCount(at + 8)
              ? 16
              : 0;
      case 0x05 -> isSmallCount(at + 4) && isMessageNumber(at + 8) ? whole(at) : 0;
      case 0x06 ->
          areZero(at + 3, at + 4) && isSmallCount(at + 4) && carries(at + 16) && fragment(at, true)
              ? 40
              : 0;
      case 0x12 ->
          areZero(at + 3, at + 4)
                  && isSmallCount(at + 4)
                  && isSmallCount(at + 16)
                  && fragment(at, false)
              ? 48
              : 0;
      case 0x16 -> carries(at + 16) && placed(at) ? 56 : 0;
      case 0x18 ->
          areZero(at + 2, at + 4)
                  && carries(at + 4)
                  && u8(at + 1) <= 32
                  && u32(at + 4).intValue() >= u8(at + 1)
                  && isTaken(u32(at + 4))
                  && areZero(at + 12, at + 16)
                  && may(8)
              ? 16
              : 0;
      case 0x14 -> areZero(at + 2, at + 4) && isSmallCount(at + 4) ? 8 : 0;
      case 0x15 ->
          u8(at + 1) > 0
                  && areZero(at + 2, at + 4)
                  && isSmallCount(at + 4)
                  && isMessageNumber(at + 8)
                  && (takes & 6) != 0
              ? 16
              : 0;
      case 0x07 ->
          areZero(at + 2, at + 4)
                  && isSmallCount(at + 4)
                  && isCount(at + 8)
                  && isCount(at + 24)
                  && u64(at + 16).compareTo(u64(at + 8)) <= 0
              ? 32
              : 0;
      case 0x08 ->
          isSmallCount(at + 4)
                  && isMessageNumber(at + 8)
                  && isTaken(u64(at + 16)) // 0 asks for the channel's state
              ? 24
              : 0;
      case 0x09, 0x13 ->
          areZero(at + 1, at + 2) && isSmallCount(at + 4) && isMessageNumber(at + 8) ? 16 : 0;
      case 0x11 ->
          areZero(at + 1, at + 4) && isSmallCount(at + 4) && isMessageNumber(at + 8) ? 16 : 0;
      case 0x0a -> areZero(at + 1, at + 4) && isSmallCount(at + 4) && isCount(at + 8) ? 16 : 0;
      case 0x0b, 0x0c -> isRail(at + 1) && areZero(at + 4, at + 8) ? 16 : 0;
      case 0x0d ->
          isRail(at + 1)
                  && isSmallCount(at + 4)
                  && isSmallCount(at + 8)
                  && u32(at + 8).intValueExact() >= 1200
                  && areZero(at + 12, at + 16)
              ? 16
              : 0;
      case 0x0e -> addresses(at);
      case 0x0f -> areZero(at + 3, at + 8) ? 16 : 0;
      case 0x10 -> isRail(at + 1) && areZero(at + 2, at + 8) ? 8 : 0;
      default -> 0;
    };
  }

  private int ack(int at) {
    int runs = u16(at + 2);
    if (!isRail(at + 1) || runs < 1 || runs > 64 || !isCount(at + 8)) {
      return 0;
    }
    BigInteger left = u64(at + 8).add(BigInteger.ONE);
    for (int i = 0; i < runs; i++) {
      BigInteger gap = u32(at + 16 + 8 * i);
      BigInteger run = u32(at + 20 + 8 * i);
      if (gap.signum() != (i == 0 ? 0 : 1) || run.signum() == 0) {
        return 0;
      }
      left = left.subtract(gap).subtract(run);
    }
    return left.signum() >= 0 ? 16 + 8 * runs : 0;
  }

  private int whole(int at) {
    int count = u16(at + 2);
    BigInteger last = u64(at + 8).add(BigInteger.valueOf(count));
    if (count == 0 || !carries(at + 16) || last.compareTo(MAX) > 0) {
      return 0;
    }
    int headers = u8(at + 1);
    if (headers != 0 && !may(1)) {
      return 0;
    }
    if (count == 1) {
      boolean fits = headers <= 32 && u32(at + 16).intValue() >= headers;
      return isTaken(u32(at + 16)) && fits ? 24 : 0;
    }
    int sum = 0;
    int entry = headers == 0 ? 2 : 4;
    for (int i = 0; i < count; i++) {
      int length = u16(at + 24 + entry * i);
      int header = headers == 0 ? 0 : u16(at + 24 + entry * i + 2);
      sum += length;
      if (!isTaken(BigInteger.valueOf(length)) || header > 32 || header > length) {
        return 0;
      }
    }
    int end = (24 + entry * count + 7) / 8 * 8;
    boolean sound =
        u32(at + 16).equals(BigInteger.valueOf(sum))
            && areZero(at + 24 + entry * count, at + end)
            && headers < 2;
    return sound ? end : 0;
  }

  private boolean fragment(int at, boolean mayBeOpen) {
    return fragment(at, mayBeOpen, false, u8(at + 1));
  }

  private boolean fragment(int at, boolean mayBeOpen, boolean mayHaveHeader, int flags) {
    boolean open = (flags & 1) != 0;
    boolean last = (flags & 2) != 0;
    if ((open || last) && (!mayBeOpen || !may(2) || (open && last))) {
      return false;
    }
    int header = u8(at + 2);
    boolean mayBeEmpty = last && u64(at + 24).equals(u64(at + 32)) && u64(at + 24).signum() > 0;
    return isMessageNumber(at + 8)
        && (u32(at + 16).signum() > 0 || mayBeEmpty)
        && header <= 32
        && BigInteger.valueOf(header).compareTo(u64(at + 32)) <= 0
        && (header == 0 || mayHaveHeader || may(1))
        && u64(at + 24).add(u32(at + 16)).compareTo(u64(at + 32)) <= 0
        && isCount(at + 32)
        && isTaken(u64(at + 32));
  }

  private boolean asksOrAnswers(int at) {
    int kind = u8(at + 1);
    BigInteger header = BigInteger.valueOf(u8(at + 2));
    if (u8(at + 2) != (kind == 3 ? 24 : 16)) {
      return false;
    }
    boolean isAll = u32(at + 16).equals(header) && u64(at + 32).equals(header);
    return kind == 5 ? u64(at + 48).signum() == 0 : kind < 5 && u8(at) == 0x16 && isAll;
  }

  private boolean placed(int at) {
    BigInteger header = BigInteger.valueOf(u8(at + 2));
    BigInteger end = u64(at + 48).add(u64(at + 32)).subtract(header);
    return areZero(at + 3, at + 4)
        && isSmallCount(at + 4)
        && fragment(at, false, true, 0)
        && may(4)
        && (u8(at + 1) == 0 || (may(16) && asksOrAnswers(at)))
        && (u64(at + 24).signum() == 0 ? u32(at + 16) : u64(at + 24)).compareTo(header) >= 0
        && u64(at + 40).signum() != 0
        && isCount(at + 48)
        && end.compareTo(MAX) <= 0;
  }

  private int addresses(int at) {
    int count = u8(at + 1);
    int end = at + 8 + u16(at + 2);
    int next = at + 8;
    for (int i = 0; i < count; i++) {
      int length = u8(next);
      int colon = -1;
      for (int j = length - 1; j >= 0; j--) {
        int c = u8(next + 1 + j);
        if (c <= ' ' || c > '~') {
          return 0;
        }
        colon = c == ':' ? j : colon;
      }
      if (length > 240 || colon < 1) {
        return 0;
      }
      next += 1 + length;
    }
    int padding = end - next;
    boolean sound =
        count <= 16 && (end - at) % 8 == 0 && padding >= 0 && padding < 8 && areZero(next, end);
    return sound ? end - at : 0;
  }
}
