// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.util.Objects;

/**
 * Where a port can be reached, in the text form that travels in the handshake, for example {@code
 * udp://198.18.1.1:7400} or {@code shm:…}. Only the driver of that scheme reads what is behind the
 * colon. Two addresses are equal if their texts are; drivers produce one canonical text per
 * address.
 *
 * @param text at most {@value #MAX_LENGTH} characters of printable ASCII
 */
public record RailAddress(String text) {
  /** Longest text, in characters. */
  public static final int MAX_LENGTH = 240;

  /** Checks the text. */
  public RailAddress {
    Objects.requireNonNull(text, "text");
    if (text.length() > MAX_LENGTH || text.indexOf(':') <= 0) {
      throw new IllegalArgumentException("not a rail address: \"" + text + "\"");
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c > '~') {
        throw new IllegalArgumentException("a rail address is printable ASCII: \"" + text + "\"");
      }
    }
  }

  /** The scheme, in lower case. */
  public String scheme() {
    return text.substring(0, text.indexOf(':')).toLowerCase(java.util.Locale.ROOT);
  }

  @Override
  public String toString() {
    return text;
  }
}
