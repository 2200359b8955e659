// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CompilerTimeTest {
  @Test
  void aVirtualMachineHasCompiled() {
    Facility.LINUX.require("what compilers take");
    assertTrue(CompilerTime.ofNs(ProcessHandle.current()) > 0);
  }

  @Test
  void whoIsGoneCompilesNothingAndIsNotWaitedFor() throws IOException, InterruptedException {
    Process process = new ProcessBuilder("true").start();
    int unused = process.waitFor();
    assertEquals(0, CompilerTime.ofNs(process.toHandle()));
    CompilerTime.awaitQuiet(List.of(process.toHandle()), 1);
  }
}
