// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import org.jspecify.annotations.Nullable;

/**
 * The initiator introduces itself and brings the cookie back. As long as any answer to it (R23).
 *
 * <p>From offset 24: u16 version, u8 checksum code, u8 flags (bit 0: rail is lossless), i32 rank,
 * u64 incarnation, u64 connection id, u64 former id, u64 max message length, u64 channel credit,
 * u64 eager limit, u32 max ack delay, u32 receive buffer, u32 max packet length, u8 length of name,
 * of wanted name, of cookie, u8 number of addresses; these; u16 length of extensions; these; zero
 * padding to 1200 bytes. PROTOCOL.md draws it.
 *
 * @param version the wire version, the one of {@link Retry}
 * @param rail the number that the initiator gives to the rail this packet travels on
 * @param cookie the one of {@link Retry}
 * @param wantedName the name of the node it wants to reach, empty for whoever answers
 * @param previousId the id under which it sent to the responder in their last connection, which has
 *     ended; 0 for none. The responder does not give that id to the new one
 * @param sender the initiator
 */
public record Hello(
    int version, int rail, Cookie cookie, String wantedName, long previousId, Introduction sender) {
  /** Length of the packet in bytes. */
  public static final int LENGTH = PacketHeader.MAX_HANDSHAKE_LENGTH;

  /** Checks version, rail and name. */
  public Hello {
    new Greeting(version, rail, 0, previousId, wantedName, cookie, sender);
  }

  /** From a sender that had no connection to the responder before. */
  public Hello(int version, int rail, Cookie cookie, String wantedName, Introduction sender) {
    this(version, rail, cookie, wantedName, 0, sender);
  }

  /** How many of the sender's addresses, from the first one on, the packet holds. */
  public int addressesThatFit() {
    return greeting().addressesThatFit();
  }

  /**
   * Writes the packet, which {@link PacketHeader#seal} completes, and returns its length.
   *
   * @param limit bytes there are for it
   */
  public int encode(byte[] m, int off, int limit) {
    return greeting().encode(m, off, limit, PacketHeader.HELLO);
  }

  private Greeting greeting() {
    return new Greeting(version, rail, 0, previousId, wantedName, cookie, sender);
  }

  /** Reads a packet that {@link PacketValidator} let pass, or returns null if it is malformed. */
  public static @Nullable Hello parse(byte[] m, int off, int length) {
    Greeting greeting = Greeting.parse(m, off, length, PacketHeader.HELLO);
    if (greeting == null || length != LENGTH) {
      return null;
    }
    return new Hello(
        greeting.version(),
        greeting.rail(),
        greeting.cookie(),
        greeting.wantedName(),
        greeting.about(),
        greeting.sender());
  }
}
