// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Copies what several processes write, line by line, so that no line is cut by another one. Where
 * nobody takes it any more that is told, and what still comes is dropped.
 */
final class LineSink {
  /** A line that is longer is written in parts. */
  private static final int LONGEST_LINE = 1 << 20;

  private static final int CHUNK = 1 << 14;

  /** Says whether a process is waited for, or whoever reads what it has written. */
  static final class Mark {
    private volatile @Nullable Object read;
    private @Nullable Object looked; // by one thread, as the next
    private int quiet;

    private void set(boolean isReading) {
      read = isReading ? new Object() : null;
    }

    /** One more look: how many in a row have found that nothing comes of the process. */
    int look() {
      Object now = read;
      quiet = now != null && now.equals(looked) ? quiet + 1 : 0;
      looked = now;
      return quiet;
    }
  }

  private final PrintStream to;
  private final Runnable onBroken;
  private boolean broken;

  /**
   * Any number of threads copy.
   *
   * @param onBroken told once, if what is written is not taken any more
   */
  LineSink(PrintStream to, Runnable onBroken) {
    this.to = to;
    this.onBroken = onBroken;
  }

  private void write(String tag, ByteArrayOutputStream line) {
    boolean isNew;
    synchronized (to) {
      if (!tag.isEmpty()) {
        byte[] bytes = tag.getBytes(StandardCharsets.UTF_8);
        to.write(bytes, 0, bytes.length);
      }
      to.write(line.toByteArray(), 0, line.size());
      isNew = to.checkError() && !broken; // which flushes
      broken |= isNew;
    }
    line.reset();
    if (isNew) {
      onBroken.run();
    }
  }

  /**
   * Copies all of it.
   *
   * @param tag in front of each line
   * @param mark says what is waited for
   */
  void copy(InputStream from, String tag, Mark mark) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK];
    mark.set(true);
    for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
      mark.set(false);
      for (int i = 0; i < count; i++) {
        line.write(chunk[i]);
        if (chunk[i] == '\n' || line.size() == LONGEST_LINE) {
          write(tag, line);
        }
      }
      mark.set(true);
    }
    mark.set(false);
    if (line.size() > 0) {
      line.write('\n');
      write(tag, line);
    }
  }
}
