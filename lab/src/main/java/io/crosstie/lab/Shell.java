// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the kernel's tools: ip, tc, nft, sysctl. */
final class Shell {
  private static final long PATIENCE_S = 30;

  /** What came of a command. */
  record Outcome(int status, String output) {}

  private Shell() {}

  /** Runs a command and returns what it wrote; fails if it does. */
  static String run(String... command) {
    return feed("", command);
  }

  /** The same with something on its standard input. */
  static String feed(String input, String... command) {
    Outcome outcome = attempt(input, command);
    if (outcome.status != 0) {
      throw new LabException(
          LabException.ENVIRONMENT,
          "\"" + String.join(" ", command) + "\" failed: " + outcome.output.strip());
    }
    return outcome.output;
  }

  /** Runs a command that may fail. */
  static Outcome attempt(String input, String... command) {
    try {
      Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
      try (OutputStream in = process.getOutputStream()) {
        in.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // it ended before it read everything, and its status tells
      }
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Outcome(-1, "it took longer than " + PATIENCE_S + " s");
      }
      return new Outcome(process.exitValue(), output);
    } catch (IOException e) {
      return new Outcome(-1, e.getMessage() == null ? e.toString() : e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException(LabException.RED, "interrupted", e);
    }
  }
}
