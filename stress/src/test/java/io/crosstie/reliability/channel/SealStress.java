// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The end of a connection: the application offers, and the engine names what was offered. What an
 * offer took is among that, whenever the engine learned that there is nothing more to come.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "taken, and named")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "refused, and not named")
@Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "taken, and never named")
@Outcome(id = "false, true", expect = Expect.FORBIDDEN, desc = "refused, and named all the same")
@State
public class SealStress {
  private static final MemorySegment MESSAGE = Arena.global().allocate(8);
  private static final NodeMemory.Share POOL = new NodeMemory(1L << 56, new BufferPool(0)).share();

  private final ChannelCore channel =
      new ChannelCore(1, Priority.NORMAL, new ChannelLimits(64, 64, 256, 256, 256, 256), POOL);

  private boolean taken;
  private long named = -1;

  @Actor
  public void application() {
    taken = channel.offer(MESSAGE, 0, 8) > 0;
  }

  @Actor
  public void engine() {
    if (channel.engine().terminate(Status.PEER_LOST)) {
      named = channel.engine().sent().tail();
    }
  }

  @Arbiter
  public void arbiter(ZZ_Result r) {
    if (named < 0 && channel.engine().terminate(Status.PEER_LOST)) { // an offer was under way
      named = channel.engine().sent().tail();
    }
    r.r1 = taken;
    r.r2 = named == 1;
  }
}
