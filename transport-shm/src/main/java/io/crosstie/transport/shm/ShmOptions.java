// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.RailException;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.linux.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * A shared-memory rail as configured: {@code shm:} or {@code shm:/folder} and these options.
 *
 * <ul>
 *   <li>{@code size=4MiB}: bytes of each direction's ring, a power of two from 16 KiB to 1 GiB; a
 *       segment takes twice that. Without it 1 MiB, or less where the folder has less than eight
 *       times the segment free.
 *   <li>{@code segments=1024}: most segments, and so peers, of this port.
 *   <li>{@code sockets=auto}: {@code fd} for descriptors, {@code nio} for java.nio channels, {@code
 *       auto} for descriptors where native calls can be made.
 *   <li>{@code copy=auto}: how large messages come here: {@code ring} through the ring, {@code cma}
 *       straight out of the peer's memory (process_vm_readv) where the system permits it, {@code
 *       auto} the quicker of the two: the ring where streaming stores can be made into it. With
 *       {@code ring} peers may not read this process's memory either.
 *   <li>{@code memory=auto}: {@code sealed} for memory without a name that no process can truncate
 *       (memfd), {@code file} for a file in the folder, {@code auto} for the former where
 *       descriptors are used. A peer that takes no descriptors gets a file all the same.
 *   <li>{@code driver=shm}: as for every rail.
 * </ul>
 *
 * @param uri as written
 * @param base folder in which the port makes its own
 * @param defaultBase whether it is that of the system, which certainly belongs to this host alone
 * @param ringBytes bytes of each ring
 * @param sizeGiven whether they were asked for, and must not be adapted
 * @param maxSegments most segments
 * @param descriptors whether to use descriptors for the sockets
 * @param pulls when to read peers' memory, and whether to let them read ours
 * @param sealed whether segments are sealed memory where peers take it
 */
record ShmOptions(
    RailUri uri,
    Path base,
    boolean defaultBase,
    long ringBytes,
    boolean sizeGiven,
    int maxSegments,
    boolean descriptors,
    Pulls pulls,
    boolean sealed) {
  /** When large messages are read straight out of the peer's memory. */
  enum Pulls {
    NEVER,
    /** Where the ring is the slower way. */
    WHERE_QUICKER,
    /** Where the system permits it. */
    ALWAYS
  }

  static final String SIZE = "size";

  /** Both copies, into the ring and out of it, then find it in a second-level cache. */
  static final long DEFAULT_RING_BYTES = 1 << 20;

  private static final Set<String> KNOWN =
      Set.of("driver", SIZE, "segments", "sockets", "copy", "memory");
  private static final Path DEV_SHM = Path.of("/dev/shm");
  private static final int DEFAULT_SEGMENTS = 1024;
  private static final int MAX_SEGMENTS = 1 << 16;

  /**
   * Reads the URI.
   *
   * @throws IllegalArgumentException if an option is unknown or out of range
   * @throws RailException if the folder or the kind of sockets cannot be used here
   */
  static ShmOptions parse(RailUri uri) throws RailException {
    uri.allowOptions(KNOWN);
    String driver = uri.option("driver", "auto");
    if (!driver.equals("auto") && !driver.equals(ShmAddress.SCHEME)) {
      throw new IllegalArgumentException(
          "rail \"" + uri + "\": option driver=" + driver + " must be auto or shm");
    }
    long ringBytes =
        uri.number(
            SIZE, DEFAULT_RING_BYTES, SegmentLayout.MIN_RING_BYTES, SegmentLayout.MAX_RING_BYTES);
    if (!SegmentLayout.validRingBytes(ringBytes)) {
      throw new IllegalArgumentException(
          "rail \""
              + uri
              + "\": option size="
              + uri.option(SIZE)
              + " must be a power of two; use for example size="
              + (Long.highestOneBit(ringBytes) >> 10)
              + "KiB");
    }
    int segments = (int) uri.number("segments", DEFAULT_SEGMENTS, 1, MAX_SEGMENTS);
    boolean defaultBase = uri.rest().isEmpty();
    boolean descriptors = descriptors(uri);
    return new ShmOptions(
        uri,
        defaultBase ? systemBase() : givenBase(uri),
        defaultBase,
        ringBytes,
        uri.option(SIZE) != null,
        segments,
        descriptors,
        pulls(uri, descriptors),
        sealed(uri, descriptors));
  }

  private static boolean sealed(RailUri uri, boolean descriptors) throws RailException {
    String value = uri.option("memory", "auto").toLowerCase(Locale.ROOT);
    return switch (value) {
      case "file" -> false;
      case "auto" -> descriptors;
      case "sealed" -> {
        if (!descriptors) {
          throw needsDescriptors(uri, "memory=sealed");
        }
        yield true;
      }
      default ->
          throw new IllegalArgumentException(
              "rail \"" + uri + "\": option memory=" + value + " must be auto, sealed or file");
    };
  }

  /** The kernel says whose memory is at the other end of a descriptor, and of nothing else. */
  private static Pulls pulls(RailUri uri, boolean descriptors) throws RailException {
    String value = uri.option("copy", "auto").toLowerCase(Locale.ROOT);
    return switch (value) {
      case "ring" -> Pulls.NEVER;
      case "auto" -> descriptors ? Pulls.WHERE_QUICKER : Pulls.NEVER;
      case "cma" -> {
        if (!descriptors) {
          throw needsDescriptors(uri, "copy=cma");
        }
        yield Pulls.ALWAYS;
      }
      default ->
          throw new IllegalArgumentException(
              "rail \"" + uri + "\": option copy=" + value + " must be auto, ring or cma");
    };
  }

  private static RailException needsDescriptors(RailUri uri, String option) {
    return new RailException(
        "rail \""
            + uri
            + "\": "
            + option
            + " is not possible without native sockets: "
            + Objects.requireNonNullElse(Libc.whyUnavailable(), "sockets=nio was asked for"));
  }

  private static boolean descriptors(RailUri uri) throws RailException {
    String value = uri.option("sockets", "auto").toLowerCase(Locale.ROOT);
    String whyNot = Libc.whyUnavailable();
    return switch (value) {
      case "nio" -> false;
      case "auto" -> whyNot == null;
      case "fd" -> {
        if (whyNot != null) {
          throw new RailException("rail \"" + uri + "\": sockets=fd is not possible: " + whyNot);
        }
        yield true;
      }
      default ->
          throw new IllegalArgumentException(
              "rail \"" + uri + "\": option sockets=" + value + " must be auto, fd or nio");
    };
  }

  /** Where ports are that name no folder. */
  static Path systemBase() {
    return Files.isDirectory(DEV_SHM) && Files.isWritable(DEV_SHM)
        ? DEV_SHM
        : Path.of(System.getProperty("java.io.tmpdir", "/tmp")).toAbsolutePath();
  }

  private static Path givenBase(RailUri uri) throws RailException {
    try {
      Path base = Path.of(uri.rest());
      if (!base.isAbsolute()) {
        throw new IllegalArgumentException(
            "rail \"" + uri + "\": the folder must be an absolute path, for example shm:/dev/shm");
      }
      if (!Files.isDirectory(base) || !Files.isWritable(base)) {
        throw new RailException(
            "rail \""
                + uri
                + "\": "
                + base
                + (Files.exists(base)
                    ? " is no folder in which this process may make files"
                    : " does not exist")
                + "; make it, or write shm: for the default");
      }
      return base.toRealPath();
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("rail \"" + uri + "\": no path: " + e.getMessage(), e);
    } catch (RailException e) {
      throw e;
    } catch (IOException e) {
      throw new RailException("rail \"" + uri + "\": the folder cannot be used: " + e, e);
    }
  }
}
