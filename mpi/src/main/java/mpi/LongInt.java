// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** Pairs of a value, long, and its index: for MINLOC and MAXLOC. */
public final class LongInt extends Struct {
  private final int value = addLong();
  private final int index = addInt();

  LongInt() {}

  @Override
  Datatype makeType() {
    return MPI.LONG_INT;
  }

  @Override
  protected Data newData() {
    return new Data();
  }

  /** One pair. */
  public final class Data extends Struct.Data {
    /** Of none so far. */
    public Data() {}

    /** The value. */
    public long getValue() {
      return getLong(value);
    }

    /** The index. */
    public int getIndex() {
      return getInt(index);
    }

    /** Sets the value. */
    public void putValue(long v) {
      putLong(value, v);
    }

    /** Sets the index. */
    public void putIndex(int v) {
      putInt(index, v);
    }
  }
}
