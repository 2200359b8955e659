// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

/** The sizes of problems: a sample, a workstation's of 1994, and the first of the large ones. */
public enum ProblemClass {
  /** Sample. */
  S,
  /** Workstation. */
  W,
  /** The first size that counts. */
  A;

  /** The one of three that is of this class. */
  int of(int s, int w, int a) {
    return switch (this) {
      case S -> s;
      case W -> w;
      case A -> a;
    };
  }

  /** The one of three that is of this class. */
  <T> T of(T s, T w, T a) {
    return switch (this) {
      case S -> s;
      case W -> w;
      case A -> a;
    };
  }
}
