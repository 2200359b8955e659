// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Copies what several processes write, line by line, so that no line is cut by another one. */
final class LineSink {
  /** A line that is longer is written in parts. */
  private static final int LONGEST_LINE = 1 << 20;

  private static final int CHUNK = 1 << 14;

  private final PrintStream to;

  LineSink(PrintStream to) {
    this.to = to;
  }

  private void write(String tag, ByteArrayOutputStream line) {
    synchronized (to) {
      if (!tag.isEmpty()) {
        byte[] bytes = tag.getBytes(StandardCharsets.UTF_8);
        to.write(bytes, 0, bytes.length);
      }
      to.write(line.toByteArray(), 0, line.size());
      to.flush();
    }
    line.reset();
  }

  /**
   * Copies all of it.
   *
   * @param tag in front of each line
   */
  void copy(InputStream from, String tag) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK];
    for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
      for (int i = 0; i < count; i++) {
        line.write(chunk[i]);
        if (chunk[i] == '\n' || line.size() == LONGEST_LINE) {
          write(tag, line);
        }
      }
    }
    if (line.size() > 0) {
      line.write('\n');
      write(tag, line);
    }
  }
}
