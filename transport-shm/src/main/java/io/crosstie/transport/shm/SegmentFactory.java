// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Libc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes the segments of a port, as large as asked for or as there is room for, and maps those that
 * peers offer.
 */
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

  /** Null if segments are to be files. */
  private final @Nullable Libc libc;

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
    this.libc = options.sealed() ? new Libc() : null;
  }

  /**
   * Makes a segment with all of its space reserved: sealed memory where the peer takes that and the
   * system has it, else a file.
   *
   * @param takesDescriptors whether the peer does
   * @throws RailException naming what was wanted, where, what is free, and the option
   */
  Segment create(boolean takesDescriptors) throws RailException {
    Segment sealed = libc != null && takesDescriptors ? createSealed(libc) : null;
    return sealed != null ? sealed : createFile();
  }

  /** Whether peers may hand over segments as descriptors. */
  boolean takesDescriptors() {
    return libc != null;
  }

  /**
   * Maps a segment that a peer offers.
   *
   * @param from the folder of the peer's port
   * @param descriptor what came along, and is closed here; -1 if the segment is a file
   * @throws IOException saying what is wrong with it
   */
  Segment open(Offer offer, Path from, int descriptor) throws IOException {
    if (libc == null || descriptor < 0) {
      return FileSegment.open(
          from.resolve(offer.fileName()), offer.ringBytes(), offer.generation(), directory.uid());
    }
    try {
      return SealedSegment.open(
          libc, offer.fileName(), descriptor, offer.ringBytes(), offer.generation());
    } finally {
      int unused = libc.close(descriptor); // the mapping stays
    }
  }

  /** Null where a file may do better. */
  private @Nullable Segment createSealed(Libc from) {
    long free = FreeMemory.bytes();
    long ringBytes = options.sizeGiven() ? options.ringBytes() : fitting(free);
    if (SegmentLayout.totalBytes(ringBytes) > free) {
      return null;
    }
    try {
      return SealedSegment.create(
          from, directory.path(), directory.nextName(random), ringBytes, random.nextLong());
    } catch (IOException e) {
      log().log(System.Logger.Level.DEBUG, "no sealed memory, a file instead: {0}", Reasons.of(e));
      return null;
    }
  }

  /** As large as the default, or as takes no more than its share of what is free. */
  private long fitting(long free) {
    long ringBytes = options.ringBytes();
    while (ringBytes > MIN_ADAPTED_BYTES && SegmentLayout.totalBytes(ringBytes) > free / SHARE) {
      ringBytes /= 2;
    }
    return ringBytes;
  }

  private Segment createFile() throws RailException {
    long free = usableBytes.getAsLong();
    long ringBytes = options.sizeGiven() ? options.ringBytes() : fitting(free);
    while (true) {
      long wanted = SegmentLayout.totalBytes(ringBytes);
      if (wanted > free) {
        throw full(wanted, free, null);
      }
      Path file = directory.path().resolve(directory.nextName(random));
      try {
        return FileSegment.create(file, ringBytes, random.nextLong());
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

  /** Asked for when there is something to log: to find the system's loggers takes a while. */
  private static System.Logger log() {
    return System.getLogger("io.crosstie.transport.shm");
  }
}
