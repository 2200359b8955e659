// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.ByteBuffer;

/** An operation of the program's own, in the dialect of Open MPI: one of the two is overridden. */
public abstract class UserFunction {
  /** For a class of the program's. */
  protected UserFunction() {}

  /**
   * Combines element by element: inOutVec = inVec op inOutVec; both are arrays of the type's
   * elements.
   */
  public void call(Object inVec, Object inOutVec, int count, Datatype datatype) {
    throw new UnsupportedOperationException("override one of the two methods of UserFunction");
  }

  /**
   * The same on buffers in the byte order of the machine. Those of all types but {@code
   * MPI.BOOLEAN} and {@code MPI.OBJECT} come here if it is overridden; else it copies them to
   * arrays, and calls {@link #call(Object, Object, int, Datatype)}.
   */
  public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype datatype) {
    Op.onArrays(this, in, inOut, count, datatype);
  }
}
