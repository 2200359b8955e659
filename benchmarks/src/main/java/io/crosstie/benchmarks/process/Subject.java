// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.LinkFactory;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who is measured, and what a reader has to know to compare.
 *
 * @param name as in results
 * @param kind ours, a limit, or somebody else's
 * @param reliable whether everything arrives, in order
 * @param facts for the table of subjects
 * @param benches that it takes part in
 * @param maxSize largest message in bytes
 * @param whyNot why it cannot be measured here, null if it can
 * @param carrier how it is run
 */
record Subject(
    String name,
    Kind kind,
    boolean reliable,
    Facts facts,
    Set<Bench> benches,
    long maxSize,
    Supplier<@Nullable String> whyNot,
    Carrier carrier) {
  /** Whose it is. */
  enum Kind {
    /** Crosstie. */
    OURS,
    /** A limit and no product. */
    BARE,
    /** Somebody else's product. */
    PEER
  }

  /**
   * In words.
   *
   * @param guarantees what it promises
   * @param copies made in each process
   * @param threads that work in each process
   * @param packet the largest
   * @param settings offloads and others
   */
  record Facts(String guarantees, String copies, String threads, String packet, String settings) {}

  /** How a subject is run: by two JVMs of ours, or by programs of its own. */
  sealed interface Carrier {}

  /** Two JVMs, each with one end. */
  record Jvm(LinkFactory links) implements Carrier {}

  /** Programs that are installed, or are not. */
  record Programs(NativePeer peer) implements Carrier {}

  /** One that always works. */
  static Subject jvm(
      String name,
      Kind kind,
      boolean reliable,
      Facts facts,
      Set<Bench> benches,
      long maxSize,
      LinkFactory links) {
    return new Subject(name, kind, reliable, facts, benches, maxSize, () -> null, new Jvm(links));
  }

  /** The same, unless something is amiss here. */
  Subject unless(Supplier<@Nullable String> why) {
    return new Subject(name, kind, reliable, facts, benches, maxSize, why, carrier);
  }

  /** The same, with one bench more. */
  Subject also(Bench bench) {
    Set<Bench> more = EnumSet.copyOf(benches);
    more.add(bench);
    return new Subject(name, kind, reliable, facts, more, maxSize, whyNot, carrier);
  }

  boolean ours() {
    return kind == Kind.OURS;
  }

  /** Whether it is somebody else's product. */
  boolean peer() {
    return kind == Kind.PEER;
  }

  boolean takes(Bench bench, int size) {
    return benches.contains(bench) && size <= maxSize;
  }
}
