// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import java.io.PrintStream;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code crosstie completion}. */
@Command(
    name = "completion",
    description = {"Prints what makes bash and zsh complete commands and options.", ""},
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(./crosstie completion)                   in this shell, bash or zsh",
      "  ./crosstie completion > ~/.crosstie-completion    to source it in ~/.bashrc or ~/.zshrc"
    })
final class CompletionCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  CompletionCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public void run() {
    String script = AutoComplete.bash("crosstie", spec.root().commandLine());
    // the command as it lies in a source tree is completed, too
    out.println(
        script
            .replace(" crosstie crosstie.sh", " crosstie ./crosstie crosstie.sh")
            .replaceFirst(
                "local commands=\"", "local commands=\"install javadoc sample ")); // launcher's
  }
}
