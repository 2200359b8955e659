// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NodeNameTest {
  private static final Checksum CRC = Checksum.of(ChecksumKind.CRC32C);

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "node-1", "Knoten Süd", "узел", "節點", "ノード", "نود", "☃", "🚀", "a_b.c:7/(x)"})
  void namesInAnyLanguage(String name) {
    assertNull(NodeName.problem(name));
    assertEquals(name, NodeName.visible(name));
  }

  @ParameterizedTest
  @CsvSource({
    "feff, byte-order mark",
    "200b, zero-width space",
    "200d, zero-width joiner",
    "2060, word joiner",
    "00ad, soft hyphen",
    "2028, line separator",
    "2029, paragraph separator",
    "202e, right-to-left override",
    "2066, left-to-right isolate",
    "061c, arabic letter mark",
    "0000, null",
    "000a, line feed",
    "001b, escape",
    "007f, delete",
    "0085, next line",
    "d800, lone high surrogate",
    "dfff, lone low surrogate",
    "e000, private use",
    "f8ff, private use",
    "10fffd, private use",
    "fffe, noncharacter",
    "ffff, noncharacter",
    "0378, unassigned",
    "e0041, tag",
    "fe0f, variation selector",
    "3164, filler",
    "2800, blank of Braille",
    "00a0, no-break space",
    "3000, ideographic space",
  })
  void whatCannotBeSeenOrMeansNothingIsNamedWithItsPlace(String hex, String what) {
    int codePoint = Integer.parseInt(hex, 16);
    String text = Character.toString(codePoint);
    for (int before : new int[] {0, 3}) {
      for (String after : new String[] {"", "z"}) {
        String name = "abc".substring(0, before) + text + after;
        String problem = NodeName.problem(name);
        assertTrue(
            problem != null
                && (problem.contains("position " + (before + 1) + " is U+" + number(codePoint))
                    || problem.contains("blank")),
            () -> what + ": " + problem);
        assertFalse(NodeName.visible(name).contains(text), what);
        var e = assertThrows(IllegalArgumentException.class, () -> NodeName.require(name));
        assertTrue(e.getMessage().contains("64 bytes"), e::getMessage);
      }
    }
  }

  private static String number(int codePoint) {
    return String.format("%04X", codePoint);
  }

  @Test
  void lengthBlanksAndAccents() {
    assertNull(NodeName.problem("é".repeat(32)));
    assertTrue(NodeName.problem("é".repeat(33)).contains("66 bytes"));
    assertTrue(NodeName.problem("x".repeat(65)).contains("64 bytes"));
    assertTrue(NodeName.problem("x".repeat(100_000)).contains("100000"));
    assertTrue(NodeName.problem("").contains("empty"));
    assertTrue(NodeName.problem("  ").contains("blank"));
    assertTrue(NodeName.problem(" a").contains("begins with a space"));
    assertTrue(NodeName.problem("a ").contains("ends with a space"));
    assertNull(NodeName.problem("a b"));
    String decomposed = "e\u0301";
    assertTrue(NodeName.problem(decomposed).contains("NFC"));
    assertTrue(NodeName.problem(decomposed).contains("\u00e9"));
  }

  /** The wire and the rule are one: whatever code point is in a name. */
  @Test
  void whatIsANameArrivesAndNothingElseDoes() {
    byte[] m = new byte[1200];
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      String name = "a" + Character.toString(c);
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      if (NodeName.isName(name)) {
        new Init(1, 1, 5, name, name).encode(m, 0, 1200);
      } else {
        String placeholder = "x".repeat(bytes.length);
        new Init(1, 1, 5, placeholder, "").encode(m, 0, 1200);
        System.arraycopy(bytes, 0, m, 40, bytes.length);
      }
      PacketHeader.seal(m, 0, 1200, CRC);
      Init parsed = Init.parse(m, 0, 1200);
      boolean lone = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE; // is sent as ?
      if (!lone) {
        assertEquals(NodeName.isName(name), parsed != null && parsed.name().equals(name), name);
      }
      assertEquals(5, Init.incarnation(m, 0));
    }
  }
}
