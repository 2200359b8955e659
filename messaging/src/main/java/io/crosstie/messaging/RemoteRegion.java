// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A region of a peer's, by its key: memory there that this node may write to. Puts are messages
 * like others (striped, retransmitted, failed over), and each completes by itself.
 *
 * <p>Threads: as for {@link Channel#send}.
 */
public final class RemoteRegion {
  /** Longest notification, in bytes. */
  public static final int MAX_NOTIFICATION = 32;

  private static final MemorySegment NO_NOTIFICATION = MemorySegment.ofArray(new byte[0]);

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
      MemorySegment source, long offset, long length, long targetOffset, PutCompletion completion) {
    if (length < 1) {
      throw new IllegalArgumentException("nothing to put: length is " + length);
    }
    return put(source, offset, length, targetOffset, NO_NOTIFICATION, completion);
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
      PutCompletion completion) {
    if (notification.length < 1 || notification.length > MAX_NOTIFICATION) {
      throw new IllegalArgumentException(
          "a notification has 1 to "
              + MAX_NOTIFICATION
              + " bytes, not "
              + notification.length
              + "; leave it out, or put what is longer");
    }
    return put(
        source,
        offset,
        length,
        targetOffset,
        MemorySegment.ofArray(notification.clone()),
        completion);
  }

  private long put(
      MemorySegment source,
      long offset,
      long length,
      long targetOffset,
      MemorySegment notification,
      PutCompletion completion) {
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
    return peer.put(
        new AppPut(peer, key, targetOffset, source, offset, length, notification, completion));
  }

  @Override
  public String toString() {
    return "region " + Long.toHexString(key) + " of " + peer;
  }
}
