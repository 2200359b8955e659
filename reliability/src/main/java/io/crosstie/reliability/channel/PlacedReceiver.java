// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.reliability.wire.SinglePut;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes in the messages of a placement channel, which have their places in regions (R27, R28);
 * their numbers, holes and credit are those of the {@link ReceiveQueue}. Engine thread only.
 */
public final class PlacedReceiver {
  private final ReceiveQueue queue;
  private PlantedFault planted = PlantedFault.NONE;

  /** Where they go, once one has come. */
  private @Nullable PlacementTarget target;

  /** Those of which the peer has to be told that they are not taken. */
  private final PlacedMessage refusals = PlacedMessage.ring();

  PlacedReceiver(ReceiveQueue queue) {
    this.queue = queue;
  }

  /** Puts a fault in, as a negative control. */
  void plant(PlantedFault fault) {
    planted = fault;
  }

  // ---- what is not taken ----

  /** A message that was refused has to be told of once more, if it still is. */
  void refuseAgain(long seq) {
    PlacedMessage message = queue.placed(seq);
    if (message != null && message.reason() != 0) {
      message.join(refusals);
    }
  }

  /** Whether the peer has to be told of a message that is not taken. */
  @SuppressWarnings("ReferenceEquality") // the head itself
  boolean isRefusalDue() {
    return refusals.next() != refusals;
  }

  /** That message, of which it is told now; 0 if there is none. */
  long takeRefusal() {
    PlacedMessage first = refusals.next();
    first.leave();
    return first.seq;
  }

  /** Why that message is not taken; 0 if it is, or has been given up. */
  int refusalReason(long seq) {
    PlacedMessage message = queue.placed(seq);
    return message == null ? 0 : message.reason();
  }

  /** Nothing has to be known of a message any more. */
  void forget(PlacedMessage message) {
    message.leave();
    releaseRoom(message);
  }

  private void releaseRoom(PlacedMessage message) {
    PlacementTarget to = target;
    if (message.hasRoom() && to != null) {
      message.room(false);
      to.release(message.kind);
    }
  }

  // ---- what comes ----

  /**
   * A part of a message that has its place in a region. It is judged before it is copied, and what
   * was seen before is never written again, nor anything once the message is complete (R10, R27).
   * Its checksum is that of a private copy, and only verified bytes go to their place (R28).
   *
   * @param messageLength with its header, the notification, which is not placed
   * @param key of the region; in an answer that of the request
   * @param place in it, of the first byte behind the header
   * @param kind of {@link PlacedKind}
   * @param regions of this peer
   * @return a {@link FragmentVerdict}; if {@link FragmentVerdict#UNWANTED} the peer is to be told
   */
  public int onPart(
      long seq,
      long messageLength,
      int headerLength,
      long from,
      int length,
      int checksum,
      Checksum algorithm,
      FragmentSource source,
      long key,
      long place,
      int kind,
      PlacementTarget regions) {
    target = regions;
    boolean isRepeat = queue.has(seq);
    boolean isRequest = PlacedKind.isRequest(kind);
    if (isRepeat && isRequest && planted == PlantedFault.ATOMIC_TWICE) {
      return onRequest(seq, length, checksum, algorithm, source, kind, key, place, regions);
    }
    if (isRepeat && (isRequest || planted != PlantedFault.PLACED_AGAIN)) {
      return FragmentVerdict.DUPLICATE;
    }
    if (!isRepeat && queue.isBeyondCredit(seq)) {
      return FragmentVerdict.SENSELESS;
    }
    if (!queue.hasPlaceFor(seq)) {
      return FragmentVerdict.REFUSED;
    }
    PlacedMessage message = isRepeat ? null : queue.placed(seq);
    if (message != null && !message.isLike(kind, key, place, messageLength, headerLength)) {
      return FragmentVerdict.SENSELESS;
    }
    if (message != null && message.reason() != 0) {
      message.join(refusals); // it was told, and is told again
      return FragmentVerdict.UNWANTED;
    }
    if (isRequest) {
      return onRequest(seq, length, checksum, algorithm, source, kind, key, place, regions);
    }
    int why = regions.judge(kind, key, place, messageLength - headerLength);
    if (why != 0) {
      return isRepeat
          ? FragmentVerdict.DUPLICATE
          : refuse(message, seq, kind, key, place, messageLength, headerLength, why);
    }
    MemorySegment apart = queue.scratch(length);
    if (apart == null) {
      return FragmentVerdict.REFUSED;
    }
    boolean isWhole = from == 0 && length == messageLength;
    if (message == null && !isWhole && !isRepeat) {
      message = begin(seq, kind, key, place, messageLength, headerLength, true);
      if (message == null) {
        return FragmentVerdict.REFUSED;
      }
    }
    IntervalSet have = message == null ? null : message.have();
    long end = from + length;
    if (have != null && have.covers(from, end)) {
      return FragmentVerdict.DUPLICATE;
    }
    if (have != null && !have.makeRoomFor(from, end)) {
      return FragmentVerdict.REFUSED;
    }
    boolean hasHeader = headerLength > 0 && from == 0;
    if (hasHeader && (message == null || !message.hasRoom())) {
      if (!regions.reserve(kind)) {
        return FragmentVerdict.REFUSED; // nobody has polled for long: it is sent again
      }
      if (message != null) {
        message.room(true);
      }
    }
    boolean isSound;
    try {
      isSound =
          source.copy(apart, 0, length, algorithm) == Integer.toUnsignedLong(checksum)
              || planted == PlantedFault.PLACED_UNCHECKED;
    } catch (Throwable t) { // the rail's memory is gone
      if (hasHeader && message == null) {
        regions.release(kind);
      }
      throw t;
    }
    boolean isThere = isSound && write(apart, from, end, headerLength, have, place, regions);
    if (!isThere) {
      if (message == null && hasHeader) {
        regions.release(kind);
      }
      int gone = MessageRefusedFrame.NO_REGION;
      return isSound
          ? refuse(message, seq, kind, key, place, messageLength, headerLength, gone)
          : FragmentVerdict.CORRUPT;
    }
    if (isRepeat) {
      return FragmentVerdict.DUPLICATE;
    }
    long placedLength = messageLength - headerLength;
    if (message == null || have == null) {
      if (hasHeader) {
        regions.tell(place, placedLength, apart, 0, headerLength);
      }
      queue.placedWhole(seq, messageLength);
      return FragmentVerdict.ACCEPTED;
    }
    MemorySegment header = message.header;
    if (header != null && from == 0) {
      MemorySegment.copy(apart, 0, header, 0, headerLength);
    }
    if (have.add(from, end) < 0) {
      throw new IllegalStateException("an interval that there was room for");
    }
    boolean isComplete = have.isComplete(messageLength);
    boolean isEarly =
        hasHeader
            && planted
                == (kind == PlacedKind.ANSWER
                    ? PlantedFault.ANSWERED_EARLY
                    : PlantedFault.NOTIFIED_EARLY);
    if (header != null && (isComplete || isEarly) && message.hasRoom()) {
      message.room(false);
      regions.tell(place, placedLength, header, 0, headerLength);
    }
    if (isComplete) {
      queue.placedAll(seq, messageLength);
    }
    return FragmentVerdict.ACCEPTED;
  }

  /**
   * A whole put in a packet of its own whose header is known to be sound, if it is the one after
   * the last one accepted. It is judged as any other.
   *
   * @param seq its number, as the packet has it
   * @param put has matched that packet
   * @param packet the rail's memory
   * @param at where the packet begins
   * @param sums whether it has a CRC-32C as its checksum; else none is taken
   * @param regions of this peer
   * @return whether it was accepted; if not, nothing has changed
   */
  public boolean onNext(
      long seq, SinglePut put, MemoryWords packet, long at, boolean sums, PlacementTarget regions) {
    int apart = put.headerLength();
    int length = put.payloadLength() - apart;
    long place = put.targetOffset();
    int kind = PlacedKind.PUT;
    if (!queue.mayBeNext(seq) || regions.judge(kind, put.key(), place, length) != 0) {
      return false; // the number makes a message the one it is (R10), credit lets it in (R13)
    }
    if (!put.copy(packet, at, sums)
        && planted != PlantedFault.PLACED_UNCHECKED
        && planted != PlantedFault.PREDICTED_UNCHECKED) {
      return false;
    }
    if (apart > 0 && !regions.reserve(kind)) {
      return false;
    }
    target = regions;
    if (length > 0 && !regions.write(put.payload(), apart, place, length)) {
      if (apart > 0) {
        regions.release(kind);
      }
      return false; // its memory is gone, and the region was closed for that
    }
    if (apart > 0) {
      regions.tell(place, length, put.payload(), apart);
    }
    queue.placedWhole(seq, put.payloadLength());
    return true;
  }

  /**
   * A request, which is one part. Each is done in its turn, and once: those behind a gap wait, with
   * room for their answers.
   */
  private int onRequest(
      long seq,
      int length,
      int checksum,
      Checksum algorithm,
      FragmentSource source,
      int kind,
      long key,
      long place,
      PlacementTarget regions) {
    MemorySegment apart = queue.scratch(length);
    if (apart == null) {
      return FragmentVerdict.REFUSED;
    }
    if (source.copy(apart, 0, length, algorithm) != Integer.toUnsignedLong(checksum)) {
      return FragmentVerdict.CORRUPT;
    }
    if (!regions.reserve(kind)) {
      return FragmentVerdict.REFUSED; // as many as there may be are not answered yet
    }
    if (queue.has(seq) || queue.isNext(seq)) {
      regions.execute(kind, key, place, apart, 0);
      if (!queue.has(seq)) { // else it is the negative control
        queue.placedWhole(seq, length);
      }
      return FragmentVerdict.ACCEPTED;
    }
    PlacedMessage message = begin(seq, kind, key, place, length, length, false);
    if (message == null || message.header == null) {
      regions.release(kind);
      return FragmentVerdict.REFUSED;
    }
    message.room(true);
    MemorySegment.copy(apart, 0, message.header, 0, length);
    queue.awaitsTurn(seq);
    return FragmentVerdict.ACCEPTED;
  }

  /** All before that request are complete. */
  void onTurn(PlacedMessage request) {
    PlacementTarget to = target;
    if (request.hasRoom() && request.header != null && to != null) {
      request.room(false);
      to.execute(request.kind, request.key, request.target, request.header, 0);
    }
  }

  /** Writes verified bytes where none are yet; false if the region's memory is gone. */
  private boolean write(
      MemorySegment apart,
      long from,
      long end,
      int headerLength,
      @Nullable IntervalSet have,
      long place,
      PlacementTarget regions) {
    long at = have == null ? from : have.nextMissing(from, end);
    while (at < end) {
      long stop = have == null ? end : have.missingEnd(at, end);
      long begin = Math.max(at, headerLength);
      boolean misplaced = planted == PlantedFault.PLACED_GAP_MISPLACED && at != from;
      long taken = misplaced ? 0 : begin - from;
      if (begin < stop
          && !regions.write(apart, taken, place + begin - headerLength, stop - begin)) {
        return false;
      }
      at = have == null ? end : have.nextMissing(stop, end);
    }
    return true;
  }

  /**
   * @param isTaken whether its parts may be, which takes room to know them by
   */
  private @Nullable PlacedMessage begin(
      long seq,
      int kind,
      long key,
      long place,
      long messageLength,
      int headerLength,
      boolean isTaken) {
    return queue.beginPlaced(
        seq,
        isTaken ? messageLength : 0,
        have -> new PlacedMessage(seq, kind, key, place, messageLength, headerLength, have));
  }

  /** What is not taken counts as there once the peer has given it up, and not before. */
  private int refuse(
      @Nullable PlacedMessage begun,
      long seq,
      int kind,
      long key,
      long place,
      long messageLength,
      int headerLength,
      int why) {
    PlacedMessage message =
        begun == null ? begin(seq, kind, key, place, messageLength, headerLength, false) : begun;
    if (message == null) {
      return FragmentVerdict.REFUSED;
    }
    queue.dropPartsOf(message, why);
    releaseRoom(message);
    if (planted == PlantedFault.REFUSED_IS_ACCEPTED) {
      queue.placedAll(seq, 0);
      return FragmentVerdict.ACCEPTED;
    }
    message.join(refusals);
    return FragmentVerdict.UNWANTED;
  }
}
