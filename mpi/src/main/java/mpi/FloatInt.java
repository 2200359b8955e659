// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** Pairs of a value, float, and its index: for MINLOC and MAXLOC. */
public final class FloatInt extends Struct {
  private final int value = addFloat();
  private final int index = addInt();

  FloatInt() {}

  @Override
  Datatype makeType() {
    return MPI.FLOAT_INT;
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
    public float getValue() {
      return getFloat(value);
    }

    /** The index. */
    public int getIndex() {
      return getInt(index);
    }

    /** Sets the value. */
    public void putValue(float v) {
      putFloat(value, v);
    }

    /** Sets the index. */
    public void putIndex(int v) {
      putInt(index, v);
    }
  }
}
