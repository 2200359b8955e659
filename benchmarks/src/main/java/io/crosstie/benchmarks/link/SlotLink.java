// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The limit of shared memory: one ring of slots each way, a commit word in the same cache line as a
 * small payload, one copy in and one out. Large messages go in pieces, so that both copies run at
 * the same time. The consumer's position is looked at only when the ring seems full.
 *
 * <p>With checks, a header of 24 bytes follows the commit word, length and sequence are compared,
 * and CRC-32C covers sequence, place and payload on both sides.
 */
final class SlotLink implements Link {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final long LINE = 64;
  private static final long POSITION_BYTES = 256;
  private static final long RING_BYTES = 1 << 20;
  private static final int MAX_PIECE = 16 << 10;
  private static final int COMMIT_BYTES = 8;
  private static final int HEADER_BYTES = 24;
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;
  private static final int SEQUENCE_AT = 16;
  private static final int PLACE_AT = 24;
  private static final int POLL_LIMIT = 64;

  private final LinkSpec spec;
  private final boolean checks;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment messages;
  private final MemorySegment assembled;
  private final CRC32C crc = new CRC32C();
  private final int pieceBytes;
  private final int payloadAt;
  private final long slotBytes;
  private final long slots;
  private @Nullable Path file;
  private MemorySegment shared = MemorySegment.NULL;
  private ByteBuffer sharedBytes = ByteBuffer.allocate(0);
  private long out;
  private long in;
  private long written;
  private long writtenLimit;
  private long read;
  private int sendAt;
  private int assembledAt;

  SlotLink(LinkSpec spec, boolean checks) {
    this.spec = spec;
    this.checks = checks;
    messages = spec.messages();
    assembled = arena.allocate(spec.size(), LINE);
    pieceBytes = Math.min(spec.size(), MAX_PIECE);
    payloadAt = checks ? COMMIT_BYTES + HEADER_BYTES : COMMIT_BYTES;
    slotBytes = (payloadAt + pieceBytes + LINE - 1) / LINE * LINE;
    slots = Long.highestOneBit(RING_BYTES / slotBytes);
    writtenLimit = slots;
    if (!spec.near()) {
      file = create();
      map(file);
    }
  }

  private static Path create() {
    try {
      Path shm = Path.of("/dev/shm");
      Path folder = Files.isWritable(shm) ? shm : Path.of(System.getProperty("java.io.tmpdir"));
      return Files.createTempFile(folder, "crosstie-bench-slot-", "");
    } catch (IOException e) {
      throw new LinkException("no file for shared memory: " + e.getMessage(), e);
    }
  }

  private void map(Path path) {
    long way = POSITION_BYTES + slots * slotBytes;
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      shared = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * way, arena);
    } catch (IOException e) {
      throw new LinkException("shared memory cannot be mapped: " + e.getMessage(), e);
    }
    sharedBytes = shared.asByteBuffer();
    out = spec.near() ? 0 : way;
    in = spec.near() ? way : 0;
  }

  @Override
  public String address() {
    return file == null ? "" : file.toString();
  }

  @Override
  public void connect(String peer) {
    if (spec.near()) {
      map(Path.of(peer));
    }
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public boolean send(long offset, int length) {
    sendAt = put(messages, offset, length, sendAt);
    if (sendAt < length) {
      return false;
    }
    sendAt = 0;
    return true;
  }

  /** Puts pieces of a message from there on until the ring is full; returns how far it came. */
  private int put(MemorySegment from, long offset, int length, int startAt) {
    int at = startAt;
    while (at < length && hasRoom()) {
      int piece = Math.min(pieceBytes, length - at);
      long slot = out + POSITION_BYTES + (written & (slots - 1)) * slotBytes;
      MemorySegment.copy(from, offset + at, shared, slot + payloadAt, piece);
      if (checks) {
        shared.set(ValueLayout.JAVA_LONG, slot + SEQUENCE_AT, written);
        shared.set(ValueLayout.JAVA_LONG, slot + PLACE_AT, at);
        shared.set(ValueLayout.JAVA_INT, slot + LENGTH_AT, piece);
        shared.set(ValueLayout.JAVA_INT, slot + CRC_AT, checksum(slot, piece));
      }
      written++;
      LONG.setRelease(shared, slot, written);
      at += piece;
    }
    return at;
  }

  private boolean hasRoom() {
    if (written == writtenLimit) {
      writtenLimit = (long) LONG.getAcquire(shared, out) + slots;
    }
    return written < writtenLimit;
  }

  private int checksum(long slot, int piece) {
    int start = (int) slot + SEQUENCE_AT;
    sharedBytes.limit((int) slot + payloadAt + piece).position(start);
    crc.reset();
    crc.update(sharedBytes);
    return (int) crc.getValue();
  }

  @Override
  public void progress() {
    Thread.onSpinWait();
  }

  @Override
  public int poll(Sink sink) {
    int pieces = 0;
    while (pieces < POLL_LIMIT) {
      int piece = take();
      if (piece == 0) {
        break;
      }
      sink.onData(assembled, assembledAt, piece);
      advance(piece);
      pieces++;
    }
    return taken(pieces);
  }

  /** Gives back the slots of what was taken. */
  private int taken(int pieces) {
    if (pieces > 0) {
      LONG.setRelease(shared, in, read);
    } else {
      Thread.onSpinWait(); // the other side may be the other thread of this core
    }
    return pieces;
  }

  private void advance(int piece) {
    assembledAt += piece;
    if (assembledAt == spec.size()) {
      assembledAt = 0;
    }
  }

  /** Copies the next piece out; returns its length, 0 if there is none. */
  private int take() {
    long slot = in + POSITION_BYTES + (read & (slots - 1)) * slotBytes;
    if ((long) LONG.getAcquire(shared, slot) != read + 1) {
      return 0;
    }
    int piece = Math.min(pieceBytes, spec.size() - assembledAt);
    if (checks) {
      check(slot, piece);
    }
    MemorySegment.copy(shared, slot + payloadAt, assembled, assembledAt, piece);
    read++;
    return piece;
  }

  private void check(long slot, int piece) {
    if (shared.get(ValueLayout.JAVA_INT, slot + LENGTH_AT) != piece
        || shared.get(ValueLayout.JAVA_LONG, slot + SEQUENCE_AT) != read
        || shared.get(ValueLayout.JAVA_LONG, slot + PLACE_AT) != assembledAt) {
      throw new LinkException("slot " + read + " has a wrong header");
    }
    if (shared.get(ValueLayout.JAVA_INT, slot + CRC_AT) != checksum(slot, piece)) {
      throw new LinkException("slot " + read + " has a wrong checksum");
    }
  }

  /** Pieces go back as they come. */
  @Override
  public int echo() {
    int pieces = 0;
    while (pieces < POLL_LIMIT && hasRoom()) {
      int piece = take();
      if (piece == 0) {
        break;
      }
      int end = assembledAt + piece;
      int unused = put(assembled, 0, end, assembledAt);
      advance(piece);
      pieces++;
    }
    return taken(pieces);
  }

  @Override
  public void close() {
    Path made = file;
    arena.close();
    if (made != null) {
      try {
        Files.deleteIfExists(made);
      } catch (IOException e) {
        throw new LinkException("a file of shared memory is left: " + made, e);
      }
    }
  }
}
