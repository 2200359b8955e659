// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJI_Result;

/** Publish: packets come in order, and each once. */
@JCStressTest
@Outcome(id = "0, 0, 2", expect = Expect.ACCEPTABLE, desc = "none yet")
@Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "the first")
@Outcome(id = "2, 2, 2", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(expect = Expect.FORBIDDEN, desc = "out of order, lost or repeated")
@State
public class OrderStress extends SmallRing {
  @Actor
  public void producer() {
    boolean unused = publish(SMALL, 1) && publish(SMALL, 2);
  }

  @Actor
  public void consumer(IJI_Result r) {
    r.r1 = consume();
    r.r2 = found;
  }

  @Arbiter
  public void end(IJI_Result r) {
    int unused = consume();
    r.r3 = packets;
  }
}
