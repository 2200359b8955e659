// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** Pairs of a value, short, and its index: for MINLOC and MAXLOC. */
public final class ShortInt extends Struct {
  private final int value = addShort();
  private final int index = addInt();

  ShortInt() {}

  @Override
  Datatype makeType() {
    return MPI.SHORT_INT;
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
    public short getValue() {
      return getShort(value);
    }

    /** The index. */
    public int getIndex() {
      return getInt(index);
    }

    /** Sets the value. */
    public void putValue(short v) {
      putShort(value, v);
    }

    /** Sets the index. */
    public void putIndex(int v) {
      putInt(index, v);
    }
  }
}
