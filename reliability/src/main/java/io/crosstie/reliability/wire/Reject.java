// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The responder declines; the initiator may try again, depending on the reason. Its layout is the
 * same in every version, so that also an initiator of another version learns why.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |     reason      |   min version   |   max version   |   text length   |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 32 |                      incarnation of the initiator                     |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 40 | text, zero padding to a multiple of 8                                 |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * @param connectionId the initiator's connection id, for the header; 0 in answer to INIT
 * @param reason one of the constants here, or one of a later version
 * @param minVersion the lowest wire version that the responder speaks
 * @param maxVersion the highest one
 * @param incarnation the initiator's incarnation, echoed
 * @param text more about it for a person; what exceeds {@value #MAX_TEXT_LENGTH} bytes is cut
 */
public record Reject(
    long connectionId, int reason, int minVersion, int maxVersion, long incarnation, String text) {
  /** Reason: no wire version in common. */
  public static final int VERSION = 1;

  /** Reason: the node has another name than the one wanted. */
  public static final int WRONG_NAME = 2;

  /** Reason: the configuration forbids it, or the limits do not match. */
  public static final int REFUSED = 3;

  /** Reason: no room for another connection; later perhaps. */
  public static final int BUSY = 4;

  /** Reason: the initiator's incarnation has been superseded by a newer one of the same name. */
  public static final int RESTARTED = 5;

  /** Reason: the node is about to close. */
  public static final int CLOSING = 6;

  /** Reason: another process has the initiator's name, and lives. */
  public static final int NAME_TAKEN = 7;

  /** Reason: HELLO has the id of a connection that has ended; the initiator takes another. */
  public static final int ENDED = 8;

  /** Longest text, in bytes of UTF-8. */
  public static final int MAX_TEXT_LENGTH = 200;

  /** Checks reason and versions, and makes the text presentable. */
  public Reject {
    if (reason < 0 || reason > 0xffff || !Init.areVersions(minVersion, maxVersion)) {
      throw new IllegalArgumentException(
          "reject out of range: reason "
              + reason
              + ", versions "
              + minVersion
              + " to "
              + maxVersion);
    }
    text = Text.cut(Text.clean(text), MAX_TEXT_LENGTH);
  }

  /**
   * Writes the packet, on rail 0, which {@link PacketHeader#seal} completes, and returns its
   * length.
   *
   * @param limit bytes there are for it
   */
  public int encode(byte[] m, int off, int limit) {
    byte[] textBytes = Text.bytes(text);
    int length = PacketHeader.LENGTH + 16 + Layouts.padded(textBytes.length);
    BodyWriter.begin(m, off, limit, length, PacketHeader.REJECT, 0, connectionId)
        .u16(reason)
        .u16(minVersion)
        .u16(maxVersion)
        .u16(textBytes.length)
        .i64(incarnation)
        .bytes(textBytes);
    return length;
  }

  /** Reads a packet that {@link PacketValidator} let pass, or returns null if it is malformed. */
  public static @Nullable Reject parse(byte[] m, int off, int length) {
    var reader = BodyReader.of(m, off, length, PacketHeader.REJECT);
    int reason = reader.u16();
    int min = reader.u16();
    int max = reader.u16();
    int textLength = reader.u16();
    long incarnation = reader.i64();
    byte[] textBytes = reader.bytes(textLength);
    reader.require(Init.areVersions(min, max));
    if (!reader.isSound()) {
      return null;
    }
    long connectionId = PacketHeader.connectionId(m, off);
    // A text that is not UTF-8 is no reason not to believe the rest.
    String text = new String(textBytes, StandardCharsets.UTF_8);
    return new Reject(connectionId, reason, min, max, incarnation, text);
  }

  /** The name of a reason, for people. */
  public static String reasonName(int reason) {
    return switch (reason) {
      case VERSION -> "VERSION";
      case WRONG_NAME -> "WRONG_NAME";
      case REFUSED -> "REFUSED";
      case BUSY -> "BUSY";
      case RESTARTED -> "RESTARTED";
      case CLOSING -> "CLOSING";
      case NAME_TAKEN -> "NAME_TAKEN";
      case ENDED -> "ENDED";
      default -> "reason " + reason;
    };
  }
}
