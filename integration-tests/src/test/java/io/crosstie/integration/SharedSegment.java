// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A segment that some process has open. It has lost its name, but whoever is the same user finds it
 * by the descriptor, and may do with it what a hostile peer does.
 *
 * @param file the descriptor's entry
 * @param name the path that the segment had
 */
record SharedSegment(Path file, String name) {
  private static final String DELETED = " (deleted)";
  private static final int BLOCK = 1 << 16;

  /** The segments below a folder that a process has open, each as often as it has it open. */
  static List<SharedSegment> of(long pid, Path folder) throws IOException {
    List<SharedSegment> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path entry : entries.toList()) {
        String target;
        try {
          target = Files.readSymbolicLink(entry).toString();
        } catch (IOException e) {
          continue; // closed meanwhile
        }
        if (target.startsWith(folder.toString()) && target.endsWith(DELETED)) {
          found.add(
              new SharedSegment(entry, target.substring(0, target.length() - DELETED.length())));
        }
      }
    }
    return found;
  }

  long size() throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.size();
    }
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

  void clear() throws IOException {
    byte[] bytes = new byte[BLOCK];
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long size = channel.size();
      for (long at = 0; at < size; at += BLOCK) {
        write(channel, at, bytes, (int) Math.min(BLOCK, size - at));
      }
    }
  }

  void write(long at, byte value) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      write(channel, at, new byte[] {value}, 1);
    }
  }

  private static void write(FileChannel channel, long at, byte[] bytes, int length)
      throws IOException {
    if (channel.write(ByteBuffer.wrap(bytes, 0, length), at) != length) {
      throw new IOException("the segment took less than " + length + " bytes");
    }
  }
}
