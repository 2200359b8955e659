// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BuildTest {
  @Test
  void takesItsLibraryAndOurBenchmarks(@TempDir Path folder) throws IOException {
    for (String name :
        List.of("crosstie-messaging-1.jar", "crosstie-benchmarks-1.jar", "other.jar", "notes")) {
      Files.createFile(folder.resolve(name));
    }
    List<String> path = List.of(Build.of(folder).classPath().split(File.pathSeparator, -1));
    assertEquals(3, path.size(), path.toString());
    assertTrue(Files.exists(Path.of(path.getFirst())), "these benchmarks");
    assertEquals(folder.resolve("crosstie-messaging-1.jar").toString(), path.get(1));
    assertFalse(path.toString().contains("crosstie-benchmarks-1"), "not the old ones");

    List<String> whole = List.of(Build.whole(folder).classPath().split(File.pathSeparator, -1));
    assertEquals(3, whole.size(), whole.toString());
    assertEquals(folder.resolve("crosstie-benchmarks-1.jar").toString(), whole.getFirst());
    Files.delete(folder.resolve("crosstie-benchmarks-1.jar"));
    assertThrows(IllegalArgumentException.class, () -> Build.whole(folder));
  }

  @Test
  void saysWhatIsNoBuild(@TempDir Path folder) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> Build.of(folder)).getMessage();
    assertTrue(message.contains("cli/target/quick/lib"), message);
    assertThrows(IllegalArgumentException.class, () -> Build.of(folder.resolve("none")));
  }
}
