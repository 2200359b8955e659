// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.Content;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run is asked to do.
 *
 * @param rail which subjects
 * @param quick few sizes, short times
 * @param subjects by name; empty for the usual ones
 * @param benches which; empty for the usual ones
 * @param sizes of messages in bytes; empty for the usual ones
 * @param rounds how often each is measured, 0 for the usual number
 * @param balance whether to run more rounds until each has so many in each placement that occurs
 * @param warmUpNs run before each measurement, and not counted; as long for every subject: with two
 *     processors the compiler has to share them with both ends
 * @param waitQuietNs how long to wait, in all, for other programs to leave the machine alone
 * @param json where results go as JSON lines besides the folder
 * @param folder where results are kept; made if need be
 */
public record BenchSettings(
    Rail rail,
    boolean quick,
    List<String> subjects,
    List<Bench> benches,
    List<Integer> sizes,
    int rounds,
    boolean balance,
    long warmUpNs,
    long waitQuietNs,
    @Nullable Path json,
    Path folder) {
  private static final long MAX_SIZE = 64L << 20;
  private static final int QUICK_ROUNDS = 3;
  private static final int FULL_ROUNDS = 5;
  private static final long QUICK_NS = 400_000_000L;
  private static final long FULL_NS = 1_000_000_000L;
  private static final long WARM_UP_NS = 6_000_000_000L;

  /**
   * Not much shorter: for its first seconds a JVM with both processors taken by the subject shows
   * how fast it compiles, and the more code a subject has the more so.
   */
  private static final long QUICK_WARM_UP_NS = 4_000_000_000L;

  private static final long VERIFY_NS = 150_000_000L;

  /**
   * Checks and makes settings.
   *
   * @throws IllegalArgumentException if a subject is unknown or a size cannot be measured
   */
  public static BenchSettings of(
      Rail rail,
      boolean quick,
      List<String> subjects,
      List<Bench> benches,
      List<Long> sizes,
      int rounds,
      boolean balance,
      long waitQuietNs,
      @Nullable Path json,
      Path folder) {
    subjects.forEach(name -> Subjects.named(rail, name));
    sizes.forEach(BenchSettings::checkSize);
    return new BenchSettings(
        rail,
        quick,
        List.copyOf(subjects),
        List.copyOf(benches),
        sizes.stream().map(Math::toIntExact).toList(),
        rounds,
        balance,
        quick ? QUICK_WARM_UP_NS : WARM_UP_NS,
        waitQuietNs,
        json,
        folder);
  }

  /** The same with another warm-up; with a short one the figures tell of the compiler. */
  public BenchSettings withWarmUp(long ns) {
    return new BenchSettings(
        rail, quick, subjects, benches, sizes, rounds, balance, ns, waitQuietNs, json, folder);
  }

  /**
   * Checks that messages of a size can be measured.
   *
   * @throws IllegalArgumentException if they cannot
   */
  static void checkSize(long size) {
    if (size < Content.WORD || size > MAX_SIZE || size % Content.WORD != 0) {
      throw new IllegalArgumentException(
          "size " + size + " cannot be measured; take a multiple of 8 from 8 to 64MiB");
    }
  }

  int roundsToRun() {
    if (rounds > 0) {
      return rounds;
    }
    return quick ? QUICK_ROUNDS : FULL_ROUNDS;
  }

  long measureNs() {
    return quick ? QUICK_NS : FULL_NS;
  }

  long verifyNs() {
    return VERIFY_NS;
  }
}
