// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Copies, with CRC-32C and by streaming stores, in machine code for x86-64 on Linux. */
@SuppressWarnings("module") // the name ends in the digits of the processor's
module io.crosstie.accelerator.x86 {
  requires io.crosstie.checksum;
  requires static transitive org.jspecify;

  provides io.crosstie.checksum.Accelerator with
      io.crosstie.accelerator.x86.X86Accelerator;
}
