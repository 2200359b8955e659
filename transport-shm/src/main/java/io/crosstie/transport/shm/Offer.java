// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.RailAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an initiator says over the socket, once: here is a segment. The acceptor answers with one
 * byte; after that every byte in either direction is a ring of the doorbell.
 *
 * <pre>
 *  magic (8), version (4), bytes of the whole (4), generation (8), bytes of each ring (8),
 *  length of the file's name (2), length of the address (2), name, address of the initiator's port
 * </pre>
 *
 * @param generation drawn anew for each segment and repeated in its header
 * @param ringBytes of each direction
 * @param fileName in the folder that the address names
 * @param from the address of the initiator's port
 */
record Offer(long generation, long ringBytes, String fileName, RailAddress from) {
  /** Longest encoding, in bytes. */
  static final int MAX_BYTES = 36 + 64 + RailAddress.MAX_LENGTH;

  /** The answer to a segment that was mapped. */
  static final byte ACCEPTED = 'A';

  /** The answer to a segment that was not; the socket is closed behind it. */
  static final byte REFUSED = 'R';

  /** A ring of the doorbell. */
  static final byte DOORBELL = 'D';

  private static final int FIXED_BYTES = 36;
  private static final long MAGIC = 0x5854_4945_4f46_4652L;
  private static final Pattern FILE_NAME = Pattern.compile("[a-z0-9-]{1,64}");

  byte[] encode() {
    byte[] name = fileName.getBytes(StandardCharsets.US_ASCII);
    byte[] address = from.text().getBytes(StandardCharsets.US_ASCII);
    int length = FIXED_BYTES + name.length + address.length;
    return ByteBuffer.allocate(length)
        .putLong(MAGIC)
        .putInt((int) SegmentLayout.VERSION)
        .putInt(length)
        .putLong(generation)
        .putLong(ringBytes)
        .putShort((short) name.length)
        .putShort((short) address.length)
        .put(name)
        .put(address)
        .array();
  }

  /**
   * Reads an offer of which so far {@code length} bytes have come.
   *
   * @return null if more has to come
   * @throws IOException if it is none; the message says why
   */
  static @Nullable Offer decode(byte[] bytes, int length) throws IOException {
    if (length < FIXED_BYTES) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
    if (in.getLong() != MAGIC) {
      throw new IOException("what came is no offer of a segment");
    }
    int version = in.getInt();
    if (version != SegmentLayout.VERSION) {
      throw new IOException("the peer speaks version " + version + " of the segment's layout");
    }
    int total = in.getInt();
    long generation = in.getLong();
    long ringBytes = in.getLong();
    int nameLength = in.getShort();
    int addressLength = in.getShort();
    if (nameLength < 1
        || addressLength < 1
        || addressLength > RailAddress.MAX_LENGTH
        || total != FIXED_BYTES + nameLength + addressLength
        || total > MAX_BYTES) {
      throw new IOException("the lengths in the offer do not fit together");
    }
    if (length < total) {
      return null;
    }
    String name = new String(bytes, FIXED_BYTES, nameLength, StandardCharsets.ISO_8859_1);
    if (!FILE_NAME.matcher(name).matches()) {
      throw new IOException("the file offered has a name that no port gives");
    }
    String address =
        new String(bytes, FIXED_BYTES + nameLength, addressLength, StandardCharsets.ISO_8859_1);
    try {
      return new Offer(generation, ringBytes, name, new RailAddress(address));
    } catch (IllegalArgumentException e) {
      throw new IOException("the offer comes from no rail address", e);
    }
  }
}
