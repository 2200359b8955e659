// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.io.PrintStream;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;

/** What happened last, for the page and the log. Thread safe. */
final class News {
  private static final int KEPT = 60;

  private final PrintStream out;
  private final ArrayDeque<String> lines = new ArrayDeque<>();

  News(PrintStream out) {
    this.out = out;
  }

  void say(String text) {
    String line = LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS) + " " + text;
    synchronized (lines) {
      if (lines.size() == KEPT) {
        lines.removeLast();
      }
      lines.addFirst(line);
    }
    out.println(line);
  }

  /** Newest first. */
  List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }
}
