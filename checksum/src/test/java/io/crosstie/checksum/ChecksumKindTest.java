// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChecksumKindTest {

  /** These are on the wire: a change breaks the protocol. */
  @ParameterizedTest
  @CsvSource({
    "NONE, 0",
    "CRC32C, 1",
    "SUM, 2",
    "XOR, 3",
    "ADLER32, 4",
    "FLETCHER64, 5",
    "FNV1A, 6",
    "JENKINS_OAAT, 7",
    "MURMUR, 8",
    "SUPERFAST, 9",
  })
  void wireCodesAreStable(ChecksumKind kind, byte code) {
    assertEquals(code, kind.wireCode());
    assertSame(kind, ChecksumKind.fromWireCode(code));
  }

  @ParameterizedTest
  @ValueSource(bytes = {-128, -1, 10, 127})
  void unknownWireCodes(byte code) {
    assertThrows(IllegalArgumentException.class, () -> ChecksumKind.fromWireCode(code));
  }

  @ParameterizedTest
  @EnumSource
  void parse(ChecksumKind kind) {
    assertSame(kind, ChecksumKind.parse(kind.name()));
    assertSame(
        kind,
        ChecksumKind.parse(" " + kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + " "));
  }

  @Test
  void parseListsTheChoices() {
    Exception e = assertThrows(IllegalArgumentException.class, () -> ChecksumKind.parse("crc32"));
    String message = e.getMessage();
    assertTrue(message.contains("\"crc32\""), message);
    for (ChecksumKind kind : ChecksumKind.values()) {
      assertTrue(message.contains(kind.name().toLowerCase(Locale.ROOT)), message);
    }
  }

  @ParameterizedTest
  @EnumSource
  void instancesKnowTheirKind(ChecksumKind kind) {
    assertSame(kind, Checksum.of(kind).kind());
  }
}
