// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Publish: the word behind a record is zero before the record can be seen. Here the lap before left
 * bytes in that place that would pass for a record of this lap.
 */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the one packet")
@Outcome(expect = Expect.FORBIDDEN, desc = "old bytes were taken for a packet")
@State
public class NextWordStress extends SmallRing {
  public NextWordStress() {
    for (int i = 0; i < LINES / 2; i++) {
      forgeTwoLines(2L * i * LINE);
      int unused = reader.poll(this, 1);
    }
    found = 0;
    long unused = writer.consumed();
  }

  /** A record of two lines, of which each word would be a commit word in the next lap. */
  private void forgeTwoLines(long start) {
    int length = 2 * LINE - SegmentLayout.WORD;
    long at = writer.claim(length);
    for (int i = 0; i < length; i += Long.BYTES) {
      long line = (start + SegmentLayout.WORD + i) & -LINE;
      memory.set(
          JAVA_LONG,
          at + i,
          SegmentLayout.commitWord((long) LINES * LINE + line, SegmentLayout.KIND_PACKET, SMALL));
    }
    writer.commit(length, SegmentLayout.KIND_PACKET);
  }

  @Actor
  public void producer() {
    boolean unused = publish(SMALL, 7);
  }

  @Actor
  public void consumer(I_Result r) {
    r.r1 = consume();
  }
}
