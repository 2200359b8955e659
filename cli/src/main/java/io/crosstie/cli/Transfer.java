// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.demo.ByteSize;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code crosstie send} and {@code crosstie receive} have in common. */
final class Transfer {
  static final String RECEIVER = "crosstie-receive";
  static final int PORT = 7412;
  static final int CHUNK_BYTES = 1 << 20;

  /** The content, in chunks. */
  static final int DATA = 1;

  /** Words about it: BEGIN size, END size sum; and back: RECEIVED size sum. */
  static final int CONTROL = 2;

  private static final long SHOW_NS = 200_000_000L;
  private static final int BAR = 30;

  private final PrintStream err;
  private final boolean shows;
  private final MessageDigest sum;
  private final long beginNs = System.nanoTime();
  private long total = -1;
  private long bytes;
  private long shownNs = beginNs;

  Transfer(PrintStream err, boolean quiet) {
    this.err = err;
    this.shows = !quiet && isTerminal();
    try {
      this.sum = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Whether somebody watches. */
  @SuppressWarnings(
      "SystemConsoleNull") // it is null again where streams are redirected, from 25 on
  static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** How much it will be, -1 if that is not known. */
  void expect(long all) {
    total = all;
  }

  MessageDigest sum() {
    return sum;
  }

  long bytes() {
    return bytes;
  }

  void add(long more) {
    bytes += more;
    long nowNs = System.nanoTime();
    if (shows && nowNs - shownNs >= SHOW_NS) {
      shownNs = nowNs;
      err.print("\r" + bar());
      err.flush();
    }
  }

  private String bar() {
    String rate = String.format(Locale.ROOT, "%.1f MB/s", megabytesPerSecond());
    if (total <= 0) {
      return ByteSize.format(bytes) + "  " + rate + "   ";
    }
    int full = (int) (BAR * Math.min(bytes, total) / total);
    return "["
        + "#".repeat(full)
        + ".".repeat(BAR - full)
        + "] "
        + 100 * bytes / total
        + " %  "
        + rate
        + "   ";
  }

  double megabytesPerSecond() {
    return bytes * 1e3 / Math.max(1, System.nanoTime() - beginNs);
  }

  /** For a program, or in words. */
  Map<String, Object> result(String what, String sha256, List<String> rails) {
    if (shows) {
      err.println("\r" + bar());
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("ok", true);
    result.put("what", what);
    result.put("bytes", bytes);
    result.put("seconds", (System.nanoTime() - beginNs) / 1e9);
    result.put("megabytesPerSecond", megabytesPerSecond());
    result.put("sha256", sha256);
    result.put("rails", rails);
    return result;
  }

  static String words(Map<String, Object> result) {
    return result.get("what")
        + " "
        + result.get("bytes")
        + " bytes in "
        + oneDecimal(result.get("seconds"))
        + " s, "
        + oneDecimal(result.get("megabytesPerSecond"))
        + " MB/s, over "
        + result.get("rails")
        + "; SHA-256 "
        + result.get("sha256");
  }

  private static String oneDecimal(@Nullable Object number) {
    double value = number instanceof Number any ? any.doubleValue() : 0;
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** What went over each rail. */
  static List<String> rails(Node node, String peer, RailCounter counter) {
    List<String> rails = new ArrayList<>();
    for (RailInfo rail : node.peer(peer).rails()) {
      rails.add(rail.kind() + " " + ByteSize.format(rail.counters().get(counter)));
    }
    return rails;
  }

  /** Offers some words until they are taken. */
  static void say(Node node, Channel channel, String words) throws IOException {
    byte[] message = words.getBytes(StandardCharsets.UTF_8);
    while (channel.offer(message) < 0) {
      checkAlive(channel);
      node.idle();
    }
  }

  static void checkAlive(Channel channel) throws IOException {
    if (channel.status() != 0) {
      throw new IOException(
          "the connection to \""
              + channel.peer().name()
              + "\" has ended ("
              + channel.peer().state()
              + ") before all was there");
    }
  }

  static List<String> words(MemorySegment message, long offset, long length) {
    byte[] bytes = message.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    return List.of(new String(bytes, StandardCharsets.UTF_8).split(" ", -1));
  }
}
