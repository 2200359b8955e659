// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a responder gives an initiator to bring back, so that it needs no memory of its own before
 * the initiator has shown that it receives at its address (R23). Opaque here; immutable.
 */
public final class Cookie {
  /** Longest cookie, in bytes. */
  public static final int MAX_LENGTH = 64;

  /** A cookie without content. */
  public static final Cookie EMPTY = new Cookie(new byte[0]);

  private final byte[] bytes;

  private Cookie(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A cookie with a copy of these bytes. */
  public static Cookie of(byte... bytes) {
    if (bytes.length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a cookie of " + bytes.length + " bytes; at most " + MAX_LENGTH + " are possible");
    }
    return new Cookie(bytes.clone());
  }

  /** Its length in bytes. */
  public int length() {
    return bytes.length;
  }

  /** A copy of its bytes. */
  public byte[] toByteArray() {
    return bytes.clone();
  }

  /** Whether the other one holds the same bytes; takes the same time wherever they differ. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Cookie cookie && MessageDigest.isEqual(bytes, cookie.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Tells the length only, since the content is nobody else's business. */
  @Override
  public String toString() {
    return "Cookie[" + bytes.length + " bytes]";
  }
}
