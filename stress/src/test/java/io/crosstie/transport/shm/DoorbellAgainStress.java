// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/**
 * Doorbell: a consumer that was about to sleep, saw work, and sleeps again afterwards is rung for
 * the second packet, whatever became of the flag in between.
 */
@JCStressTest
@Outcome(id = "true, 2", expect = Expect.ACCEPTABLE, desc = "it has both")
@Outcome(id = "false, [012]", expect = Expect.ACCEPTABLE, desc = "rung, or not asleep")
@Outcome(expect = Expect.FORBIDDEN, desc = "it sleeps on a packet")
@State
public class DoorbellAgainStress extends SmallRing {
  private boolean asleep;

  @Actor
  public void producer() {
    for (int i = 0; i < 2; i++) {
      boolean unused = publish(SMALL, i + 1);
      boolean unusedRing = writer.takeSleeping();
    }
  }

  @Actor
  public void consumer() {
    for (int i = 0; i < 2 && !asleep; i++) {
      reader.raiseSleeping();
      VarHandle.fullFence();
      if (reader.ready()) {
        reader.lowerSleeping();
        int unused = consume();
      } else {
        asleep = true;
      }
    }
  }

  /** Whether it sleeps and nobody has rung since it lay down, and what it has had by then. */
  @Arbiter
  public void end(ZI_Result r) {
    r.r1 = asleep && flag() != 0;
    r.r2 = packets;
  }

  private long flag() {
    return memory.get(JAVA_LONG, SegmentLayout.control(DIRECTION) + SegmentLayout.SLEEPING);
  }
}
