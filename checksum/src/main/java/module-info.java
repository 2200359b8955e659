// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** CRC-32C and other checksums; copy and checksum in one pass. */
module io.crosstie.checksum {
  requires static transitive org.jspecify;

  exports io.crosstie.checksum;

  uses io.crosstie.checksum.Accelerator;
}
