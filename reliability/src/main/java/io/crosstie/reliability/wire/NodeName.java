// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a node may be called. There is one rule, for configurations as for what arrives: a name that
 * one node takes every other one takes, and nobody has to compare names by what cannot be seen in
 * them.
 *
 * <ul>
 *   <li>1 to {@value #MAX_BYTES} bytes of UTF-8. Names are compared byte by byte.
 *   <li>Every code point is assigned and can be seen: no control, format (byte-order mark,
 *       zero-width space, direction of writing), private-use or surrogate code point, no line or
 *       paragraph separator, and none that Unicode has ignored by default (variation selectors,
 *       fillers).
 *   <li>The only blank is the space, U+0020, and neither first nor last.
 *   <li>Normalized (NFC): an accented letter is one code point where there is one for it.
 * </ul>
 *
 * <p>What is assigned is as this JDK's version of Unicode has it. A peer whose JDK is older rejects
 * a name with newer code points, and says so.
 */
public final class NodeName {
  /** Longest name, in bytes of UTF-8. */
  public static final int MAX_BYTES = 64;

  /** The rule in short, for messages. */
  public static final String RULE =
      "a name has 1 to "
          + MAX_BYTES
          + " bytes of UTF-8, is normalized (NFC), and consists of characters that can be seen, and"
          + " spaces between them";

  private NodeName() {}

  /** Whether a node can be called so. */
  public static boolean isName(String text) {
    return problem(text) == null;
  }

  /**
   * What is wrong with a name.
   *
   * @return for a person: what, and where; null if nothing is
   */
  public static @Nullable String problem(String text) {
    if (text.isEmpty()) {
      return "it is empty";
    }
    if (text.length() > MAX_BYTES) { // before anything is done that takes long with a long one
      return "it has " + text.length() + " characters, and at most " + MAX_BYTES + " bytes fit";
    }
    if (text.isBlank()) {
      return "it is blank";
    }
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      String what = whatIsWrongWith(c);
      if (what != null) {
        return "at position " + (i + 1) + " is " + nameOf(c) + ", " + what;
      }
      if (c == ' ' && (i == 0 || i == text.length() - 1)) {
        return (i == 0 ? "it begins" : "it ends") + " with a space";
      }
    }
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      return "it has " + bytes + " bytes";
    }
    boolean ascii = bytes == text.length(); // and normalized; the platform need not load its tables
    if (!ascii && !Normalizer.isNormalized(text, Normalizer.Form.NFC)) {
      return "it is not normalized; write \""
          + Normalizer.normalize(text, Normalizer.Form.NFC)
          + "\" with its letters and accents composed (NFC)";
    }
    return null;
  }

  /**
   * Takes a name.
   *
   * @throws IllegalArgumentException if it is none; the message says why
   */
  public static void require(String text) {
    String problem = problem(text);
    if (problem != null) {
      throw new IllegalArgumentException(
          "not a node name: \"" + visible(text) + "\": " + problem + "; " + RULE);
    }
  }

  /** A text in which everything can be seen: the rest as {@code U+FEFF}, and cut if it is long. */
  public static String visible(String text) {
    var shown = new StringBuilder();
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      if (shown.length() > 2 * MAX_BYTES) {
        return shown.append("...").toString();
      }
      if (whatIsWrongWith(c) == null) {
        shown.appendCodePoint(c);
      } else {
        shown.append('<').append(number(c)).append('>');
      }
    }
    return shown.toString();
  }

  private static @Nullable String whatIsWrongWith(int codePoint) {
    if (isIgnorable(codePoint)) {
      return "which cannot be seen";
    }
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL -> "one of the control characters";
      case Character.FORMAT -> "a format character, which cannot be seen";
      case Character.SURROGATE -> "half of a character";
      case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> "which ends a line";
      case Character.PRIVATE_USE -> "which means something to some only (private use)";
      case Character.UNASSIGNED -> "which is no character";
      case Character.SPACE_SEPARATOR ->
          codePoint == ' ' ? null : "a blank that looks like a space and is none";
      default -> null;
    };
  }

  /**
   * Unicode's Default_Ignorable_Code_Point, apart from those of a type that is refused as such; and
   * the blank of Braille.
   */
  private static boolean isIgnorable(int c) {
    return c == 0x034f
        || c == 0x115f
        || c == 0x1160
        || c == 0x17b4
        || c == 0x17b5
        || (c >= 0x180b && c <= 0x180f)
        || c == 0x2800
        || c == 0x3164
        || (c >= 0xfe00 && c <= 0xfe0f)
        || c == 0xffa0
        || (c >= 0xe0000 && c <= 0xe0fff);
  }

  private static String nameOf(int codePoint) {
    String name = Character.getName(codePoint);
    return name == null ? number(codePoint) : number(codePoint) + " (" + name + ")";
  }

  private static String number(int codePoint) {
    return String.format(Locale.ROOT, "U+%04X", codePoint);
  }
}
