// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/** One row of one bench. */
record CaseKey(Bench bench, String subject, int size, long rate) {
  static CaseKey of(CaseSpec spec) {
    return new CaseKey(spec.bench(), spec.subject(), spec.size(), spec.rate());
  }
}
