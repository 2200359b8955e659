// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import io.crosstie.testkit.Facility;

/** What holds for checksums in Java holds for them with machine code. */
class AcceleratedChecksumTest extends ChecksumTest {
  private final Accelerator found = Accelerators.find();

  @Override
  Accelerator accelerator() {
    return Facility.onProcessor(found != null, "x86-64 loops") ? found : null;
  }
}
