// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.demo.Report.RailStatus;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The live view. On a terminal one line per rail, written over five times a second, with events
 * scrolling away above; elsewhere plain lines, one a second and one per event.
 */
final class Screen {
  private static final long TERMINAL_PERIOD_NS = 200_000_000L;
  private static final long PLAIN_PERIOD_NS = 1_000_000_000L;
  private static final int BAR = 24;
  private static final int NOTES = 200;

  private final PrintStream out;
  private final boolean terminal;
  private final String full;
  private final String empty;
  private final Map<String, Rate> rates = new HashMap<>();
  private final Rate delivered = new Rate();
  private double most = 100; // MB/s at which the bar is full
  private long drawnNs;
  private int linesDrawn;
  private int notes;

  Screen(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    boolean blocks = out.charset().newEncoder().canEncode('█');
    full = blocks ? "█" : "#";
    empty = blocks ? "░" : ".";
    drawnNs = System.nanoTime() - PLAIN_PERIOD_NS;
  }

  /** An event. */
  void say(String text) {
    wipe();
    out.println(text);
    out.flush();
    drawnNs -= terminal ? TERMINAL_PERIOD_NS : 0;
  }

  /** Words of the library; a flood of them is cut off. */
  void note(String from, Report.Note note) {
    if (++notes <= NOTES) {
      say("  " + from + ": " + note.text());
    } else if (notes == NOTES + 1) {
      say("  (more of this is not shown)");
    }
  }

  /** Draws if it is time to. */
  void refresh(RunState state) {
    long now = System.nanoTime();
    Report.Status sender = state.sender();
    if (now - drawnNs < (terminal ? TERMINAL_PERIOD_NS : PLAIN_PERIOD_NS) || sender == null) {
      return;
    }
    drawnNs = now;
    for (RailStatus rail : sender.rails()) {
      Rate rate = rates.computeIfAbsent(rail.name(), name -> new Rate());
      rate.update(sender.timeUs(), payload(rail));
      most = Math.max(most, rate.megabytes);
    }
    delivered.update(state.receiverTimeUs(), state.bytesDelivered());
    if (terminal) {
      wipe();
      drawBlock(state, sender);
    } else {
      drawLine(state, sender);
    }
    out.flush();
  }

  private static long payload(RailStatus rail) {
    return rail.counters().getOrDefault("PAYLOAD_FIRST_OUT", 0L)
        + rail.counters().getOrDefault("PAYLOAD_AGAIN_OUT", 0L);
  }

  private void drawBlock(RunState state, Report.Status sender) {
    for (RailStatus rail : sender.rails()) {
      Rate rate = rates.getOrDefault(rail.name(), new Rate());
      int filled = (int) Math.round(Math.clamp(rate.megabytes / most, 0, 1) * BAR);
      out.printf(
          Locale.ROOT,
          "  %-6s %s%-11s\u001b[0m %s%s %7.1f MB/s %12s%n",
          rail.name(),
          colour(rail.state()),
          word(rail.state()),
          full.repeat(filled),
          empty.repeat(BAR - filled),
          rate.megabytes,
          ByteSize.format(rate.value));
    }
    out.printf(
        Locale.ROOT,
        "  delivered %s in %d messages, %.1f MB/s%n",
        ByteSize.format(state.bytesDelivered()),
        state.receiver() == null ? 0 : state.receiver().messages(),
        delivered.megabytes);
    linesDrawn = sender.rails().size() + 1;
  }

  /** A rail's state for people. */
  private static String word(String state) {
    return state.equals("UNVALIDATED") ? "connecting" : state;
  }

  private static String colour(String state) {
    return switch (state) {
      case "ACTIVE" -> "\u001b[32m";
      case "DOWN" -> "\u001b[31m";
      default -> "\u001b[33m";
    };
  }

  private void drawLine(RunState state, Report.Status sender) {
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT,
            "  delivered %s, %.1f MB/s",
            ByteSize.format(state.bytesDelivered()),
            delivered.megabytes));
    for (RailStatus rail : sender.rails()) {
      line.append(
          String.format(
              Locale.ROOT,
              " | %s %s %.1f MB/s",
              rail.name(),
              word(rail.state()),
              rates.getOrDefault(rail.name(), new Rate()).megabytes));
    }
    out.println(line);
  }

  private void wipe() {
    if (linesDrawn > 0) {
      out.print("\u001b[" + linesDrawn + "A\u001b[J"); // up, and clear what is below
      linesDrawn = 0;
    }
  }

  /** No more live lines. */
  void finish() {
    wipe();
    out.flush();
  }

  /** A counter and how fast it grew between the last two reports. */
  private static final class Rate {
    private long timeUs;
    private long value;
    private double megabytes;

    void update(long atUs, long to) {
      if (atUs > timeUs) {
        megabytes = timeUs == 0 ? 0 : (double) (to - value) / (atUs - timeUs);
        timeUs = atUs;
        value = to;
      }
    }
  }
}
