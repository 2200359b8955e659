// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/** Publish behind a port's thread: a packet with its length, tag and key is seen whole, or not. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "16, 321", expect = Expect.ACCEPTABLE, desc = "there, and whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn, or of another packet")
@State
public class PacketRingPublishStress {
  private final PacketRing ring = new PacketRing(128);

  /** A ring where a former packet lies at the same place. */
  public PacketRingPublishStress() {
    for (int i = 0; i < 5; i++) { // 32 bytes each: once round, and one more
      write(9, 9, 9);
      boolean unused = ring.hasNext();
      ring.release();
    }
  }

  private void write(long content, int tag, long key) {
    long at = ring.claim(16);
    ring.memory().set(ValueLayout.JAVA_LONG, at, content);
    ring.memory().set(ValueLayout.JAVA_LONG, at + 8, content);
    ring.commit(16, tag, key);
  }

  private int read() {
    return ring.hasNext() ? ring.length() : 0;
  }

  @Actor
  public void writer() {
    write(1, 20, 300);
  }

  @Actor
  public void reader(IJ_Result r) {
    r.r1 = read();
    if (r.r1 > 0) {
      long at = ring.offset();
      long first = ring.memory().get(ValueLayout.JAVA_LONG, at);
      long second = ring.memory().get(ValueLayout.JAVA_LONG, at + 8);
      r.r2 = first == second ? first + ring.tag() + ring.key() : -1;
    }
  }
}
