// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.List;

/**
 * The basic elements of a datatype in the order in which they are sent: one of some bytes, or a
 * sequence that is repeated. Its size grows with what a program has written down, not with counts.
 *
 * @param parts what is repeated; empty for a basic element
 * @param times how often
 * @param bytes all of it
 * @param count basic elements in all of it
 */
record Elements(List<Elements> parts, long times, long bytes, long count) {
  static final Elements NONE = new Elements(List.of(), 0, 0, 0);

  static Elements basic(int bytes) {
    return new Elements(List.of(), 1, bytes, 1);
  }

  static Elements of(List<Elements> parts, long times) {
    long bytes = 0;
    long count = 0;
    for (Elements part : parts) {
      bytes = Math.addExact(bytes, part.bytes);
      count += part.count;
    }
    if (bytes == 0 || times == 0) {
      return NONE;
    }
    return new Elements(List.copyOf(parts), times, Math.multiplyExact(bytes, times), count * times);
  }

  /** How many elements so many bytes of items are; -1 if they end within one. */
  long countOf(long ofBytes) {
    return bytes == 0 ? (ofBytes == 0 ? 0 : -1) : repeated(ofBytes, bytes, count, List.of(this));
  }

  private static long repeated(long ofBytes, long each, long count, List<Elements> parts) {
    long whole = ofBytes / each * count;
    long rest = ofBytes % each;
    for (Elements part : parts) {
      if (rest < part.bytes) {
        return rest == 0 ? whole : part.parts.isEmpty() ? -1 : part.within(rest, whole);
      }
      rest -= part.bytes;
      whole += part.count;
    }
    return whole;
  }

  private long within(long rest, long before) {
    long inner = repeated(rest, bytes / times, count / times, parts);
    return inner < 0 ? -1 : before + inner;
  }

  /** How many bytes the first so many elements of items are. */
  long bytesOf(long elements) {
    if (count == 0) {
      return 0;
    }
    long sum = elements / count * bytes;
    long rest = elements % count;
    List<Elements> level = List.of(this);
    while (rest > 0) {
      for (Elements part : level) {
        if (rest < part.count) {
          long each = part.count / part.times;
          sum += rest / each * (part.bytes / part.times);
          rest %= each;
          level = part.parts;
          break;
        }
        rest -= part.count;
        sum += part.bytes;
        if (rest == 0) {
          break;
        }
      }
    }
    return sum;
  }
}
