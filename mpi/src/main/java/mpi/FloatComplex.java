// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** A complex number in a buffer or an array of pairs. */
public final class FloatComplex {
  private final FloatBuffer buffer;
  private final int offset;

  private FloatComplex(FloatBuffer buffer, int index) {
    this.buffer = buffer.duplicate();
    this.buffer.clear();
    this.offset = 2 * index;
  }

  /** The first one. */
  public static FloatComplex get(FloatBuffer buffer) {
    return get(buffer, 0);
  }

  /** One of them. */
  public static FloatComplex get(FloatBuffer buffer, int index) {
    return new FloatComplex(buffer, index);
  }

  /** The first one. */
  public static FloatComplex get(float[] array) {
    return get(array, 0);
  }

  /** One of them. */
  public static FloatComplex get(float[] array, int index) {
    return new FloatComplex(FloatBuffer.wrap(array), index);
  }

  /** The first one. */
  public static FloatComplex get(ByteBuffer buffer) {
    return get(buffer, 0);
  }

  /** One of them. */
  public static FloatComplex get(ByteBuffer buffer, int index) {
    ByteBuffer all = buffer.duplicate().order(ByteOrder.nativeOrder());
    all.clear();
    return new FloatComplex(all.asFloatBuffer(), index);
  }

  /** The real part. */
  public float getReal() {
    return buffer.get(offset);
  }

  /** The imaginary part. */
  public float getImag() {
    return buffer.get(offset + 1);
  }

  /** Sets the real part. */
  public void putReal(float real) {
    FloatBuffer unused = buffer.put(offset, real);
  }

  /** Sets the imaginary part. */
  public void putImag(float imag) {
    FloatBuffer unused = buffer.put(offset + 1, imag);
  }

  /** The numbers from this one on. */
  public FloatBuffer getBuffer() {
    return buffer.slice(offset, buffer.capacity() - offset);
  }
}
