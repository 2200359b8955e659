// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/**
 * Position: it stands for an acknowledgement, so whoever reads it sees all that the consumer did
 * before; and a sound consumer is never taken for a liar.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not consumed yet")
@Outcome(id = "0, [12]", expect = Expect.ACCEPTABLE, desc = "consumed, not told yet")
@Outcome(id = "1, [12]", expect = Expect.ACCEPTABLE, desc = "one is told")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "both are told")
@Outcome(expect = Expect.FORBIDDEN, desc = "told before it was done")
@State
public class PositionStress extends SmallRing {
  @Actor
  public void producer(JI_Result r) {
    boolean unused = publish(SMALL, 1) && publish(SMALL, 2);
    long consumed = writer.consumed();
    for (int tries = 0; tries < 20 && consumed == 0; tries++) {
      consumed = writer.consumed();
    }
    r.r1 = writer.violated() ? -1 : consumed;
    r.r2 = packets; // plain, ordered by the position alone
  }

  @Actor
  public void consumer() {
    int unused = consume();
  }
}
