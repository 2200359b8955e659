// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.crosstie.checksum.MemoryFaults;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.memory.PathBytes;
import io.crosstie.reliability.wire.EagerFrame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a channel: the send log (message bytes, never packets) and its index.
 *
 * <p>Application threads append: under a lock that is only ever tried, never waited for, they take
 * the next sequence number and copy the message in; the release store of {@code tail} publishes it.
 * The engine reads everything up to {@code tail} and moves {@code accepted} on as data
 * acknowledgements arrive (R4); appenders take memory back from there. Neither side ever waits for
 * the other.
 *
 * <p>Bounds: the index holds {@value #MAX_RECORDS} messages; small messages share a ring of {@code
 * logBytes}; larger copies are bounded by {@code largeBytes} in all, but two are always let in;
 * lent memory costs nothing but its record. Where a path holds so much that these bounds would
 * leave it idle, the ring may have twice what it holds, and copies three times that more: what
 * waits for its grant, what is on its way, and what waits to be acknowledged.
 */
public final class SendQueue {
  private static final int INITIAL_RECORDS = 16;

  /** What a record takes, and a reference of each of the three kinds. */
  private static final int RECORD_BYTES = 48;

  private static final int INITIAL_LOG_BYTES = 4 << 10;

  /** So often at most is a ring replaced by a larger one before a message in it is accepted. */
  private static final int MOST_RETIRED = 32;

  private static final int MAX_RECORDS = 1 << 16;
  private static final int LOCK_TRIES = 64;

  /** Longer messages are copied by one call. */
  private static final int MOST_BY_WORDS = 16;

  private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private static final VarHandle TAIL;
  private static final VarHandle ACCEPTED;
  private static final VarHandle GIVEN_UP;
  private static final VarHandle LOCK;
  private static final VarHandle RECORDS;
  private static final VarHandle LENT;
  private static final VarHandle FAILED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(SendQueue.class, "tail", long.class);
      ACCEPTED = lookup.findVarHandle(SendQueue.class, "accepted", long.class);
      GIVEN_UP = lookup.findVarHandle(SendQueue.class, "givenUp", long.class);
      LOCK = lookup.findVarHandle(SendQueue.class, "lock", int.class);
      RECORDS = lookup.findVarHandle(SendQueue.class, "records", Records.class);
      LENT = lookup.findVarHandle(SendQueue.class, "lent", long.class);
      FAILED = lookup.findVarHandle(SendQueue.class, "failed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * The index; replaced by one of twice the size when full. Written by appenders, read by all. What
   * there is to know of a message in the log fits one word, so that a stream of small ones goes
   * through one array, and through one of references that change with the log only.
   */
  private static final class Records {
    /** The kind; for a message in the log above it the length, and above that the offset. */
    final long[] entry;

    final MemorySegment[] source;

    // of other messages
    final long[] offset;
    final long[] length;
    final @Nullable SendCompletion[] completion;

    final @Nullable String[] error;
    final int mask;

    Records(int size) {
      entry = new long[size];
      source = new MemorySegment[size];
      offset = new long[size];
      length = new long[size];
      completion = new SendCompletion[size];
      error = new String[size];
      mask = size - 1;
    }

    Records twice(long first, long last) {
      Records next = new Records(Math.max(INITIAL_RECORDS, 2 * source.length));
      for (long seq = first; seq <= last; seq++) {
        int from = (int) seq & mask;
        int to = (int) seq & next.mask;
        next.entry[to] = entry[from];
        next.source[to] = source[from];
        next.offset[to] = offset[from];
        next.length[to] = length[from];
        next.completion[to] = completion[from];
        next.error[to] = error[from];
      }
      return next;
    }

    void copyErrors(Records from, long first, long last) {
      for (long seq = first; seq <= last; seq++) {
        String why = from.error[(int) seq & from.mask];
        if (why != null) {
          error[(int) seq & mask] = why;
        }
      }
    }

    long length(long seq) {
      int i = (int) seq & mask;
      long e = entry[i];
      return isInLog(e) ? logLength(e) : length[i];
    }

    long offset(long seq) {
      int i = (int) seq & mask;
      long e = entry[i];
      return isInLog(e) ? logOffset(e) : offset[i];
    }
  }

  private static final int IN_LOG = 0;
  private static final int IN_BUFFER = 1;
  private static final int LENT_MEMORY = 2; // until accepted
  private static final int LENT_FOR_LONG = 3; // until consumed
  private static final int KIND_BITS = 2;
  private static final int KIND_MASK = (1 << KIND_BITS) - 1;
  private static final int LENGTH_BITS = 18; // of a message in the log
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;
  private static final int HEADER_SHIFT = KIND_BITS + LENGTH_BITS; // of its header, of any kind
  private static final int HEADER_MASK = (1 << 6) - 1;
  private static final int OFFSET_SHIFT = 32;

  private static boolean isLentKind(long entry) {
    return (entry & LENT_MEMORY) != 0; // either of the two
  }

  private static boolean isInLog(long entry) {
    return (entry & KIND_MASK) == IN_LOG;
  }

  /** Whether it lies in the log and has no header. */
  private static boolean isPlain(long entry) {
    return (entry & (KIND_MASK | HEADER_MASK << HEADER_SHIFT)) == IN_LOG;
  }

  private static int logLength(long entry) {
    return (int) entry >>> KIND_BITS & LENGTH_MASK;
  }

  private static long logOffset(long entry) {
    return entry >>> OFFSET_SHIFT;
  }

  private final int smallLimit;
  private final long largeBytes;
  private final SendLog log;
  private final ArrayDeque<MemorySegment> spare = new ArrayDeque<>(1);

  /** Charged for the log and its index; and for copies of large messages. */
  private final MemoryBudget.Account account;

  private final MemoryBudget.Account largeAccount;
  private final PathBytes path;
  private long charged;

  /** Rings that were replaced: until which message they are in use, and what they take. */
  private long[] retiredUntil = {};

  private long[] retiredBytes = {};
  private int retired;

  @SuppressWarnings("unused") // through LOCK
  private int lock;

  private boolean singleThreaded;

  /** Nothing is appended any more; under the lock. */
  private boolean sealed;

  /** The application ends its sending: the same, and what is there is sent; under the lock. */
  private boolean stopped;

  private PlantedFault planted = PlantedFault.NONE;

  /** Of a channel that nothing was offered on; never written. */
  private static final Records NO_RECORDS = new Records(1);

  private Records records = NO_RECORDS;
  private long lastLarge; // published by the tail
  private long lastElsewhere; // than in the log; the same
  private long tail;

  @SuppressWarnings("unused") // through ACCEPTED
  private long accepted;

  @SuppressWarnings("unused") // through GIVEN_UP
  private long givenUp;

  private long lent;

  /** Messages that ever failed; by the engine. */
  private int failed;

  private long lengthsCost;

  /** Records up to here were taken back; under the lock. */
  private long freed;

  /** Up to here there is a record for each, and no claim is open; under the lock. */
  private long appendable;

  /** Completions up to here were told; under the lock. */
  private long completed;

  private int largeBuffers;
  private long largeInUse;
  private long spareBytes;
  private long claimOffset;
  private int claimLength = -1;

  private volatile boolean closed;

  /** The engine has found the lock taken when it was to end the sending. */
  private volatile boolean endAwaited;

  private volatile long peerConsumed;

  /** The peer is asked what it has once the messages up to this one have left. */
  private volatile long askedFor;

  /**
   * @param smallLimit longest message that goes into the ring, in bytes
   * @param logBytes usual bound of the ring, a power of two, at least four times the small limit
   * @param largeBytes bound of larger copies
   * @param account is charged for the log and its index before they are taken
   * @param largeAccount is charged for larger copies
   * @param path what the way to the peer holds
   */
  SendQueue(
      int smallLimit,
      long logBytes,
      long largeBytes,
      MemoryBudget.Account account,
      MemoryBudget.Account largeAccount,
      PathBytes path) {
    this.smallLimit = smallLimit;
    this.largeBytes = largeBytes;
    this.account = account;
    this.largeAccount = largeAccount;
    this.path = path;
    this.log = new SendLog(Math.min(logBytes, INITIAL_LOG_BYTES), logBytes);
  }

  /** Before it is used: whoever takes the lock finds it free. */
  void setSingleThreaded() {
    singleThreaded = true;
  }

  /** Puts a fault in, as a negative control. */
  void plant(PlantedFault fault) {
    planted = fault;
  }

  private boolean tryLock() {
    if (singleThreaded) {
      return true;
    }
    for (int i = 0; i < LOCK_TRIES; i++) {
      if ((int) LOCK.getOpaque(this) == 0 && LOCK.compareAndSet(this, 0, 1)) {
        return true;
      }
    }
    return false;
  }

  private void unlock() {
    if (singleThreaded) {
      return;
    }
    LOCK.setRelease(this, 0);
  }

  /** Appends a copy. Any thread. */
  long offer(MemorySegment source, long offset, long length) {
    if (!tryLock()) {
      return Status.BACK_PRESSURED;
    }
    try {
      if (!mayAppend()) {
        return Status.BACK_PRESSURED;
      }
      if (length > smallLimit) {
        return appendLarge(source, offset, length);
      }
      long at = claimInLog(length);
      if (at < 0) {
        return Status.BACK_PRESSURED;
      }
      try {
        copyIn(source, offset, at, length);
        settle(source);
      } catch (Throwable t) { // the source cannot be read, and the room is not used
        log.unclaim(at);
        throw t;
      }
      return appendInLog(at, length, 0);
    } finally {
      unlock();
    }
  }

  /** Appends a copy of all of them as one message. Any thread. */
  long offer(Pieces pieces) {
    if (!tryLock()) {
      return Status.BACK_PRESSURED;
    }
    try {
      if (!mayAppend()) {
        return Status.BACK_PRESSURED;
      }
      long length = pieces.total();
      boolean large = length > smallLimit;
      MemorySegment buffer = large ? largeBuffer(length) : null;
      long at = large ? 0 : claimInLog(length);
      if (at < 0 || (large && buffer == null)) {
        return Status.BACK_PRESSURED;
      }
      try {
        pieces.copyTo(buffer == null ? log.memory() : buffer, at);
        if (pieces.isAnyNative()) {
          MemoryFaults.raise();
        }
      } catch (Throwable t) { // as in the other
        if (buffer == null) {
          log.unclaim(at);
        } else {
          giveBack(buffer);
        }
        throw t;
      }
      int header = pieces.headerLength();
      return buffer == null
          ? appendInLog(at, length, header)
          : append(buffer, 0, length, IN_BUFFER | header << HEADER_SHIFT, null);
    } finally {
      unlock();
    }
  }

  private long appendLarge(MemorySegment source, long offset, long length) {
    MemorySegment buffer = largeBuffer(length);
    if (buffer == null) {
      return Status.BACK_PRESSURED;
    }
    try {
      MemorySegment.copy(source, offset, buffer, 0, length);
      settle(source);
    } catch (Throwable t) { // as in offer
      giveBack(buffer);
      throw t;
    }
    return append(buffer, 0, length, IN_BUFFER, null);
  }

  /** Nothing is published that was read from a file while somebody truncated that. */
  private static void settle(MemorySegment source) {
    if (source.isNative()) {
      MemoryFaults.raise();
    }
  }

  /** A few words are copied one by one: a call that copies them takes several times as long. */
  private void copyIn(MemorySegment source, long offset, long at, long length) {
    if (length < Long.BYTES || length > MOST_BY_WORDS) {
      MemorySegment.copy(source, offset, log.memory(), at, length);
      return;
    }
    MemoryWords words = log.words();
    long done = 0;
    for (; done <= length - Long.BYTES; done += Long.BYTES) {
      words.set(at + done, source.get(JAVA_LONG_UNALIGNED, offset + done));
    }
    int rest = (int) (length - done);
    if (rest > 0) { // the last bytes of the message, the first ones of the log's next word
      long last = source.get(JAVA_LONG_UNALIGNED, offset + length - Long.BYTES);
      int above = 8 * (Long.BYTES - rest);
      words.set(at + done, LITTLE_ENDIAN ? last >>> above : last << above);
    }
  }

  /** Opens a claim; others' offers are back-pressured until it ends. */
  long claim(int length) {
    if (!tryLock()) {
      return Status.BACK_PRESSURED;
    }
    try {
      if (!mayAppend()) {
        return Status.BACK_PRESSURED;
      }
      long at = claimInLog(length);
      if (at < 0) {
        return Status.BACK_PRESSURED;
      }
      claimOffset = at;
      claimLength = length;
      appendable = tail;
      return tail + 1;
    } finally {
      unlock();
    }
  }

  private long claimInLog(long length) {
    long at = log.claim(length);
    return at < 0 ? claimAgain(length) : at;
  }

  /**
   * First of what was given back, then of a larger ring: one that stays in the cache is quicker.
   */
  private long claimAgain(long length) {
    takeBack();
    if (log.isWide() && freed == tail && log.capacity() > 4 * path.bytes()) {
      dropLog(); // the path holds less than it did
    }
    long at = log.claim(length);
    return at < 0 && grow(length) ? log.claim(length) : at;
  }

  /** Nothing lies in the log, and it is given back, with those before it. */
  private void dropLog() {
    charged -= log.capacity();
    account.give(log.capacity());
    log.drop();
    forgetRetired();
  }

  /** What the way to the peer holds, in bytes. */
  long pathBytes() {
    return path.bytes();
  }

  /** How long it is, there and back. */
  long roundTripNs() {
    return path.roundTripNs();
  }

  /** A larger ring; the present one stays charged until all messages in it are accepted. */
  private boolean grow(long length) {
    long before = log.capacity();
    long most = 2 * path.bytes();
    long next = log.nextCapacity(length, most);
    if (next == 0
        || retired == MOST_RETIRED
        || !(before == 0 ? account.tryTake(next) : account.tryGrow(next, next))) {
      return false;
    }
    boolean done = false;
    try {
      if (retired == retiredUntil.length && before > 0) {
        retiredUntil = Arrays.copyOf(retiredUntil, retired + 4);
        retiredBytes = Arrays.copyOf(retiredBytes, retired + 4);
      }
      done = log.grow(length, most);
    } catch (OutOfMemoryError e) {
      // refused like anything else that there is no room for
    } finally {
      if (!done) {
        account.give(next);
      }
    }
    if (done) {
      charged += next;
      if (before > 0) {
        retiredUntil[retired] = tail;
        retiredBytes[retired++] = before;
      }
    }
    return done;
  }

  /** Rings in which no message lies any more need not be charged. */
  private void forgetRetired() {
    int gone = 0;
    while (gone < retired && retiredUntil[gone] <= freed) {
      charged -= retiredBytes[gone];
      account.give(retiredBytes[gone]);
      gone++;
    }
    retired -= gone;
    System.arraycopy(retiredUntil, gone, retiredUntil, 0, retired);
    System.arraycopy(retiredBytes, gone, retiredBytes, 0, retired);
  }

  /**
   * The node is short of memory, or the connection is over: a log in which no message waits is
   * given back. Any thread.
   */
  void trim() {
    boolean unused = tryTrim();
  }

  /**
   * The same.
   *
   * @return false if an application thread is just appending
   */
  boolean tryTrim() {
    if (!tryLock()) {
      return false;
    }
    try {
      if (sealed) {
        return true;
      }
      takeBack();
      while (!spare.isEmpty()) {
        dropSpare();
      }
      if (freed == tail && claimLength < 0 && charged > 0) {
        log.drop();
        RECORDS.setRelease(this, NO_RECORDS);
        appendable = tail;
        account.give(charged);
        charged = 0;
        retired = 0;
      }
      return true;
    } finally {
      unlock();
    }
  }

  /**
   * What was appended is all that is sent: from now on {@link #tail()} is final. The engine;
   * whoever comes later has to be refused before the lock.
   *
   * @return false if an application thread is just appending or asking for completions, or a claim
   *     is open
   */
  boolean stop() {
    if (stopped) {
      return true;
    }
    if (!tryLock()) {
      endAwaited = true;
      VarHandle.fullFence(); // this finds the lock free, or whoever frees it finds the mark
      if (!tryLock()) {
        return false;
      }
    }
    try {
      endAwaited = false;
      if (claimLength < 0) {
        stopped = true;
        appendable = tail;
      }
      return stopped;
    } finally {
      unlock();
    }
  }

  /** See {@link ChannelCore#askFor}. */
  void askFor(long seq) {
    askedFor = seq;
  }

  /** The last message of those that the peer is asked for; 0 for none. */
  long askedFor() {
    return askedFor;
  }

  /**
   * Nothing will be sent any more: from now on nothing is appended, so that {@link #tail()} is
   * final. Lets the memory go, that of an open claim when the claim ends. Completions are told all
   * the same. The engine; whoever comes after it has to be refused before the lock.
   *
   * @return false if an application thread is just appending: to be called again a little later
   */
  boolean seal() {
    if (sealed) {
      return true;
    }
    if (!tryLock()) {
      return false;
    }
    try {
      sealed = true;
      appendable = tail;
      if (claimLength < 0) {
        letGo();
      }
    } finally {
      unlock();
    }
    return true;
  }

  /** It is sealed, and no claim is open; the accounts are closed. */
  private void letGo() {
    if ((long) LENT.getOpaque(this) != 0) {
      Arrays.fill(records.source, MemorySegment.NULL); // the rest is for the completions
    } else {
      RECORDS.setRelease(this, NO_RECORDS);
    }
    spare.clear();
    spareBytes = 0;
    log.drop();
    charged = 0;
    retired = 0;
  }

  /** What the accounts are charged with for this queue. */
  public long chargedBytes() {
    return charged;
  }

  MemorySegment claimSegment() {
    return log.memory();
  }

  long claimOffset() {
    return claimOffset;
  }

  /**
   * Ends the claim; with {@code commit} the message is sent.
   *
   * @return its sequence, or 0 if it is not sent
   */
  long endClaim(boolean commit) {
    if (claimLength < 0) {
      throw new IllegalStateException("no claim is open on this channel; call claim first");
    }
    boolean locked = tryLock();
    while (!locked) { // held for the length of one copy at most
      locked = tryLock();
    }
    try {
      long seq = 0;
      if (sealed) {
        letGo();
      } else if (commit) {
        seq = appendInLog(claimOffset, claimLength, 0);
      } else {
        log.unclaim(claimOffset);
        if (planted == PlantedFault.CLAIM_STAYS_OPEN && singleThreaded) {
          return 0;
        }
      }
      claimLength = -1;
      return seq;
    } finally {
      unlock();
    }
  }

  /** Appends lent memory, whose completion is told at accepted. Any thread. */
  long send(MemorySegment source, long offset, long length, SendCompletion completion) {
    return send(source, offset, length, completion, false);
  }

  /**
   * Appends lent memory. Any thread.
   *
   * @param atConsumed whether its completion is told when the message was consumed; those behind it
   *     wait
   */
  long send(
      MemorySegment source,
      long offset,
      long length,
      SendCompletion completion,
      boolean atConsumed) {
    if (!tryLock()) {
      return Status.BACK_PRESSURED;
    }
    try {
      if (!mayAppend()) {
        return Status.BACK_PRESSURED;
      }
      LENT.setOpaque(this, lent + 1);
      int kind = atConsumed ? LENT_FOR_LONG : LENT_MEMORY;
      return append(source, offset, length, kind, completion);
    } finally {
      unlock();
    }
  }

  /** Appends a message that has its place at the peer, and lends its memory. Any thread. */
  long put(Put put) {
    return send(put.source(), put.messageOffset(), put.messageLength(), put);
  }

  /**
   * References are written only where they change: that costs the collector's barrier each time,
   * and in the steady state they never do.
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"})
  private long appendInLog(long at, long length, int header) {
    long seq = tail + 1;
    Records r = records;
    int i = (int) seq & r.mask;
    r.entry[i] = at << OFFSET_SHIFT | header << HEADER_SHIFT | length << KIND_BITS | IN_LOG;
    MemorySegment memory = log.memory();
    if (r.source[i] != memory) {
      r.source[i] = memory;
    }
    TAIL.setRelease(this, seq);
    return seq;
  }

  private long append(
      MemorySegment memory, long at, long length, int kind, @Nullable SendCompletion completion) {
    long seq = tail + 1;
    Records r = records;
    int i = (int) seq & r.mask;
    lastElsewhere = seq;
    if (length > smallLimit) {
      lastLarge = seq;
    }
    r.entry[i] = kind;
    r.source[i] = memory;
    r.offset[i] = at;
    r.length[i] = length;
    r.completion[i] = completion;
    TAIL.setRelease(this, seq);
    return seq;
  }

  /** Whether one more message can be noted, and no claim is open. */
  private boolean mayAppend() {
    return tail < appendable || roomForRecord();
  }

  /** Looks closer; if there is room {@link #appendable} says so from then on. */
  private boolean roomForRecord() {
    if (claimLength >= 0 || sealed || stopped) {
      return false;
    }
    Records r = records;
    if (r == NO_RECORDS || tail - freed > r.mask) {
      takeBack();
      if (r == NO_RECORDS || tail - freed > r.mask) {
        r = moreRecords(r);
        if (r == null) {
          return false;
        }
      }
    }
    appendable = freed + r.mask + 1;
    return true;
  }

  private @Nullable Records moreRecords(Records r) {
    int before = r == NO_RECORDS ? 0 : r.source.length;
    long bytes = RECORD_BYTES * (long) Math.max(INITIAL_RECORDS, before);
    if (before >= MAX_RECORDS
        || !(before == 0 ? account.tryTake(bytes) : account.tryGrow(2 * bytes, bytes))) {
      return null;
    }
    Records more;
    try {
      more = r.twice(freed + 1, tail);
    } catch (OutOfMemoryError e) {
      account.give(bytes);
      return null;
    }
    charged += bytes;
    RECORDS.setRelease(this, more);
    VarHandle.fullFence(); // fail() sees the new index, or this finds what it has put in the old
    if (r != NO_RECORDS && (int) FAILED.getOpaque(this) != 0) {
      more.copyErrors(r, freed + 1, tail);
    }
    return more;
  }

  /** Frees what was accepted or given up; under the lock. */
  private void takeBack() {
    long until = Math.max((long) ACCEPTED.getAcquire(this), (long) GIVEN_UP.getAcquire(this));
    Records r = records;
    boolean anyFailed = (int) FAILED.getOpaque(this) != 0;
    int lastInLog = -1;
    while (freed < until) {
      int i = (int) (freed + 1) & r.mask;
      long e = r.entry[i];
      if (isInLog(e)) {
        lastInLog = i;
      } else if (isLentKind(e) && completed <= freed) {
        break; // its completion has not been told yet
      } else {
        if ((e & KIND_MASK) == IN_BUFFER) {
          giveBack(r.source[i]);
        }
        r.source[i] = MemorySegment.NULL;
        r.completion[i] = null;
      }
      if (anyFailed) {
        r.error[i] = null;
      }
      freed++;
    }
    if (lastInLog >= 0) {
      long e = r.entry[lastInLog];
      log.release(r.source[lastInLog], logOffset(e), logLength(e));
    }
    if (retired > 0) {
      forgetRetired();
    }
  }

  private @Nullable MemorySegment largeBuffer(long length) {
    takeBack(); // a buffer that is in the cache is better than a new one
    // While one is on its way the next is copied: the rails would be idle for as long as that
    // takes.
    if (largeBuffers > 1 && largeInUse + length > mostLargeBytes()) {
      return null;
    }
    for (int n = spare.size(); n > 0; n--) {
      MemorySegment candidate = spare.removeFirst();
      if (candidate.byteSize() >= length && candidate.byteSize() / 4 <= length) {
        spareBytes -= candidate.byteSize();
        return inUse(candidate);
      }
      spare.addLast(candidate);
    }
    long size = Long.highestOneBit(Math.max(length - 1, 1)) * 2;
    while (!largeAccount.tryTake(size)) {
      if (spare.isEmpty()) {
        return null;
      }
      dropSpare();
    }
    try {
      return inUse(Arena.ofAuto().allocate(size, 64));
    } catch (OutOfMemoryError e) {
      largeAccount.give(size);
      return null;
    }
  }

  private long mostLargeBytes() {
    return largeBytes + 3 * path.bytes();
  }

  private void dropSpare() {
    long bytes = spare.removeLast().byteSize(); // the collector frees it
    spareBytes -= bytes;
    largeAccount.give(bytes);
  }

  private MemorySegment inUse(MemorySegment buffer) {
    largeBuffers++;
    largeInUse += buffer.byteSize();
    return buffer;
  }

  private void giveBack(MemorySegment buffer) {
    largeBuffers--;
    largeInUse -= buffer.byteSize();
    spare.addFirst(buffer); // what is in the cache is taken first
    spareBytes += buffer.byteSize();
    while (largeInUse + spareBytes > mostLargeBytes() && spare.size() > 1) {
      dropSpare();
    }
  }

  /**
   * Tells completions up to what was accepted; the polling thread. With {@code failAll} the rest
   * too, with that reason.
   */
  int reportCompletions(int limit, @Nullable String failAll) {
    return hasUnreported() ? report(limit, failAll) : 0;
  }

  private int report(int limit, @Nullable String failAll) {
    int told = 0;
    long until = (long) ACCEPTED.getAcquire(this);
    if (planted == PlantedFault.LENT_UNTIL_SENT) {
      until = (long) TAIL.getAcquire(this);
    }
    long last = failAll == null ? until : (long) TAIL.getAcquire(this);
    while (told < limit) {
      SendCompletion completion = null;
      String error = null;
      long seq = 0;
      if (!tryLock()) {
        return told;
      }
      try {
        Records r = records;
        completed = Math.max(completed, freed);
        while (completed < last && completion == null) {
          seq = completed + 1;
          int i = (int) seq & r.mask;
          if (isLentKind(r.entry[i]) && r.completion[i] != null) {
            error = r.error[i];
            if ((r.entry[i] & KIND_MASK) == LENT_FOR_LONG
                && failAll == null
                && error == null
                && seq > peerConsumed) {
              break;
            }
            completion = r.completion[i];
            if (error == null && seq > until) {
              error = failAll;
            }
            r.completion[i] = null;
            LENT.setOpaque(this, lent - 1);
          }
          completed = seq;
        }
      } finally {
        unlock();
      }
      if (completion == null) {
        break;
      }
      told++;
      completion.onComplete(seq, error);
    }
    if (told > 0 && failAll != null) {
      trim(); // what stood behind it was given up
    }
    return told;
  }

  /** Whether a completion is not told yet; any thread. */
  boolean hasUnreported() {
    return (long) LENT.getOpaque(this) != 0;
  }

  /**
   * The polling thread: whether {@link #reportCompletions} may find something now.
   *
   * @param ended whether it is called with a reason by which the rest fails
   */
  boolean hasReportable(boolean ended) {
    return hasUnreported() && (ended || completed < (long) ACCEPTED.getAcquire(this));
  }

  /** The polling thread: whether all completions of messages up to that one were told. */
  boolean isTold(long seq) {
    return !hasUnreported() || completed >= seq;
  }

  // ---- the engine's side ----

  /** Nothing is offered any more, but for what is under way. Any thread. */
  void close() {
    closed = true;
  }

  /** Whether {@link #close} was called. Any thread. */
  boolean isClosed() {
    return closed;
  }

  /**
   * Whether the engine could not {@link #stop} since the lock was taken, and has not yet. Any
   * thread, behind a fence after it has freed the lock.
   */
  boolean isEndAwaited() {
    return endAwaited;
  }

  /** The peer has consumed everything up to there. */
  void peerConsumed(long seq) {
    peerConsumed = seq;
  }

  /** Highest sequence that the peer is known to have consumed. Any thread. */
  long peerConsumed() {
    return peerConsumed;
  }

  /** Highest sequence published. */
  public long tail() {
    return (long) TAIL.getAcquire(this);
  }

  /** Highest sequence, as of {@link #tail()} asked before, that is over the small limit. */
  long lastLarge() {
    return lastLarge;
  }

  /** Highest sequence known to be accepted; any thread. */
  public long accepted() {
    return (long) ACCEPTED.getAcquire(this);
  }

  /** The engine: the peer has everything up to here. */
  void accepted(long seq) {
    ACCEPTED.setRelease(this, seq);
  }

  /**
   * The engine: nothing up to here is sent any more, whether the peer has it or not, so that its
   * memory is free. That of messages whose completions are not told yet follows when they are.
   */
  void giveUp(long seq) {
    GIVEN_UP.setRelease(this, seq);
    trim();
  }

  private Records published() {
    return (Records) RECORDS.getAcquire(this);
  }

  /** Length of a published message that is not yet accepted. */
  public long length(long seq) {
    return published().length(seq);
  }

  /** How many of its first bytes are header. */
  public int headerLength(long seq) {
    Records r = published();
    return (int) r.entry[(int) seq & r.mask] >>> HEADER_SHIFT & HEADER_MASK;
  }

  /** Memory of a published message that is not yet accepted. */
  public MemorySegment source(long seq) {
    Records r = published();
    return r.source[(int) seq & r.mask];
  }

  /** Whether that is the application's, which may go at any time. */
  public boolean isLent(long seq) {
    Records r = published();
    return isLentKind(r.entry[(int) seq & r.mask]);
  }

  /** A published message of a placement channel that is not yet accepted. */
  public Put placed(long seq) {
    Put put = placedOrNull(seq);
    if (put == null) {
      throw new IllegalStateException("message " + seq + " has no place");
    }
    return put;
  }

  /** The same; null if its completion was told already. */
  @Nullable Put placedOrNull(long seq) {
    Records r = published();
    return r.completion[(int) seq & r.mask] instanceof Put put ? put : null;
  }

  /** Offset in that memory. */
  public long offset(long seq) {
    return published().offset(seq);
  }

  /** Memory of the log, as it is now. */
  public MemoryWords log() {
    return log.words();
  }

  /**
   * Where a published message lies that is not yet accepted.
   *
   * @param memory of the log, perhaps of one that was replaced since
   * @return its length, and above 32 bits of that its offset; -1 if it does not lie there, or has a
   *     header
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // the very same memory
  long place(long seq, MemoryWords memory) {
    Records r = published();
    int i = (int) seq & r.mask;
    long e = r.entry[i];
    return isPlain(e) && r.source[i] == memory.segment()
        ? logOffset(e) << OFFSET_SHIFT | logLength(e)
        : -1;
  }

  /**
   * Puts the lengths of messages from {@code seq} on into a frame.
   *
   * @param frame takes them
   * @param last of the messages that are published, and not yet accepted
   * @param longest message that is taken, at most the eager limit
   * @param credit what all of them may cost
   * @return how many were taken; the first that was not is longer, too dear, not in the log, or had
   *     no room
   */
  int lengths(EagerLengths frame, long seq, long last, int longest, long credit) {
    Records r = published();
    long[] entries = r.entry;
    int mask = r.mask;
    byte[] header = frame.header();
    int at = frame.frame();
    int ahead = (int) seq - frame.count(); // of its number in the frame
    long end = Math.min(last, seq + frame.most() - frame.count() - 1);
    int room = frame.room();
    long left = credit;
    long next = seq;
    for (; next <= end; next++) {
      long e = entries[(int) next & mask];
      int length = logLength(e);
      int number = (int) next - ahead;
      int roomThen = room - EagerFrame.growth(number) - length;
      long leftThen = left - ReceiveQueue.eagerCost(length);
      if (!isPlain(e) || length > longest || roomThen < 0 || leftThen < 0) {
        break;
      }
      EagerFrame.appendLength(header, at, number, length);
      room = roomThen;
      left = leftThen;
    }
    frame.added((int) next - ahead, room);
    lengthsCost = credit - left;
    return (int) (next - seq);
  }

  /** What those that were taken by the last {@link #lengths} cost. */
  long lastCost() {
    return lengthsCost;
  }

  /**
   * Whether messages follow one another in memory without anything between them; not said of all
   * that do.
   *
   * @param first of them
   * @param last of them, at most the {@link #tail()} asked for before; none is accepted yet
   * @param bytes of all of them together
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // the very same memory
  public boolean isRow(long first, long last, long bytes) {
    if (lastElsewhere >= first) {
      return false;
    }
    Records r = published();
    int i = (int) first & r.mask;
    int k = (int) last & r.mask;
    // padding between them, or the end of the ring, would make the distance another
    return r.source[i] == r.source[k]
        && logOffset(r.entry[k]) + logLength(r.entry[k]) - logOffset(r.entry[i]) == bytes;
  }

  /**
   * Highest sequence, at most {@code last}, up to which the bytes of the messages from {@code seq}
   * on follow one another in memory.
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // the very same memory
  public long lastInRow(long seq, long last) {
    Records r = published();
    int i = (int) seq & r.mask;
    long e = r.entry[i];
    if (!isInLog(e)) {
      return seq;
    }
    MemorySegment memory = r.source[i];
    long end = logOffset(e) + logLength(e);
    long in = seq;
    while (in < last) {
      int next = (int) (in + 1) & r.mask;
      e = r.entry[next];
      if (!isInLog(e) || logOffset(e) != end || r.source[next] != memory) {
        break;
      }
      end += logLength(e);
      in++;
    }
    return in;
  }

  /** The message cannot be read any more (its lent memory is gone); its completion will tell. */
  void fail(long seq, String error) {
    FAILED.setOpaque(this, failed + 1);
    Records r;
    do { // an appender may be copying the index into a larger one
      r = published();
      r.error[(int) seq & r.mask] = error;
      VarHandle.fullFence(); // the new index is seen here, or what is in the old one there
    } while (r != published());
  }

  /** Whether {@link #fail} was called for it. */
  public boolean isFailed(long seq) {
    return error(seq) != null;
  }

  /** What {@link #fail} was told, or null. */
  public @Nullable String error(long seq) {
    Records r = published();
    return r.error[(int) seq & r.mask];
  }
}
