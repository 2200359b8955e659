// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

/**
 * Discrete Fourier transforms of lines in an array of complex numbers (real and imaginary parts by
 * turns), some lines side by side at a time. Not thread safe.
 *
 * <p>Source: Stockham's way without bit reversal, Cochran and others 1967, as in Van Loan,
 * Computational Frameworks for the Fast Fourier Transform, section 1.7.
 */
final class LineTransform {
  private static final int TOGETHER = 8;

  private final int length;
  private final double[] cosines;
  private final double[] sines;
  private double[] real;
  private double[] imaginary;
  private double[] nextReal;
  private double[] nextImaginary;

  /**
   * Of lines of that length.
   *
   * @param length a power of two
   */
  LineTransform(int length) {
    this.length = length;
    this.cosines = new double[length / 2];
    this.sines = new double[length / 2];
    for (int i = 0; i < length / 2; i++) {
      cosines[i] = Math.cos(2 * Math.PI * i / length);
      sines[i] = Math.sin(2 * Math.PI * i / length);
    }
    this.real = new double[length * TOGETHER];
    this.imaginary = new double[length * TOGETHER];
    this.nextReal = new double[length * TOGETHER];
    this.nextImaginary = new double[length * TOGETHER];
  }

  /**
   * Transforms lines in their place.
   *
   * @param begin index of the first complex number of the first line
   * @param step from one number of a line to the next
   * @param lines how many, a multiple of 8
   * @param lineStep from one line to the next
   * @param sign of the exponent: -1 forwards, 1 backwards; nothing is divided by the length
   */
  void transform(double[] data, int begin, int step, int lines, int lineStep, int sign) {
    for (int line = 0; line < lines; line += TOGETHER) {
      int first = begin + line * lineStep;
      for (int i = 0; i < length; i++) {
        for (int k = 0; k < TOGETHER; k++) {
          int at = 2 * (first + i * step + k * lineStep);
          real[i * TOGETHER + k] = data[at];
          imaginary[i * TOGETHER + k] = data[at + 1];
        }
      }
      for (int half = length / 2, width = TOGETHER; half > 0; half /= 2, width *= 2) {
        pass(half, width, sign);
      }
      for (int i = 0; i < length; i++) {
        for (int k = 0; k < TOGETHER; k++) {
          int at = 2 * (first + i * step + k * lineStep);
          data[at] = real[i * TOGETHER + k];
          data[at + 1] = imaginary[i * TOGETHER + k];
        }
      }
    }
  }

  /** Butterflies of one pass, and the arrays change places. */
  private void pass(int half, int width, int sign) {
    int far = half * width;
    int stride = length / (2 * half);
    for (int j = 0; j < half; j++) {
      double cosine = cosines[j * stride];
      double sine = sign * sines[j * stride];
      int from = j * width;
      int to = 2 * j * width;
      for (int k = 0; k < width; k++) {
        double r0 = real[from + k];
        double i0 = imaginary[from + k];
        double r1 = real[from + far + k];
        double i1 = imaginary[from + far + k];
        nextReal[to + k] = r0 + r1;
        nextImaginary[to + k] = i0 + i1;
        double r = r0 - r1;
        double i = i0 - i1;
        nextReal[to + width + k] = r * cosine - i * sine;
        nextImaginary[to + width + k] = r * sine + i * cosine;
      }
    }
    double[] other = real;
    real = nextReal;
    nextReal = other;
    other = imaginary;
    imaginary = nextImaginary;
    nextImaginary = other;
  }
}
