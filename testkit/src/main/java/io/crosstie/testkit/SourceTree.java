// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/** The sources that a test belongs to, for tests of what stands there. */
public final class SourceTree {
  private static final String LAUNCHER = "crosstie"; // no module has a file of that name

  private SourceTree() {}

  /** The folder of the whole project. */
  public static Path root() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.isRegularFile(folder.resolve(LAUNCHER))) {
        return folder;
      }
    }
    throw new AssertionError("the project is not above " + Path.of("").toAbsolutePath());
  }
}
