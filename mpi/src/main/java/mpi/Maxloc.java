// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Data;
import java.lang.foreign.MemorySegment;

/** What MPI.MAXLOC does, as a function on arrays of pairs of value and index. */
public class Maxloc extends User_function {
  /** It has no state. */
  public Maxloc() {}

  @Override
  public void Call(
      Object invec, int inoffset, Object outvec, int outoffset, int count, Datatype datatype) {
    Part in = Part.of(invec, inoffset, count, datatype);
    Part out = Part.of(outvec, outoffset, count, datatype);
    Data left = Data.of(in.pack());
    MemorySegment right = out.pack();
    MPI.MAXLOC.operation(datatype).apply(left, Data.of(right));
    out.unpack(right, out.bytes());
  }
}
