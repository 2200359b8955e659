// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Which commit this is, if that can be found out. */
final class BuildInfo {
  private BuildInfo() {}

  static String commit() {
    String given = BuildInfo.class.getPackage().getImplementationVersion();
    if (given != null && !given.endsWith("SNAPSHOT")) {
      return given;
    }
    try {
      Process git =
          new ProcessBuilder("git", "describe", "--always", "--dirty")
              .redirectErrorStream(true)
              .start();
      String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return git.waitFor(5, TimeUnit.SECONDS) && git.exitValue() == 0 ? text : "unknown";
    } catch (IOException e) {
      return "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }
}
