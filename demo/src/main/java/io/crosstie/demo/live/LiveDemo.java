// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.testkit.process.ToolException;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;

/** The live demo, as the command starts it. */
public final class LiveDemo {
  private LiveDemo() {}

  /**
   * Runs a node until the process is told to end.
   *
   * @return the exit status
   * @throws ToolException if it cannot begin
   */
  public static int run(LiveOptions options, PrintStream out) {
    LiveRun demo = new LiveRun(options, out);
    CountDownLatch end = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  demo.close();
                  end.countDown();
                },
                "live-end"));
    demo.start();
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }
}
