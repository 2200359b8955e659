// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The {@code crosstie} command. */
@Command(
    name = "crosstie",
    description = "Fault-tolerant multi-rail messaging for the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  private Main(CommandSpec spec) {
    this.spec = spec;
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new Main(CommandSpec.create())).execute(args));
  }

  @Override
  public void run() {
    spec.commandLine().usage(System.out);
  }

  /** The version that the build wrote into the manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"crosstie " + (version == null ? "(development)" : version)};
    }
  }
}
