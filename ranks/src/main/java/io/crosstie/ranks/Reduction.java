// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The usual operations. Integers wrap around; {@link ElementType#CHAR} is unsigned, all others are
 * signed. The result of a sum of floating-point numbers depends on how many ranks there are, and
 * never on when their messages come.
 */
@SuppressWarnings("ImmutableEnumChecker") // functions without state
public enum Reduction implements Operation {
  /** Sum. */
  SUM(Long::sum, Double::sum),
  /** Product. */
  PRODUCT((a, b) -> a * b, (a, b) -> a * b),
  /** The lesser one, as of {@link Math#min(double, double)}. */
  MIN(Math::min, Math::min),
  /** The greater one, as of {@link Math#max(double, double)}. */
  MAX(Math::max, Math::max),
  /** All bits that both have; integers only. */
  BITWISE_AND((a, b) -> a & b, null),
  /** All bits that one has; integers only. */
  BITWISE_OR((a, b) -> a | b, null),
  /** All bits in which they differ; integers only. */
  BITWISE_XOR((a, b) -> a ^ b, null),
  /** 1 if neither is 0, else 0; integers only. */
  LOGICAL_AND((a, b) -> a != 0 && b != 0 ? 1 : 0, null),
  /** 1 if one is not 0, else 0; integers only. */
  LOGICAL_OR((a, b) -> a != 0 || b != 0 ? 1 : 0, null),
  /** 1 if just one is not 0, else 0; integers only. */
  LOGICAL_XOR((a, b) -> (a != 0) != (b != 0) ? 1 : 0, null),
  /**
   * Of pairs, a value and its location in two elements side by side, the one with the lesser value;
   * of equal values the lesser location. A NaN is greater than all others.
   */
  MINLOC(Math::min, Math::min),
  /** The same with the greater value; of equal values the lesser location. */
  MAXLOC(Math::max, Math::max);

  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  private final LongBinaryOperator integers;
  private final @Nullable DoubleBinaryOperator floats;

  Reduction(LongBinaryOperator integers, @Nullable DoubleBinaryOperator floats) {
    this.integers = integers;
    this.floats = floats;
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
    if (floats == null && (type == ElementType.FLOAT || type == ElementType.DOUBLE)) {
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
    switch (right.type()) {
      case BYTE -> {
        for (long i = 0; i < count; i++) {
          long x = a.get(ValueLayout.JAVA_BYTE, i);
          b.set(ValueLayout.JAVA_BYTE, i, (byte) of(x, b.get(ValueLayout.JAVA_BYTE, i)));
        }
      }
      case SHORT -> {
        for (long i = 0; i < count; i++) {
          b.setAtIndex(SHORT, i, (short) of(a.getAtIndex(SHORT, i), b.getAtIndex(SHORT, i)));
        }
      }
      case CHAR -> {
        for (long i = 0; i < count; i++) {
          b.setAtIndex(CHAR, i, (char) of(a.getAtIndex(CHAR, i), b.getAtIndex(CHAR, i)));
        }
      }
      case INT -> {
        for (long i = 0; i < count; i++) {
          b.setAtIndex(INT, i, (int) of(a.getAtIndex(INT, i), b.getAtIndex(INT, i)));
        }
      }
      case LONG -> {
        for (long i = 0; i < count; i++) {
          b.setAtIndex(LONG, i, of(a.getAtIndex(LONG, i), b.getAtIndex(LONG, i)));
        }
      }
      case FLOAT -> {
        // a double holds sum and product of two floats so that it is rounded once
        for (long i = 0; i < count; i++) {
          b.setAtIndex(
              FLOAT, i, (float) of(a.getAtIndex(FLOAT, i), (double) b.getAtIndex(FLOAT, i)));
        }
      }
      case DOUBLE -> {
        for (long i = 0; i < count; i++) {
          b.setAtIndex(DOUBLE, i, of(a.getAtIndex(DOUBLE, i), b.getAtIndex(DOUBLE, i)));
        }
      }
    }
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

  private long of(long a, long b) {
    return integers.applyAsLong(a, b);
  }

  private double of(double a, double b) {
    DoubleBinaryOperator operator = floats;
    if (operator == null) {
      throw new IllegalArgumentException(this + " is for integers");
    }
    return operator.applyAsDouble(a, b);
  }
}
