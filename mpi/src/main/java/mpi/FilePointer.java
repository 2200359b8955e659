// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The pointer that all ranks share: a number in a small file beside the one it is for, under a
 * lock. The file is made when the pointer first moves, so one that nobody uses costs nothing.
 */
final class FilePointer implements AutoCloseable {
  private final Path beside;
  private final long initial;
  private SteadyFile file;

  /**
   * The same in all ranks.
   *
   * @param beside a name that no other one has
   * @param initial where it is before anybody moves it
   */
  FilePointer(Path beside, long initial) {
    this.beside = beside;
    this.initial = initial;
  }

  /** Moves it on. Returns where it was. */
  synchronized long advance(long by) throws IOException {
    if (file == null) {
      file =
          SteadyFile.open(
              beside,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }
    try (FileLock held = file.lock(0, Long.BYTES, false)) {
      FileAccess.check(held.isValid());
      ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
      long was = file.read(number, 0) == Long.BYTES ? number.getLong(0) : initial;
      FileAccess.check(
          file.write(number.clear().putLong(0, Math.addExact(was, by)), 0) == Long.BYTES);
      return was;
    }
  }

  /** Where it is. */
  synchronized long get() throws IOException {
    return file == null && !Files.exists(beside) ? initial : advance(0);
  }

  @Override
  public synchronized void close() throws IOException {
    if (file != null) {
      file.close();
      file = null;
    }
  }

  /** Once all ranks have closed it. */
  void delete() throws IOException {
    boolean unused = Files.deleteIfExists(beside);
  }
}
