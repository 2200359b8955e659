// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * NewMadeleine's Figure 4: what each checksum costs, alone and together with the copy that has to
 * be made anyway; one pass over the data against two. The sizes stand for the first-level cache,
 * the second-level cache, the last-level cache, and beyond.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH sets the fields
public class ChecksumBenchmark {
  /** Which algorithm. */
  @Param public ChecksumKind kind;

  /** How many bytes. */
  @Param({"1024", "32768", "1048576", "8388608"})
  public int size;

  /** Whether an accelerator that is there is used; it has a loop for CRC-32C only. */
  @Param({"false", "true"})
  public boolean accelerator;

  private Arena arena;
  private Checksum checksum;
  private MemorySegment source;
  private MemorySegment destination;

  /** Takes memory and fills it. */
  @Setup(Level.Trial)
  public void setUp() {
    arena = Arena.ofConfined();
    Accelerator found = accelerator ? Accelerators.find() : null;
    if (accelerator && (found == null || !found.sumsCopies())) {
      throw new IllegalStateException(
          "no accelerator that copies and sums works here; leave it out by -p accelerator=false");
    }
    checksum = Checksum.of(kind, found);
    source = arena.allocate(size, 64);
    destination = arena.allocate(size, 64);
    SplittableRandom random = new SplittableRandom(1);
    for (long i = 0; i < size; i++) {
      source.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
    destination.copyFrom(source);
    if (copyFused() != compute()) {
      throw new IllegalStateException(kind + " of a fused copy is wrong");
    }
  }

  /** Gives it back. */
  @TearDown(Level.Trial)
  public void tearDown() {
    arena.close();
  }

  /** The checksum alone. */
  @Benchmark
  public int compute() {
    return checksum.compute(source, 0, size);
  }

  /** Copy and checksum in one pass. */
  @Benchmark
  public int copyFused() {
    return checksum.copy(source, 0, destination, 0, size);
  }

  /** Copy, then checksum of the copy. */
  @Benchmark
  public int copyThenCompute() {
    MemorySegment.copy(source, 0, destination, 0, size);
    return checksum.compute(destination, 0, size);
  }
}
