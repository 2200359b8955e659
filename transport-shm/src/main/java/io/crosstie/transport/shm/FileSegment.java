// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * A mapped file of a folder, for where memory without a name cannot be had or passed on. It keeps
 * its name only until both sides have mapped it; the channel stays open so that truncation can be
 * told from other faults.
 */
final class FileSegment extends Segment {
  private static final int ZERO_CHUNK = 64 << 10;
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(
          Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));

  private final Path file;
  private final FileChannel channel;
  private boolean linked;

  private FileSegment(
      Path file,
      FileChannel channel,
      Arena arena,
      MemorySegment memory,
      long ringBytes,
      long generation,
      boolean linked) {
    super(arena, memory, ringBytes, generation);
    this.file = file;
    this.channel = channel;
    this.linked = linked;
  }

  /**
   * Makes a file that nobody else can open, and reserves its space by writing all of it: a hole
   * that cannot be filled later would be a fault in the middle of a store.
   *
   * @throws IOException if there is no space or the file exists; nothing is left behind
   */
  static FileSegment create(Path file, long ringBytes, long generation) throws IOException {
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PRIVATE);
    Arena arena = Arena.ofShared();
    try {
      long total = SegmentLayout.totalBytes(ringBytes);
      ByteBuffer zeros = ByteBuffer.allocate(ZERO_CHUNK);
      for (long written = 0; written < total; ) {
        zeros.clear().limit((int) Math.min(ZERO_CHUNK, total - written));
        written += channel.write(zeros);
      }
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, total, arena);
      writeHeader(memory, ringBytes, generation);
      return new FileSegment(file, channel, arena, memory, ringBytes, generation, true);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      closeQuietly(channel);
      delete(file);
      throw e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
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
    boolean interrupted = Thread.interrupted();
    try {
      PosixFileAttributes before = checkFile(file, ringBytes, ownerUid);
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      Arena arena = Arena.ofShared();
      try {
        // opened is what was looked at, unless the name was moved twice, which only its owner can
        PosixFileAttributes after = checkFile(file, ringBytes, ownerUid);
        if (!Objects.equals(before.fileKey(), after.fileKey())
            || channel.size() != SegmentLayout.totalBytes(ringBytes)) {
          throw new IOException("the file was replaced while it was opened");
        }
        MemorySegment memory =
            channel.map(
                FileChannel.MapMode.READ_WRITE, 0, SegmentLayout.totalBytes(ringBytes), arena);
        checkHeader(memory, ringBytes, generation);
        return new FileSegment(file, channel, arena, memory, ringBytes, generation, false);
      } catch (IOException | RuntimeException | Error e) {
        arena.close();
        closeQuietly(channel);
        throw e;
      }
    } catch (InternalError e) {
      throw new IOException("the file was truncated while it was opened", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
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
    boolean interrupted = Thread.interrupted();
    try {
      return channel.size() < SegmentLayout.totalBytes(ringBytes());
    } catch (ClosedChannelException e) {
      return false; // by an interrupt: it can no longer be told
    } catch (IOException e) {
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
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
    closeQuietly(channel);
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
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
