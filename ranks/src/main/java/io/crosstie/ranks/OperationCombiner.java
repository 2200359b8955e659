// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.schedule.Combiner;
import java.lang.foreign.MemorySegment;

/** An operation on elements of a type. */
final class OperationCombiner implements Combiner {
  private final Operation operation;
  private final ElementType type;

  /**
   * For the like of that.
   *
   * @throws IllegalArgumentException if the operation is not for it
   */
  OperationCombiner(Operation operation, Data data) {
    this.operation = operation;
    this.type = data.type();
    if (operation instanceof Reduction reduction) {
      reduction.check(type);
    }
    if (operation.elementsTogether() < 1) {
      throw new IllegalArgumentException(
          "the operation combines " + operation.elementsTogether() + " elements together");
    }
    check(data);
  }

  /** Refuses what does not have whole groups of elements. */
  void check(Data data) {
    if (data.count() % operation.elementsTogether() != 0) {
      throw new IllegalArgumentException(
          data + " are no whole number of groups of " + operation.elementsTogether());
    }
  }

  @Override
  public int elementBytes() {
    return type.bytes() * operation.elementsTogether();
  }

  @Override
  public boolean isCommutative() {
    return operation.isCommutative();
  }

  @Override
  public boolean isForeign() {
    return !(operation instanceof Reduction);
  }

  /** What all ranks have to agree on. */
  @Override
  public String toString() {
    return type
        + (operation instanceof Reduction reduction ? reduction.name() : "of one's own")
        + operation.isCommutative();
  }

  @Override
  public void combine(MemorySegment left, MemorySegment right) {
    operation.apply(Data.of(left, type), Data.of(right, type));
  }
}
