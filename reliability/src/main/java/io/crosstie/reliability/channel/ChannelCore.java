// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A channel as application threads see it: a numbered, ordered stream of messages each way.
 *
 * <p>Appending ({@link #offer}, {@link #claim}, {@link #send}) is open to any thread; polling to
 * one thread at a time. Nothing blocks and nothing here reaches the engine by itself: the owner
 * signals it after a call that changed something. The engine's side of the same channel is {@link
 * #engine()}.
 */
public final class ChannelCore implements Signal {
  private static final VarHandle SIGNALLED;

  static {
    try {
      SIGNALLED =
          MethodHandles.lookup().findVarHandle(ChannelCore.class, "signalled", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int number;
  private final int eagerLimit;
  private final SendQueue out;
  private final ReceiveQueue in;
  private final ChannelEngine engine;

  private boolean signalled; // through SIGNALLED, unless there is one thread only
  private boolean singleThreaded;

  private volatile long maxMessageBytes;
  private volatile boolean connected;
  private volatile long terminal;
  private volatile boolean freed;
  private volatile @Nullable Priority priority;

  /**
   * @param number 0 or more
   * @param priority of what this side sends; null as long as the application has chosen none
   * @param limits bounds of its memory
   * @param memory what it may take, on the peer's account
   */
  public ChannelCore(
      int number, @Nullable Priority priority, ChannelLimits limits, NodeMemory.Share memory) {
    this.number = number;
    this.priority = priority;
    boolean isPlacement = PlacementChannels.isReserved(number);
    this.eagerLimit = isPlacement ? -1 : limits.eagerLimitBytes();
    this.maxMessageBytes = limits.maxMessageBytes();
    this.out =
        new SendQueue(
            limits.eagerLimitBytes(),
            limits.sendLogBytes(),
            limits.largeSendBytes(),
            memory.sent,
            memory.largeSent,
            memory.path);
    this.in =
        new ReceiveQueue(
            eagerLimit,
            limits.initialWindowBytes(),
            limits.windowBytes(),
            memory.pool,
            memory.chunks,
            memory.received);
    this.engine = new ChannelEngine(this, out, in, eagerLimit);
  }

  /** Before it is used: all calls will come from one thread, which then waits for no other. */
  public void setSingleThreaded() {
    singleThreaded = true;
    out.setSingleThreaded();
  }

  /** The channel's number. */
  public int number() {
    return number;
  }

  /** The priority of what this side sends; {@link Priority#NORMAL} until one is chosen. */
  public Priority priority() {
    Priority chosen = priority;
    return chosen == null ? Priority.NORMAL : chosen;
  }

  /**
   * Chooses the priority of what this side sends, for what leaves from now on. Any thread.
   *
   * @return false if another one was chosen before, which stays
   */
  public synchronized boolean choosePriority(Priority of) {
    if (priority == null) {
      priority = of;
    }
    return priority == of;
  }

  /** The engine's side; for the engine's thread only. */
  public ChannelEngine engine() {
    return engine;
  }

  /**
   * Copies a message into the send log. Any thread.
   *
   * @return its sequence, above 0, or a {@link Status}
   */
  public long offer(MemorySegment source, long offset, long length) {
    long refused = refusal(length);
    return refused != 0 ? refused : orWhy(out.offer(source, offset, length));
  }

  /** The same for a message in several pieces, with a header perhaps. */
  public long offer(Pieces pieces) {
    long refused = refusal(pieces.total());
    return refused != 0 ? refused : orWhy(out.offer(pieces));
  }

  /**
   * Claims room for a message in the send log, to be written in place at {@link #claimOffset()} of
   * {@link #claimSegment()}, and ended by {@link #commitClaim()} or {@link #abortClaim()} on the
   * same thread. Until then other threads' offers on this channel are back-pressured.
   *
   * @param length in bytes, 0 to the eager limit
   * @return the sequence that it will have, or a {@link Status}
   */
  public long claim(int length) {
    long refused = length > eagerLimit ? Status.TOO_LARGE : refusal(length);
    return refused != 0 ? refused : orWhy(out.claim(length));
  }

  /** Memory of the open claim. */
  public MemorySegment claimSegment() {
    return out.claimSegment();
  }

  /** Offset of the open claim. */
  public long claimOffset() {
    return out.claimOffset();
  }

  /**
   * Sends the claimed message.
   *
   * @return its sequence, or the {@link Status} of a channel that has ended meanwhile: then it is
   *     not sent
   */
  public long commitClaim() {
    long sequence = out.endClaim(true);
    return sequence > 0 ? sequence : terminal;
  }

  /** Gives the claim back; its sequence goes to the next message. */
  public void abortClaim() {
    long unused = out.endClaim(false);
  }

  /**
   * Lends memory until the peer has accepted the message. Any thread.
   *
   * @param segment native memory of a shared, automatic or global arena, since the engine's thread
   *     reads it; must not be changed until the completion was told. Closing its arena earlier, or
   *     truncating the file that it maps, fails this message only
   * @return its sequence, above 0, or a {@link Status}
   */
  public long send(MemorySegment segment, long offset, long length, SendCompletion completion) {
    return send(segment, offset, length, completion, false);
  }

  /**
   * The same, and the completion may be told when the message was consumed.
   *
   * @param atConsumed whether it is; else at accepted
   */
  public long send(
      MemorySegment segment,
      long offset,
      long length,
      SendCompletion completion,
      boolean atConsumed) {
    java.util.Objects.checkFromIndexSize(offset, length, segment.byteSize());
    long refused = refusal(length);
    return refused != 0
        ? refused
        : orWhy(out.send(segment, offset, length, completion, atConsumed));
  }

  /**
   * Sends a message that has its place at the peer; of a placement channel only. Any thread.
   *
   * @return its sequence, above 0, or a {@link Status}
   */
  public long put(Put put) {
    long refused = refusal(put.messageLength());
    return refused != 0 ? refused : orWhy(out.put(put));
  }

  /** The longest message that may be sent, as far as is known; any thread. */
  public long longestMessage() {
    return maxMessageBytes;
  }

  /** Whether it carries placed messages, and nothing else. */
  public boolean isPlacement() {
    return eagerLimit < 0;
  }

  private long refusal(long length) {
    if (length < 0) {
      throw new IllegalArgumentException("length " + length + " is negative");
    }
    long status = terminal;
    if (status != 0) {
      return status;
    }
    if (out.isClosed()) {
      return Status.CLOSED;
    }
    return length > maxMessageBytes ? Status.TOO_LARGE : 0;
  }

  private long orWhy(long result) {
    return result == Status.BACK_PRESSURED ? whyRefused() : result;
  }

  private long whyRefused() {
    long status = terminal; // it may have ended after it was looked at
    if (status != 0 || out.isClosed()) {
      return status != 0 ? status : Status.CLOSED;
    }
    return connected ? Status.BACK_PRESSURED : Status.CONNECTING;
  }

  /**
   * Delivers messages in order, and completions; one thread at a time. What the handler throws
   * comes out here.
   *
   * @return how many messages were consumed and completions told
   */
  public int poll(MessageHandler handler, int limit) {
    int told = reportCompletions(limit);
    return told + (told < limit ? in.poll(handler, limit - told) : 0);
  }

  /**
   * In a handler, on the polling thread: keeps the message that it is being told; null if it is not
   * a large one, or the node's bound is reached.
   */
  public BufferPool.@Nullable Kept keep() {
    return in.keep();
  }

  /** The same: the memory of what is kept, header and all. */
  public MemorySegment kept() {
    return in.kept();
  }

  /** Tells completions only; the polling thread. */
  public int reportCompletions(int limit) {
    long status = terminal;
    return out.reportCompletions(limit, status == 0 ? null : Status.name(status));
  }

  /** Whether {@link #reportCompletions} may find something now; the polling thread. */
  public boolean hasReportable() {
    return out.hasReportable(terminal != 0);
  }

  /** Whether all completions of messages up to that one were told; the polling thread. */
  public boolean isTold(long sequence) {
    return out.isTold(sequence);
  }

  /** Highest sequence that the peer is known to have accepted, with all before it. Any thread. */
  public long acceptedSequence() {
    return out.accepted();
  }

  /**
   * Has the peer asked, once the messages up to that one have left, what it has accepted: it tells
   * that at once, where it else may wait for something to send it with. Where the question is lost
   * it tells as late as without. Any thread, but one at a time, with numbers that grow; the channel
   * has to be signalled then.
   */
  public void askFor(long sequence) {
    out.askFor(sequence);
  }

  /** Highest sequence that the peer's handler is known to have consumed. Any thread. */
  public long peerConsumedSequence() {
    return out.peerConsumed();
  }

  /** Highest sequence offered. Any thread. */
  public long offeredSequence() {
    return out.tail();
  }

  /** Highest sequence received, with all before it. Any thread. */
  public long receivedSequence() {
    return in.accepted();
  }

  /** Highest sequence consumed here. Any thread. */
  public long consumedSequence() {
    return in.consumed();
  }

  /** Messages received that are not polled, those included that the peer gave up. Any thread. */
  public long unpolled() {
    return in.unpolled();
  }

  /** Whether there is something left to poll: a message, or a completion. Any thread. */
  public boolean hasUnpolled() {
    return in.unpolled() > 0 || out.hasUnreported();
  }

  /**
   * Ends this side's sending after what was offered (half-close). An offer that is under way, and a
   * claim that is open, may still be sent: whoever ends one without success asks {@link
   * #awaitsEnd()}. Any thread.
   */
  public void closeSending() {
    out.close();
  }

  /**
   * After an offer that was refused, or a claim that was given back: whether the end of sending may
   * have had to wait for it, so that the engine has to look again. Any thread.
   */
  public boolean awaitsEnd() {
    if (!singleThreaded) {
      VarHandle.fullFence(); // the engine finds the lock free, or this finds the mark
    }
    return out.isClosed();
  }

  /**
   * After a poll that told nothing: whether the engine was to end the sending while that looked for
   * completions, and could not, so that it has to look again. The polling thread.
   */
  public boolean hasHeldUpEnd() {
    if (singleThreaded || !out.hasUnreported()) { // then it has not looked
      return false;
    }
    VarHandle.fullFence(); // the engine finds the lock free, or this finds the mark
    return out.isEndAwaited();
  }

  /** Whether {@link #closeSending} was called. */
  public boolean isSendingClosed() {
    return out.isClosed();
  }

  /** Whether the peer ended its sending and all of it was consumed. Any thread. */
  public boolean isPeerFinished() {
    return in.isPeerFinished();
  }

  /**
   * Whether both sides have closed it and everything is consumed: the number is free for another
   * channel, and this one will never do anything again. Any thread.
   */
  public boolean isFreed() {
    return freed;
  }

  void setFreed() {
    terminate(Status.CLOSED);
    freed = true;
  }

  /**
   * 0 while usable, else the {@link Status} that sending answers. Received messages can still be
   * polled. Any thread.
   */
  public long terminalStatus() {
    return terminal;
  }

  /**
   * Marks the channel as having news for the engine; true if it was not marked before. Any thread.
   *
   * <p>A mark that is found counts only if it is still there behind a fence: else the engine may
   * take it off, and look for the news before they can be seen.
   */
  @Override
  public boolean markSignalled() {
    if (singleThreaded) {
      boolean before = signalled;
      signalled = true;
      return !before;
    }
    if ((boolean) SIGNALLED.getOpaque(this)) {
      VarHandle.fullFence();
      if ((boolean) SIGNALLED.getOpaque(this)) {
        return false;
      }
    }
    return SIGNALLED.compareAndSet(this, false, true);
  }

  @Override
  public void clearSignal() {
    if (singleThreaded) {
      signalled = false;
    } else {
      SIGNALLED.setVolatile(this, false);
    }
  }

  private @Nullable Signal nextSignalled;
  private @Nullable Object signalOwner;

  @Override
  public @Nullable Signal nextSignalled() {
    return nextSignalled;
  }

  @Override
  public void setNextSignalled(@Nullable Signal next) {
    nextSignalled = next;
  }

  @Override
  public @Nullable Object signalOwner() {
    return signalOwner;
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // this very one; written only where it changes, see RunQueue
  public void setSignalOwner(Object owner) {
    if (signalOwner != owner) {
      signalOwner = owner;
    }
  }

  // ---- what the layer above keeps with it ----

  private @Nullable Object attachment;

  /** What {@link #attach} put there. The engine's thread. */
  public @Nullable Object attachment() {
    return attachment;
  }

  /** Keeps something for the layer above, for as long as the channel is there. Engine's thread. */
  public void attach(Object object) {
    attachment = object;
  }

  void connected(long peerMaxMessageBytes) {
    maxMessageBytes = Math.min(maxMessageBytes, peerMaxMessageBytes);
    connected = true;
  }

  /** Sending answers that status from now on, unless it answers another already. Any thread. */
  public void terminate(long status) {
    if (terminal == 0) {
      terminal = status;
    }
  }
}
