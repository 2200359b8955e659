// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** Pairs of a value, int, and its index: for MINLOC and MAXLOC. */
public final class Int2 extends Struct {
  private final int value = addInt();
  private final int index = addInt();

  Int2() {}

  @Override
  Datatype makeType() {
    return MPI.INT2;
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
    public int getValue() {
      return getInt(value);
    }

    /** The index. */
    public int getIndex() {
      return getInt(index);
    }

    /** Sets the value. */
    public void putValue(int v) {
      putInt(value, v);
    }

    /** Sets the index. */
    public void putIndex(int v) {
      putInt(index, v);
    }
  }
}
