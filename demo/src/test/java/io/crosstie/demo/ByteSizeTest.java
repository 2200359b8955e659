// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ByteSizeTest {
  @Test
  void readsWhatPeopleWrite() {
    assertEquals(4L << 30, ByteSize.parse("4GiB"));
    assertEquals(8L << 30, ByteSize.parse("8g"));
    assertEquals(512L << 20, ByteSize.parse("512 MB"));
    assertEquals(3L << 29, ByteSize.parse("1.5GiB"));
    assertEquals(65_536, ByteSize.parse("65536"));
    assertEquals(7, ByteSize.parse("7B"));
    assertEquals(2L << 40, ByteSize.parse("2TiB"));
  }

  @Test
  void saysWhatToWriteInstead() {
    for (String text : List.of("", "4 apples", "-1", "1.5", "99999999TiB", "GiB")) {
      String message =
          assertThrows(IllegalArgumentException.class, () -> ByteSize.parse(text)).getMessage();
      assertTrue(message.contains("4GiB"), message);
    }
  }

  @Test
  void writesForPeople() {
    assertEquals("0 B", ByteSize.format(0));
    assertEquals("1023 B", ByteSize.format(1023));
    assertEquals("1.5 KiB", ByteSize.format(1536));
    assertEquals("64.0 MiB", ByteSize.format(64 << 20));
  }
}
