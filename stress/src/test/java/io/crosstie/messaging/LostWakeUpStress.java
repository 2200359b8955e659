// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/**
 * The negative control of {@link WordStress}: with a lost wake-up put in it has the outcome that is
 * forbidden there.
 */
@JCStressTest
@Outcome(id = ".*, true", expect = Expect.ACCEPTABLE_INTERESTING, desc = "a signal is lost")
@Outcome(expect = Expect.ACCEPTABLE, desc = "it went well")
@State
public class LostWakeUpStress extends Word {
  /** Who looks before the word is free, and not after that. */
  public LostWakeUpStress() {
    super(true);
  }

  @Actor
  public void one() {
    handOver();
  }

  @Actor
  public void other() {
    handOver();
  }

  @Arbiter
  public void end(IIZ_Result r) {
    r.r1 = Math.min(cycles, 3);
    r.r2 = seen;
    r.r3 = isSignalled();
  }
}
