// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.schedule.Combiner;
import java.lang.foreign.MemorySegment;

/** An operation on elements of a type. */
final class OperationCombiner implements Combiner {
  private final Operation operation;
  private final ElementType type;

  OperationCombiner(Operation operation, ElementType type) {
    this.operation = operation;
    this.type = type;
  }

  @Override
  public int elementBytes() {
    return type.bytes();
  }

  @Override
  public boolean isCommutative() {
    return operation.isCommutative();
  }

  @Override
  public boolean isForeign() {
    return !(operation instanceof Reduction);
  }

  @Override
  public void combine(MemorySegment left, MemorySegment right) {
    operation.apply(Data.of(left, type), Data.of(right, type));
  }
}
