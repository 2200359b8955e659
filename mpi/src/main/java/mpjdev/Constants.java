// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpjdev;

import mpi.MPI;

/**
 * The device below MPJ Express is not here; programs that import its package without a need compile
 * all the same.
 */
public final class Constants {
  /** {@link MPI#ANY_SOURCE}. */
  public static final int ANY_SOURCE = MPI.ANY_SOURCE;

  private Constants() {}
}
