// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A segment that some process has mapped. It has no name any more, or never had one, but whoever is
 * the same user finds it by the process's descriptor or in its memory, and may do with it what a
 * hostile peer does.
 *
 * @param file the descriptor's entry, or the process's memory
 * @param base where it begins there
 * @param size in bytes
 * @param sealed whether it is memory that nobody can truncate
 */
public record SharedSegment(Path file, long base, long size, boolean sealed) {
  private static final String DELETED = " (deleted)";
  private static final String MEMORY = "memfd:";
  private static final int BLOCK = 1 << 16;

  /**
   * The segments that a process has open or mapped, each at least once.
   *
   * @param wanted which, by a text that their name is a part of
   */
  public static List<SharedSegment> of(long pid, Predicate<String> wanted) throws IOException {
    List<SharedSegment> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path entry : entries.toList()) {
        try {
          String target = Files.readSymbolicLink(entry).toString();
          if (target.endsWith(DELETED) && !target.contains(MEMORY) && wanted.test(target)) {
            found.add(new SharedSegment(entry, 0, Files.size(entry), false));
          }
        } catch (IOException e) {
          // closed meanwhile
        }
      }
    }
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
      if (line.contains(MEMORY) && wanted.test(line)) {
        String[] range = line.substring(0, line.indexOf(' ')).split("-", 2);
        long base = Long.parseLong(range[0], 16);
        found.add(new SharedSegment(memory(pid), base, Long.parseLong(range[1], 16) - base, true));
      }
    }
    return found;
  }

  /** Through which a process's memory is written, if the system lets its parent do that. */
  public static Path memory(long pid) {
    return Path.of("/proc/" + pid + "/mem");
  }

  /** Makes it shorter; of a file only. */
  public void truncate(long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      FileChannel unused = channel.truncate(length);
    }
  }

  /**
   * Overwrites all from there on.
   *
   * @param filler puts into each block what is to be written
   */
  public void overwrite(long from, Consumer<byte[]> filler) throws IOException {
    byte[] bytes = new byte[BLOCK];
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (long at = from; at < size; at += BLOCK) {
        filler.accept(bytes);
        write(channel, at, bytes, (int) Math.min(BLOCK, size - at));
      }
    }
  }

  /** Overwrites one byte. */
  public void write(long at, byte value) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      write(channel, at, new byte[] {value}, 1);
    }
  }

  private void write(FileChannel channel, long at, byte[] bytes, int length) throws IOException {
    int written;
    try {
      written = channel.write(ByteBuffer.wrap(bytes, 0, length), base + at);
    } catch (IOException e) {
      if (sealed) {
        return; // the process has noticed, and unmapped it: EIO
      }
      throw e;
    }
    if (written != length && !sealed) {
      throw new IOException("the segment took less than " + length + " bytes");
    }
  }
}
