// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** Pairs of a value, double, and its index: for MINLOC and MAXLOC. */
public final class DoubleInt extends Struct {
  private final int value = addDouble();
  private final int index = addInt();

  DoubleInt() {}

  @Override
  Datatype makeType() {
    return MPI.DOUBLE_INT;
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
    public double getValue() {
      return getDouble(value);
    }

    /** The index. */
    public int getIndex() {
      return getInt(index);
    }

    /** Sets the value. */
    public void putValue(double v) {
      putDouble(value, v);
    }

    /** Sets the index. */
    public void putIndex(int v) {
      putInt(index, v);
    }
  }
}
