// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** After the end a poll and the engine that drops what nobody polled exclude each other. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the application has it")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the engine has it")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "both gave way, and come again")
@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "both take messages out")
@State
public class PollGuardStress {
  private final PollGuard guard = new PollGuard();

  /** With a connection that is over. */
  public PollGuardStress() {
    guard.end();
  }

  @Actor
  public void application(ZZ_Result r) {
    r.r1 = guard.enter();
  }

  @Actor
  public void engine(ZZ_Result r) {
    r.r2 = guard.tryTake();
  }
}
