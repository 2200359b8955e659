// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A flag that names what there is not is passed over without a word. */
class FlagsTest {
  private static final String DONTINLINE = "-XX:CompileCommand=dontinline,";

  @Test
  void methodsThatAreCompiledByThemselvesExist() throws Exception {
    List<String> names =
        Flags.JVM.stream()
            .filter(flag -> flag.startsWith(DONTINLINE))
            .map(flag -> flag.substring(DONTINLINE.length()))
            .toList();
    assertEquals(1, names.size());
    String[] parts = names.getFirst().split("::", -1);
    assertTrue(
        Arrays.stream(Class.forName(parts[0]).getDeclaredMethods())
            .map(Method::getName)
            .anyMatch(parts[1]::equals),
        names.getFirst());
  }
}
