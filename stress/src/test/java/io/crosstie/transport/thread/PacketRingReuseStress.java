// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;

/** Reuse behind a port's thread: a packet's bytes are not written over before it is done with. */
@JCStressTest
@Outcome(id = "false, 7", expect = Expect.ACCEPTABLE, desc = "no room yet")
@Outcome(id = "true, 7", expect = Expect.ACCEPTABLE, desc = "written over after it was read")
@Outcome(expect = Expect.FORBIDDEN, desc = "written over while it was read")
@State
public class PacketRingReuseStress {
  private final PacketRing ring = new PacketRing(64);

  /** A full ring. */
  public PacketRingReuseStress() {
    boolean unused = write(7) && write(8);
  }

  private boolean write(long content) {
    long at = ring.claim(16);
    if (at >= 0) {
      ring.memory().set(ValueLayout.JAVA_LONG, at, content);
      ring.commit(16, 0, 0);
    }
    return at >= 0;
  }

  @Actor
  public void reader(ZJ_Result r) {
    if (ring.hasNext()) {
      r.r2 = ring.memory().get(ValueLayout.JAVA_LONG, ring.offset());
      ring.release();
    }
  }

  @Actor
  public void writer(ZJ_Result r) {
    r.r1 = write(9);
  }
}
