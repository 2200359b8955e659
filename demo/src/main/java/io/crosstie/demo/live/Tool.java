// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the kernel's tools: ip, tc, nft. */
final class Tool {
  private static final long PATIENCE_S = 10;

  private Tool() {}

  /** Runs a command, and fails with what it said if it does. */
  static void run(String... command) throws IOException {
    feed("", command);
  }

  /** The same with something on its standard input. */
  static void feed(String input, String... command) throws IOException {
    String text = String.join(" ", command);
    Process process;
    try {
      process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException(
          text + " cannot be run; install " + command[0] + ": " + e.getMessage(), e);
    }
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // it ended before it read everything, and its status tells
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        Process unused = process.destroyForcibly();
        throw new IOException(text + " took longer than " + PATIENCE_S + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(text + " was interrupted", e);
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          text
              + " failed: "
              + output.strip()
              + (output.contains("not permitted") ? "; this needs the capability NET_ADMIN" : ""));
    }
  }
}
