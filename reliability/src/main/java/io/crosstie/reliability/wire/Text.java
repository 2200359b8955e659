// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Names and other text in handshakes. Allocates. */
final class Text {
  /** Longest name of a node, in bytes of UTF-8. */
  static final int MAX_NAME_LENGTH = 64;

  private Text() {}

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a node can be called so: not empty, not too long, and fit to be logged. */
  static boolean isName(String text) {
    return !text.isEmpty() && isNameOrEmpty(text);
  }

  static boolean isNameOrEmpty(String text) {
    return text.length() <= MAX_NAME_LENGTH
        && clean(text).equals(text)
        && bytes(text).length <= MAX_NAME_LENGTH;
  }

  static void requireName(String text) {
    if (!isName(text)) {
      throw new IllegalArgumentException(
          "not a node name: \""
              + clean(text)
              + "\"; a name has 1 to "
              + MAX_NAME_LENGTH
              + " bytes of UTF-8 and no control characters");
    }
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
