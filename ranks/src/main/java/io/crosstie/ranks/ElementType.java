// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

/** What the elements of {@link Data} are; in the byte order of the machine. */
public enum ElementType {
  /** Bytes, signed in reductions. */
  BYTE(1),
  /** 16 bits, signed. */
  SHORT(2),
  /** 16 bits, unsigned. */
  CHAR(2),
  /** 32 bits, signed. */
  INT(4),
  /** 64 bits, signed. */
  LONG(8),
  /** IEEE 754, 32 bits. */
  FLOAT(4),
  /** IEEE 754, 64 bits. */
  DOUBLE(8);

  private final int bytes;

  ElementType(int bytes) {
    this.bytes = bytes;
  }

  /** The size of one element. */
  public int bytes() {
    return bytes;
  }
}
