// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of texts as lines whose columns stand below each other; the last is as long as it likes. */
public final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  /** Adds a row; all have the same number of columns. */
  public void add(Object... columns) {
    rows.add(Arrays.stream(columns).map(String::valueOf).toList());
  }

  /** The lines. */
  public List<String> lines() {
    int[] widths = new int[rows.isEmpty() ? 0 : rows.getFirst().size()];
    for (List<String> row : rows) {
      Arrays.setAll(widths, i -> Math.max(widths[i], row.get(i).length()));
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
