// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Where the bytes of the stream come from: endless, since it repeats. */
abstract class StreamData implements AutoCloseable {
  /** Copies what comes next, from the beginning again at the end. */
  abstract void next(MemorySegment target, long offset, long length);

  @Override
  public void close() {}

  /**
   * A file, mapped.
   *
   * @throws ToolException if it cannot be streamed
   */
  static StreamData file(Path path) {
    checkFile(path);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      Arena arena = Arena.ofShared();
      MemorySegment map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new Mapped(map, arena);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot map the file " + path, e);
    }
  }

  /** Numbers from a seed, the same again after {@code period} bytes. */
  static StreamData generated(long seed, long period) {
    return new Generated(seed, period);
  }

  /** Says what is wrong with a file, before anything is started. */
  static void checkFile(Path path) {
    String fault =
        !Files.exists(path)
            ? "does not exist"
            : Files.isDirectory(path)
                ? "is a directory"
                : !Files.isRegularFile(path)
                    ? "is not an ordinary file"
                    : !Files.isReadable(path) ? "cannot be read by this user" : null;
    try {
      if (fault == null && Files.size(path) == 0) {
        fault = "is empty";
      }
    } catch (IOException e) {
      fault = "cannot be looked at (" + e + ")";
    }
    if (fault != null) {
      throw new ToolException(
          ToolException.USAGE,
          "--file "
              + path
              + ": the file "
              + fault
              + "; name a readable file, or leave --file out to stream the JDK's own lib/modules");
    }
  }

  private static final class Mapped extends StreamData {
    private final MemorySegment map;
    private final Arena arena;
    private long position;

    Mapped(MemorySegment map, Arena arena) {
      this.map = map;
      this.arena = arena;
    }

    @Override
    void next(MemorySegment target, long offset, long length) {
      for (long done = 0; done < length; ) {
        long part = Math.min(length - done, map.byteSize() - position);
        MemorySegment.copy(map, position, target, offset + done, part);
        done += part;
        position = position + part == map.byteSize() ? 0 : position + part;
      }
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  private static final class Generated extends StreamData {
    private static final ValueLayout.OfLong LONG =
        ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final long seed;
    private final long period;
    private long position;

    Generated(long seed, long period) {
      if (period < 1) {
        throw new IllegalArgumentException("period " + period);
      }
      this.seed = seed;
      this.period = period;
    }

    @Override
    void next(MemorySegment target, long offset, long length) {
      for (long done = 0; done < length; ) {
        long part = Math.min(length - done, period - position);
        fill(target, offset + done, part);
        done += part;
        position = position + part == period ? 0 : position + part;
      }
    }

    /** The byte at a position is a part of the number of its eight, so that cuts do not matter. */
    private void fill(MemorySegment target, long offset, long length) {
      long at = position;
      long to = offset;
      long end = offset + length;
      while (to < end && (at & 7) != 0) {
        target.set(ValueLayout.JAVA_BYTE, to++, byteAt(at++));
      }
      long word = at >>> 3;
      for (; to <= end - 8; to += 8) {
        target.set(LONG, to, mix(seed + ++word * GAMMA));
        at += 8;
      }
      while (to < end) {
        target.set(ValueLayout.JAVA_BYTE, to++, byteAt(at++));
      }
    }

    private byte byteAt(long at) {
      return (byte) (mix(seed + ((at >>> 3) + 1) * GAMMA) >>> (8 * (at & 7)));
    }

    /** SplitMix64's mixer. */
    private static long mix(long value) {
      long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      return z ^ (z >>> 31);
    }
  }
}
