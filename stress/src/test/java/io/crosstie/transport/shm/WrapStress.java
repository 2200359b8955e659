// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/**
 * Wrap: a record that does not fit before the end appears together with the padding ahead of it.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "at the beginning of the ring")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn, or padding taken for a packet")
@State
public class WrapStress extends SmallRing {
  public WrapStress() {
    for (int line = 1; line < LINES; line++) { // up to one line before the end
      boolean unusedRoom = publish(SMALL, 1);
      int unusedCount = consume();
    }
    found = 0;
  }

  @Actor
  public void producer() {
    boolean unused = publish(SMALL + LINE, 7);
  }

  @Actor
  public void consumer(IJ_Result r) {
    r.r1 = consume();
    r.r2 = found;
  }
}
