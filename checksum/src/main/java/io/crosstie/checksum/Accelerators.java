// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Finds the {@link Accelerator} that stands beside the library. */
public final class Accelerators {

  /** Most providers of one loader that are passed over. */
  private static final int MAX_ERRORS = 32;

  private static final int TRIAL_BYTES = 5000;

  /** Looked for when it is first asked for, once. */
  private static final class Found {
    static final @Nullable Accelerator BEST = look();

    private Found() {}
  }

  private Accelerators() {}

  /**
   * The accelerator of this process, or null if there is none that works; then the JVM's own loops
   * are used. It is the same each time. One that cannot be used, or is broken, is named in the log,
   * once.
   *
   * <p>Only what the library's own class loader or module layer finds is taken: the answer is for
   * the whole process, so it must not depend on the context loader of whoever asks first.
   */
  public static @Nullable Accelerator find() {
    return Found.BEST;
  }

  private static @Nullable Accelerator look() {
    Set<String> said = new HashSet<>();
    ModuleLayer layer = Accelerators.class.getModule().getLayer();
    if (layer != null) {
      Accelerator found = first(ServiceLoader.load(layer, Accelerator.class), said);
      if (found != null) {
        return found;
      }
    }
    return first(ServiceLoader.load(Accelerator.class, Accelerators.class.getClassLoader()), said);
  }

  /** The first that works. */
  private static @Nullable Accelerator first(ServiceLoader<Accelerator> loader, Set<String> said) {
    Iterator<Accelerator> all = loader.iterator();
    for (int errors = 0; errors < MAX_ERRORS; ) {
      try {
        if (!all.hasNext()) {
          return null;
        }
        Accelerator next = all.next();
        String why = next.whyUnavailable();
        if (why == null) {
          tryOut(next);
          return next;
        }
        String line = next.name() + " is not used: " + why + "; Java copies and sums instead";
        if (said.add(line)) {
          log().log(System.Logger.Level.INFO, line);
        }
      } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
        errors++;
        String line = "an accelerator is broken and not used; Java copies and sums instead: " + e;
        if (said.add(line)) {
          log().log(System.Logger.Level.WARNING, line, e);
        }
      }
    }
    return null;
  }

  /**
   * One that belongs to another version of the library shows here, and not in the middle of a
   * stream.
   */
  private static void tryOut(Accelerator accelerator) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(TRIAL_BYTES);
      MemorySegment destination = arena.allocate(TRIAL_BYTES);
      for (int i = 0; i < TRIAL_BYTES; i++) {
        source.set(JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
      }
      int from = 3;
      int to = 7;
      int length = TRIAL_BYTES - 11;
      CRC32C crc = new CRC32C();
      crc.update(source.asSlice(from, length).toArray(JAVA_BYTE));
      for (boolean streaming : new boolean[] {false, true}) {
        if (accelerator.sumsCopies()) {
          int state = accelerator.copyCrc32c(-1, source, from, destination, to, length, streaming);
          accelerator.order();
          check(accelerator, ~state == (int) crc.getValue(), source, from, destination, to, length);
        }
      }
      accelerator.stream(source, from, destination, to, length);
      accelerator.order();
      check(accelerator, true, source, from, destination, to, length);
    }
  }

  private static void check(
      Accelerator accelerator,
      boolean sumIsRight,
      MemorySegment source,
      long from,
      MemorySegment destination,
      long to,
      long length) {
    if (!sumIsRight
        || MemorySegment.mismatch(source, from, from + length, destination, to, to + length)
            != -1) {
      throw new IllegalStateException(accelerator.name() + " copies or sums wrongly here");
    }
    destination.fill((byte) 0);
  }

  /** Asked for when there is something to log: to find the system's loggers takes a while. */
  private static System.Logger log() {
    return System.getLogger("io.crosstie.accelerator");
  }
}
