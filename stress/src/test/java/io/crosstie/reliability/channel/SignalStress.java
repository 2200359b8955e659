// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Signal: the application offers, then looks at the channel's mark; the engine takes the mark off,
 * then looks for offers. Whoever finds the mark relies on it, or the message would wait for the
 * next one.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "seen, and marked for nothing")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "marked: seen the next time")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the old mark was enough")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "a message is not looked for")
@State
public class SignalStress {
  private static final MemorySegment MESSAGE = Arena.global().allocate(8);

  /** Room for the messages of all channels that are ever made, since nothing ends them. */
  private static final NodeMemory.Share POOL = new NodeMemory(1L << 56, new BufferPool(0)).share();

  private final ChannelCore channel =
      new ChannelCore(1, Priority.NORMAL, new ChannelLimits(64, 64, 256, 256, 256, 256), POOL);

  /** A channel that was signalled before. */
  public SignalStress() {
    boolean unused = channel.markSignalled();
  }

  @Actor
  public void application(ZZ_Result r) {
    long unused = channel.offer(MESSAGE, 0, 8);
    r.r1 = channel.markSignalled();
  }

  @Actor
  public void engine(ZZ_Result r) {
    channel.clearSignal();
    r.r2 = channel.offeredSequence() != 0;
  }
}
