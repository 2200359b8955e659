// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.RailException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Makes the segments of a port, as large as asked for or as the folder has room for. */
final class SegmentFactory {
  /** Smallest ring that is chosen without being asked for. */
  private static final long MIN_ADAPTED_BYTES = 64 << 10;

  /** Of what is free a segment takes at most this part, unless its size was asked for. */
  private static final int SHARE = 4;

  private final ShmOptions options;
  private final PortDirectory directory;
  private final RandomGenerator random;

  /** Bytes that the folder has free. */
  private final LongSupplier usableBytes;

  SegmentFactory(ShmOptions options, PortDirectory directory, RandomGenerator random) {
    this(options, directory, random, directory.path().toFile()::getUsableSpace);
  }

  /** With a free space of the test's own. */
  SegmentFactory(
      ShmOptions options,
      PortDirectory directory,
      RandomGenerator random,
      LongSupplier usableBytes) {
    this.options = options;
    this.directory = directory;
    this.random = random;
    this.usableBytes = usableBytes;
  }

  /**
   * Makes a segment with all of its space reserved.
   *
   * @throws RailException naming what was wanted, where, what is free, and the option
   */
  Segment create() throws RailException {
    long ringBytes = options.ringBytes();
    long free = usableBytes.getAsLong();
    if (!options.sizeGiven()) {
      while (ringBytes > MIN_ADAPTED_BYTES && SegmentLayout.totalBytes(ringBytes) > free / SHARE) {
        ringBytes /= 2;
      }
    }
    while (true) {
      long wanted = SegmentLayout.totalBytes(ringBytes);
      if (wanted > free) {
        throw full(wanted, free, null);
      }
      Path file = directory.nextFile(random);
      try {
        return Segment.create(file, ringBytes, random.nextLong());
      } catch (IOException e) {
        if (options.sizeGiven() || ringBytes <= MIN_ADAPTED_BYTES) {
          throw full(wanted, usableBytes.getAsLong(), e);
        }
        ringBytes /= 2; // somebody else took the space meanwhile
        free = usableBytes.getAsLong();
      }
    }
  }

  private RailException full(long wanted, long free, @Nullable IOException cause) {
    String message =
        "cannot reserve "
            + wanted
            + " bytes of shared memory in "
            + directory.path()
            + ", where "
            + free
            + " are free"
            + (cause == null ? "" : " (" + Reasons.of(cause) + ")")
            + "; make the rings smaller with the option size= of \""
            + options.uri()
            + "\" (a segment takes twice that), or enlarge the file system (docker run --shm-size);"
            + " the other rails go on";
    return cause == null ? new RailException(message) : new RailException(message, cause);
  }
}
