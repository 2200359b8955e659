// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.RailAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of {@code shm:<boot id>.<mount namespace>:<folder>}. Bytes of the folder's name that
 * are not plain are written as {@code %xx}.
 *
 * @param host where it is
 * @param directory the port's folder, absolute
 */
record ShmAddress(HostIdentity host, Path directory) {
  static final String SCHEME = "shm";

  private static final Pattern FORM =
      Pattern.compile("shm:([0-9a-f]{32}|unknown)\\.([0-9a-f]{1,16}):(/[!-~]+)");

  /**
   * The text that travels.
   *
   * @throws IllegalArgumentException if it would be too long
   */
  RailAddress toRailAddress() {
    StringBuilder text = new StringBuilder(SCHEME).append(':').append(host.boot()).append('.');
    text.append(host.mountNamespace()).append(':');
    for (byte b : directory.toString().getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b <= '~' && b != '%') {
        text.append((char) b);
      } else {
        text.append('%').append(Character.forDigit(b >> 4 & 15, 16));
        text.append(Character.forDigit(b & 15, 16));
      }
    }
    return new RailAddress(text.toString());
  }

  /** Takes an address apart; null if it is none of a shared-memory port. */
  static @Nullable ShmAddress parse(RailAddress address) {
    Matcher matcher = FORM.matcher(address.text());
    if (!matcher.matches()) {
      return null;
    }
    try {
      Path directory = Path.of(decode(matcher.group(3)));
      ShmAddress parsed =
          new ShmAddress(new HostIdentity(matcher.group(1), matcher.group(2)), directory);
      // one text per address, and none with dots or double slashes
      return directory.equals(directory.normalize()) && parsed.toRailAddress().equals(address)
          ? parsed
          : null;
    } catch (IllegalArgumentException e) {
      return null; // InvalidPathException and NumberFormatException among them
    }
  }

  private static String decode(String text) {
    byte[] bytes = new byte[text.length()];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        if (i + 2 >= text.length()) {
          throw new InvalidPathException(text, "ends in the middle of an escape", i);
        }
        c = (char) Integer.parseInt(text, i + 1, i + 3, 16);
        i += 2;
      }
      bytes[length++] = (byte) c;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
