// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

/** Opens one end of a subject. */
@FunctionalInterface
public interface LinkFactory {
  /**
   * Opens it.
   *
   * @throws LinkException if that is not possible here
   */
  Link open(LinkSpec spec);
}
