// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** What a test needs of the machine. In continuous integration it has to be there. */
enum Facility {
  /** The right to mount file systems and to make network namespaces. */
  ROOT {
    @Override
    boolean isThere() {
      return "root".equals(System.getProperty("user.name"));
    }
  },

  /** The browser, headless. */
  CHROMIUM {
    @Override
    boolean isThere() {
      return !Browser.program().isEmpty();
    }
  },

  /** A Docker engine, and the base of the demo's image, as demo/image.sh makes it. */
  DOCKER {
    @Override
    boolean isThere() {
      return DemoImage.isPossible();
    }
  };

  abstract boolean isThere();

  /** Fails in continuous integration, leaves the test out elsewhere, and says so in one line. */
  final void require(String forWhat) {
    if (!isThere()) {
      String line = "left out, since it needs " + this + ": " + forWhat;
      if ("true".equals(System.getenv("CI"))) {
        throw new AssertionError(line);
      }
      System.out.println(line);
      Assumptions.abort(line);
    }
  }

  /** Runs a command and fails if it does. */
  static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + output);
    }
  }
}
