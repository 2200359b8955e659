// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Runs commands to their end: the kernel's tools (ip, tc, nft, sysctl), and what else is there. */
public final class Shell {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * What came of a command.
   *
   * @param status -1 if it could not be started or took too long
   * @param output of both kinds, or why there is none
   */
  public record Outcome(int status, String output) {}

  private Shell() {}

  /**
   * Runs a command and returns what it wrote.
   *
   * @throws ToolException with what it said, if it fails
   */
  public static String run(String... command) {
    return feed("", command);
  }

  /** The same with something on its standard input. */
  public static String feed(String input, String... command) {
    Outcome outcome = attempt(input, command);
    if (outcome.status != 0) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "\""
              + String.join(" ", command)
              + "\" failed: "
              + outcome.output.strip()
              + (outcome.output.contains("not permitted")
                  ? "; this needs the capability NET_ADMIN"
                  : ""));
    }
    return outcome.output;
  }

  /** Runs a command that may fail. */
  public static Outcome attempt(String input, String... command) {
    return attempt(input, new ProcessBuilder(List.of(command)), PATIENCE);
  }

  /** The same with an environment of its own; killed if it takes longer than that. */
  public static Outcome attempt(String input, ProcessBuilder command, Duration patience) {
    Process process;
    try {
      process = command.redirectErrorStream(true).start();
    } catch (IOException e) {
      String first = command.command().getFirst();
      return new Outcome(-1, "cannot run " + first + "; is it installed? (" + e.getMessage() + ")");
    }
    boolean[] late = new boolean[1];
    Thread killer =
        Thread.ofPlatform().daemon().start(() -> late[0] = killIfLate(process, patience));
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // it ended before it read everything, and its status tells
    }
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      killer.join();
      return late[0]
          ? new Outcome(-1, output + "it took longer than " + patience.toSeconds() + " s")
          : new Outcome(process.exitValue(), output);
    } catch (IOException e) {
      return new Outcome(-1, "its output cannot be read: " + e);
    } catch (InterruptedException e) {
      Process unused = process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new ToolException(ToolException.RED, "interrupted", e);
    }
  }

  private static boolean killIfLate(Process process, Duration patience) {
    try {
      boolean late = !process.waitFor(patience);
      if (late) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
      return late;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
