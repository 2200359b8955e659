// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The loops of {@link Reduction} over elements of each type. Blocks are copied into arrays and
 * combined there: a loop over arrays of one kind is one that the compiler makes vectors of,
 * whatever kinds of memory and operations the program has used before. Loops over segments, with
 * the operation as a function, took twenty times as long once there were three of either.
 */
final class ReductionLoops {
  /** Elements of a block: two of the longest lie in the first cache. */
  private static final int BLOCK = 1024;

  private ReductionLoops() {}

  /**
   * to[i] = from[i] by to[i], for all i.
   *
   * @param by not of pairs; of integers where the type is one
   */
  static void combine(
      Reduction by, MemorySegment from, MemorySegment to, ElementType type, long count) {
    int most = (int) Math.min(BLOCK, count);
    switch (type) {
      case BYTE -> {
        byte[] block = new byte[most];
        int[] x = new int[most];
        int[] y = new int[most];
        for (long at = 0; at < count; at += BLOCK) {
          int n = (int) Math.min(BLOCK, count - at);
          MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, block, 0, n);
          for (int i = 0; i < n; i++) {
            x[i] = block[i];
          }
          MemorySegment.copy(to, ValueLayout.JAVA_BYTE, at, block, 0, n);
          for (int i = 0; i < n; i++) {
            y[i] = block[i];
          }
          combine(by, x, y, n);
          for (int i = 0; i < n; i++) {
            block[i] = (byte) y[i];
          }
          MemorySegment.copy(block, 0, to, ValueLayout.JAVA_BYTE, at, n);
        }
      }
      case SHORT -> {
        short[] block = new short[most];
        int[] x = new int[most];
        int[] y = new int[most];
        for (long at = 0; at < count; at += BLOCK) {
          int n = (int) Math.min(BLOCK, count - at);
          MemorySegment.copy(from, Reduction.SHORT, at * Short.BYTES, block, 0, n);
          for (int i = 0; i < n; i++) {
            x[i] = block[i];
          }
          MemorySegment.copy(to, Reduction.SHORT, at * Short.BYTES, block, 0, n);
          for (int i = 0; i < n; i++) {
            y[i] = block[i];
          }
          combine(by, x, y, n);
          for (int i = 0; i < n; i++) {
            block[i] = (short) y[i];
          }
          MemorySegment.copy(block, 0, to, Reduction.SHORT, at * Short.BYTES, n);
        }
      }
      case CHAR -> {
        char[] block = new char[most];
        int[] x = new int[most];
        int[] y = new int[most];
        for (long at = 0; at < count; at += BLOCK) {
          int n = (int) Math.min(BLOCK, count - at);
          MemorySegment.copy(from, Reduction.CHAR, at * Character.BYTES, block, 0, n);
          for (int i = 0; i < n; i++) {
            x[i] = block[i];
          }
          MemorySegment.copy(to, Reduction.CHAR, at * Character.BYTES, block, 0, n);
          for (int i = 0; i < n; i++) {
            y[i] = block[i];
          }
          combine(by, x, y, n);
          for (int i = 0; i < n; i++) {
            block[i] = (char) y[i];
          }
          MemorySegment.copy(block, 0, to, Reduction.CHAR, at * Character.BYTES, n);
        }
      }
      case INT -> {
        int[] x = new int[most];
        int[] y = new int[most];
        for (long at = 0; at < count; at += BLOCK) {
          int n = (int) Math.min(BLOCK, count - at);
          MemorySegment.copy(from, Reduction.INT, at * Integer.BYTES, x, 0, n);
          MemorySegment.copy(to, Reduction.INT, at * Integer.BYTES, y, 0, n);
          combine(by, x, y, n);
          MemorySegment.copy(y, 0, to, Reduction.INT, at * Integer.BYTES, n);
        }
      }
      case LONG -> {
        long[] x = new long[most];
        long[] y = new long[most];
        for (long at = 0; at < count; at += BLOCK) {
          int n = (int) Math.min(BLOCK, count - at);
          MemorySegment.copy(from, Reduction.LONG, at * Long.BYTES, x, 0, n);
          MemorySegment.copy(to, Reduction.LONG, at * Long.BYTES, y, 0, n);
          combine(by, x, y, n);
          MemorySegment.copy(y, 0, to, Reduction.LONG, at * Long.BYTES, n);
        }
      }
      case FLOAT -> {
        float[] x = new float[most];
        float[] y = new float[most];
        for (long at = 0; at < count; at += BLOCK) {
          int n = (int) Math.min(BLOCK, count - at);
          MemorySegment.copy(from, Reduction.FLOAT, at * Float.BYTES, x, 0, n);
          MemorySegment.copy(to, Reduction.FLOAT, at * Float.BYTES, y, 0, n);
          combine(by, x, y, n);
          MemorySegment.copy(y, 0, to, Reduction.FLOAT, at * Float.BYTES, n);
        }
      }
      case DOUBLE -> {
        double[] x = new double[most];
        double[] y = new double[most];
        for (long at = 0; at < count; at += BLOCK) {
          int n = (int) Math.min(BLOCK, count - at);
          MemorySegment.copy(from, Reduction.DOUBLE, at * Double.BYTES, x, 0, n);
          MemorySegment.copy(to, Reduction.DOUBLE, at * Double.BYTES, y, 0, n);
          combine(by, x, y, n);
          MemorySegment.copy(y, 0, to, Reduction.DOUBLE, at * Double.BYTES, n);
        }
      }
    }
  }

  private static void combine(Reduction by, int[] x, int[] y, int count) {
    switch (by) {
      case SUM -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] + y[i];
        }
      }
      case PRODUCT -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] * y[i];
        }
      }
      case MIN -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.min(x[i], y[i]);
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.max(x[i], y[i]);
        }
      }
      case BITWISE_AND -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] & y[i];
        }
      }
      case BITWISE_OR -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] | y[i];
        }
      }
      case BITWISE_XOR -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] ^ y[i];
        }
      }
      case LOGICAL_AND -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] != 0 && y[i] != 0 ? 1 : 0;
        }
      }
      case LOGICAL_OR -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] != 0 || y[i] != 0 ? 1 : 0;
        }
      }
      case LOGICAL_XOR -> {
        for (int i = 0; i < count; i++) {
          y[i] = (x[i] != 0) != (y[i] != 0) ? 1 : 0;
        }
      }
      case MINLOC, MAXLOC -> throw new IllegalStateException(by + " is of pairs");
    }
  }

  private static void combine(Reduction by, long[] x, long[] y, int count) {
    switch (by) {
      case SUM -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] + y[i];
        }
      }
      case PRODUCT -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] * y[i];
        }
      }
      case MIN -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.min(x[i], y[i]);
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.max(x[i], y[i]);
        }
      }
      case BITWISE_AND -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] & y[i];
        }
      }
      case BITWISE_OR -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] | y[i];
        }
      }
      case BITWISE_XOR -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] ^ y[i];
        }
      }
      case LOGICAL_AND -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] != 0 && y[i] != 0 ? 1 : 0;
        }
      }
      case LOGICAL_OR -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] != 0 || y[i] != 0 ? 1 : 0;
        }
      }
      case LOGICAL_XOR -> {
        for (int i = 0; i < count; i++) {
          y[i] = (x[i] != 0) != (y[i] != 0) ? 1 : 0;
        }
      }
      case MINLOC, MAXLOC -> throw new IllegalStateException(by + " is of pairs");
    }
  }

  private static void combine(Reduction by, float[] x, float[] y, int count) {
    switch (by) {
      case SUM -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] + y[i];
        }
      }
      case PRODUCT -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] * y[i];
        }
      }
      case MIN -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.min(x[i], y[i]);
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.max(x[i], y[i]);
        }
      }
      default -> throw new IllegalStateException(by + " is not of single real numbers");
    }
  }

  private static void combine(Reduction by, double[] x, double[] y, int count) {
    switch (by) {
      case SUM -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] + y[i];
        }
      }
      case PRODUCT -> {
        for (int i = 0; i < count; i++) {
          y[i] = x[i] * y[i];
        }
      }
      case MIN -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.min(x[i], y[i]);
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          y[i] = Math.max(x[i], y[i]);
        }
      }
      default -> throw new IllegalStateException(by + " is not of single real numbers");
    }
  }
}
