// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.Shell;
import io.crosstie.testkit.process.ToolException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the kernel's tools that stays on a host and takes one command a line. To start a tool for
 * every command costs the processors ten milliseconds at the very moment at which something fails.
 *
 * <p>A tool is silent if all is well. So a question follows each command, whose answer is known;
 * what comes before that answer is a complaint.
 */
final class Console implements AutoCloseable {
  private static final String TABLE = "table ip console";

  private final String name;
  private final String question;
  private final String answer;
  private final PrintStream commands;
  private final BufferedReader answers;

  private Console(String question, String... command) {
    this.name = String.join(" ", command);
    this.question = question;
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new ToolException(ToolException.ENVIRONMENT, "cannot start \"" + name + "\": " + e, e);
    }
    commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers = process.inputReader(StandardCharsets.UTF_8);
    commands.println(question);
    answer = line();
  }

  /** Takes what follows "ip". */
  static Console links(String host) {
    return new Console("link show lo", "ip", "-brief", "-n", host, "-force", "-batch", "-");
  }

  /** Takes what follows "nft". */
  static Console filters(String host) {
    String unused = Shell.run("ip", "netns", "exec", host, "nft", "add", TABLE);
    return new Console("list tables ip", "ip", "netns", "exec", host, "nft", "-i");
  }

  /** Gives it a command; {@link #await()} is to follow. */
  void send(String command) {
    commands.println(command + '\n' + question);
  }

  /** Waits until the command was carried out; fails if it was not. */
  void await() {
    List<String> complaints = new ArrayList<>();
    for (String line = line(); !line.equals(answer); line = line()) {
      complaints.add(line);
    }
    if (!complaints.isEmpty()) {
      throw new ToolException(
          ToolException.ENVIRONMENT, "\"" + name + "\" says: " + String.join("\n", complaints));
    }
  }

  /** Gives it a command, and waits until it was carried out. */
  void run(String command) {
    send(command);
    await();
  }

  private String line() {
    try {
      String line = answers.readLine();
      if (line != null) {
        return line;
      }
    } catch (IOException e) {
      // as if it had ended
    }
    throw new ToolException(ToolException.ENVIRONMENT, "\"" + name + "\" has ended");
  }

  /** Ends it by closing its standard input. */
  @Override
  public void close() {
    commands.close();
  }
}
