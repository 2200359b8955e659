// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.ElementType;
import java.lang.reflect.Array;

/** What the elements of an array are; booleans and objects count as one byte each in a type map. */
enum Kind {
  BYTE(1, byte.class, ElementType.BYTE),
  CHAR(2, char.class, ElementType.CHAR),
  SHORT(2, short.class, ElementType.SHORT),
  BOOLEAN(1, boolean.class, ElementType.BYTE),
  INT(4, int.class, ElementType.INT),
  LONG(8, long.class, ElementType.LONG),
  FLOAT(4, float.class, ElementType.FLOAT),
  DOUBLE(8, double.class, ElementType.DOUBLE),
  OBJECT(1, Object.class, ElementType.BYTE),
  PACKED(1, byte.class, ElementType.BYTE),
  /** Bounds that are set by hand, and nothing else. */
  NONE(1, byte.class, ElementType.BYTE);

  private final int bytes;
  private final Class<?> component;
  private final ElementType elements;

  Kind(int bytes, Class<?> component, ElementType elements) {
    this.bytes = bytes;
    this.component = component;
    this.elements = elements;
  }

  int bytes() {
    return bytes;
  }

  ElementType elements() {
    return elements;
  }

  Object newArray(int length) {
    return Array.newInstance(component, length);
  }

  /** Whether an array of that class has such elements. */
  boolean fits(Class<?> array) {
    Class<?> of = array.getComponentType();
    return this == OBJECT ? !of.isPrimitive() : of == component;
  }
}
