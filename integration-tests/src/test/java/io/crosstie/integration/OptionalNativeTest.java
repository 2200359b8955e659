// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Who depends on the library gets no native code by that. */
final class OptionalNativeTest {
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);

  @Test
  void nativeLibrariesAreOptionalDependencies() throws IOException {
    int found = 0;
    for (String module :
        List.of("library", "messaging", "multirail", "transport-api", "transport-udp")) {
      String pom = Files.readString(SourceTree.root().resolve(module).resolve("pom.xml"));
      for (String dependency :
          DEPENDENCY.matcher(pom).results().map(result -> result.group(1)).toList()) {
        if (dependency.contains("-native-")) {
          found++;
          assertTrue(dependency.contains("<optional>true</optional>"), module + ":" + dependency);
        }
      }
    }
    assertEquals(2, found, "native libraries, each of them optional");
  }
}
