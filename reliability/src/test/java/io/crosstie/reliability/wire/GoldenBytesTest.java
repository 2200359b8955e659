// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The bytes of one packet of each kind. They were computed apart from this code, from the
 * description of the format, and must never change: nodes of different builds talk to each other.
 */
class GoldenBytesTest {
  private static final String DATA =
      """
      bed501321105e001 1817161514131211 0807060504030201 0100000005000000
      0200000000000000 03060200e8030000 4000000000000000 0000000003000000
      0200000007000000 0406010000000000 2100000000000000 0500030007000000
      3100000000000000 06000000a4a3a2a1 0100020003000000 0500010007000000
      3400000000000000 04000000b4b3b2b1 0600000007000000 3500000000000000
      08000000c4c3c2c1 0010000000000000 0020000000000000 1200000007000000
      3500000000000000 08000000c4c3c2c1 0010000000000000 0020000000000000
      060504030201ff7f 0700000007000000 3300000000000000 3200000000000000
      5634120000000000 0800000007000000 3600000000000000 0000100000000000
      0900000007000000 3700000000000000
      8100180007000000 3700000000000000 0102000000000000 1100000007000000 3900000000000000
      0a00000007000000 3800000000000000 0b06000000000000 d8d7d6d5d4d3d2d1
      0c06000000000000 d8d7d6d5d4d3d2d1 0d06010000004000 e0ff000000000000
      0e02180009000000 0a7564703a2f2f68 3a37340573686d3a 7800000000000000
      0f03010000000000 9900000000000000 1006000000000000 8001080007000000
      9000080000000000
      4142434445464748 494a4b4c4d4e4f50 51525354555657
      """;

  private static final String INIT =
      """
      c5bc10721200b004 0000000000000000 0000000000000000 0100020005050000
      e8e7e6e5e4e3e2e1 73696d2d3073696d 2d31
      """;

  private static final String RETRY =
      """
      21fb772613004000 0000000000000000 0000000000000000 0100090000000000
      e8e7e6e5e4e3e2e1 f8f7f6f5f4f3f2f1 0102030405060708 0900000000000000
      """;

  private static final String HELLO =
      """
      b62d143f1403b004 0000000000000000 0000000000000000 01000100ffffffff
      e8e7e6e5e4e3e2e1 1817161514131211 2827262524232221 0000004000000000
      0000400000000000 0000010000000000 e803000000004000 e0ff000005050902
      73696d2d3073696d 2d31010203040506 070809157564703a 2f2f3139382e3138
      2e312e313a373430 300573686d3a61
      """;

  private static final String WELCOME =
      """
      20bdf33115038000 1817161514131211 0000000000000000 0100010101000000
      f8f7f6f5f4f3f2f1 2827262524232221 e8e7e6e5e4e3e2e1 0000004000000000
      0000400000000000 0000010000000000 e803000000004000 e0ff000006000001
      73696d2dc3a91575 64703a2f2f313938 2e31382e312e323a 3734303000000000
      """;

  private static final String REJECT =
      """
      770df6fe16003800 1817161514131211 0000000000000000 0200010002000900
      e8e7e6e5e4e3e2e1 6e6f742073696d2d 3100000000000000
      """;

  private static final String RESET =
      """
      f57a5ff917032000 1817161514131211 0000000000000000 f8f7f6f5f4f3f2f1
      """;

  @TestFactory
  Stream<DynamicTest> everyKindHasItsBytes() {
    return Stream.of(
        golden("DATA", DATA),
        golden("INIT", INIT),
        golden("RETRY", RETRY),
        golden("HELLO", HELLO),
        golden("WELCOME", WELCOME),
        golden("REJECT", REJECT),
        golden("RESET", RESET));
  }

  private static DynamicTest golden(String kind, String text) {
    return DynamicTest.dynamicTest(
        kind,
        () -> {
          String expected = text.replaceAll("\\s", "");
          String actual = HexFormat.of().formatHex(Samples.packets().get(kind));
          if (kind.equals("INIT") || kind.equals("HELLO")) {
            // The padding is left out above.
            expected += "00".repeat(PacketHeader.MAX_HANDSHAKE_LENGTH - expected.length() / 2);
          }
          assertEquals(expected, actual);
        });
  }
}
