// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.reliability.BufferPool.PooledBuffer;
import io.crosstie.reliability.wire.SinglePacket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a channel: duplicate filter, reassembly and in-order delivery (R10).
 *
 * <p>The engine puts fragments in, in any order and from any rail; {@code accepted} is the highest
 * sequence up to which every message is complete. The polling thread delivers from {@code consumed}
 * + 1 to {@code accepted}. Each side writes one of the two and only reads the other.
 *
 * <p>A fragment is looked up in the filter before anything is copied, so accepted bytes are never
 * rewritten. What is copied counts only when its checksum, taken over the private copy, is right.
 *
 * <p>Small messages share a ring of at most twice the channel's window; a large one lives in a
 * buffer of the node's pool, taken when it was granted.
 */
final class ReceiveQueue {
  /**
   * Fixed cost of a message against the credit, besides its bytes, so that floods of empty ones are
   * bounded (R12).
   */
  static final int MESSAGE_COST = 64;

  /** Large messages are announced so far ahead of what has left. */
  static final int ANNOUNCED_AHEAD = 64;

  private static final int INITIAL_SLOTS = 64;
  private static final int EMPTY = 0;
  private static final int PARTIAL = 1;
  private static final int COMPLETE = 2;
  private static final int SKIPPED = 3;

  // An entry: the state, and of a message that came whole all that there is to know besides.
  private static final int STATE_MASK = 3;
  private static final int CAME_WHOLE = 1 << 2;
  private static final int ENDS_STRETCH = 1 << 3; // of the ring, which began with this message
  private static final int ENDS_LONG_STRETCH = 1 << 4; // which began with one before
  private static final int LENGTH_SHIFT = 5;
  private static final int LENGTH_BITS = 24;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;
  private static final int OFFSET_SHIFT = LENGTH_SHIFT + LENGTH_BITS;

  /** None is longer that came whole and lies in the ring. */
  private static final int LONGEST_WHOLE = LENGTH_MASK;

  private static final VarHandle ACCEPTED_SEQ;
  private static final VarHandle CONSUMED_SEQ;
  private static final VarHandle SLOTS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ACCEPTED_SEQ = lookup.findVarHandle(ReceiveQueue.class, "accepted", long.class);
      CONSUMED_SEQ = lookup.findVarHandle(ReceiveQueue.class, "consumed", long.class);
      SLOTS = lookup.findVarHandle(ReceiveQueue.class, "slots", Slots.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** One entry per message of the window; replaced by one of twice the size when too small. */
  private static final class Slots {
    final long[] entry;
    final MemorySegment[] readable;

    // of messages that came in fragments
    final long[] offset;
    final long[] length;

    /** Offset of the ring stretch that ends its life with this message, or -1; unless marked. */
    final long[] stretch;

    final @Nullable PooledBuffer[] pooled;
    final @Nullable IntervalSet[] have;
    final int mask;

    Slots(int size) {
      entry = new long[size];
      readable = new MemorySegment[size];
      offset = new long[size];
      length = new long[size];
      stretch = new long[size];
      pooled = new PooledBuffer[size];
      have = new IntervalSet[size];
      mask = size - 1;
    }

    Slots atLeast(long span, long first) {
      int size = entry.length;
      while (size < span) {
        size *= 2;
      }
      Slots next = new Slots(size);
      for (long seq = first; seq < first + entry.length; seq++) {
        int from = (int) seq & mask;
        int to = (int) seq & next.mask;
        next.entry[to] = entry[from];
        next.readable[to] = readable[from];
        next.offset[to] = offset[from];
        next.length[to] = length[from];
        next.stretch[to] = stretch[from];
        next.pooled[to] = pooled[from];
        next.have[to] = have[from];
      }
      return next;
    }

    int state(long seq) {
      return (int) entry[(int) seq & mask] & STATE_MASK;
    }

    long length(int i) {
      long e = entry[i];
      return (e & CAME_WHOLE) != 0 ? e >>> LENGTH_SHIFT & LENGTH_MASK : length[i];
    }

    long offset(int i) {
      long e = entry[i];
      return (e & CAME_WHOLE) != 0 ? e >>> OFFSET_SHIFT : offset[i];
    }
  }

  private final int eagerLimit;
  private final long window;
  private final int maxSlots;
  private final BufferPool pool;
  private final GrowingRing ring;
  private boolean filtersRepeats = true;
  private MemorySegment scratch = MemorySegment.NULL;
  private @Nullable IntervalSet spare;

  private Slots slots = new Slots(INITIAL_SLOTS);
  private long accepted;
  private long consumed;

  /** The engine: memory of messages up to here was taken back. */
  private long released;

  /** Cost of all messages up to {@code released}. */
  private long releasedCost;

  private long acceptedBytes;
  private long acceptedMessages;

  ReceiveQueue(int eagerLimit, long window, BufferPool pool) {
    this.eagerLimit = eagerLimit;
    this.window = window;
    this.maxSlots = (int) Math.min(1 << 20, Long.highestOneBit(numbers() + ANNOUNCED_AHEAD) * 2);
    this.pool = pool;
    long bound = Long.highestOneBit(2 * window + 4L * eagerLimit) * 2;
    this.ring = new GrowingRing(Math.min(1 << 16, bound), bound);
  }

  /** The duplicate filter; off only as a negative control. */
  void setFiltersRepeats(boolean on) {
    filtersRepeats = on;
  }

  /** What a message costs against the channel's credit (both sides reckon alike). */
  static long cost(long length, int eagerLimit) {
    return length <= eagerLimit ? eagerCost(length) : MESSAGE_COST;
  }

  /** The same of a message that is no longer than the eager limit. */
  static long eagerCost(long length) {
    return MESSAGE_COST + ((length + 7) & ~7L);
  }

  // ---- the engine's side ----

  long accepted() {
    return (long) ACCEPTED_SEQ.getAcquire(this);
  }

  long consumed() {
    return (long) CONSUMED_SEQ.getAcquire(this);
  }

  /** Bytes of the ring in use, overheads included. */
  long heldBytes() {
    return ring.usedBytes();
  }

  long acceptedBytes() {
    return acceptedBytes;
  }

  long acceptedMessages() {
    return acceptedMessages;
  }

  /** Absolute credit that the sender may use up to. */
  long creditLimit() {
    return releasedCost + window;
  }

  /** Takes memory back of everything consumed since; returns whether the credit grew. */
  boolean release() {
    long until = consumed();
    if (released == until) {
      return false;
    }
    Slots s = slots;
    long[] entries = s.entry;
    long cost = releasedCost;
    long seq = released;
    while (seq < until) {
      int i = (int) ++seq & s.mask;
      cost += cost(s.length(i), eagerLimit);
      freeMemory(s, i);
      entries[i] = EMPTY;
    }
    released = seq;
    releasedCost = cost;
    return true;
  }

  private void freeMemory(Slots s, int i) {
    long e = s.entry[i];
    if ((e & CAME_WHOLE) != 0) {
      if ((e & ENDS_STRETCH) != 0) {
        ring.release(s.readable[i], e >>> OFFSET_SHIFT);
      } else if ((e & ENDS_LONG_STRETCH) != 0) {
        ring.release(s.readable[i], s.stretch[i]);
      }
      return;
    }
    PooledBuffer buffer = s.pooled[i];
    if (buffer != null) {
      s.pooled[i] = null;
      s.readable[i] = MemorySegment.NULL;
      pool.give(buffer);
    } else if (s.stretch[i] >= 0) {
      ring.release(s.readable[i], s.stretch[i]);
    }
    s.stretch[i] = -1;
    IntervalSet have = s.have[i];
    if (have != null) {
      s.have[i] = null;
      recycle(have);
    }
  }

  private void recycle(IntervalSet set) {
    if (spare == null) {
      set.clear();
      spare = set;
    }
  }

  private IntervalSet intervals() {
    IntervalSet set = spare;
    spare = null;
    return set == null ? new IntervalSet() : set;
  }

  /**
   * The connection is over: frees what cannot be delivered any more, incomplete or behind a gap.
   */
  void dispose() {
    Slots s = slots;
    for (long seq = accepted + 1; seq <= released + s.mask; seq++) {
      int i = (int) seq & s.mask;
      PooledBuffer buffer = s.pooled[i];
      if (buffer != null) {
        s.pooled[i] = null;
        s.entry[i] = EMPTY;
        pool.give(buffer);
      }
    }
  }

  /** As many messages the credit is good for. */
  private long numbers() {
    return window / MESSAGE_COST;
  }

  /** Whether a sender that keeps to its credit cannot have sent that message yet (R13, R31). */
  boolean isBeyondCredit(long seq) {
    return seq - released > numbers();
  }

  /** Whether it cannot even have announced it yet. */
  boolean isBeyondAnnouncing(long seq) {
    return seq - released > numbers() + ANNOUNCED_AHEAD;
  }

  /** The caller has compared the number with the credit: no table grows by what a packet names. */
  private @Nullable Slots slotsFor(long seq) {
    long span = seq - released;
    Slots s = slots;
    if (span <= s.mask) {
      return s;
    }
    if (span >= maxSlots) {
      return null;
    }
    s = s.atLeast(span + 1, released + 1);
    SLOTS.setRelease(this, s);
    return s;
  }

  /** Whether a message's bytes are all here. */
  boolean has(long seq) {
    if (seq <= accepted) {
      return true;
    }
    Slots s = slots;
    return seq - released <= s.mask && s.state(seq) >= COMPLETE;
  }

  /** Whether a large message has its buffer. */
  boolean isGranted(long seq) {
    if (seq <= accepted) {
      return true;
    }
    Slots s = slots;
    return seq - released <= s.mask && s.state(seq) != EMPTY;
  }

  /**
   * Gives a large message its buffer; whole or not at all (R12). False if the pool has no room now
   * or it is outside the window.
   */
  boolean grant(long seq, long length) {
    if (isGranted(seq)) {
      return true;
    }
    Slots s = isBeyondAnnouncing(seq) ? null : slotsFor(seq);
    PooledBuffer buffer = s == null ? null : pool.take(length);
    if (s == null || buffer == null) {
      return false;
    }
    int i = (int) seq & s.mask;
    try {
      s.readable[i] = buffer.segment().asReadOnly();
      s.have[i] = intervals();
    } catch (Throwable t) { // no memory for that; the next request finds all as it was
      s.readable[i] = MemorySegment.NULL;
      pool.give(buffer);
      throw t;
    }
    s.entry[i] = PARTIAL;
    s.offset[i] = 0;
    s.length[i] = length;
    s.stretch[i] = -1;
    s.pooled[i] = buffer;
    return true;
  }

  /**
   * The sender gave the message up; it counts as there, and is never delivered.
   *
   * @return a {@link FragmentVerdict}
   */
  int skip(long seq) {
    if (has(seq)) {
      return FragmentVerdict.DUPLICATE;
    }
    if (isBeyondCredit(seq)) {
      return FragmentVerdict.SENSELESS;
    }
    Slots s = slotsFor(seq);
    if (s == null) {
      return FragmentVerdict.REFUSED;
    }
    int i = (int) seq & s.mask;
    if (s.entry[i] == EMPTY) {
      s.stretch[i] = -1;
      s.readable[i] = MemorySegment.NULL;
    }
    s.length[i] = 0; // both sides reckon it without its bytes
    s.entry[i] = SKIPPED;
    advance();
    return FragmentVerdict.ACCEPTED;
  }

  /**
   * Whole messages of consecutive numbers, their bytes one behind the other.
   *
   * @param lengths gives the length of the n-th message of the frame
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // this very memory
  int onWhole(
      long first,
      int count,
      MessageLengths lengths,
      int total,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    boolean anyNew = false;
    for (int n = 0; n < count && !anyNew; n++) {
      anyNew = !has(first + n);
    }
    if (!anyNew) {
      if (filtersRepeats) {
        return FragmentVerdict.DUPLICATE;
      }
      first = accepted + 1; // the negative control: a repeat passes for the next message
    }
    if (isBeyondCredit(first + count - 1) || (count == 1 && total > eagerLimit)) {
      return FragmentVerdict.SENSELESS;
    }
    Slots s = slotsFor(first + count - 1);
    if (s == null) {
      return FragmentVerdict.REFUSED;
    }
    long at = total > LONGEST_WHOLE ? -1 : ring.claim(total);
    if (at < 0) {
      return FragmentVerdict.REFUSED;
    }
    MemorySegment into = ring.memory();
    long computed;
    try {
      computed = source.copy(into, at, total, algorithm);
    } catch (Throwable t) { // a truncated mapping: the rail is lost, the stretch must not be
      ring.unclaim(into, at);
      throw t;
    }
    if (computed != Integer.toUnsignedLong(checksum)) {
      ring.unclaim(into, at);
      return FragmentVerdict.CORRUPT;
    }
    MemorySegment readable = ring.readOnly();
    long[] entries = s.entry;
    long place = at;
    int last = -1;
    for (int n = 0; n < count; n++) {
      long seq = first + n;
      long length = count == 1 ? total : lengths.length(n);
      int i = (int) seq & s.mask;
      int state = (int) entries[i] & STATE_MASK;
      if (seq > accepted && state < COMPLETE) {
        if (state == PARTIAL) {
          freeMemory(s, i); // it began in fragments and now came whole
        }
        entries[i] = wholeEntry(place, length);
        if (s.readable[i] != readable) {
          s.readable[i] = readable; // written only where it changes; see Rota
        }
        last = i;
      }
      place += length;
    }
    if (entries[last] >>> OFFSET_SHIFT == at) {
      entries[last] |= ENDS_STRETCH;
    } else {
      entries[last] |= ENDS_LONG_STRETCH;
      s.stretch[last] = at;
    }
    accept(first, count, total);
    return FragmentVerdict.ACCEPTED;
  }

  /** These messages are all here now. */
  private void accept(long first, int count, long bytes) {
    long last = first + count - 1;
    if (first != accepted + 1 || slots.state(last + 1) >= COMPLETE) {
      advance(); // the one behind them may be of a later round of the slots
      return;
    }
    acceptedBytes += bytes;
    acceptedMessages += count;
    ACCEPTED_SEQ.setRelease(this, last);
  }

  /**
   * A message in a packet of its own whose header is known to be sound, if it is the one after the
   * last one accepted.
   *
   * @param seq its number, as the packet has it
   * @param packet the rail's memory
   * @param at where the packet begins
   * @param length of the message, at most {@link SinglePacket#MAX_PAYLOAD}
   * @param checksum of it
   * @param sums whether that is its CRC-32C; else none is taken
   * @return whether it was accepted; if not, nothing has changed
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // this very memory
  boolean onNext(long seq, MemoryWords packet, long at, int length, int checksum, boolean sums) {
    Slots s = slots;
    int i = (int) seq & s.mask;
    if (seq != accepted + 1 || seq - released > s.mask || s.entry[i] != EMPTY) {
      return false; // the number makes a message the one it is (R10)
    }
    long place = ring.claim(length);
    if (place < 0) {
      return false;
    }
    int computed;
    try {
      computed = SinglePacket.copy(packet, at, ring.words(), place, length, sums);
    } catch (Throwable t) { // as in onWhole
      ring.unclaim(ring.memory(), place);
      throw t;
    }
    if (computed != checksum) {
      ring.unclaim(ring.memory(), place);
      return false;
    }
    MemorySegment readable = ring.readOnly();
    if (s.readable[i] != readable) {
      s.readable[i] = readable;
    }
    s.entry[i] = wholeEntry(place, length) | ENDS_STRETCH;
    accept(seq, 1, length);
    return true;
  }

  private static long wholeEntry(long place, long length) {
    return place << OFFSET_SHIFT | length << LENGTH_SHIFT | CAME_WHOLE | COMPLETE;
  }

  /** A part of a message, wherever its bytes are. */
  int onFragment(
      long seq,
      long messageLength,
      long from,
      int length,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    if (has(seq)) {
      return FragmentVerdict.DUPLICATE;
    }
    if (isBeyondCredit(seq)) {
      return FragmentVerdict.SENSELESS;
    }
    Slots s = slotsFor(seq);
    if (s == null) {
      return FragmentVerdict.REFUSED;
    }
    int i = (int) seq & s.mask;
    if (s.entry[i] == EMPTY) {
      if (messageLength > eagerLimit) {
        return FragmentVerdict.REFUSED; // nobody granted it
      }
      IntervalSet fresh = intervals(); // before anything is taken: it may need memory
      long at = ring.claim(messageLength);
      if (at < 0) {
        recycle(fresh);
        return FragmentVerdict.REFUSED;
      }
      s.entry[i] = PARTIAL;
      s.readable[i] = ring.memory();
      s.offset[i] = at;
      s.stretch[i] = at;
      s.length[i] = messageLength;
      s.have[i] = fresh;
    }
    if (s.length[i] != messageLength) {
      return FragmentVerdict.SENSELESS;
    }
    IntervalSet have = s.have[i];
    if (have == null) {
      throw new IllegalStateException("partial message without intervals");
    }
    long end = from + length;
    if (have.covers(from, end)) {
      return FragmentVerdict.DUPLICATE;
    }
    PooledBuffer buffer = s.pooled[i];
    MemorySegment into = buffer == null ? s.readable[i] : buffer.segment();
    long base = s.offset[i];
    if (have.intersects(from, end)) {
      // Cut for another rail's packet size, it overlaps what is here: judge it apart, then fill the
      // gaps only.
      if (scratch.byteSize() < length) {
        scratch = Arena.ofAuto().allocate(Math.max(length, 1 << 16), 64);
      }
      if (source.copy(scratch, 0, length, algorithm) != Integer.toUnsignedLong(checksum)) {
        return FragmentVerdict.CORRUPT;
      }
      for (long gap = have.nextMissing(from, end); gap < end; ) {
        long gapEnd = have.missingEnd(gap, end);
        MemorySegment.copy(scratch, gap - from, into, base + gap, gapEnd - gap);
        gap = have.nextMissing(gapEnd, end);
      }
    } else if (source.copy(into, base + from, length, algorithm)
        != Integer.toUnsignedLong(checksum)) {
      return FragmentVerdict.CORRUPT;
    }
    if (have.add(from, end) < 0) {
      return FragmentVerdict.REFUSED; // too many holes; the sender will fill them in order
    }
    if (have.isComplete(messageLength)) {
      if (buffer == null) {
        s.readable[i] = ring.owns(into) ? ring.readOnly() : into.asReadOnly();
      }
      s.have[i] = null;
      recycle(have);
      s.entry[i] = COMPLETE;
      advance();
    }
    return FragmentVerdict.ACCEPTED;
  }

  private void advance() {
    Slots s = slots;
    long before = accepted;
    long end = released + s.mask;
    long seq = before;
    long bytes = 0;
    while (seq < end && s.state(seq + 1) >= COMPLETE) {
      seq++;
      bytes += s.length((int) seq & s.mask);
    }
    if (seq != before) {
      acceptedBytes += bytes;
      acceptedMessages += seq - before;
      ACCEPTED_SEQ.setRelease(this, seq);
    }
  }

  // ---- the polling thread's side ----

  /** Delivers up to {@code limit} messages; returns how many were consumed. */
  int poll(MessageHandler handler, int limit) {
    long until = (long) ACCEPTED_SEQ.getAcquire(this);
    long seq = consumed;
    if (seq == until) {
      return 0;
    }
    Slots s = (Slots) SLOTS.getAcquire(this);
    int done = 0;
    while (seq < until && done < limit) {
      int i = (int) (seq + 1) & s.mask;
      long e = s.entry[i];
      if ((e & STATE_MASK) == SKIPPED) {
        CONSUMED_SEQ.setRelease(this, ++seq);
        continue;
      }
      MessageHandler.Action action = MessageHandler.Action.CONTINUE;
      try {
        action = handler.onMessage(s.readable[i], s.offset(i), s.length(i), seq + 1);
      } finally { // a handler that throws has been given the message all the same
        if (action != MessageHandler.Action.RETRY_LATER) {
          CONSUMED_SEQ.setRelease(this, ++seq);
          done++;
        }
      }
      if (action != MessageHandler.Action.CONTINUE) {
        break;
      }
    }
    return done;
  }
}
