// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.padded;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU16;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u8;

import io.crosstie.transport.RailAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where the sender of this frame can be reached. Rare, so it may allocate.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | count  |   bytes below   |             generation            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  | length |                           address                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 *    | more addresses, zero padding                                          |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>An address is {@link RailAddress} text. The list with the higher generation replaces the
 * others.
 */
public final class AddressesFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x0e;

  /** Offset of the number of addresses. */
  public static final int COUNT = 1;

  /** Offset of the length of the entries with their padding, in bytes. */
  public static final int ENTRIES_LENGTH = 2;

  /** Offset of the generation. */
  public static final int GENERATION = 4;

  /** Offset of the entries. */
  public static final int ENTRIES = 8;

  /** Most addresses that a frame, or a handshake, holds. */
  public static final int MAX_ADDRESSES = 16;

  private AddressesFrame() {}

  /** Length in bytes of a frame with these addresses. */
  public static int length(List<RailAddress> addresses) {
    int entries = 0;
    for (RailAddress address : addresses) {
      entries += 1 + address.text().length();
    }
    return ENTRIES + padded(entries);
  }

  /** Length in bytes of a validated frame. */
  public static int length(byte[] m, int off) {
    return ENTRIES + u16(m, off + ENTRIES_LENGTH);
  }

  /**
   * Writes the frame and returns its length.
   *
   * @param addresses at most {@link #MAX_ADDRESSES}
   */
  public static int encode(byte[] m, int off, int generation, List<RailAddress> addresses) {
    if (addresses.size() > MAX_ADDRESSES) {
      throw new IllegalArgumentException(
          addresses.size() + " addresses, at most " + MAX_ADDRESSES + " can be told");
    }
    int length = length(addresses);
    Arrays.fill(m, off, off + length, (byte) 0);
    putI64(m, off, TYPE);
    putU8(m, off + COUNT, addresses.size());
    putU16(m, off + ENTRIES_LENGTH, length - ENTRIES);
    putI32(m, off + GENERATION, generation);
    int at = off + ENTRIES;
    for (RailAddress address : addresses) {
      byte[] text = address.text().getBytes(StandardCharsets.US_ASCII);
      putU8(m, at, text.length);
      System.arraycopy(text, 0, m, at + 1, text.length);
      at += 1 + text.length;
    }
    return length;
  }

  /** How many addresses there are. */
  public static int count(byte[] m, int off) {
    return u8(m, off + COUNT);
  }

  /** The generation of the list. */
  public static int generation(byte[] m, int off) {
    return i32(m, off + GENERATION);
  }

  /** The addresses. */
  public static List<RailAddress> addresses(byte[] m, int off) {
    int count = count(m, off);
    var addresses = new ArrayList<RailAddress>(count);
    int at = off + ENTRIES;
    for (int i = 0; i < count; i++) {
      var text = new byte[u8(m, at)];
      System.arraycopy(m, at + 1, text, 0, text.length);
      addresses.add(new RailAddress(new String(text, StandardCharsets.US_ASCII)));
      at += 1 + text.length;
    }
    return List.copyOf(addresses);
  }
}
