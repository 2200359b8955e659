// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.JsonObject;
import java.util.List;

/** Sums what receivers judged. Not thread safe. */
final class Tally {
  private long delivered;
  private long lost;
  private long duplicated;
  private long corrupt;
  private long outOfOrder;
  private String first = "";

  void add(List<Verifier.Verdict> verdicts) {
    for (Verifier.Verdict verdict : verdicts) {
      delivered += verdict.delivered();
      lost += verdict.lost();
      duplicated += verdict.duplicated();
      corrupt += verdict.corrupt();
      outOfOrder += verdict.outOfOrder();
      if (first.isEmpty()) {
        first = verdict.first();
      }
    }
  }

  void add(Tally other) {
    delivered += other.delivered;
    lost += other.lost;
    duplicated += other.duplicated;
    corrupt += other.corrupt;
    outOfOrder += other.outOfOrder;
    if (first.isEmpty()) {
      first = other.first;
    }
  }

  boolean isClean() {
    return lost == 0 && duplicated == 0 && corrupt == 0 && outOfOrder == 0;
  }

  void writeTo(JsonObject object) {
    object.addProperty("delivered", delivered);
    object.addProperty("lost", lost);
    object.addProperty("duplicated", duplicated);
    object.addProperty("corrupt", corrupt);
    object.addProperty("outOfOrder", outOfOrder);
  }

  @Override
  public String toString() {
    return delivered
        + " delivered, "
        + lost
        + " lost, "
        + duplicated
        + " duplicated, "
        + corrupt
        + " corrupt, "
        + outOfOrder
        + " out of order"
        + (first.isEmpty() ? "" : " (first: " + first + ")");
  }
}
