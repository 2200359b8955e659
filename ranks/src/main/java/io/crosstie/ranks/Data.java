// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The memory of a message, and what its elements are: a part of an array of a primitive type, of a
 * {@link ByteBuffer}, direct or on the heap, or of a {@link MemorySegment}. Nothing is copied and
 * nothing is pinned: the collector may move an array while a request has it.
 *
 * <p>Memory that belongs to one thread alone (of a confined arena) is refused, since other threads
 * make progress, too. Large messages between native memory go straight from one to the other; where
 * one end is on the heap they are copied in pieces.
 */
public final class Data {
  private static final Thread NO_THREAD = new Thread(() -> {}, "crosstie-none");
  private static final Data NOTHING = of(new byte[0]);

  private final MemorySegment segment;
  private final ElementType type;

  private Data(MemorySegment segment, ElementType type) {
    this.segment = segment;
    this.type = type;
  }

  /** No bytes. */
  public static Data none() {
    return NOTHING;
  }

  /** All of a segment, as bytes. */
  public static Data of(MemorySegment segment) {
    return of(segment, ElementType.BYTE);
  }

  /** All of a segment, whose length is a multiple of the element's. */
  public static Data of(MemorySegment segment, ElementType type) {
    Objects.requireNonNull(type, "type");
    if (segment.byteSize() % type.bytes() != 0) {
      throw new IllegalArgumentException(
          segment.byteSize() + " bytes are no whole number of elements of type " + type);
    }
    if (!segment.isAccessibleBy(NO_THREAD)) {
      throw new IllegalArgumentException(
          "the segment belongs to one thread, and others make progress, too; take memory of"
              + " Arena.ofShared() or Arena.ofAuto()");
    }
    return new Data(segment, type);
  }

  /** What remains in a buffer, as bytes; its position stays where it is. */
  public static Data of(ByteBuffer buffer) {
    return of(MemorySegment.ofBuffer(buffer));
  }

  /** A whole array. */
  public static Data of(byte[] array) {
    return new Data(MemorySegment.ofArray(array), ElementType.BYTE);
  }

  /** A part of an array. */
  public static Data of(byte[] array, int offset, int count) {
    return of(array).part(offset, count);
  }

  /** A whole array. */
  public static Data of(short[] array) {
    return new Data(MemorySegment.ofArray(array), ElementType.SHORT);
  }

  /** A part of an array. */
  public static Data of(short[] array, int offset, int count) {
    return of(array).part(offset, count);
  }

  /** A whole array. */
  public static Data of(char[] array) {
    return new Data(MemorySegment.ofArray(array), ElementType.CHAR);
  }

  /** A part of an array. */
  public static Data of(char[] array, int offset, int count) {
    return of(array).part(offset, count);
  }

  /** A whole array. */
  public static Data of(int[] array) {
    return new Data(MemorySegment.ofArray(array), ElementType.INT);
  }

  /** A part of an array. */
  public static Data of(int[] array, int offset, int count) {
    return of(array).part(offset, count);
  }

  /** A whole array. */
  public static Data of(long[] array) {
    return new Data(MemorySegment.ofArray(array), ElementType.LONG);
  }

  /** A part of an array. */
  public static Data of(long[] array, int offset, int count) {
    return of(array).part(offset, count);
  }

  /** A whole array. */
  public static Data of(float[] array) {
    return new Data(MemorySegment.ofArray(array), ElementType.FLOAT);
  }

  /** A part of an array. */
  public static Data of(float[] array, int offset, int count) {
    return of(array).part(offset, count);
  }

  /** A whole array. */
  public static Data of(double[] array) {
    return new Data(MemorySegment.ofArray(array), ElementType.DOUBLE);
  }

  /** A part of an array. */
  public static Data of(double[] array, int offset, int count) {
    return of(array).part(offset, count);
  }

  /** Some elements of it. */
  public Data part(long first, long count) {
    long bytes = type.bytes();
    Objects.checkFromIndexSize(first, count, count());
    return new Data(segment.asSlice(first * bytes, count * bytes), type);
  }

  /**
   * Parts side by side, one for each rank.
   *
   * @param counts how many elements each of them has, 0 or more
   */
  public List<Data> parts(int... counts) {
    int[] displacements = new int[counts.length];
    for (int i = 1; i < counts.length; i++) {
      displacements[i] = Math.addExact(displacements[i - 1], counts[i - 1]);
    }
    return parts(counts, displacements);
  }

  /**
   * Parts anywhere in it, one for each rank; those that are received into may not overlap.
   *
   * @param counts how many elements each of them has, 0 or more
   * @param displacements where each of them begins, in elements
   * @throws IllegalArgumentException if one does not lie in it
   */
  public List<Data> parts(int[] counts, int[] displacements) {
    if (counts.length != displacements.length) {
      throw new IllegalArgumentException(
          counts.length + " counts and " + displacements.length + " displacements");
    }
    List<Data> parts = new ArrayList<>(counts.length);
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] < 0
          || displacements[i] < 0
          || (counts[i] > 0 && (long) displacements[i] + counts[i] > count())) {
        throw new IllegalArgumentException(
            "part "
                + i
                + ", "
                + counts[i]
                + " elements from "
                + displacements[i]
                + " on, does not lie in "
                + this);
      }
      parts.add(counts[i] == 0 ? part(0, 0) : part(displacements[i], counts[i]));
    }
    return List.copyOf(parts);
  }

  /** The memory. */
  public MemorySegment segment() {
    return segment;
  }

  /** What its elements are. */
  public ElementType type() {
    return type;
  }

  /** How many elements there are. */
  public long count() {
    return segment.byteSize() / type.bytes();
  }

  /** How many bytes. */
  public long byteSize() {
    return segment.byteSize();
  }

  /** Refuses memory that cannot be written. */
  Data writable() {
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException("the memory to receive into is read-only");
    }
    return this;
  }

  @Override
  public String toString() {
    return count() + " elements of type " + type;
  }
}
