// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The wake-up: who is about to block in the poller frees the word and then looks for signals; who
 * hands over raises a signal and then tries the word. One of them sees to it.
 */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "who hands over has the word")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "who would block has seen it")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "it sleeps on a message")
@State
public class SeatStress {
  private final Leadership leadership = new Leadership(1_000_000, true);
  private volatile boolean signalled;

  /** Held by the one that is about to block. */
  public SeatStress() {
    leadership.begin(Thread.currentThread());
  }

  @Actor
  public void handsOver(ZZ_Result r) {
    signalled = true;
    r.r1 = leadership.tryTake();
  }

  @Actor
  public void blocks(ZZ_Result r) {
    leadership.release();
    r.r2 = signalled;
  }
}
