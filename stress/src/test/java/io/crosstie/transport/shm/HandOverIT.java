// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Runs the jcstress tests: every hand-over in a segment, the signal of a channel, and the word by
 * which threads take turns. A forbidden outcome fails the build. Whether a fault that was put in
 * shows is chance here; {@code LostWakeUpIT} shows it in one order, in plain runs, too. {@code
 * -Dstress=long} is as thorough as jcstress is by itself.
 */
final class HandOverIT {
  private static final List<String> SHORT =
      List.of("-m", "quick", "-f", "1", "-fsm", "1", "-iters", "5", "-time", "100", "-sc", "false");
  private static final List<String> LONG = List.of("-m", "default");

  @Test
  void noHandOverHasAForbiddenOutcome() throws IOException, InterruptedException {
    boolean isLong = System.getProperty("stress", "short").equals("long");
    if (!isLong) {
      Facility.TIME.require("two minutes of jcstress on all processors");
    }
    Path folder = Path.of(System.getProperty("stress.folder", "target/stress"));
    Files.createDirectories(folder);
    Path log = folder.resolve("log.txt");
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.add("org.openjdk.jcstress.Main");
    words.addAll(isLong ? LONG : SHORT);
    words.addAll(List.of("-af", "NONE", "-v", "-r", folder.toString()));
    words.addAll(List.of("-jvmArgs", "--enable-native-access=ALL-UNNAMED"));
    Process process =
        new ProcessBuilder(words)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(
          process.waitFor(isLong ? 24 * 60 : 15, TimeUnit.MINUTES), "it does not end, see " + log);
    } finally {
      Process unused = process.destroyForcibly();
    }
    String text = Files.readString(log);
    assertEquals(0, process.exitValue(), text);
    assertTrue(
        text.contains("Failed tests: No matches.") && text.contains("Error tests: No matches."),
        text);
    int summary = text.lastIndexOf("All remaining tests:");
    assertTrue(summary >= 0 && text.indexOf("DoorbellStress", summary) > 0, text);
    assertTrue(text.indexOf("SignalStress", summary) > 0, text);
    assertTrue(text.indexOf("WordStress", summary) > 0, text);
    int interesting = text.lastIndexOf("Interesting tests:");
    assertTrue(interesting >= 0 && text.indexOf("LostWakeUpStress", interesting) > 0, text);
    System.out.println(text.substring(summary));
  }
}
