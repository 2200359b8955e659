// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code crosstie version}. */
@Command(
    name = "version",
    description = "Says which version this is, and what it runs on.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
final class VersionCommand implements Runnable {
  @Spec private CommandSpec spec;

  private VersionCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public void run() {
    spec.commandLine()
        .getOut()
        .printf(
            "crosstie %s%nJava %s (%s), %s %s on %s, %d processors%n",
            Main.Version.number(),
            System.getProperty("java.version"),
            System.getProperty("java.vendor"),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors());
  }
}
