// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Data;
import java.lang.foreign.MemorySegment;

/** What MPI.MINLOC does, as a function on arrays of pairs of value and index. */
public class Minloc extends User_function {
  /** It has no state. */
  public Minloc() {}

  @Override
  public void Call(
      Object invec, int inoffset, Object outvec, int outoffset, int count, Datatype datatype) {
    Part in = Part.of(invec, inoffset, count, datatype);
    Part out = Part.of(outvec, outoffset, count, datatype);
    Data left = Data.of(in.pack());
    MemorySegment right = out.pack();
    MPI.MINLOC.operation(datatype).apply(left, Data.of(right));
    out.unpack(right, out.bytes());
  }
}
