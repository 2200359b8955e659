// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.Arrays;

/**
 * Which part of a file a rank sees: what a filetype has of it, one behind the other from a
 * displacement on. Offsets in it count items of the elementary type.
 */
public final class FileView {
  private final long disp;
  private final Datatype etype;
  private final Datatype filetype;
  private final String datarep;

  /** Where in what an item of the filetype has each block of it begins, in bytes. */
  private final long[] starts;

  /** With a displacement in bytes, what is counted, what is seen, and how it is represented. */
  public FileView(long disp, Datatype etype, Datatype filetype, String datarep) {
    this.disp = disp;
    this.etype = etype;
    this.filetype = filetype;
    this.datarep = datarep;
    this.starts = filetype == null ? new long[0] : starts(filetype.lengths());
  }

  private static long[] starts(long[] lengths) {
    long[] starts = new long[lengths.length];
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + lengths[i - 1];
    }
    return starts;
  }

  /** Where it begins, in bytes. */
  public long getDisp() {
    return disp;
  }

  /** What is counted. */
  public Datatype getEType() {
    return etype;
  }

  /** What is seen. */
  public Datatype getFileType() {
    return filetype;
  }

  /** How data is represented. */
  public String getDataRep() {
    return datarep;
  }

  // ------------------------------------------------------------------ for this package

  private static void check(boolean holds, int code, String what) {
    if (!holds) {
      throw MPIException.of(code, what);
    }
  }

  /** What a file cannot be seen by is an error. */
  FileView checked() {
    check(disp >= 0, MPI.ERR_ARG, "a view from byte " + disp + " on");
    check(etype != null && filetype != null, MPI.ERR_TYPE, "the datatype of a view is null");
    long unit = etype.require().bytes();
    check(
        unit > 0 && !etype.isObject() && !filetype.isObject(),
        MPI.ERR_TYPE,
        "a view of " + etype + ": it has bytes, and no objects");
    long size = filetype.require().bytes();
    check(
        size > 0 && size % unit == 0,
        MPI.ERR_TYPE,
        "a filetype of " + size + " bytes is no multiple of the elementary type's " + unit);
    long end = 0;
    long[] at = filetype.displacements();
    for (int i = 0; i < at.length; i++) {
      check(at[i] >= end, MPI.ERR_TYPE, "a filetype goes forward only, and begins at 0 or behind");
      end = at[i] + filetype.lengths()[i];
    }
    check(
        filetype.extent() >= end - at[0],
        MPI.ERR_TYPE,
        "items of the filetype, one behind the other, overlap");
    check(
        datarep != null && datarep.length() <= MPI.MAX_DATAREP_STRING,
        MPI.ERR_ARG,
        "the data representation is null, or too long");
    check(
        datarep.equals("native") || datarep.equals("internal"),
        MPI.ERR_UNSUPPORTED_DATAREP,
        "data is represented as \"native\", not as \"" + datarep + "\"");
    return this;
  }

  long unit() {
    return etype.bytes();
  }

  /** Whether there are no holes. */
  private boolean isSolid() {
    return filetype.isSolid(2);
  }

  /** Which block of the filetype has a byte, of those that an item has. */
  private int block(long of) {
    int at = Arrays.binarySearch(starts, of);
    return at >= 0 ? at : -at - 2; // the last one that begins before it
  }

  /** Where in the file a byte of the view is, of those from its beginning. */
  long place(long seen) {
    long size = filetype.bytes();
    long rest = seen % size;
    long tile = Math.addExact(disp, Math.multiplyExact(seen / size, filetype.extent()));
    int i = block(rest);
    return Math.addExact(tile, filetype.displacements()[i] + rest - starts[i]);
  }

  /** How many bytes, from one of the view on, lie side by side in the file; at least 1. */
  long run(long seen) {
    if (isSolid()) {
      return Long.MAX_VALUE;
    }
    long rest = seen % filetype.bytes();
    int i = block(rest);
    return starts[i] + filetype.lengths()[i] - rest;
  }

  /** How many whole or begun items of the elementary type a file of that many bytes has here. */
  long items(long fileBytes) {
    long extent = filetype.extent();
    long seen = 0;
    for (int i = 0; i < filetype.displacements().length; i++) {
      long behind = fileBytes - disp - filetype.displacements()[i];
      long length = filetype.lengths()[i];
      if (behind > 0) {
        seen += Math.multiplyExact(behind / extent, length) + Math.min(behind % extent, length);
      }
    }
    return Math.ceilDiv(seen, unit());
  }
}
