// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.LinkFactory;
import java.util.Set;

/**
 * Who is measured, and what a reader has to know to compare.
 *
 * @param name as in results
 * @param ours whether it is Crosstie
 * @param bare whether it is a limit and no product
 * @param reliable whether everything arrives, in order
 * @param guarantees in words
 * @param copies that are made in each process, in words
 * @param threads of each process that work
 * @param packet largest packet, in words
 * @param offloads and other settings, in words
 * @param benches that it takes part in
 * @param maxSize largest message in bytes
 * @param links how to open one
 */
record Subject(
    String name,
    boolean ours,
    boolean bare,
    boolean reliable,
    String guarantees,
    String copies,
    String threads,
    String packet,
    String offloads,
    Set<Bench> benches,
    long maxSize,
    LinkFactory links) {
  /** Whether it is somebody else's product. */
  boolean peer() {
    return !ours && !bare;
  }

  boolean takes(Bench bench, int size) {
    return benches.contains(bench) && size <= maxSize;
  }
}
