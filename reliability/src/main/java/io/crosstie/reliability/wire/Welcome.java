// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import org.jspecify.annotations.Nullable;

/**
 * The responder introduces itself; with it the connection exists.
 *
 * <p>The layout is that of {@link Hello}, without wanted name and cookie, with the initiator's
 * incarnation at offset 48, and padded to a multiple of 8 only.
 *
 * @param version the wire version, the one of {@link Hello}
 * @param rail the number of the rail, the one of {@link Hello}
 * @param toConnectionId the initiator's connection id, for the header
 * @param toIncarnation the initiator's incarnation, echoed
 * @param sender the responder
 */
public record Welcome(
    int version, int rail, long toConnectionId, long toIncarnation, Introduction sender) {

  /** Checks version, rail and connection id. */
  public Welcome {
    new Greeting(version, rail, toConnectionId, toIncarnation, "", Cookie.EMPTY, sender);
    if (toConnectionId == 0) {
      throw new IllegalArgumentException("a welcome needs the initiator's connection id");
    }
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
    return greeting().encode(m, off, limit, PacketHeader.WELCOME);
  }

  private Greeting greeting() {
    return new Greeting(version, rail, toConnectionId, toIncarnation, "", Cookie.EMPTY, sender);
  }

  /** Reads a packet that {@link PacketValidator} let pass, or returns null if it is malformed. */
  public static @Nullable Welcome parse(byte[] m, int off, int length) {
    Greeting greeting = Greeting.parse(m, off, length, PacketHeader.WELCOME);
    if (greeting == null || greeting.toConnectionId() == 0) {
      return null;
    }
    return new Welcome(
        greeting.version(),
        greeting.rail(),
        greeting.toConnectionId(),
        greeting.about(),
        greeting.sender());
  }
}
