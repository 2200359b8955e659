// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A region of a peer's, by its key: memory there that this node may write to, read, or change words
 * of, as far as it was exported for that. Puts, requests and answers are messages like others
 * (striped, retransmitted, failed over), and each completes by itself. Operations on words are done
 * exactly once, those of one thread in the order of its calls; puts and gets overtake one another
 * and them.
 *
 * <p>Threads: as for {@link Channel#send}.
 */
public final class RemoteRegion {
  /** Longest notification, in bytes. */
  public static final int MAX_NOTIFICATION = 32;

  private static final byte[] NO_NOTIFICATION = {};

  private final Peer peer;
  private final long key;

  RemoteRegion(Peer peer, long key) {
    this.peer = peer;
    this.key = key;
  }

  /** Whose it is. */
  public Peer peer() {
    return peer;
  }

  /** Its key there. */
  public long key() {
    return key;
  }

  /**
   * Puts bytes to their place. Nobody is told there; the completion tells here. Puts overtake one
   * another: who needs an order waits for the completion, or for {@link Peer#flush}.
   *
   * @param source native memory, mapped or not, of a shared, automatic or global arena; if the
   *     caller makes progress, also of an arena confined to that thread. It is lent, and must not
   *     change until the completion was told
   * @param offset of the first byte in it
   * @param length in bytes, 1 or more
   * @param targetOffset where in the region the first byte goes, 0 or more
   * @param completion told once, if the result is positive
   * @return a number above 0, or a negative status as {@link Channel#send}
   */
  public long put(
      MemorySegment source,
      long offset,
      long length,
      long targetOffset,
      RegionCompletion completion) {
    if (length < 1) {
      throw new IllegalArgumentException("nothing to put: length is " + length);
    }
    return send(source, offset, length, targetOffset, NO_NOTIFICATION, completion);
  }

  /**
   * The same with a notification: bytes that are told at the peer ({@link
   * NotificationHandler#onNotification}) once every byte of this put is in its place.
   *
   * @param length in bytes, 0 or more
   * @param notification 1 to {@value #MAX_NOTIFICATION} bytes, which are copied
   */
  public long put(
      MemorySegment source,
      long offset,
      long length,
      long targetOffset,
      byte[] notification,
      RegionCompletion completion) {
    if (notification.length < 1 || notification.length > MAX_NOTIFICATION) {
      throw new IllegalArgumentException(
          "a notification has 1 to "
              + MAX_NOTIFICATION
              + " bytes, not "
              + notification.length
              + "; leave it out, or put what is longer");
    }
    return send(source, offset, length, targetOffset, notification, completion);
  }

  private long send(
      MemorySegment source,
      long offset,
      long length,
      long targetOffset,
      byte[] notification,
      RegionCompletion completion) {
    Objects.checkFromIndexSize(offset, length, source.byteSize());
    Objects.requireNonNull(completion, "completion");
    if (targetOffset < 0 || targetOffset > Long.MAX_VALUE - length) {
      throw new IllegalArgumentException("no region has an offset of " + targetOffset);
    }
    if (!source.isNative()) {
      throw new IllegalArgumentException(
          "put lends native memory, and this segment is on the heap; take it from"
              + " Arena.ofShared()");
    }
    peer.node().checkShared(source, "reads it");
    AppPut put = peer.node().puts().take();
    put.set(peer, key, targetOffset, source, offset, length, notification, completion);
    long result = peer.put(put); // if that throws nobody knows whether it is under way
    if (result <= 0) {
      put.giveBack();
    }
    return result;
  }

  /**
   * Gets bytes. They are read there as they leave, so they are of one moment only if nobody writes
   * meanwhile. Nobody has to poll there.
   *
   * @param target native memory that can be written, as for {@link #put}. It is lent, and undefined
   *     until the completion was told, also if that tells of a failure
   * @param offset in it, of the first byte
   * @param length in bytes, 1 or more; at most 16 less than messages may have on both sides
   * @param sourceOffset where in the region they begin, 0 or more
   * @param completion told once, if the result is positive
   * @return a number above 0, or a negative status as {@link Channel#send}; {@link
   *     Channel#BACK_PRESSURED} also if 1024 requests to the peer are not answered yet
   */
  public long get(
      MemorySegment target,
      long offset,
      long length,
      long sourceOffset,
      RegionCompletion completion) {
    Objects.checkFromIndexSize(offset, length, target.byteSize());
    Objects.requireNonNull(completion, "completion");
    if (length < 1) {
      throw new IllegalArgumentException("nothing to get: length is " + length);
    }
    if (sourceOffset < 0 || sourceOffset > Long.MAX_VALUE - length) {
      throw new IllegalArgumentException("no region has an offset of " + sourceOffset);
    }
    if (!target.isNative() || target.isReadOnly()) {
      throw new IllegalArgumentException(
          "get writes to native memory, and this segment is "
              + (target.isReadOnly() ? "read-only" : "on the heap")
              + "; take it from Arena.ofShared()");
    }
    peer.node().checkShared(target, "writes to it");
    return peer.put(new AppGet(peer, key, sourceOffset, target, offset, length, completion));
  }

  /**
   * Adds to a 64-bit word of the region, in the byte order of the peer.
   *
   * @param offset of the word in the region, a multiple of 8
   * @param addend what is added, modulo 2^64
   * @param completion told once, if the result is positive, with the word before
   * @return as {@link #get}
   */
  public long fetchAdd(long offset, long addend, AtomicCompletion completion) {
    return operate(PlacedKind.FETCH_ADD, offset, addend, 0, completion);
  }

  /**
   * Sets a 64-bit word of the region, if it is as expected; it was, if the word before that the
   * completion tells is the expected one.
   *
   * @param offset of the word in the region, a multiple of 8
   * @return as {@link #get}
   */
  public long compareAndSet(long offset, long expected, long value, AtomicCompletion completion) {
    return operate(PlacedKind.COMPARE_AND_SET, offset, expected, value, completion);
  }

  /**
   * Sets a 64-bit word of the region; the completion tells the word before.
   *
   * @param offset of the word in the region, a multiple of 8
   * @return as {@link #get}
   */
  public long swap(long offset, long value, AtomicCompletion completion) {
    return operate(PlacedKind.SWAP, offset, value, 0, completion);
  }

  private long operate(
      int kind, long offset, long first, long second, AtomicCompletion completion) {
    Objects.requireNonNull(completion, "completion");
    if (offset < 0 || offset % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "offset " + offset + " is not that of a 64-bit word; it has to be a multiple of 8");
    }
    return peer.put(new AppAtomic(peer, kind, key, offset, first, second, completion));
  }

  @Override
  public String toString() {
    return "region " + Long.toHexString(key) + " of " + peer;
  }
}
