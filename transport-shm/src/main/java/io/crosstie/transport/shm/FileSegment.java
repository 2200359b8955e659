// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.Uninterruptibly;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * A mapped file of a folder, for where memory without a name cannot be had or passed on. It keeps
 * its name only until both sides have mapped it, and stays open so that truncation can be told from
 * other faults.
 *
 * <p>The thread may be the application's, and may be interrupted at any time. An interrupt closes
 * the channel that it works on, also one that comes in the middle: so a channel is used only to
 * map, and only by {@link #map}.
 */
final class FileSegment extends Segment {
  private static final int ZERO_CHUNK = 64 << 10;
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(
          Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));

  private final Path file;
  private final RandomAccessFile opened;
  private boolean linked;

  private FileSegment(
      Path file,
      RandomAccessFile opened,
      Arena arena,
      MemorySegment memory,
      long ringBytes,
      long generation,
      boolean linked) {
    super(arena, memory, ringBytes, generation);
    this.file = file;
    this.opened = opened;
    this.linked = linked;
  }

  /**
   * Makes a file that nobody else can open, and reserves its space by writing all of it: a hole
   * that cannot be filled later would be a fault in the middle of a store.
   *
   * @throws IOException if there is no space or the file exists; nothing is left behind
   */
  static FileSegment create(Path file, long ringBytes, long generation) throws IOException {
    Files.createFile(file, PRIVATE);
    RandomAccessFile opened;
    try {
      opened = new RandomAccessFile(file.toFile(), "rw");
    } catch (IOException e) {
      delete(file);
      throw e;
    }
    Arena arena = Arena.ofShared();
    try {
      long total = SegmentLayout.totalBytes(ringBytes);
      byte[] zeros = new byte[ZERO_CHUNK];
      for (long written = 0; written < total; written += ZERO_CHUNK) {
        opened.write(zeros, 0, (int) Math.min(ZERO_CHUNK, total - written));
      }
      MemorySegment memory = map(opened, total, arena);
      writeHeader(memory, ringBytes, generation);
      return new FileSegment(file, opened, arena, memory, ringBytes, generation, true);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      closeQuietly(opened);
      delete(file);
      throw e;
    }
  }

  /**
   * Maps a file that another process offers, after looking at everything about it (R25).
   *
   * @param ownerUid who has to own it
   * @throws IOException saying what is wrong with it
   */
  static FileSegment open(Path file, long ringBytes, long generation, int ownerUid)
      throws IOException {
    if (!SegmentLayout.validRingBytes(ringBytes)) {
      throw new IOException("the ring has " + ringBytes + " bytes");
    }
    PosixFileAttributes before = checkFile(file, ringBytes, ownerUid);
    RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
    Arena arena = Arena.ofShared();
    try {
      // opened is what was looked at, unless the name was moved twice, which only its owner can
      PosixFileAttributes after = checkFile(file, ringBytes, ownerUid);
      long total = SegmentLayout.totalBytes(ringBytes);
      if (!Objects.equals(before.fileKey(), after.fileKey()) || opened.length() != total) {
        throw new IOException("the file was replaced while it was opened");
      }
      MemorySegment memory = map(opened, total, arena);
      checkHeader(memory, ringBytes, generation);
      return new FileSegment(file, opened, arena, memory, ringBytes, generation, false);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      closeQuietly(opened);
      if (e instanceof InternalError) {
        throw new IOException("the file was truncated while it was opened", e);
      }
      throw e;
    }
  }

  /**
   * Maps all of a file, on a thread of its own: nobody else knows that one, so nobody interrupts
   * it.
   *
   * @throws IOException if it cannot be mapped, or there is no thread to be had
   */
  private static MemorySegment map(RandomAccessFile opened, long total, Arena arena)
      throws IOException {
    FutureTask<MemorySegment> mapping =
        new FutureTask<>(
            () -> opened.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, total, arena));
    Thread mapper = new Thread(mapping, "crosstie-map");
    mapper.setDaemon(true);
    try {
      mapper.start();
    } catch (OutOfMemoryError e) {
      throw new IOException("no thread to map a file with: " + e.getMessage(), e);
    }
    boolean unused =
        Uninterruptibly.await(Long.MAX_VALUE, nanos -> mapper.join(Duration.ofNanos(nanos)));
    if (mapping.state() == Future.State.SUCCESS) {
      return mapping.resultNow();
    }
    Throwable failure = mapping.exceptionNow();
    throw new IOException("the file cannot be mapped: " + failure.getMessage(), failure);
  }

  private static PosixFileAttributes checkFile(Path file, long ringBytes, int ownerUid)
      throws IOException {
    PosixFileAttributes attributes =
        Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!attributes.isRegularFile()) {
      throw new IOException("it is no regular file");
    }
    int uid = PortDirectory.uid(file);
    if (uid != ownerUid) {
      throw new IOException("it belongs to uid " + uid + " and not to uid " + ownerUid);
    }
    long total = SegmentLayout.totalBytes(ringBytes);
    if (attributes.size() != total) {
      throw new IOException("it has " + attributes.size() + " bytes and not " + total);
    }
    return attributes;
  }

  @Override
  String fileName() {
    return String.valueOf(file.getFileName());
  }

  @Override
  boolean truncated() {
    try {
      return opened.length() < SegmentLayout.totalBytes(ringBytes());
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  void mappedByBoth() {
    if (linked) {
      linked = false;
      delete(file);
    }
  }

  @Override
  void release() {
    closeQuietly(opened);
  }

  private static void closeQuietly(RandomAccessFile opened) {
    try {
      opened.close();
    } catch (IOException e) {
      // nothing was to be written
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // the next start of a port in this folder sweeps it
    }
  }
}
