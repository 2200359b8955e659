// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.mpi;

import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The loops of {@code crosstie bench mpi}, whatever the dialect and whosever the library: {@code
 * array|buffer WARM_UP_NS MEASURE_NS CASE:BYTES...}. {@code mpi-ranks.c} of the benchmarks has them
 * in C. Whoever receives sums every word and compares. Prints {@code figure CASE:BYTES VALUE}: the
 * median over batches, in ns for a round trip or an operation, in bytes a second for a stream.
 */
final class BenchLoops {
  private static final int TRIPS = 16;
  private static final int WINDOW = 64;
  private static final long MAX_WINDOW_BYTES = 64 << 20;
  private static final long LONG_BYTES = 64 << 10;
  private static final int TAG = 7;
  private static final int TOKEN_TAG = 8;
  private static final long SPREAD = 1_000_003;
  private static final int WORD = Long.BYTES;

  private final Dialect mpi;
  private final IntFunction<LongBuffer> memory;
  private final int rank;
  private final int ranks;

  private BenchLoops(Dialect mpi, IntFunction<LongBuffer> memory) {
    this.mpi = mpi;
    this.memory = memory;
    this.rank = mpi.rank();
    this.ranks = mpi.size();
  }

  /**
   * Measures what the words say.
   *
   * @param buffers makes direct buffers of so many words
   */
  static void run(Dialect mpi, IntFunction<LongBuffer> buffers, String[] words) {
    boolean arrays = words[0].equals("array");
    BenchLoops loops = new BenchLoops(mpi, arrays ? LongBuffer::allocate : buffers);
    for (String each : Arrays.asList(words).subList(3, words.length)) {
      BenchClock clock = new BenchClock(Long.parseLong(words[1]), Long.parseLong(words[2]));
      String[] parts = each.split(":", 2);
      int bytes = Integer.parseInt(parts[1]);
      int teller = 0;
      switch (parts[0]) {
        case "rtt" -> loops.roundTrips(bytes / WORD, clock);
        case "stream" -> {
          loops.stream(bytes / WORD, clock);
          teller = 1;
        }
        default -> loops.collective(parts[0], bytes / WORD, clock);
      }
      if (loops.rank == teller) {
        System.out.println("figure " + each + String.format(Locale.ROOT, " %.2f", clock.median()));
        System.out.flush();
      }
      mpi.barrier();
    }
  }

  /** What MPI is given: the array, or the buffer. */
  private static Object of(LongBuffer memory) {
    return memory.hasArray() ? memory.array() : memory;
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what + " came wrong");
    }
  }

  private static long sumOf(LongBuffer of) {
    long sum = 0;
    for (int i = 0; i < of.capacity(); i++) {
      sum += of.get(i);
    }
    return sum;
  }

  /** The first word says whether to go on. */
  private void roundTrips(int words, BenchClock clock) {
    if (rank > 1) {
      return;
    }
    int other = 1 - rank;
    LongBuffer buffer = memory.apply(words);
    Object data = of(buffer);
    if (rank == 1) {
      do {
        mpi.receive(data, words, other, TAG);
        mpi.send(data, words, other, TAG);
      } while (buffer.get(0) != 0);
      return;
    }
    for (int i = 1; i < words; i++) {
      buffer.put(i, SPREAD * i);
    }
    long expected = sumOf(buffer);
    boolean more = true;
    long fromNs = System.nanoTime();
    while (more) {
      for (int i = 0; i < TRIPS; i++) {
        buffer.put(0, 1);
        mpi.send(data, words, other, TAG);
        mpi.receive(data, words, other, TAG);
        check(sumOf(buffer) == expected + 1, "an echo");
      }
      long toNs = System.nanoTime();
      more = clock.add(fromNs, toNs, (double) (toNs - fromNs) / TRIPS);
      fromNs = toNs;
    }
    buffer.put(0, 0);
    mpi.send(data, words, other, TAG);
    mpi.receive(data, words, other, TAG);
  }

  private void stream(int words, BenchClock clock) {
    if (rank > 1) {
      return;
    }
    int window = (int) Math.min(WINDOW, MAX_WINDOW_BYTES / ((long) words * WORD));
    LongBuffer[] buffers =
        IntStream.range(0, window).mapToObj(i -> memory.apply(words)).toArray(LongBuffer[]::new);
    Object[] all = Arrays.stream(buffers).map(BenchLoops::of).toArray();
    LongBuffer token = memory.apply(1);
    Object answer = of(token);
    long[] expected = new long[window];
    for (int i = 0; i < window; i++) {
      for (int j = 0; j < words; j++) {
        long word = SPREAD * (i + 1) + j;
        expected[i] += word;
        buffers[i].put(j, rank == 0 ? word : 0);
      }
    }
    boolean more = true;
    long fromNs = System.nanoTime();
    while (more) {
      if (rank == 0) {
        mpi.sendAll(all, words, 1, TAG);
        mpi.receive(answer, 1, 1, TOKEN_TAG);
        more = token.get(0) != 0;
      } else {
        mpi.receiveAll(all, words, 0, TAG);
        for (int i = 0; i < window; i++) {
          check(sumOf(buffers[i]) == expected[i], "a message");
        }
        long toNs = System.nanoTime();
        double rate = (double) window * words * WORD * 1e9 / (toNs - fromNs);
        more = clock.add(fromNs, toNs, rate);
        fromNs = toNs;
        token.put(0, more ? 1 : 0);
        mpi.send(answer, 1, 0, TOKEN_TAG);
      }
    }
  }

  /** The root goes round, so that each broadcast waits for the one before. */
  private void operate(String what, LongBuffer in, LongBuffer out, int words, int turn) {
    switch (what) {
      case "barrier" -> mpi.barrier();
      case "bcast" -> mpi.broadcast(of(in), words, turn % ranks);
      case "allreduce" -> mpi.sum(of(in), of(out), words);
      case "alltoall" -> mpi.exchange(of(in), of(out), words);
      default -> throw new IllegalArgumentException("there is no case \"" + what + "\"");
    }
  }

  private static long word(int of, int i) {
    return of * SPREAD + i;
  }

  private void checkAll(String what, LongBuffer in, LongBuffer out, int words) {
    for (int i = 0; i < words; i++) {
      switch (what) {
        case "bcast" -> check(in.get(i) == word(0, i), what);
        case "allreduce" ->
            check(out.get(i) == word(0, i) * ranks + SPREAD * ranks * (ranks - 1) / 2, what);
        default -> {
          for (int from = 0; from < ranks; from++) {
            check(out.get(from * words + i) == word(from, rank * words + i), what);
          }
        }
      }
    }
  }

  private void collective(String what, int words, BenchClock clock) {
    LongBuffer in = memory.apply(Math.max(1, words * ranks));
    LongBuffer out = memory.apply(Math.max(1, words * ranks));
    LongBuffer more = memory.apply(1);
    for (int i = 0; i < words * ranks; i++) {
      in.put(i, what.equals("bcast") && rank != 0 ? -1 : word(rank, i));
    }
    operate(what, in, out, words, 0);
    checkAll(what, in, out, words);
    int turns = words * (long) WORD <= LONG_BYTES ? TRIPS : 2;
    more.put(0, 1);
    while (more.get(0) != 0) {
      long fromNs = System.nanoTime();
      for (int i = 0; i < turns; i++) {
        operate(what, in, out, words, i);
      }
      long toNs = System.nanoTime();
      more.put(0, clock.add(fromNs, toNs, (double) (toNs - fromNs) / turns) ? 1 : 0);
      mpi.broadcast(of(more), 1, 0);
    }
    checkAll(what, in, out, words);
  }
}
