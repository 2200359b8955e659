// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/** Publish: a packet is seen whole, by its one commit word, or not at all. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "there, and whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn")
@State
public class PublishStress extends SmallRing {
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
