// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.BufferPool.PooledBuffer;
import io.crosstie.reliability.memory.ChunkPool;
import io.crosstie.reliability.memory.ChunkPool.Chunk;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.wire.RtsFrame;
import io.crosstie.reliability.wire.SinglePacket;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a channel: duplicate filter, reassembly, in-order delivery (R10) and credit
 * (R12, R31).
 *
 * <p>The engine puts fragments in, in any order and from any rail; {@code accepted} is the highest
 * sequence up to which every message is complete. The polling thread delivers from {@code consumed}
 * + 1 to {@code accepted}. Each side writes one of the two and only reads the other.
 *
 * <p>A fragment is looked up in the filter before anything is copied, so accepted bytes are never
 * rewritten. What is copied counts only when its checksum, taken over the private copy, is right.
 *
 * <p><b>Memory.</b> Small messages lie one behind the other in chunks of the node's pool; a chunk
 * goes back when the last message in it was consumed. A large message lives in a buffer of the
 * node's pool, taken when it was granted. A queue that was never used has neither chunks nor slots.
 * Everything is charged to the peer's account before it is taken, and what a window may need when
 * it is given. There are two chunks at a time: what comes in order and what comes early lie apart,
 * and what comes early leaves room for a chunk of what comes in order. So whatever is refused for
 * want of memory, the next message of a channel never waits for what came before its turn.
 *
 * <p><b>Credit.</b> It begins with a small window, which doubles up to the bound where the sender
 * says that it waits for credit and what it sent is consumed, if the larger window can be charged.
 * While the node is short, windows are renewed up to the small one only. Where the round trip is so
 * long that the bound would leave the path idle, a window grows to twice what is consumed within
 * one (dynamic right-sizing; Feng, Fisk, Gardner, Weigle), and is not renewed as far when less is.
 */
public final class ReceiveQueue {
  /** Large messages are announced so far ahead of what has left. */
  static final int ANNOUNCED_AHEAD = RtsFrame.MOST_BEHIND;

  private static final int INITIAL_SLOTS = 16;

  /** A channel that holds nothing gets a short chunk for messages up to that length. */
  private static final int SHORT_BYTES = ChunkPool.SMALL_BYTES / 4;

  /**
   * What comes early leaves room for a chunk with the next message in order, and for the
   * book-keeping of both, which is taken apart.
   */
  private static final long LEFT_FOR_NEXT = ChunkPool.CHUNK_BYTES + (16 << 10);

  private static final int EMPTY = 0;
  private static final int PARTIAL = 1;
  private static final int COMPLETE = 2;
  private static final int SKIPPED = 3;

  // An entry: the state, and of a message in a chunk all that there is to know besides.
  private static final int STATE_MASK = 3;
  private static final int IN_CHUNK = 1 << 2;
  private static final int ENDS_STRETCH = 1 << 3; // of the chunk
  private static final int LENGTH_SHIFT = 4;
  private static final int LENGTH_BITS = 17;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;
  private static final int PLACE_SHIFT = LENGTH_SHIFT + LENGTH_BITS;
  private static final int PLACE_BITS = 17;
  private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
  private static final int HEADER_SHIFT = PLACE_SHIFT + PLACE_BITS;
  private static final int HEADER_BITS = 6;
  private static final int HEADER_MASK = (1 << HEADER_BITS) - 1;
  private static final int CHUNK_SHIFT = HEADER_SHIFT + HEADER_BITS;

  /** Told of each run of messages that is dropped. */
  public interface Dropped {
    /** Messages {@code first} to {@code last}, at least one. */
    void onDropped(long first, long last);
  }

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

  /** A message that comes in fragments, or is large. */
  private static final class Parts {
    /** Null where it lies in a buffer of its own. */
    final @Nullable Chunk chunk;

    final @Nullable PooledBuffer pooled;

    /** Of a placement channel. */
    final @Nullable PlacedMessage placed;

    final MemorySegment memory;
    final MemorySegment readOnly;
    final int place;
    final long length;

    /** So many of the first bytes are header; -1 as long as no fragment has told. */
    int header = -1;

    /** What has arrived; null once all has. */
    @Nullable IntervalSet have;

    /** The application keeps the buffer; by the polling thread before it counts as consumed. */
    BufferPool.@Nullable Kept kept;

    Parts(Chunk chunk, int place, long length, IntervalSet have) {
      this.chunk = chunk;
      this.pooled = null;
      this.placed = null;
      this.memory = chunk.memory;
      this.readOnly = chunk.readOnly;
      this.place = place;
      this.length = length;
      this.have = have;
    }

    Parts(PooledBuffer pooled, long length, IntervalSet have) {
      this.chunk = null;
      this.pooled = pooled;
      this.placed = null;
      this.memory = pooled.segment();
      this.readOnly = memory.asReadOnly();
      this.place = 0;
      this.length = length;
      this.have = have;
    }

    /** One that has its place elsewhere; no length fits that of an ordinary fragment. */
    Parts(PlacedMessage placed) {
      this.chunk = null;
      this.pooled = null;
      this.placed = placed;
      this.memory = MemorySegment.NULL;
      this.readOnly = MemorySegment.NULL;
      this.place = 0;
      this.length = -1;
    }

    /** What is charged for it. */
    long bytes() {
      return placed != null ? placed.bytes() : bytes(length);
    }

    /** What is charged for one with as many holes as there may be. */
    static long bytes(long length) {
      return 128 + 16L * IntervalSet.mostOf(length);
    }
  }

  /** One entry per message of the window; replaced by one of twice the size when too small. */
  private static final class Slots {
    final long[] entry;

    /** Of messages that came in fragments, or are large; none until there is one. */
    private @Nullable Parts @Nullable [] parts;

    final int mask;

    Slots(int size) {
      entry = new long[size];
      mask = size - 1;
    }

    static long bytes(int size) {
      return 16L * size; // with a reference each
    }

    static int sizeFor(long span, int from) {
      int size = Math.max(from, INITIAL_SLOTS);
      while (size < span) {
        size *= 2;
      }
      return size;
    }

    Slots resized(int size, long first) {
      Slots next = new Slots(size);
      @Nullable Parts[] others = parts;
      for (long seq = first; seq < first + entry.length; seq++) {
        int from = (int) seq & mask;
        int to = (int) seq & next.mask;
        next.entry[to] = entry[from];
        if (others != null) {
          next.setParts(to, others[from]);
        }
      }
      return next;
    }

    int state(long seq) {
      return (int) entry[(int) seq & mask] & STATE_MASK;
    }

    @Nullable Parts parts(int i) {
      @Nullable Parts[] all = parts;
      return all == null ? null : all[i];
    }

    void setParts(int i, @Nullable Parts of) {
      @Nullable Parts[] all = parts;
      if (all == null) {
        if (of == null) {
          return;
        }
        all = new Parts[entry.length];
        parts = all;
      }
      all[i] = of;
    }

    long length(int i) {
      long e = entry[i];
      if ((e & IN_CHUNK) != 0) {
        return lengthOf(e);
      }
      Parts of = parts(i);
      return of == null || of.placed != null ? 0 : of.length;
    }
  }

  private static int lengthOf(long entry) {
    return (int) (entry >>> LENGTH_SHIFT) & LENGTH_MASK;
  }

  private static long placeOf(long entry) {
    return entry >>> PLACE_SHIFT & PLACE_MASK;
  }

  private static int headerOf(long entry) {
    return (int) (entry >>> HEADER_SHIFT) & HEADER_MASK;
  }

  private static int chunkOf(long entry) {
    return (int) (entry >>> CHUNK_SHIFT);
  }

  /** Of a channel that nothing was received on; never written. */
  private static final Slots NO_SLOTS = new Slots(1);

  /** A window in which nothing has come for so many looks is taken back when others want it. */
  private static final int IDLE_LOOKS = 75;

  /** After so many round trips that needed less, the window is a quarter narrower. */
  private static final int NARROWER_ROUNDS = 8;

  private final int eagerLimit;

  /** Credit that is given without being charged: at first, and behind what was consumed. */
  private final long firstCredit;

  /** All other credit is charged before it is given. */
  private final boolean charges;

  private final long leastWindow;
  private final long mostWindow;

  /** What the path needs, as far as it was measured; beyond the bound above it is the bound. */
  private long pathWindow;

  private boolean wasWide;
  private long tunedNs;
  private long tunedCost;
  private int narrowerRounds;
  private final BufferPool pool;
  private final ChunkPool chunks;
  private final MemoryBudget.Account account;
  private PlantedFault planted = PlantedFault.NONE;
  private @Nullable IntervalSet spare;

  private Slots slots = NO_SLOTS;
  private long accepted;
  private long consumed;

  /** What comes in order goes here, and what comes early there. */
  private @Nullable Chunk current;

  private @Nullable Chunk early;

  /** The engine: memory of messages up to here was taken back. */
  private long released;

  /** Cost of all messages up to {@code released}. */
  private long releasedCost;

  private long acceptedBytes;

  /** Capacity of buffers that large messages have. */
  private long pooledBytes;

  /** Of large messages came that much, complete or not. */
  private long largeBytesIn;

  /** The lowest of the messages whose grants were ever taken back; 0 for none. */
  private long revokedFrom;

  private long acceptedMessages;

  /** Messages accepted when the node was last short of memory, and looks since then. */
  private long acceptedWhenShort;

  private int idleLooks;

  /** No message behind this one was begun, granted or given up. */
  private long highest;

  /** Cost of all messages of which something is here, consumed ones included; in any order. */
  private long begunCost;

  /** What the account was charged with, at least as much as is held. */
  private long charged;

  /** Bytes of chunks, slots and parts. */
  private long held;

  /** Of these, the book-keeping of messages that lie in the pool. */
  private long heldForPooled;

  private long window;

  /** Absolute credit that the sender may use up to; only ever grows. */
  private long promised;

  /** The sender waits for credit. */
  private boolean senderWaits;

  /** The last message that it waited with. */
  private long waitsWith;

  /** The window was widened, or could not be, for the one who waited with that message. */
  private long widenedFor;

  /** Something was refused, or credit not given, for want of memory. */
  private boolean wantsMemory;

  /** The connection is over; whatever is left of it is what was accepted and not polled. */
  private boolean isOver;

  /** Of a placement channel. */
  private final @Nullable PlacedReceiver placed;

  private final PollGuard guard = new PollGuard();

  /** The large message that a handler is being told; the polling thread's. */
  private @Nullable Parts delivering;

  private volatile long peerFinal = -1;

  /**
   * @param firstCredit that the channel begins with. If it lets no message of the eager limit in,
   *     as where memory is short, more is charged before it is given, which the sender waits for
   * @param mostWindow and the most that its window grows to, unless the path needs more
   */
  ReceiveQueue(
      int eagerLimit,
      long firstCredit,
      long mostWindow,
      BufferPool pool,
      ChunkPool chunks,
      MemoryBudget.Account account) {
    if (eagerLimit > ChunkPool.CHUNK_BYTES) {
      throw new IllegalArgumentException("no chunk holds " + eagerLimit + " bytes");
    }
    this.eagerLimit = eagerLimit;
    this.charges = firstCredit < eagerCost(eagerLimit);
    this.firstCredit = Math.min(firstCredit, mostWindow);
    this.leastWindow = Math.min(charges ? 2 * eagerCost(eagerLimit) : firstCredit, mostWindow);
    this.mostWindow = mostWindow;
    this.pool = pool;
    this.chunks = chunks;
    this.account = account;
    this.window = leastWindow;
    this.promised = this.firstCredit;
    this.placed = eagerLimit < 0 ? new PlacedReceiver(this) : null;
  }

  /** Puts a fault in, as a negative control. */
  void plant(PlantedFault fault) {
    planted = fault;
    if (placed != null) {
      placed.plant(fault);
    }
  }

  /** What a message costs against the channel's credit (both sides reckon alike). */
  static long cost(long length, int eagerLimit) {
    return length <= eagerLimit ? eagerCost(length) : ChannelLimits.MESSAGE_COST;
  }

  /** The same of a message that is no longer than the eager limit. */
  static long eagerCost(long length) {
    return ChannelLimits.MESSAGE_COST + ((length + 7) & ~7L);
  }

  // ---- the engine's side ----

  public long accepted() {
    return (long) ACCEPTED_SEQ.getAcquire(this);
  }

  public long consumed() {
    return (long) CONSUMED_SEQ.getAcquire(this);
  }

  /** Bytes of chunks in which messages lie that were not given back. */
  public long heldBytes() {
    long idle = idleBytes(current) + idleBytes(early);
    return held - idle - (slots == NO_SLOTS ? 0 : Slots.bytes(slots.entry.length));
  }

  private static long idleBytes(@Nullable Chunk chunk) {
    return chunk != null && chunk.isEmpty() ? chunk.size : 0;
  }

  /** What the account is charged with for this queue. */
  public long chargedBytes() {
    return charged;
  }

  public long acceptedBytes() {
    return acceptedBytes;
  }

  /** Absolute credit that the sender may use up to. */
  public long creditLimit() {
    return promised;
  }

  /** How far credit goes beyond what was consumed, when it is renewed. */
  long windowBytes() {
    return window;
  }

  /** Takes memory back of everything consumed since; returns whether any was. */
  public boolean release() {
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
      long e = entries[i];
      if ((e & IN_CHUNK) != 0) {
        cost += eagerCost(lengthOf(e));
        freeStretch(e);
      } else {
        cost += cost(s.length(i), eagerLimit);
        freeMemory(s, i);
      }
      entries[i] = EMPTY;
    }
    released = seq;
    releasedCost = cost;
    renew();
    return true;
  }

  private void freeMemory(Slots s, int i) {
    long e = s.entry[i];
    if ((e & IN_CHUNK) != 0) {
      freeStretch(e);
      return;
    }
    Parts parts = s.parts(i);
    if (parts != null) {
      s.setParts(i, null);
      freeParts(parts);
    }
  }

  /** The message in a chunk was consumed. */
  private void freeStretch(long entry) {
    if ((entry & ENDS_STRETCH) != 0) {
      unpin(chunks.chunks()[chunkOf(entry)]);
    }
  }

  private void freeParts(Parts parts) {
    held -= parts.bytes();
    IntervalSet have = parts.placed == null ? parts.have : parts.placed.have();
    if (have != null) {
      parts.have = null;
      recycle(have);
    }
    PlacedReceiver receiver = placed;
    if (parts.placed != null && receiver != null) {
      receiver.forget(parts.placed);
    }
    if (parts.pooled != null) {
      heldForPooled -= Parts.bytes(parts.length);
      pooledBytes -= parts.pooled.capacity();
      if (parts.kept != null) {
        parts.kept.out();
      } else {
        pool.give(parts.pooled);
      }
    } else if (parts.chunk != null) {
      unpin(parts.chunk);
    }
  }

  /** A stretch of a chunk is of no use any more. */
  @SuppressWarnings("ReferenceEquality") // this very one
  private void unpin(Chunk chunk) {
    if (!chunk.release()) {
      return;
    }
    if (chunk == current || chunk == early) {
      chunk.restart(); // what is in the cache is used again
    } else {
      giveChunk(chunk);
    }
  }

  private void giveChunk(Chunk chunk) {
    held -= chunk.size;
    chunks.give(chunk);
  }

  private void recycle(IntervalSet set) {
    if (spare == null) {
      set.clear();
      spare = set;
    }
  }

  private IntervalSet intervals(long length) {
    IntervalSet set = spare;
    if (set == null) {
      return new IntervalSet(IntervalSet.mostOf(length));
    }
    spare = null;
    set.setMaxIntervals(IntervalSet.mostOf(length));
    return set;
  }

  /** What a window may need: half-filled chunks, and slots for empty messages. */
  static long chargeFor(long window) {
    return 2 * window + ChunkPool.CHUNK_BYTES;
  }

  /**
   * Charges for so many bytes more, before they are taken.
   *
   * @param isEarly leaves room for a chunk of what comes in order
   */
  private boolean mayHold(long bytes, boolean isEarly) {
    long wanted = held + bytes + (isEarly ? LEFT_FOR_NEXT : 0);
    if (wanted <= charged) {
      return true;
    }
    long usual = chargeFor(window);
    if (!charges && wanted <= usual && !account.isShort() && account.tryTake(usual - charged)) {
      charged = usual;
      return true;
    }
    if (account.tryTake(wanted - charged)) {
      charged = wanted;
      return true;
    }
    wantsMemory = true;
    return false;
  }

  /** Gives what was consumed as credit again, and more if the sender can use it. */
  private void renew() {
    if (isOver) {
      settle();
      return;
    }
    if (charged < chargeFor(window) || senderWaits || window > widest() || account.isShort()) {
      if (charges) {
        adaptCharged();
      } else {
        adapt();
      }
    }
    // One message may always be tried: it is refused if there is no room for it when it comes.
    long sure = charges ? firstCredit : Math.min(window, eagerCost(eagerLimit));
    boolean others = charges && account.isShort();
    long renewed = charged >= chargeFor(window) && !others ? window : sure;
    promised = Math.max(promised, releasedCost + renewed);
  }

  /**
   * The same where all credit is charged. While others wait, what was used up is not renewed: its
   * memory goes to them, and who wants more waits for its turn.
   */
  private void adaptCharged() {
    if (account.isShort()) {
      window = leastWindow;
      long outstanding = promised - releasedCost;
      giveBack(charged - Math.max(held, outstanding <= firstCredit ? 0 : chargeFor(outstanding)));
      wantsMemory |= (senderWaits || waitsWith > accepted()) && outstanding < leastWindow;
      return;
    }
    if (!senderWaits) {
      return;
    }
    if (window > widest()) {
      narrow();
    }
    long next = charged >= chargeFor(window) ? Math.min(widest(), 2 * window) : window;
    long more = chargeFor(next) - charged;
    boolean grows = next > window;
    if (more <= 0 || (grows ? account.tryGrow(chargeFor(next), more) : account.tryTake(more))) {
      charged = Math.max(charged, chargeFor(next));
      window = next;
      wasWide |= next > mostWindow;
      answered();
    } else if (!grows) {
      wantsMemory = true;
    } else {
      answered(); // what it has goes on
    }
  }

  /** Its turn has come, where all credit is charged; whether it has to wait no longer. */
  private boolean retryCharged() {
    if (promised - releasedCost >= leastWindow) {
      return true; // it is the application that it waits for
    }
    long missing = chargeFor(leastWindow) - charged;
    if (missing > 0 && !account.tryTake(missing)) {
      return false;
    }
    charged += Math.max(0, missing);
    window = leastWindow;
    answered();
    promised = Math.max(promised, releasedCost + window);
    return true;
  }

  private void adapt() {
    if (account.isShort()) {
      window = leastWindow;
      long outstanding = Math.max(window, promised - releasedCost);
      giveBack(charged - Math.max(held, chargeFor(outstanding)));
    } else if (window > widest()) {
      narrow();
    } else if (senderWaits) {
      answered();
      if (window < widest() && !grow(Math.min(widest(), 2 * window)) && window >= mostWindow) {
        boolean unused = grow(Math.min(widest(), window + window / 4));
      }
    }
    long missing = chargeFor(window) - charged;
    if (missing > 0) {
      if (account.tryTake(missing)) {
        charged += missing;
      } else {
        wantsMemory |= promised - releasedCost < leastWindow;
      }
    }
  }

  /** The sender has got what there is for now. */
  private void answered() {
    senderWaits = false;
    widenedFor = waitsWith;
  }

  private boolean grow(long next) {
    long more = chargeFor(next) - charged;
    if (more > 0 && !account.tryGrow(chargeFor(next), more)) {
      return false;
    }
    charged = Math.max(charged, chargeFor(next));
    window = next;
    wasWide |= next > mostWindow;
    return true;
  }

  private long widest() {
    return Math.max(mostWindow, pathWindow);
  }

  /** The path needs less: what was promised stays, and is not renewed as far. */
  private void narrow() {
    window = widest();
    long outstanding = Math.max(window, promised - releasedCost);
    giveBack(charged - Math.max(held, chargeFor(outstanding)));
  }

  /** Whether its window was ever wider than on a short path, which what was promised shows on. */
  public boolean wasWide() {
    return wasWide;
  }

  /** Whether its window is wider than on a short path, so that it has to be {@link #tune}d. */
  public boolean isWide() {
    return window > mostWindow;
  }

  /**
   * Once a round trip: how wide a window the path needs. To be called when the sender waits for
   * credit, and when what it sent was consumed and the window {@link #isWide}.
   *
   * @param rttNs the least round trip, 0 where no rail crosses a network
   */
  public void tune(long nowNs, long rttNs) {
    long elapsedNs = nowNs - tunedNs;
    if (rttNs == 0 || elapsedNs < rttNs) {
      return;
    }
    double share = (double) rttNs / elapsedNs;
    long needed = (long) (2 * share * (releasedCost - tunedCost));
    tunedNs = nowNs;
    tunedCost = releasedCost;
    narrowerRounds = needed >= pathWindow ? 0 : narrowerRounds + 1;
    if (needed > pathWindow) {
      pathWindow = needed;
    } else if (narrowerRounds >= NARROWER_ROUNDS) {
      pathWindow = Math.max(needed, pathWindow / 4 * 3);
      narrowerRounds = 0;
    }
  }

  /**
   * Charges what is kept of announcements.
   *
   * @return false if there is no room
   */
  public boolean tryKeep(long bytes) {
    boolean may = mayHold(bytes, true);
    held += may ? bytes : 0;
    return may;
  }

  /** It is kept no longer. */
  public void keepNoLonger(long bytes) {
    held -= bytes;
    if (isOver) {
      settle();
    }
  }

  private void giveBack(long bytes) {
    if (bytes > 0) {
      charged -= bytes;
      account.give(bytes);
    }
  }

  /**
   * The sender says that it waits for credit. Its window grows if what it sent is consumed; else,
   * and while some of that is still under way, which this may have overtaken, it is looked at when
   * it is. Large messages take no part of it but their fixed cost, and are bounded by the pool:
   * that nobody has polled them keeps no window small.
   *
   * <p>A window is widened once for each message waited with: the same said again, by a packet that
   * was late or sent twice, asks for nothing more.
   *
   * @param seq the message that it waits with; it has sent all before
   */
  public void onSenderWaits(long seq) {
    boolean lacksLeast = promised - releasedCost < leastWindow;
    if (seq <= widenedFor && !lacksLeast) {
      return;
    }
    senderWaits = true;
    waitsWith = Math.max(waitsWith, seq);
    long unpolled = heldBytes() - heldForPooled;
    boolean isConsumed =
        accepted() >= seq - 1 && unpolled <= Math.max(ChunkPool.CHUNK_BYTES, window / 2);
    if (isConsumed || (charges && lacksLeast)) {
      renew();
    }
  }

  /** Whether something was refused or not given for want of memory; asks once. */
  public boolean takeWantsMemory() {
    boolean wants = wantsMemory;
    wantsMemory = false;
    return wants;
  }

  /**
   * Memory may be there now.
   *
   * @return whether credit or room could be had that was wanted
   */
  public boolean retry() {
    if (charges && !isOver) {
      return retryCharged();
    }
    long before = promised;
    renew();
    return promised != before || charged >= chargeFor(window);
  }

  /**
   * The node is short of memory: what nothing lies in is given back. What the sender may still send
   * has to be charged when it comes.
   */
  void trim() {
    current = trimmed(current);
    early = trimmed(early);
    // what was given up or placed early holds no memory, and is known by its slot alone
    boolean isEmpty = released == accepted && (isOver || highest <= accepted);
    if (slots != NO_SLOTS && isEmpty && held == Slots.bytes(slots.entry.length)) {
      held = 0;
      SLOTS.setRelease(this, NO_SLOTS);
    }
    if (acceptedWhenShort != acceptedMessages) {
      acceptedWhenShort = acceptedMessages;
      idleLooks = 0;
    }
    boolean isIdle = !charges || isOver || idleLooks++ >= IDLE_LOOKS;
    if (held == 0 && isIdle) {
      spare = null;
      window = leastWindow;
      giveBack(charged);
    }
  }

  /** The same where nothing has happened for long: what was promised need not be charged either. */
  void rest() {
    acceptedWhenShort = acceptedMessages;
    idleLooks = IDLE_LOOKS;
    trim();
  }

  private @Nullable Chunk trimmed(@Nullable Chunk chunk) {
    if (chunk != null && chunk.isEmpty()) {
      giveChunk(chunk);
      return null;
    }
    return chunk;
  }

  /**
   * The connection is over: frees what cannot be delivered any more, incomplete or behind a gap.
   * What was accepted can still be polled, and is given back when it was, or with {@link #drop}.
   */
  void dispose() {
    if (isOver) {
      return;
    }
    Slots s = slots;
    for (long seq = accepted + 1; seq <= released + s.mask; seq++) {
      int i = (int) seq & s.mask;
      if (s.entry[i] != EMPTY) {
        freeMemory(s, i);
        s.entry[i] = EMPTY;
      }
    }
    isOver = true;
    guard.end();
    boolean unused = release();
    settle();
  }

  /** After the end: nothing is charged but what is held. */
  private void settle() {
    trim();
    giveBack(charged - held);
  }

  /** The peer will send nothing after that sequence. */
  void peerFinal(long last) {
    peerFinal = last;
  }

  /** Whether the peer has ended its sending, consumed or not. */
  public boolean isPeerFinal() {
    return peerFinal >= 0;
  }

  /** Whether the peer ended its sending and all of it was consumed. Any thread. */
  boolean isPeerFinished() {
    long last = peerFinal;
    return last >= 0 && consumed() >= last;
  }

  /** Messages that were accepted and are not polled, those included that the sender gave up. */
  public long unpolled() {
    long until = consumed(); // first: it never passes the other
    return accepted() - until;
  }

  /**
   * Seconds after the end of the connection: drops what was accepted and not polled, and gives its
   * memory back.
   *
   * @param told of each run of messages that will not be delivered, before the next is dropped
   * @return false if somebody polls it just now; nothing has changed then
   */
  public boolean drop(Dropped told) {
    if (!isOver || !guard.tryTake()) {
      return false;
    }
    try {
      Slots s = slots;
      long seq = consumed;
      while (seq < accepted) {
        long first = seq + 1;
        boolean isThere = s.state(first) != SKIPPED;
        do {
          seq++;
        } while (seq < accepted && (s.state(seq + 1) != SKIPPED) == isThere);
        if (isThere) {
          told.onDropped(first, seq);
        }
        CONSUMED_SEQ.setRelease(this, seq); // if telling throws, the next call goes on from here
      }
    } finally {
      guard.giveBack();
    }
    boolean unused = release();
    return true;
  }

  /** As many messages the credit that is left is good for. */
  private long numbers() {
    return (promised - releasedCost) / ChannelLimits.MESSAGE_COST;
  }

  /** Whether a sender that keeps to its credit cannot have sent that message yet (R13, R31). */
  public boolean isBeyondCredit(long seq) {
    return seq - released > numbers();
  }

  /** Whether it cannot even have announced it yet. */
  public boolean isBeyondAnnouncing(long seq) {
    return seq - released > numbers() + ANNOUNCED_AHEAD;
  }

  /**
   * The caller has compared the number with the credit: no table grows by what a packet names.
   *
   * @return null if there is no room now
   */
  private @Nullable Slots slotsFor(long seq, boolean isEarly) {
    long span = seq - released;
    Slots s = slots;
    return span <= s.mask ? s : grownSlots(s, span + 1, isEarly);
  }

  private @Nullable Slots grownSlots(Slots s, long span, boolean isEarly) {
    int before = s == NO_SLOTS ? 0 : s.entry.length;
    int size = Slots.sizeFor(span, before);
    long more = Slots.bytes(size) - Slots.bytes(before);
    if (!mayHold(more, isEarly)) {
      return null;
    }
    try {
      s = s == NO_SLOTS ? new Slots(size) : s.resized(size, released + 1);
    } catch (OutOfMemoryError e) {
      wantsMemory = true;
      return null;
    }
    held += more;
    SLOTS.setRelease(this, s);
    return s;
  }

  // ---- places in chunks ----

  /**
   * Claims a stretch for bytes of a message.
   *
   * @param isEarly an earlier message is not here yet
   * @return its offset in {@link #early} or {@link #current}, a multiple of 8; or -1 if there is no
   *     room now
   */
  private int claim(int length, boolean isEarly) {
    Chunk chunk = isEarly ? early : current;
    int size = (length + 7) & ~7;
    int at = chunk == null ? -1 : chunk.claim(size);
    return at < 0 ? claimAnew(size, isEarly) : at;
  }

  private int claimAnew(int size, boolean isEarly) {
    Chunk before = isEarly ? early : current;
    int chunkBytes = chunks.sizeOf(before == null && size <= SHORT_BYTES);
    long more = chunkBytes;
    if (before != null && before.isEmpty()) {
      more -= before.size; // it is short, and goes back
    }
    if (size > ChunkPool.CHUNK_BYTES || isPlacement() || !mayHold(more, isEarly)) {
      return -1;
    }
    Chunk chunk = chunks.take(chunkBytes);
    if (chunk == null) {
      wantsMemory = true;
      return -1;
    }
    held += chunkBytes;
    if (before != null && before.isEmpty()) {
      giveChunk(before);
    }
    if (isEarly) {
      early = chunk;
    } else {
      current = chunk;
    }
    return chunk.claim(size);
  }

  /** Takes back the claim made last. */
  private void unclaim(Chunk chunk, int at) {
    chunk.takeBack(at);
    unpin(chunk);
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
  public boolean isGranted(long seq) {
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
  public boolean grant(long seq, long length) {
    if (isGranted(seq) && (planted != PlantedFault.GRANTED_TWICE || has(seq))) {
      return true;
    }
    if (isBeyondAnnouncing(seq) || !pool.canTake(length)) {
      return false;
    }
    Slots s = slotsFor(seq, true);
    if (s == null || !mayHold(Parts.bytes(length), true)) {
      return false;
    }
    PooledBuffer buffer = null;
    int i = (int) seq & s.mask;
    try {
      IntervalSet have = intervals(length);
      buffer = pool.take(length);
      if (buffer == null) {
        recycle(have);
        return false;
      }
      s.setParts(i, new Parts(buffer, length, have));
    } catch (OutOfMemoryError e) { // it is tried again when memory comes back
      if (buffer != null) {
        pool.give(buffer);
      }
      return false;
    }
    s.entry[i] = PARTIAL;
    held += Parts.bytes(length);
    heldForPooled += Parts.bytes(length);
    pooledBytes += buffer.capacity();
    highest = Math.max(highest, seq);
    return true;
  }

  /** Capacity of the buffers that large messages have. */
  public long pooledBytes() {
    return pooledBytes;
  }

  /** The same of those that are not accepted, perhaps complete behind a gap. */
  public long grantedBytes() {
    long bytes = 0;
    Slots s = slots;
    long last = lastPooled(s);
    for (long seq = accepted + 1; seq <= last; seq++) {
      Parts parts = s.parts((int) seq & s.mask);
      if (parts != null && parts.pooled != null) {
        bytes += parts.pooled.capacity();
      }
    }
    return bytes;
  }

  /** No message after this one has a buffer of the pool; 0 if none has. */
  private long lastPooled(Slots s) {
    return pooledBytes == 0 ? 0 : Math.min(highest, released + s.mask);
  }

  /** How much of large messages has come. */
  long largeBytesIn() {
    return largeBytesIn;
  }

  /**
   * Takes all grants back of what was not accepted: as if nothing of it had come, it has to be
   * granted once more, and to be sent whole (R32). What comes under the old grant until then is
   * ignored, and later it is as good as any: a message stays what it is until it is accepted.
   *
   * @return the first message that this is about, 0 if there is none
   */
  long revoke() {
    long first = 0;
    Slots s = slots;
    long last = lastPooled(s);
    for (long seq = accepted + 1; seq <= last; seq++) {
      int i = (int) seq & s.mask;
      Parts parts = s.parts(i);
      if (parts != null && parts.pooled != null) {
        first = first == 0 ? seq : first;
        begunCost -= s.state(seq) == COMPLETE ? ChannelLimits.MESSAGE_COST : 0;
        freeMemory(s, i);
        s.entry[i] = EMPTY;
      }
    }
    if (first != 0) {
      revokedFrom = revokedFrom == 0 ? first : Math.min(revokedFrom, first);
    }
    return first;
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
    Slots s = slotsFor(seq, seq != accepted + 1);
    if (s == null) {
      return FragmentVerdict.REFUSED;
    }
    int i = (int) seq & s.mask;
    begunCost += ChannelLimits.MESSAGE_COST - costBegun(s, i);
    freeMemory(s, i);
    s.entry[i] = SKIPPED; // both sides reckon it without its bytes
    highest = Math.max(highest, seq);
    advance();
    return FragmentVerdict.ACCEPTED;
  }

  /**
   * Whole messages of consecutive numbers, their bytes one behind the other.
   *
   * @param lengths gives the length of the n-th message of the frame
   */
  public int onEager(
      long first,
      int count,
      MessageLengths lengths,
      int total,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    int known = first > highest ? 0 : known(first, count);
    if (known == count) {
      if (planted != PlantedFault.NO_DUPLICATE_FILTER) {
        return FragmentVerdict.DUPLICATE;
      }
      first = accepted + 1; // the negative control: a repeat passes for the next message
      known = 0;
    }
    if (isBeyondCredit(first + count - 1) || (count == 1 && total > eagerLimit)) {
      return FragmentVerdict.SENSELESS;
    }
    boolean isEarly = first > accepted + 1;
    Slots s = slotsFor(first + count - 1, isEarly);
    if (s == null) {
      return FragmentVerdict.REFUSED;
    }
    if (known > 0) {
      return onOverlapping(s, first, count, lengths, total, checksum, algorithm, source);
    }
    if (begunCost + total + (long) count * ChannelLimits.MESSAGE_COST > promised) {
      return FragmentVerdict.REFUSED; // more than the credit (R13)
    }
    int at = claim(total, isEarly);
    Chunk chunk = isEarly ? early : current;
    if (at < 0 || chunk == null) {
      return FragmentVerdict.REFUSED;
    }
    long computed;
    try {
      computed = source.copy(chunk.memory, at, total, algorithm);
    } catch (Throwable t) { // a truncated mapping: the rail is lost, the stretch must not be
      unclaim(chunk, at);
      throw t;
    }
    if (computed != Integer.toUnsignedLong(checksum)) {
      unclaim(chunk, at);
      return FragmentVerdict.CORRUPT;
    }
    long[] entries = s.entry;
    long id = (long) chunk.id << CHUNK_SHIFT | IN_CHUNK | COMPLETE;
    long place = at;
    long cost = 0;
    int i = 0;
    for (int n = 0; n < count; n++) {
      int length = count == 1 ? total : (int) lengths.length(n);
      i = (int) (first + n) & s.mask;
      cost += eagerCost(length);
      if (entries[i] != EMPTY) {
        cost -= costBegun(s, i);
        freeMemory(s, i); // it began in fragments and now came whole
      }
      entries[i] = id | place << PLACE_SHIFT | (long) length << LENGTH_SHIFT;
      place += length;
    }
    if (lengths.hasHeaders()) {
      for (int n = 0; n < count; n++) {
        entries[(int) (first + n) & s.mask] |= (long) lengths.headerLength(n) << HEADER_SHIFT;
      }
    }
    entries[i] |= ENDS_STRETCH;
    begunCost += cost;
    accept(first, count, total);
    return FragmentVerdict.ACCEPTED;
  }

  private int known(long first, int count) {
    int known = 0;
    for (int n = 0; n < count; n++) {
      known += has(first + n) ? 1 : 0;
    }
    return known;
  }

  /**
   * Some of them are here already, having come by another rail: the rest is kept as if each had
   * come by itself, so that a repeat takes no more memory than its credit.
   */
  private int onOverlapping(
      Slots s,
      long first,
      int count,
      MessageLengths lengths,
      int total,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    MemorySegment from = chunks.scratch(total);
    if (from == null) {
      wantsMemory = true;
      return FragmentVerdict.REFUSED;
    }
    if (source.copy(from, 0, total, algorithm) != Integer.toUnsignedLong(checksum)) {
      return FragmentVerdict.CORRUPT;
    }
    long place = 0;
    boolean all = true;
    for (int n = 0; n < count; n++) {
      long seq = first + n;
      int length = count == 1 ? total : (int) lengths.length(n);
      if (!has(seq)) {
        boolean isEarly = seq != accepted + 1;
        int i = (int) seq & s.mask;
        long cost = eagerCost(length) - costBegun(s, i);
        int at = begunCost + cost > promised ? -1 : claim(length, isEarly);
        Chunk chunk = isEarly ? early : current;
        if (at < 0 || chunk == null) {
          all = false;
        } else {
          MemorySegment.copy(from, place, chunk.memory, at, length);
          begunCost += cost;
          freeMemory(s, i);
          s.entry[i] = inChunk(chunk, at, length, lengths.headerLength(n));
          highest = Math.max(highest, seq);
          advance();
        }
      } else if (planted == PlantedFault.WHOLES_MISPLACED) {
        place -= length;
      }
      place += length;
    }
    return all ? FragmentVerdict.ACCEPTED : FragmentVerdict.REFUSED;
  }

  /** What was reckoned for a message that is not complete; a large one counts when it is. */
  private long costBegun(Slots s, int i) {
    Parts parts = s.parts(i);
    if (parts != null && parts.placed != null) {
      return ChannelLimits.MESSAGE_COST;
    }
    return parts == null || parts.length > eagerLimit ? 0 : eagerCost(parts.length);
  }

  private static long inChunk(Chunk chunk, long place, long length, int header) {
    return (long) chunk.id << CHUNK_SHIFT
        | (long) header << HEADER_SHIFT
        | place << PLACE_SHIFT
        | length << LENGTH_SHIFT
        | ENDS_STRETCH
        | IN_CHUNK
        | COMPLETE;
  }

  /** These messages are all here now. */
  private void accept(long first, int count, long bytes) {
    long last = first + count - 1;
    boolean isHighest = last >= highest;
    if (isHighest) {
      highest = last;
    }
    if (first != accepted + 1 || (!isHighest && slots.state(last + 1) >= COMPLETE)) {
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
  public boolean onNext(
      long seq, MemoryWords packet, long at, int length, int checksum, boolean sums) {
    Slots s = slots;
    int i = (int) seq & s.mask;
    if (seq != accepted + 1
        || seq - released > s.mask
        || s.entry[i] != EMPTY
        || begunCost + eagerCost(length) > promised) {
      if (planted == PlantedFault.NO_NUMBER && seq <= accepted) {
        return onNext(accepted + 1, packet, at, length, checksum, sums);
      }
      return false; // the number makes a message the one it is (R10), and credit lets it in (R13)
    }
    int place = claim(length, false);
    Chunk chunk = current;
    if (place < 0 || chunk == null) {
      return false;
    }
    int computed;
    try {
      computed = SinglePacket.copy(packet, at, chunk.words, place, length, sums);
    } catch (Throwable t) { // as in onEager
      unclaim(chunk, place);
      throw t;
    }
    if (computed != checksum && planted != PlantedFault.PREDICTED_UNCHECKED) {
      unclaim(chunk, place);
      return false;
    }
    s.entry[i] = inChunk(chunk, place, length, 0);
    begunCost += eagerCost(length);
    accept(seq, 1, length);
    return true;
  }

  /** A part of a message without a header, wherever its bytes are. */
  public int onFragment(
      long seq,
      long messageLength,
      long from,
      int length,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    return onFragment(seq, 0, messageLength, from, length, checksum, algorithm, source);
  }

  /**
   * A part of a message, wherever its bytes are.
   *
   * @param header how many of the message's first bytes are header, the same in all of its parts
   */
  public int onFragment(
      long seq,
      int header,
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
    boolean isEarly = seq != accepted + 1;
    Slots s = slotsFor(seq, isEarly);
    if (s == null) {
      return FragmentVerdict.REFUSED;
    }
    int i = (int) seq & s.mask;
    if (s.entry[i] == EMPTY) {
      if (messageLength > eagerLimit) { // one that nobody granted is refused
        boolean isRevoked = revokedFrom != 0 && seq >= revokedFrom;
        return isRevoked ? FragmentVerdict.DUPLICATE : FragmentVerdict.REFUSED;
      }
      if (!begin(s, i, (int) messageLength, isEarly)) {
        return FragmentVerdict.REFUSED;
      }
      highest = Math.max(highest, seq);
    }
    Parts parts = s.parts(i);
    if (parts != null
        && (parts.length != messageLength || (parts.header >= 0 && parts.header != header))) {
      return FragmentVerdict.SENSELESS; // it is another one, or a placed one
    }
    IntervalSet have = parts == null ? null : parts.have;
    if (parts == null || have == null) {
      throw new IllegalStateException("partial message without intervals");
    }
    long end = from + length;
    if (have.covers(from, end)) {
      if (planted == PlantedFault.EAGER_PART_COUNTED_TWICE && parts.chunk != null) {
        complete(s, i, parts, have);
      }
      return FragmentVerdict.DUPLICATE;
    }
    if (!have.makeRoomFor(from, end)) {
      return FragmentVerdict.REFUSED; // too many holes; the sender will fill them in order
    }
    MemorySegment into = parts.memory;
    long base = parts.place;
    if (have.intersects(from, end)) {
      // Cut for another rail's packet size, it overlaps what is here: judge it apart, then fill the
      // gaps only.
      MemorySegment apart = chunks.scratch(length);
      if (apart == null) {
        wantsMemory = true;
        return FragmentVerdict.REFUSED;
      }
      if (source.copy(apart, 0, length, algorithm) != Integer.toUnsignedLong(checksum)) {
        return FragmentVerdict.CORRUPT;
      }
      for (long gap = have.nextMissing(from, end); gap < end; ) {
        long gapEnd = have.missingEnd(gap, end);
        boolean misplaced = planted == PlantedFault.OVERLAP_MISPLACED;
        MemorySegment.copy(apart, misplaced ? 0 : gap - from, into, base + gap, gapEnd - gap);
        gap = have.nextMissing(gapEnd, end);
      }
    } else if (source.copy(into, base + from, length, algorithm)
        != Integer.toUnsignedLong(checksum)) {
      return FragmentVerdict.CORRUPT;
    }
    parts.header = header;
    if (have.add(from, end) < 0) {
      throw new IllegalStateException("an interval that there was room for");
    }
    if (parts.pooled != null) {
      largeBytesIn += length;
    }
    if (have.isComplete(messageLength)) {
      complete(s, i, parts, have);
    }
    return FragmentVerdict.ACCEPTED;
  }

  /** All parts of a message are here. */
  private void complete(Slots s, int i, Parts parts, IntervalSet have) {
    parts.have = null;
    recycle(have);
    Chunk chunk = parts.chunk;
    if (chunk != null) {
      s.setParts(i, null);
      held -= Parts.bytes(parts.length);
      s.entry[i] = inChunk(chunk, parts.place, parts.length, Math.max(0, parts.header));
    } else {
      begunCost += ChannelLimits.MESSAGE_COST;
      s.entry[i] = COMPLETE;
    }
    advance();
  }

  /** The first fragment of a message that is not large. */
  private boolean begin(Slots s, int i, int length, boolean isEarly) {
    if (begunCost + eagerCost(length) > promised || !mayHold(Parts.bytes(length), isEarly)) {
      return false;
    }
    int at = claim(length, isEarly);
    Chunk chunk = isEarly ? early : current;
    if (at < 0 || chunk == null) {
      return false;
    }
    try {
      s.setParts(i, new Parts(chunk, at, length, intervals(length)));
    } catch (OutOfMemoryError e) {
      unclaim(chunk, at);
      wantsMemory = true;
      return false;
    }
    s.entry[i] = PARTIAL;
    held += Parts.bytes(length);
    begunCost += eagerCost(length);
    return true;
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
      if (placed != null) {
        turnOf(placed, s, (int) seq & s.mask);
      }
    }
    if (seq != before) {
      acceptedBytes += bytes;
      acceptedMessages += seq - before;
      ACCEPTED_SEQ.setRelease(this, seq);
      if (isPlacement()) {
        CONSUMED_SEQ.setRelease(this, seq); // without the application
      }
    }
  }

  private void turnOf(PlacedReceiver receiver, Slots s, int i) {
    Parts parts = s.parts(i);
    if (parts != null && parts.placed != null) {
      receiver.onTurn(parts.placed);
      freeMemory(s, i);
    }
  }

  // ---- placed messages: what lies elsewhere has its numbers, holes and credit here (R27) ----

  private boolean isPlacement() {
    return placed != null;
  }

  /** Takes in what comes; null if this is no placement channel. */
  public @Nullable PlacedReceiver placed() {
    return placed;
  }

  /** Whether there is an entry for a message within the credit; one may be made for it. */
  boolean hasPlaceFor(long seq) {
    return slotsFor(seq, seq != accepted + 1) != null;
  }

  /** A message that has begun, or was refused; else null. */
  @Nullable PlacedMessage placed(long seq) {
    Slots s = slots;
    if (seq <= accepted || seq - released > s.mask) {
      return null;
    }
    Parts parts = s.parts((int) seq & s.mask);
    return parts == null ? null : parts.placed;
  }

  /** Private memory for what is to be verified; null if there is none now. */
  @Nullable MemorySegment scratch(int length) {
    MemorySegment apart = chunks.scratch(length);
    wantsMemory |= apart == null;
    return apart;
  }

  /**
   * Keeps what is to be known of a message for which there is an entry.
   *
   * @param length of it, if its parts have to be told apart; else 0
   * @param made makes it, with the set that those go into, which is null if the length is 0
   * @return it; null if there is no room now
   */
  @Nullable PlacedMessage beginPlaced(
      long seq, long length, Function<@Nullable IntervalSet, PlacedMessage> made) {
    Slots s = slots;
    long bytes = length == 0 ? PlacedMessage.BYTES : PlacedMessage.bytes(length);
    if (begunCost + ChannelLimits.MESSAGE_COST > promised || !mayHold(bytes, seq != accepted + 1)) {
      return null;
    }
    int i = (int) seq & s.mask;
    PlacedMessage message;
    try {
      message = made.apply(length == 0 ? null : intervals(length));
      s.setParts(i, new Parts(message));
    } catch (OutOfMemoryError e) {
      wantsMemory = true;
      return null;
    }
    s.entry[i] = PARTIAL;
    held += bytes;
    begunCost += ChannelLimits.MESSAGE_COST;
    highest = Math.max(highest, seq);
    return message;
  }

  /** It is refused for that reason: its parts need not be told apart any more. */
  void dropPartsOf(PlacedMessage message, int why) {
    IntervalSet have = message.have();
    held -= message.bytes();
    message.refuse(why);
    held += message.bytes();
    if (have != null) {
      recycle(have);
    }
  }

  /** Whether it is the one behind the last one accepted. */
  boolean isNext(long seq) {
    return seq == accepted + 1;
  }

  /** The same, nothing of it is here, and its credit and its entry are there. */
  boolean mayBeNext(long seq) {
    Slots s = slots;
    return seq == accepted + 1
        && seq - released <= s.mask
        && s.entry[(int) seq & s.mask] == EMPTY
        && !isBeyondCredit(seq)
        && begunCost + ChannelLimits.MESSAGE_COST <= promised;
  }

  /** A request is here whole, and kept until all before it are complete. */
  void awaitsTurn(long seq) {
    slots.entry[(int) seq & slots.mask] = COMPLETE;
  }

  /** A message that came in one piece is in its place. */
  void placedWhole(long seq, long bytes) {
    begunCost += ChannelLimits.MESSAGE_COST;
    highest = Math.max(highest, seq);
    isPlaced(slots, (int) seq & slots.mask, bytes);
  }

  /** All of a message that had begun is in its place. */
  void placedAll(long seq, long bytes) {
    Slots s = slots;
    int i = (int) seq & s.mask;
    freeMemory(s, i);
    isPlaced(s, i, bytes);
  }

  private void isPlaced(Slots s, int i, long bytes) {
    s.entry[i] = COMPLETE;
    acceptedBytes += bytes;
    advance();
  }

  // ---- the polling thread's side ----

  /** Delivers up to {@code limit} messages; returns how many were consumed. */
  int poll(MessageHandler handler, int limit) {
    if (consumed == (long) ACCEPTED_SEQ.getAcquire(this) || !guard.enter()) {
      return 0;
    }
    try {
      return deliver(handler, limit);
    } finally {
      guard.leave();
    }
  }

  private int deliver(MessageHandler handler, int limit) {
    long until = (long) ACCEPTED_SEQ.getAcquire(this);
    long seq = consumed;
    Slots s = (Slots) SLOTS.getAcquire(this);
    Chunk[] memory = chunks.chunks();
    int chunk = -1;
    MemorySegment readable = MemorySegment.NULL; // of that chunk
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
        if ((e & IN_CHUNK) != 0) {
          if (chunkOf(e) != chunk) {
            chunk = chunkOf(e);
            readable = memory[chunk].readOnly;
          }
          int header = headerOf(e);
          action =
              handler.onMessage(
                  readable, placeOf(e) + header, lengthOf(e) - header, seq + 1, header);
        } else {
          action = deliverLarge(handler, s.parts(i), seq + 1);
        }
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

  private MessageHandler.Action deliverLarge(
      MessageHandler handler, @Nullable Parts parts, long seq) {
    if (parts == null) {
      throw new IllegalStateException("a message without memory");
    }
    int header = Math.max(0, parts.header);
    delivering = parts;
    MessageHandler.Action action = MessageHandler.Action.CONTINUE;
    try {
      action =
          handler.onMessage(
              parts.readOnly, parts.place + header, parts.length - header, seq, header);
    } finally {
      delivering = null;
      BufferPool.Kept kept = parts.kept;
      if (action == MessageHandler.Action.RETRY_LATER && kept != null && kept.cancel()) {
        parts.kept = null;
      }
    }
    return action;
  }

  /**
   * The polling thread, in a handler: the message that is being delivered is kept beyond its
   * return.
   *
   * @return null if it does not lie in a buffer of its own, or the node's bound is reached
   */
  BufferPool.@Nullable Kept keep() {
    Parts parts = delivering;
    if (parts == null || parts.pooled == null) {
      return null;
    }
    if (parts.kept == null) {
      parts.kept = pool.tryKeep(parts.pooled);
    }
    BufferPool.Kept kept = parts.kept;
    return kept == null || kept.isReleased() ? null : kept;
  }

  /** The polling thread: what {@link #keep} keeps. */
  MemorySegment kept() {
    Parts parts = delivering;
    return parts == null ? MemorySegment.NULL : parts.readOnly.asSlice(parts.place, parts.length);
  }
}
