// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.process.ToolException;
import java.io.PrintStream;

/** The failover demo: two processes, three rails, some die, nothing is lost. */
public final class FailoverDemo {
  private FailoverDemo() {}

  /**
   * Runs the demo.
   *
   * @param out standard output
   * @param err standard error
   * @return the exit status: 0 only if the verdict is good
   * @throws ToolException if it could not begin
   */
  public static int run(DemoOptions options, PrintStream out, PrintStream err) {
    Saboteur.checkPossible();
    try (DemoSetup setup = DemoSetup.of(options)) {
      Screen screen = new Screen(options.json() ? err : out, !options.json() && isTerminal());
      setup.warnings().forEach(screen::say);
      Verdict verdict = new Controller(options, setup, screen).run();
      screen.finish();
      Summary.print(verdict, options.verbose(), options.json() ? err : out);
      if (options.json()) {
        out.println(verdict.toJson());
        out.flush();
      }
      return verdict.ok() ? 0 : ToolException.RED;
    } catch (ToolException e) {
      if (options.json() && e.exitCode() != ToolException.USAGE) {
        out.println(Verdict.failed(e.getMessage()).toJson());
        out.flush();
      }
      throw e;
    }
  }

  @SuppressWarnings("SystemConsoleNull") // with -Djdk.console=java.base it still may
  private static boolean isTerminal() {
    var console = System.console();
    String term = System.getenv("TERM");
    return console != null && console.isTerminal() && term != null && !term.equals("dumb");
  }
}
