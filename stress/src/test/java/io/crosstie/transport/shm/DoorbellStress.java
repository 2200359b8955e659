// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Doorbell: the consumer raises its flag, fences and looks again; the producer publishes, fences
 * and looks at the flag. One of them sees the other, or the consumer would sleep on a packet.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "seen, and rung for nothing")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "it sleeps, and is rung")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "it does not sleep")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "a wake-up is lost")
@State
public class DoorbellStress extends SmallRing {
  @Actor
  public void producer(ZZ_Result r) {
    boolean unused = publish(SMALL, 1);
    r.r1 = writer.takeSleeping();
  }

  /** As ShmPort.prepareToBlock does. */
  @Actor
  public void consumer(ZZ_Result r) {
    reader.raiseSleeping();
    VarHandle.fullFence();
    r.r2 = reader.ready();
  }
}
