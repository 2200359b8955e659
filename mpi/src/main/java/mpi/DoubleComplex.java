// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;

/** A complex number in a buffer or an array of pairs. */
public final class DoubleComplex {
  private final DoubleBuffer buffer;
  private final int offset;

  private DoubleComplex(DoubleBuffer buffer, int index) {
    this.buffer = buffer.duplicate();
    this.buffer.clear();
    this.offset = 2 * index;
  }

  /** The first one. */
  public static DoubleComplex get(DoubleBuffer buffer) {
    return get(buffer, 0);
  }

  /** One of them. */
  public static DoubleComplex get(DoubleBuffer buffer, int index) {
    return new DoubleComplex(buffer, index);
  }

  /** The first one. */
  public static DoubleComplex get(double[] array) {
    return get(array, 0);
  }

  /** One of them. */
  public static DoubleComplex get(double[] array, int index) {
    return new DoubleComplex(DoubleBuffer.wrap(array), index);
  }

  /** The first one. */
  public static DoubleComplex get(ByteBuffer buffer) {
    return get(buffer, 0);
  }

  /** One of them. */
  public static DoubleComplex get(ByteBuffer buffer, int index) {
    ByteBuffer all = buffer.duplicate().order(ByteOrder.nativeOrder());
    all.clear();
    return new DoubleComplex(all.asDoubleBuffer(), index);
  }

  /** The real part. */
  public double getReal() {
    return buffer.get(offset);
  }

  /** The imaginary part. */
  public double getImag() {
    return buffer.get(offset + 1);
  }

  /** Sets the real part. */
  public void putReal(double real) {
    DoubleBuffer unused = buffer.put(offset, real);
  }

  /** Sets the imaginary part. */
  public void putImag(double imag) {
    DoubleBuffer unused = buffer.put(offset + 1, imag);
  }

  /** The numbers from this one on. */
  public DoubleBuffer getBuffer() {
    return buffer.slice(offset, buffer.capacity() - offset);
  }
}
