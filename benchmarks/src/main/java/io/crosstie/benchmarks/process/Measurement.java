// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.Checker;
import io.crosstie.benchmarks.link.Content;
import io.crosstie.benchmarks.link.Link;
import io.crosstie.benchmarks.link.LinkException;
import io.crosstie.benchmarks.link.LinkSpec;
import io.crosstie.benchmarks.link.Sink;
import io.crosstie.benchmarks.link.SumChecker;
import java.lang.foreign.MemorySegment;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One end of one case: the loops are the same for all subjects. The receiver reads every byte, of
 * every subject and in every run: in a verifying run, where each message is another, it compares
 * each word; in a timed run, where messages lie ready in a few slots, it compares the sum of the
 * words of each message. A subject that hands over a view of memory and copies nothing is thus not
 * measured without anybody looking at what came. The end that echoes is no receiver. In an open
 * loop messages are marked with their number and judged in verifying runs only.
 */
final class Measurement {
  private static final long PATIENCE_NS = 20_000_000_000L;

  /** A bare subject may lose a datagram; its round trip is then begun again. */
  private static final long REPEAT_NS = 200_000_000L;

  private static final int POLLS_PER_CLOCK = 1 << 12;
  private static final long SEND_INTERVAL_NS = 20_000;

  private final CaseSpec spec;
  private final int size;
  private final boolean near;
  private final boolean reliable;
  private final Link link;
  private final Flag counts;
  private final Flag stop;
  private final Runnable measured;
  private final MemorySegment messages;
  private final long endOfSlots;
  private final Window window;
  private final Histogram histogram = Histograms.create();
  private final Checker checker;

  /** What looks at what arrives; the loops' own sink is around it. */
  private final Sink verifier;

  private @Nullable LinkException wrong;
  private long receivedBytes;
  private long sent;

  /** Offset of the slot that the next message lies in; a division would cost as much as a copy. */
  private long nextOffset;

  private long startNs;
  private long intervalNs;

  /** What is due sooner belongs to the warm-up, though it may come later. */
  private long countFromNs = Long.MAX_VALUE;

  /**
   * Prepares.
   *
   * @param counts raised when what comes counts
   * @param stop raised when it has to end
   * @param measured told once, when there is enough; the loop goes on until it is stopped, so that
   *     the other end can finish too
   */
  Measurement(
      CaseSpec spec,
      LinkSpec linkSpec,
      boolean reliable,
      Link link,
      Flag counts,
      Flag stop,
      Runnable measured) {
    this.spec = spec;
    this.reliable = reliable;
    this.link = link;
    this.counts = counts;
    this.stop = stop;
    this.measured = measured;
    size = spec.size();
    messages = linkSpec.messages();
    int slots = linkSpec.slots();
    endOfSlots = (long) slots * size;
    near = linkSpec.near();
    window = new Window(spec, counts);
    checker = new Checker(size, reliable);
    verifier = spec.comparesBytes() ? checker : new SumChecker(size, slots, reliable);
    for (int slot = 0; slot < slots; slot++) {
      Content.fill(messages, (long) slot * size, size, slot);
    }
  }

  /**
   * Runs until it is stopped.
   *
   * @throws LinkException if something wrong has arrived, or nothing
   */
  Tally run() {
    Sink sink = this::take;
    switch (spec.bench()) {
      case RTT -> roundTrip(sink);
      case STREAM, RATE, ALLOC, LOSS -> stream(sink);
      case BIDI -> duplex(sink);
      case SEND -> send(sink);
      case OPENLOOP -> openLoop();
      case IDLE -> idle();
    }
    LinkException found = wrong;
    if (found != null) {
      throw found;
    }
    return window.tally(
        checker.lostBytes(),
        histogram.getTotalCount() == 0 ? "" : Histograms.encode(histogram),
        link.note());
  }

  private void take(MemorySegment memory, long offset, long length) {
    judge(memory, offset, length);
    receivedBytes += length;
  }

  /** Ends the run if it is wrong. Throws nothing: subjects log what a handler throws, and go on. */
  private void judge(MemorySegment memory, long offset, long length) {
    try {
      verifier.onData(memory, offset, length);
    } catch (LinkException e) {
      if (wrong == null) {
        wrong = e;
        stop.raise();
      }
    }
  }

  /** Tries once to send the next message. */
  private boolean sendNext() {
    long offset = nextOffset;
    if (spec.comparesBytes()) {
      Content.fill(messages, offset, size, sent);
    }
    if (!link.send(offset, size)) {
      return false;
    }
    sentOne();
    return true;
  }

  private void sentOne() {
    sent++;
    nextOffset = nextOffset + size < endOfSlots ? nextOffset + size : 0;
  }

  private void noteIfOver(long bytes) {
    if (window.isOverAt(bytes)) {
      measured.run();
    }
  }

  private void idle() {
    for (long turns = 1; !stop.isRaised(); turns++) {
      link.idle();
      noteIfOver(turns);
    }
    window.close(1);
  }

  private void echo() {
    while (!stop.isRaised()) {
      int echoed = link.echo();
      if (echoed > 0) {
        sent += echoed;
      }
    }
  }

  // ------------------------------------------------------------------ round trips

  private void roundTrip(Sink sink) {
    if (!near) {
      echo();
      return;
    }
    boolean counted = false;
    while (!stop.isRaised()) {
      long beginNs = System.nanoTime();
      if (!counted && counts.isRaised()) {
        histogram.reset();
        counted = true;
      }
      while (!sendNext()) {
        link.progress();
      }
      if (awaitEcho(sink, beginNs)) {
        Histograms.record(histogram, System.nanoTime() - beginNs);
      }
      noteIfOver(receivedBytes);
    }
    window.close(receivedBytes);
  }

  /** Whether all of it came back; what is lost has to be lost whole, so it is waited for. */
  private boolean awaitEcho(Sink sink, long beginNs) {
    long target = receivedBytes + size;
    for (int polls = 1; receivedBytes < target; polls++) {
      int polled = link.poll(sink);
      if (polled == 0 && polls % POLLS_PER_CLOCK == 0) {
        long waitedNs = System.nanoTime() - beginNs;
        if (!reliable && waitedNs > REPEAT_NS) {
          receivedBytes = target; // lost, and not recorded
          return false;
        }
        if (waitedNs > PATIENCE_NS || stop.isRaised()) {
          if (stop.isRaised()) {
            return false;
          }
          throw new LinkException("message " + (sent - 1) + " did not come back within 20 s");
        }
      }
    }
    return true;
  }

  // ------------------------------------------------------------------ streams

  private void stream(Sink sink) {
    if (near) {
      while (!stop.isRaised()) {
        if (sendNext()) {
          noteIfOverSilently();
        } else {
          link.progress();
        }
      }
      window.close(sent * size);
      if (spec.comparesBytes()) {
        awaitAccepted();
      }
      return;
    }
    while (!stop.isRaised()) {
      if (link.poll(sink) > 0) {
        noteIfOver(receivedBytes);
      }
    }
    window.close(receivedBytes);
  }

  /** The receiver goes on for as long as this takes. */
  private void awaitAccepted() {
    long fromNs = System.nanoTime();
    while (!link.isAllAccepted()) {
      link.progress();
      if (System.nanoTime() - fromNs > PATIENCE_NS) {
        throw new LinkException("of " + sent + " messages not all were accepted within 20 s");
      }
    }
  }

  /** The sender's window only tells what it used up. */
  private void noteIfOverSilently() {
    boolean unused = window.isOverAt(sent * size);
  }

  private void duplex(Sink sink) {
    while (!stop.isRaised()) {
      boolean unused = sendNext();
      if (link.poll(sink) > 0) {
        noteIfOver(receivedBytes);
      }
    }
    window.close(receivedBytes);
  }

  // ------------------------------------------------------------------ one message now and then

  private void send(Sink sink) {
    if (!near) {
      while (!stop.isRaised()) {
        int unused = link.poll(sink);
      }
      return;
    }
    boolean counted = false;
    long dueNs = System.nanoTime();
    while (!stop.isRaised()) {
      long beginNs = System.nanoTime();
      if (beginNs < dueNs) {
        link.progress();
        continue;
      }
      if (!counted && counts.isRaised()) {
        histogram.reset();
        counted = true;
      }
      if (spec.verifies()) {
        Content.fill(messages, nextOffset, size, sent);
        beginNs = System.nanoTime();
      }
      boolean taken = link.send(nextOffset, size);
      long endNs = System.nanoTime();
      if (taken) {
        sentOne();
        Histograms.record(histogram, endNs - beginNs);
        noteIfOver(sent * size);
      }
      dueNs = endNs + SEND_INTERVAL_NS;
      link.progress();
    }
    window.close(sent * size);
  }

  private void openLoop() {
    if (!near) {
      echo();
      return;
    }
    intervalNs = 1_000_000_000L / spec.rate();
    Sink sink = this::recordSinceDue;
    startNs = System.nanoTime();
    while (!stop.isRaised()) {
      if (System.nanoTime() - startNs >= sent * intervalNs) {
        long offset = nextOffset;
        if (spec.verifies()) {
          Content.fill(messages, offset, size, sent);
        } else {
          Content.mark(messages, offset, sent);
        }
        if (link.send(offset, size)) {
          sentOne();
        } else {
          link.progress();
        }
      }
      int unused = link.poll(sink);
    }
    window.close(receivedBytes);
  }

  /** The message says which it is, and so when it was due, whatever has held it up. */
  private void recordSinceDue(MemorySegment memory, long offset, long length) {
    if (spec.verifies()) {
      judge(memory, offset, length);
    }
    long dueNs = Content.messageAt(memory, offset) * intervalNs;
    if (countFromNs == Long.MAX_VALUE && counts.isRaised()) {
      countFromNs = System.nanoTime() - startNs;
    }
    if (dueNs >= countFromNs) {
      Histograms.record(histogram, System.nanoTime() - startNs - dueNs);
    }
    receivedBytes += length;
    noteIfOver(receivedBytes);
  }
}
