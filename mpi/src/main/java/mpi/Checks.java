// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** What programs give to a call, looked at before anything is begun. */
final class Checks {
  private Checks() {}

  /** Something that is there. */
  static <T> T given(T argument, int code, String what) {
    if (argument == null) {
      throw MPIException.of(code, what + " is null");
    }
    return argument;
  }

  static <T extends Comm> T comm(T argument) {
    return given(argument, MPI.ERR_COMM, "the communicator");
  }

  static Datatype type(Datatype argument) {
    return given(argument, MPI.ERR_TYPE, "the datatype").require();
  }

  static Op op(Op argument) {
    return given(argument, MPI.ERR_OP, "the operation");
  }

  static Group group(Group argument) {
    return given(argument, MPI.ERR_GROUP, "the group");
  }

  static <T> T array(T argument, String what) {
    return given(argument, MPI.ERR_ARG, "the array of " + what);
  }

  static int count(int count) {
    if (count < 0) {
      throw MPIException.of(MPI.ERR_COUNT, "a count of " + count);
    }
    return count;
  }

  /** One for each of so many ranks; what an array has behind them does not count, as in C. */
  static void counts(int[] counts, int ranks) {
    length(array(counts, "counts").length, ranks, "counts");
    for (int i = 0; i < ranks; i++) {
      if (counts[i] < 0) {
        throw MPIException.of(MPI.ERR_COUNT, "a count of " + counts[i] + " for rank " + i);
      }
    }
  }

  /** The same. */
  static void displacements(int[] displacements, int ranks) {
    length(array(displacements, "displacements").length, ranks, "displacements");
  }

  /** The same. */
  static void types(Datatype[] types, int ranks) {
    length(array(types, "datatypes").length, ranks, "datatypes");
  }

  private static void length(int length, int ranks, String what) {
    if (length < ranks) {
      throw MPIException.of(
          MPI.ERR_ARG, "an array of " + length + " " + what + ", where " + ranks + " are needed");
    }
  }
}
