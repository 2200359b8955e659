// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** An operation of the program's own, in the dialect of mpiJava. */
public abstract class User_function {
  /** For a class of the program's. */
  protected User_function() {}

  /**
   * Combines element by element: inoutvec = invec op inoutvec.
   *
   * @param invec what lower ranks have; an array of the type's elements
   * @param inoffset its first element
   * @param inoutvec what higher ranks have; the result
   * @param inoutoffset its first element
   * @param count how many items of the type there are
   */
  public abstract void Call(
      Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype datatype);
}
