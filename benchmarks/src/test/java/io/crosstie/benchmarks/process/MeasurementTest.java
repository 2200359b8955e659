// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.benchmarks.link.Content;
import io.crosstie.benchmarks.link.Link;
import io.crosstie.benchmarks.link.LinkException;
import io.crosstie.benchmarks.link.LinkSpec;
import io.crosstie.benchmarks.link.Sink;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** A receiver's loop, fed by a link that has no other end. */
final class MeasurementTest {
  private static final int SIZE = 64;

  private final Flag counts = new Flag();
  private final Flag stop = new Flag();

  /** Hands over the content of one slot after the other, and stops the run after so many. */
  private final class Source implements Link {
    private final MemorySegment memory = Arena.ofAuto().allocate(SIZE);
    private final int slots = LinkSpec.slots(SIZE);
    private final int last;
    private final int wrong;
    private int countFrom;
    private int next;

    Source(int last, int wrong) {
      this.last = last;
      this.wrong = wrong;
    }

    @Override
    public int poll(Sink sink) {
      if (next == countFrom) {
        counts.raise();
      }
      Content.fill(memory, 0, SIZE, next % slots);
      if (next == wrong) {
        memory.set(ValueLayout.JAVA_BYTE, SIZE - 1, (byte) 0x55);
      }
      sink.onData(memory, 0, SIZE);
      if (++next == last) {
        stop.raise();
      }
      return 1;
    }

    @Override
    public String address() {
      return "";
    }

    @Override
    public void connect(String peer) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public boolean send(long offset, int length) {
      return false;
    }

    @Override
    public void progress() {}

    @Override
    public int echo() {
      return 0;
    }

    @Override
    public void close() {}
  }

  private Tally receive(Bench bench, Source source) {
    MemorySegment messages = Arena.ofAuto().allocate((long) LinkSpec.slots(SIZE) * SIZE);
    CaseSpec spec = new CaseSpec(bench, "some", SIZE, 0, false, 0, Long.MAX_VALUE, 0);
    LinkSpec linkSpec = new LinkSpec(false, SIZE, messages);
    return new Measurement(spec, linkSpec, true, source, counts, stop, () -> {}).run();
  }

  @Test
  void timedRunTakesWhatIsRight() {
    int many = 3 * LinkSpec.slots(SIZE);
    Tally tally = receive(Bench.STREAM, new Source(many, -1));
    assertTrue(tally.messages() > 0, tally::toString);
  }

  @Test
  void whatCameBeforeItWasToldDoesNotCount() {
    Source source = new Source(1_000, -1);
    source.countFrom = 800;
    long messages = receive(Bench.STREAM, source).messages();
    assertTrue(messages > 150 && messages <= 200, messages + " messages");
  }

  @Test
  void timedRunFailsByOneWrongByteAndEndsAtOnce() {
    for (Bench bench : new Bench[] {Bench.STREAM, Bench.BIDI, Bench.RATE}) {
      stop.lower();
      Source source = new Source(1_000, 321);
      LinkException e = assertThrows(LinkException.class, () -> receive(bench, source));
      assertTrue(String.valueOf(e.getMessage()).contains("slot 321 on sum to"), e.getMessage());
      assertEquals(322, source.next, "messages that were looked at");
    }
  }
}
