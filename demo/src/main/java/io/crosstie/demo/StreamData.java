// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.process.ToolException;
import io.crosstie.testkit.stream.Pattern;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Where the bytes of the stream come from: endless, and the same to both processes. */
interface StreamData extends AutoCloseable {
  /** Copies what stands at a position. */
  void copy(long position, MemorySegment target, long offset, long length);

  /** Whether memory has what stands at a position, byte by byte. */
  boolean matches(long position, MemorySegment memory, long offset, long length);

  @Override
  default void close() {}

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

  /** Random bytes from a seed. */
  static StreamData generated(long seed) {
    return new StreamData() {
      @Override
      public void copy(long position, MemorySegment target, long offset, long length) {
        Pattern.copy(seed, position, target, offset, length);
      }

      @Override
      public boolean matches(long position, MemorySegment memory, long offset, long length) {
        return Pattern.mismatch(seed, position, memory, offset, length) < 0;
      }
    };
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

  /** A file, from the beginning again at its end. */
  record Mapped(MemorySegment map, Arena arena) implements StreamData {
    @Override
    public void copy(long position, MemorySegment target, long offset, long length) {
      for (long done = 0; done < length; ) {
        long from = (position + done) % map.byteSize();
        long part = Math.min(length - done, map.byteSize() - from);
        MemorySegment.copy(map, from, target, offset + done, part);
        done += part;
      }
    }

    @Override
    public boolean matches(long position, MemorySegment memory, long offset, long length) {
      for (long done = 0; done < length; ) {
        long from = (position + done) % map.byteSize();
        long part = Math.min(length - done, map.byteSize() - from);
        long to = offset + done;
        if (MemorySegment.mismatch(map, from, from + part, memory, to, to + part) >= 0) {
          return false;
        }
        done += part;
      }
      return true;
    }

    @Override
    public void close() {
      arena.close();
    }
  }
}
