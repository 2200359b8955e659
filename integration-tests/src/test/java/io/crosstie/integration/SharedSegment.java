// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
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
record SharedSegment(Path file, long base, long size, boolean sealed) {
  private static final String DELETED = " (deleted)";
  private static final int BLOCK = 1 << 16;

  /** The segments of ports below a folder that a process has open or mapped, each at least once. */
  static List<SharedSegment> of(long pid, Path folder) throws IOException {
    List<SharedSegment> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path entry : entries.toList()) {
        try {
          String target = Files.readSymbolicLink(entry).toString();
          if (target.startsWith(folder.toString()) && target.endsWith(DELETED)) {
            found.add(new SharedSegment(entry, 0, Files.size(entry), false));
          }
        } catch (IOException e) {
          // closed meanwhile
        }
      }
    }
    List<String> ports;
    try (Stream<Path> entries = Files.list(folder)) {
      ports = entries.map(entry -> String.valueOf(entry.getFileName())).toList();
    }
    Path memory = Path.of("/proc/" + pid + "/mem");
    try (FileChannel unused = FileChannel.open(memory, StandardOpenOption.WRITE)) {
      // may be written
    } catch (AccessDeniedException e) {
      Facility.require(false, "a system that lets a process write to its child's memory is needed");
    }
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
      if (line.contains("memfd:") && ports.stream().anyMatch(line::contains)) {
        String[] range = line.substring(0, line.indexOf(' ')).split("-", 2);
        long base = Long.parseLong(range[0], 16);
        long end = Long.parseLong(range[1], 16);
        found.add(new SharedSegment(memory, base, end - base, true));
      }
    }
    return found;
  }

  void truncate(long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      FileChannel unused = channel.truncate(size);
    }
  }

  /** Overwrites a range. */
  void scribble(RandomGenerator random, long from, long to) throws IOException {
    byte[] bytes = new byte[BLOCK];
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (long at = from; at < to; at += BLOCK) {
        random.nextBytes(bytes);
        write(channel, at, bytes, (int) Math.min(BLOCK, to - at));
      }
    }
  }

  /** Overwrites all from there on with zeros. */
  void clear(long from) throws IOException {
    byte[] bytes = new byte[BLOCK];
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (long at = from; at < size; at += BLOCK) {
        write(channel, at, bytes, (int) Math.min(BLOCK, size - at));
      }
    }
  }

  void write(long at, byte value) throws IOException {
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
