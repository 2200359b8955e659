// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Text in handshakes; of names {@link NodeName} says more. Allocates. */
final class Text {
  private Text() {}

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The text with a question mark for whatever must not appear in a log. */
  static String clean(String text) {
    var cleaned = new StringBuilder(text.length());
    text.codePoints().map(c -> isPresentable(c) ? c : '?').forEach(cleaned::appendCodePoint);
    return cleaned.toString();
  }

  private static boolean isPresentable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /** The longest beginning of a text, in whole characters, that takes at most so many bytes. */
  static String cut(String text, int maxBytes) {
    var bytes = ByteBuffer.allocate(maxBytes);
    var characters = CharBuffer.wrap(text);
    StandardCharsets.UTF_8.newEncoder().encode(characters, bytes, true);
    return text.substring(0, characters.position());
  }

  /** Reads a text, or returns null if it is not UTF-8. */
  static @Nullable String read(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** Writes bytes and returns where they end. */
  static int write(byte[] m, int at, byte[] bytes) {
    System.arraycopy(bytes, 0, m, at, bytes.length);
    return at + bytes.length;
  }
}
