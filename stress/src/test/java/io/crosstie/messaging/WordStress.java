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
 * The word: one thread at a time runs the duty cycle, and sees all that the one before it did; what
 * is signalled by somebody who finds the word taken is seen by whoever has it.
 */
@JCStressTest
@Outcome(id = "[0123], 2, false", expect = Expect.ACCEPTABLE, desc = "one after the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "two at once, or a signal that nobody looks at")
@State
public class WordStress extends Word {
  public WordStress() {
    super(false);
  }

  @Actor
  public void one() {
    handOver();
  }

  @Actor
  public void other() {
    handOver();
  }

  /** How many cycles there were beyond those, what they have seen, and what is left. */
  @Arbiter
  public void end(IIZ_Result r) {
    r.r1 = Math.min(cycles - 1, 3);
    r.r2 = seen;
    r.r3 = isSignalled();
  }
}
