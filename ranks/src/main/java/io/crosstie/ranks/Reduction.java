// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The usual operations. Integers wrap around; {@link ElementType#CHAR} is unsigned, all others are
 * signed. The result of a sum of floating-point numbers depends on how many ranks there are, and
 * never on when their messages come.
 */
public enum Reduction implements Operation {
  /** Sum. */
  SUM(true),
  /** Product. */
  PRODUCT(true),
  /** The lesser one, as of {@link Math#min(double, double)}. */
  MIN(true),
  /** The greater one, as of {@link Math#max(double, double)}. */
  MAX(true),
  /** All bits that both have; integers only. */
  BITWISE_AND(false),
  /** All bits that one has; integers only. */
  BITWISE_OR(false),
  /** All bits in which they differ; integers only. */
  BITWISE_XOR(false),
  /** 1 if neither is 0, else 0; integers only. */
  LOGICAL_AND(false),
  /** 1 if one is not 0, else 0; integers only. */
  LOGICAL_OR(false),
  /** 1 if just one is not 0, else 0; integers only. */
  LOGICAL_XOR(false),
  /**
   * Of pairs, a value and its location in two elements side by side, the one with the lesser value;
   * of equal values the lesser location. A NaN is greater than all others.
   */
  MINLOC(true),
  /** The same with the greater value; of equal values the lesser location. */
  MAXLOC(true);

  static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  private final boolean ofReals;

  /**
   * @param ofReals whether it combines floating-point numbers, too
   */
  Reduction(boolean ofReals) {
    this.ofReals = ofReals;
  }

  @Override
  public boolean isCommutative() {
    return true;
  }

  /** 2 where pairs are combined. */
  @Override
  public int elementsTogether() {
    return isOfPairs() ? 2 : 1;
  }

  private boolean isOfPairs() {
    return this == MINLOC || this == MAXLOC;
  }

  /** Refuses what it cannot combine. */
  void check(ElementType type) {
    if (!ofReals && (type == ElementType.FLOAT || type == ElementType.DOUBLE)) {
      throw new IllegalArgumentException(this + " is for integers, not for " + type);
    }
  }

  @Override
  public void apply(Data left, Data right) {
    MemorySegment a = left.segment();
    MemorySegment b = right.segment();
    long count = right.count();
    if (isOfPairs()) {
      applyToPairs(a, b, right.type(), count);
      return;
    }
    check(right.type());
    ReductionLoops.combine(this, a, b, right.type(), count);
  }

  /** Takes the pair of the left where that is the right one. */
  private void applyToPairs(MemorySegment a, MemorySegment b, ElementType type, long count) {
    boolean isFloat = type == ElementType.FLOAT || type == ElementType.DOUBLE;
    long bytes = type.bytes();
    for (long i = 0; i < count; i += 2) {
      int order =
          isFloat
              ? compare(real(a, type, i), real(b, type, i))
              : Long.compare(integer(a, type, i), integer(b, type, i));
      order = this == MAXLOC ? -order : order;
      if (order == 0) {
        order =
            isFloat
                ? compare(real(a, type, i + 1), real(b, type, i + 1))
                : Long.compare(integer(a, type, i + 1), integer(b, type, i + 1));
      }
      if (order == 0 && isFloat) { // zeros of different signs: the same one whoever is left
        order = Double.compare(real(a, type, i), real(b, type, i));
        order = order == 0 ? Double.compare(real(a, type, i + 1), real(b, type, i + 1)) : order;
      }
      if (order < 0) {
        MemorySegment.copy(a, i * bytes, b, i * bytes, 2 * bytes);
      }
    }
  }

  /** Both zeros are equal. */
  private static int compare(double a, double b) {
    return a == b ? 0 : Double.compare(a, b);
  }

  private static double real(MemorySegment of, ElementType type, long index) {
    return type == ElementType.FLOAT ? of.getAtIndex(FLOAT, index) : of.getAtIndex(DOUBLE, index);
  }

  private static long integer(MemorySegment of, ElementType type, long index) {
    return switch (type) {
      case BYTE -> of.get(ValueLayout.JAVA_BYTE, index);
      case SHORT -> of.getAtIndex(SHORT, index);
      case CHAR -> of.getAtIndex(CHAR, index);
      case INT -> of.getAtIndex(INT, index);
      case LONG -> of.getAtIndex(LONG, index);
      case FLOAT, DOUBLE -> throw new IllegalArgumentException(type + " is no integer");
    };
  }
}
