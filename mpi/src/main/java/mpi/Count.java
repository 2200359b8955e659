// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A number that may be larger than an int. */
@SuppressWarnings("ComparableType") // as the dialect has it
public final class Count implements Comparable<Object> {
  private long count;

  /** That many. */
  public Count(long count) {
    this.count = count;
  }

  /** How many. */
  public long getCount() {
    return count;
  }

  /** Changes it. */
  public void setCount(long count) {
    this.count = count;
  }

  @Override
  public boolean equals(Object obj) {
    return obj instanceof Count other && other.count == count;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(count);
  }

  @Override
  public int compareTo(Object obj) {
    return Long.compare(count, ((Count) obj).count);
  }

  @Override
  public String toString() {
    return Long.toString(count);
  }
}
