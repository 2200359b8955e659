// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison of two builds is asked to do.
 *
 * @param against folder with the jars of the old build
 * @param pairs how often each build is measured in each row
 * @param rows what is compared
 * @param waitQuietNs how long to wait, in all, for other programs to leave the machine alone
 * @param ownLoops whether the old build is measured by its own benchmarks, since its API is another
 * @param accelerator whether the new build uses its accelerator; the old one does what it does
 * @param json where results go as JSON lines
 */
public record PairsSettings(
    Path against,
    int pairs,
    List<PairRow> rows,
    long waitQuietNs,
    boolean ownLoops,
    boolean accelerator,
    @Nullable Path json) {
  /**
   * Both orders equally often, and a shorter interval than by eleven, in which two ranks less cover
   * only 93.5 %.
   */
  public static final int USUAL_PAIRS = 12;

  private static final int MOST_PAIRS = 1000;

  /**
   * Checks.
   *
   * @throws IllegalArgumentException if so few pairs tell nothing, too many are asked for, or the
   *     file cannot be written
   */
  public PairsSettings {
    if (pairs < MedianInterval.LEAST_VALUES || pairs > MOST_PAIRS) {
      throw new IllegalArgumentException(
          "--pairs "
              + pairs
              + " must be "
              + MedianInterval.LEAST_VALUES
              + " to "
              + MOST_PAIRS
              + ": fewer have no interval of 95 %");
    }
    if (json != null && !isInFolder(json)) {
      throw new IllegalArgumentException("--json " + json + ": its folder does not exist");
    }
    rows = List.copyOf(rows.isEmpty() ? PairRow.USUAL : rows);
  }

  private static boolean isInFolder(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return folder != null && Files.isDirectory(folder);
  }
}
