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

/** Consume: what was not consumed is never written over, however full the ring is. */
@JCStressTest
@Outcome(id = "15, 1, 0", expect = Expect.ACCEPTABLE, desc = "there was no room")
@Outcome(id = "15, 1, 1", expect = Expect.ACCEPTABLE, desc = "there was room, after all of them")
@Outcome(id = "16, 7, 0", expect = Expect.ACCEPTABLE, desc = "and it came with them")
@Outcome(expect = Expect.FORBIDDEN, desc = "written over, or lost")
@State
public class ReuseStress extends SmallRing {
  public ReuseStress() {
    while (publish(SMALL, 1)) {
      // until the ring is full
    }
  }

  @Actor
  public void producer() {
    for (int tries = 0; tries < 20 && !publish(SMALL, 7); tries++) {
      Thread.onSpinWait();
    }
  }

  @Actor
  public void consumer(IJI_Result r) {
    r.r1 = consume();
    r.r2 = found;
  }

  @Arbiter
  public void end(IJI_Result r) {
    r.r3 = consume();
  }
}
