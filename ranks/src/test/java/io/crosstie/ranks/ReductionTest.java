// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every operation on every type, against arithmetic of another kind. */
final class ReductionTest {
  /** Some blocks of what is combined together, and a part of one. */
  private static final int COUNT = 2100;

  private static boolean isFloat(ElementType type) {
    return type == ElementType.FLOAT || type == ElementType.DOUBLE;
  }

  private static MemorySegment content(ElementType type, Random random) {
    byte[] bytes = new byte[COUNT * type.bytes()];
    MemorySegment segment = MemorySegment.ofArray(bytes);
    for (int i = 0; i < COUNT; i++) {
      switch (type) { // small ones, so that some are zero and some are equal, and large ones
        case FLOAT ->
            segment.setAtIndex(
                ValueLayout.JAVA_FLOAT_UNALIGNED,
                i,
                random.nextBoolean() ? random.nextInt(5) - 2 : random.nextFloat() * 1e6f);
        case DOUBLE ->
            segment.setAtIndex(
                ValueLayout.JAVA_DOUBLE_UNALIGNED,
                i,
                random.nextBoolean() ? random.nextInt(5) - 2 : random.nextDouble() * 1e9);
        default -> {
          long value = random.nextBoolean() ? random.nextInt(5) - 2 : random.nextLong();
          for (int at = 0; at < type.bytes(); at++) { // little-endian, as the machines it runs on
            segment.set(
                ValueLayout.JAVA_BYTE, (long) i * type.bytes() + at, (byte) (value >> (8 * at)));
          }
        }
      }
    }
    return segment;
  }

  /** Outside of the heap, at an address that no type would have. */
  private static MemorySegment unaligned(MemorySegment content) {
    long bytes = content.byteSize();
    return Arena.ofAuto().allocate(bytes + 1, Long.BYTES).asSlice(1, bytes).copyFrom(content);
  }

  private static BigInteger integer(MemorySegment of, ElementType type, int index) {
    byte[] big = new byte[type.bytes()];
    for (int at = 0; at < big.length; at++) {
      big[big.length - 1 - at] = of.get(ValueLayout.JAVA_BYTE, (long) index * big.length + at);
    }
    return type == ElementType.CHAR ? new BigInteger(1, big) : new BigInteger(big);
  }

  private static double real(MemorySegment of, ElementType type, int index) {
    return type == ElementType.FLOAT
        ? of.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index)
        : of.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
  }

  private static BigInteger flag(boolean is) {
    return is ? BigInteger.ONE : BigInteger.ZERO;
  }

  private static BigInteger expected(Reduction operation, BigInteger a, BigInteger b) {
    boolean x = a.signum() != 0;
    boolean y = b.signum() != 0;
    return switch (operation) {
      case SUM -> a.add(b);
      case PRODUCT -> a.multiply(b);
      case MIN -> a.min(b);
      case MAX -> a.max(b);
      case BITWISE_AND -> a.and(b);
      case BITWISE_OR -> a.or(b);
      case BITWISE_XOR -> a.xor(b);
      case LOGICAL_AND -> flag(x && y);
      case LOGICAL_OR -> flag(x || y);
      case LOGICAL_XOR -> flag(x ^ y);
      case MINLOC, MAXLOC -> throw new AssertionError("of pairs");
    };
  }

  /** Modulo the range of the type. */
  private static BigInteger wrapped(BigInteger of, ElementType type) {
    BigInteger low = of.mod(BigInteger.ONE.shiftLeft(8 * type.bytes()));
    boolean negative = type != ElementType.CHAR && low.testBit(8 * type.bytes() - 1);
    return negative ? low.subtract(BigInteger.ONE.shiftLeft(8 * type.bytes())) : low;
  }

  @ParameterizedTest
  @EnumSource(
      names = {"MINLOC", "MAXLOC"},
      mode = EnumSource.Mode.EXCLUDE)
  void eachMeansTheSameForAllTypes(Reduction operation) {
    for (ElementType type : ElementType.values()) {
      MemorySegment left = unaligned(content(type, new Random(1)));
      MemorySegment right = content(type, new Random(2));
      MemorySegment result = MemorySegment.ofArray(right.toArray(ValueLayout.JAVA_BYTE));
      boolean bits = operation.compareTo(Reduction.BITWISE_AND) >= 0;
      if (isFloat(type) && bits) {
        assertThrows(IllegalArgumentException.class, () -> operation.check(type));
        continue;
      }
      operation.check(type);
      operation.apply(Data.of(left, type), Data.of(result, type));
      for (int i = 0; i < COUNT; i++) {
        if (isFloat(type)) {
          double a = real(left, type, i);
          double b = real(right, type, i);
          double exact =
              switch (operation) {
                case SUM -> a + b;
                case PRODUCT -> a * b;
                case MIN -> a < b ? a : b;
                default -> a > b ? a : b;
              };
          assertEquals(type == ElementType.FLOAT ? (float) exact : exact, real(result, type, i));
        } else {
          BigInteger a = integer(left, type, i);
          BigInteger b = integer(right, type, i);
          assertEquals(
              wrapped(expected(operation, a, b), type),
              integer(result, type, i),
              () -> type + ": " + a + " and " + b);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MINLOC", "MAXLOC"})
  void ofPairsTheBestAndOfEqualOnesTheFirst(Reduction operation) {
    for (ElementType type : ElementType.values()) {
      MemorySegment left = content(type, new Random(3));
      MemorySegment right = content(type, new Random(4));
      MemorySegment result = MemorySegment.ofArray(right.toArray(ValueLayout.JAVA_BYTE));
      operation.apply(Data.of(left, type), Data.of(result, type));
      int equal = 0;
      for (int i = 0; i < COUNT; i += 2) {
        int value = compare(left, right, type, i);
        equal += value == 0 ? 1 : 0;
        int order = operation == Reduction.MINLOC ? value : -value;
        order = order == 0 ? compare(left, right, type, i + 1) : order;
        MemorySegment best = order <= 0 ? left : right;
        assertEquals(0, compare(best, result, type, i), type + " at " + i);
        assertEquals(0, compare(best, result, type, i + 1), type + " at " + i);
      }
      assertEquals(true, equal > 0, "no equal ones");
    }
  }

  private static int compare(MemorySegment a, MemorySegment b, ElementType type, int index) {
    return isFloat(type)
        ? Double.compare(real(a, type, index) + 0.0, real(b, type, index) + 0.0)
        : integer(a, type, index).compareTo(integer(b, type, index));
  }

  @Test
  void zerosOfEitherSignAreEqualAndNotANumberIsTheGreatest() {
    double[] left = {-0.0, 2, Double.NaN, 1, 5, 3};
    double[] right = {0.0, 1, 4, 9, Double.NaN, 0};
    Reduction.MINLOC.apply(Data.of(left), Data.of(right));
    assertEquals(1, right[1]);
    assertEquals(9, right[3]);
    assertEquals(3, right[5]);
  }
}
