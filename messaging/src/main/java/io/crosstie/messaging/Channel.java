// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.memory.BufferPool;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A numbered, ordered stream of messages to and from one peer, with flow control of its own. Both
 * sides open the same number.
 *
 * <p>A channel belongs to one connection, that is to one life of the peer: once it answers {@link
 * #PEER_LOST} or {@link #PEER_RESTARTED} it does so for ever, and {@link Peer#channel} gives the
 * one that follows. What it had received before can still be polled; {@link Peer#formerChannels}
 * lists such channels. Once both sides have closed it and everything is consumed it is over, too,
 * and its number is free for another one. No method blocks, apart from {@link #awaitAccepted}; none
 * takes notice of interrupts.
 *
 * <p>Threads: where the node has a thread of its own, any thread may offer at any time, and one
 * thread at a time may poll. Where the caller makes progress, all calls come from that one thread.
 */
public final class Channel {
  /** No room now: {@link Node#idle()}, then try again. */
  public static final long BACK_PRESSURED = Status.BACK_PRESSURED;

  /**
   * The peer has not answered yet, and no more can be kept for it: {@link Node#idle()}, then try
   * again.
   */
  public static final long CONNECTING = Status.CONNECTING;

  /** The peer was silent on all rails for the peer time-out. For ever. */
  public static final long PEER_LOST = Status.PEER_LOST;

  /**
   * The peer's process was started anew. For ever; {@link Peer#channel} gives a channel to the new
   * one.
   */
  public static final long PEER_RESTARTED = Status.PEER_RESTARTED;

  /** The message is larger than {@link NodeConfig#maxMessageBytes()}, or than the peer takes. */
  public static final long TOO_LARGE = Status.TOO_LARGE;

  /** The channel, its sending side, the connection or the node was closed. For ever. */
  public static final long CLOSED = Status.CLOSED;

  /**
   * The peer takes nothing on this channel, because it has as many as it may ({@link
   * NodeConfigBuilder#maxChannels} there); what was offered is named by {@link
   * NodeEvent.ChannelRefused}. For as long as the connection lasts.
   */
  public static final long CHANNEL_REFUSED = Status.CHANNEL_REFUSED;

  /**
   * A newer process has this node's name at the peer, since this one gave no sign of life when it
   * was asked, see {@link NodeEvent.Superseded}. For ever.
   */
  public static final long SUPERSEDED = Status.SUPERSEDED;

  /** What a {@link Completion} says of a message that was given up alone. */
  public static final long MESSAGE_FAILED = Status.MESSAGE_FAILED;

  /**
   * The peer's release takes no messages of that kind (puts, which {@link RemoteRegion} sends):
   * bring it up to date, or send messages. For as long as the connection lasts.
   */
  public static final long UNSUPPORTED = Status.UNSUPPORTED;

  /** A handler's answer: the message is consumed. */
  public static final MessageHandler.Action CONTINUE = MessageHandler.Action.CONTINUE;

  /** A handler's answer: not now; the message stays first in the queue, and the poll ends. */
  public static final MessageHandler.Action RETRY_LATER = MessageHandler.Action.RETRY_LATER;

  /** A handler's answer: the message is consumed, and the poll ends. */
  public static final MessageHandler.Action BREAK = MessageHandler.Action.BREAK;

  /** The last array that was offered is kept wrapped, if it is no larger than this. */
  private static final int MAX_KEPT_ARRAY = 1 << 16;

  /** An array and the segment around it. */
  private static final class Wrapped {
    final byte[] array;
    final MemorySegment segment;

    Wrapped(byte[] array) {
      this.array = array;
      this.segment = MemorySegment.ofArray(array);
    }
  }

  /** What it stands on, once there is a connection. */
  record Binding(Connection connection, ChannelCore core) {}

  private final Node node;
  private final Engine engine;
  private final Peer peer;
  private final int number;
  private volatile @Nullable Priority priority; // null as long as none was chosen
  private volatile @Nullable Binding binding;
  private final HandlerAdapter toHandler = new HandlerAdapter();
  private @Nullable Wrapped lastArray; // a race costs an allocation, nothing else
  private @Nullable CompletionAdapter lastCompletion; // as well
  private final Completion completionTold = new Completion(this);
  private boolean polling;
  private volatile @Nullable Object attachment;

  /** {@link #close()} was called, perhaps before there was a connection. */
  private volatile boolean closed;

  /**
   * @param priority null if the application has not chosen one yet, since the peer opened it
   */
  Channel(Node node, Peer peer, int number, @Nullable Priority priority) {
    this.node = node;
    this.engine = node.engine();
    this.peer = peer;
    this.number = number;
    this.priority = priority;
  }

  /** Once, when there is a connection; {@link #announce} has to follow. */
  void bind(Connection connection) {
    bind(connection, connection.channel(number, priority == null ? null : priority.core()));
  }

  /** The same to what is open already, so that nothing has to follow. */
  void bind(Connection connection, ChannelCore core) {
    Binding on = new Binding(connection, core);
    binding = on;
    if (closed) { // looked at behind the binding, as close() does the other way round
      on.core().closeSending();
    }
  }

  /**
   * Tells the engine of it. Where the peer lists it already, and without the peer's lock: this may
   * run a whole duty cycle, in which the channel's first message comes.
   */
  void announce() {
    Binding on = binding;
    if (on != null) {
      node.signal(on.connection(), on.core());
    }
  }

  /** The number that both sides know it by. */
  public int number() {
    return number;
  }

  /** The priority of what this side sends. */
  public Priority priority() {
    Priority chosen = priority;
    return chosen == null ? Priority.NORMAL : chosen;
  }

  /** Chooses it, if that was not done before; false if another one was. Under the peer's lock. */
  boolean choose(Priority wanted) {
    Priority chosen = priority;
    if (chosen == null) {
      Binding on = binding;
      if (on != null && !on.core().choosePriority(wanted.core())) {
        return false;
      }
      priority = wanted;
      return true;
    }
    return chosen == wanted;
  }

  /** Whether it is the end of that one. */
  boolean isOf(ChannelCore core) {
    Binding on = binding;
    return on != null && on.core() == core;
  }

  /** Whether its number is free for another one. */
  boolean isFreed() {
    Binding on = binding;
    return on != null && on.core().isFreed();
  }

  /** The peer at the other end. */
  public Peer peer() {
    return peer;
  }

  /**
   * Keeps something of the application's with this channel, for handlers of {@link Node#poll}.
   *
   * @return what was kept before
   */
  public @Nullable Object attach(@Nullable Object object) {
    Object before = attachment;
    attachment = object;
    return before;
  }

  /** What {@link #attach} kept; null for a channel that the peer opened just now. Any thread. */
  public @Nullable Object attachment() {
    return attachment;
  }

  // ------------------------------------------------------------------ sending

  /**
   * Offers a message, which is copied: the memory is the caller's again on return. The node's
   * thread sends it, or in caller mode the next poll; there a short one by itself may leave in this
   * call. Polls have to follow all the same: they send it again if need be, and wake a peer that
   * sleeps.
   *
   * <p>If it throws, since the memory cannot be read (it is closed, another thread's, or a mapped
   * file that became shorter), nothing was offered, and the channel is as before.
   *
   * @param source any memory, on the heap or not
   * @param offset of the first byte
   * @param length in bytes, 0 or more
   * @return the message's sequence number, above 0, or a negative status
   */
  public long offer(MemorySegment source, long offset, long length) {
    Objects.checkFromIndexSize(offset, length, source.byteSize());
    Binding on = usable();
    return on == null ? unusable() : offered(on, on.core().offer(source, offset, length));
  }

  /**
   * The same for a message in several pieces, and with a header of up to 32 bytes: they are copied
   * once, straight into the log, and leave as one message.
   *
   * @return as {@link #offer(MemorySegment, long, long)}; a peer of a release that takes no headers
   *     gives a message with one up, as {@link NodeEvent.MessageFailed} says then
   */
  public long offer(Gather message) {
    Binding on = usable();
    return on == null ? unusable() : offered(on, on.core().offer(message.pieces()));
  }

  /** {@link #offer(MemorySegment, long, long)} of the whole segment. */
  public long offer(MemorySegment source) {
    return offer(source, 0, source.byteSize());
  }

  /** {@link #offer(MemorySegment, long, long)} of the whole array. */
  public long offer(byte[] source) {
    return offer(source, 0, source.length);
  }

  /** {@link #offer(MemorySegment, long, long)} of a part of an array. */
  @SuppressWarnings("ReferenceEquality") // the very same array is meant, whatever is in it
  public long offer(byte[] source, int offset, int length) {
    Wrapped wrapped = lastArray;
    if (wrapped == null || wrapped.array != source) {
      wrapped = new Wrapped(source);
      lastArray = source.length <= MAX_KEPT_ARRAY ? wrapped : null;
    }
    return offer(wrapped.segment, offset, length);
  }

  /**
   * Offers what remains in a buffer, and moves its position to its limit if that succeeded. A
   * direct buffer is wrapped anew each time, which allocates a little; offer a {@link
   * MemorySegment} where that matters.
   */
  public long offer(ByteBuffer source) {
    long sequence;
    if (source.hasArray()) {
      sequence =
          offer(source.array(), source.arrayOffset() + source.position(), source.remaining());
    } else {
      sequence = offer(MemorySegment.ofBuffer(source));
    }
    if (sequence > 0) {
      ByteBuffer unused = source.position(source.limit());
    }
    return sequence;
  }

  /**
   * Claims room for a message that the caller then writes in place, see {@link Claim}. For small
   * messages, of up to 64 KiB.
   *
   * @param length in bytes, 0 to 64 KiB
   * @param claim opened if the result is positive
   * @return the message's sequence number if it is committed, or a negative status
   */
  public long claim(int length, Claim claim) {
    if (claim.isOpen()) {
      throw new IllegalStateException("the claim is still open; commit() or abort() it first");
    }
    Objects.checkIndex(length, Integer.MAX_VALUE);
    Binding on = usable();
    if (on == null) {
      return unusable();
    }
    long sequence = on.core().claim(length);
    if (sequence > 0) {
      claim.open(this, on, length, sequence);
    } else {
      notOffered(on);
    }
    return sequence;
  }

  /**
   * Lends a message's memory, which is read in place until the peer has accepted it: the way for
   * large messages, with no copy. The memory must not change until the completion is told, inside
   * {@link #poll}.
   *
   * <p>What becomes of the memory concerns that message only. If its arena is closed, or it is a
   * mapped file that becomes shorter, by whatever call it was mapped, the message is given up: the
   * completion says why, so does {@link NodeEvent.MessageFailed}, and all others go on. Only memory
   * that native code frees or unmaps by itself, behind the back of its segment, must not be lent:
   * reading it ends the JVM, as it does wherever else it is read.
   *
   * @param segment native memory, mapped or not, of a shared, automatic or global arena; if the
   *     caller makes progress, also of an arena confined to that thread
   * @param offset of the first byte
   * @param length in bytes, 0 or more
   * @param completion told once, if the result is positive
   * @return the message's sequence number, above 0, or a negative status
   */
  public long send(MemorySegment segment, long offset, long length, SendCompletion completion) {
    return send(segment, offset, length, completion, Completion.When.ACCEPTED);
  }

  /**
   * The same, and says when the completion is told. Completions of a channel are told in the order
   * of its messages, so one that waits until its message was consumed holds up those behind it.
   *
   * @param when {@link Completion.When#CONSUMED}: once the peer's handler has returned from it
   */
  public long send(
      MemorySegment segment,
      long offset,
      long length,
      SendCompletion completion,
      Completion.When when) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
    Objects.requireNonNull(completion, "completion");
    if (!segment.isNative()) {
      throw new IllegalArgumentException(
          "send lends native memory, and this segment is on the heap; take it from"
              + " Arena.ofShared(), or call offer, which copies");
    }
    Binding on = usable();
    return on == null
        ? unusable()
        : offered(
            on,
            on.core()
                .send(
                    segment,
                    offset,
                    length,
                    adapter(completion),
                    when == Completion.When.CONSUMED));
  }

  /** The last completion is kept wrapped, so that one for all messages allocates nothing. */
  @SuppressWarnings("ReferenceEquality") // the very same one is meant
  private CompletionAdapter adapter(SendCompletion completion) {
    CompletionAdapter adapter = lastCompletion;
    if (adapter == null || adapter.completion() != completion) {
      adapter = new CompletionAdapter(completionTold, completion);
      lastCompletion = adapter;
    }
    return adapter;
  }

  private long offered(Binding on, long result) {
    if (result > 0) {
      node.offered(on.connection(), on.core());
    } else {
      notOffered(on);
    }
    return result;
  }

  /** The end of sending may have had to wait for it. */
  void notOffered(Binding on) {
    if (on.core().awaitsEnd() && !on.core().isFreed()) {
      node.signal(on.connection(), on.core());
    }
  }

  /** A claim is about to be committed. */
  void check() {
    engine.check();
  }

  /** A claim was committed. */
  void committed(Binding on) {
    node.offered(on.connection(), on.core());
  }

  /** What can be sent on, or null for {@link #unusable()}. */
  private @Nullable Binding usable() {
    engine.check();
    return node.isOpen() ? binding : null;
  }

  private long unusable() {
    return node.isOpen() && !closed ? CONNECTING : CLOSED;
  }

  // ------------------------------------------------------------------ receiving

  /**
   * Hands messages to the handler, in order, and tells completions of {@link #send}. In caller mode
   * it first drives the protocol. What the handler throws is thrown here; that message counts as
   * consumed. After {@link Node#close()} it hands out no messages any more, but still tells
   * completions.
   *
   * @param handler called on this thread only, and only inside this call
   * @param limit most messages and completions, at least 1
   * @return how many there were
   */
  public int poll(MessageHandler handler, int limit) {
    engine.check();
    return poll(toHandler.to(handler), limit, engine.callersDrive());
  }

  /**
   * The same for one of all channels, without driving the protocol.
   *
   * @return how many there were; one's complement of that if the handler has ended the whole poll
   */
  int poll(ChannelHandler handler, int limit) {
    int count = poll(toHandler.to(handler, this), limit, false);
    return toHandler.isBroken() ? ~count : count;
  }

  private int poll(HandlerAdapter handler, int limit, boolean drives) {
    if (polling) {
      throw new IllegalStateException(
          "channel "
              + number
              + " to "
              + peer.name()
              + " is being polled already, by another thread or by the handler that is running;"
              + " poll it from one place");
    }
    polling = true;
    try {
      if (drives) {
        int unused = engine.drive();
      }
      Binding on = binding;
      if (on == null) {
        return 0;
      }
      return engine.isStopped() ? on.core().reportCompletions(limit) : poll(on, handler, limit);
    } finally {
      polling = false;
    }
  }

  private int poll(Binding on, HandlerAdapter handler, int limit) {
    boolean returned = false;
    int count = 0;
    long before = on.core().consumedSequence();
    try {
      count = on.core().poll(handler, limit);
      returned = true;
    } finally {
      // Those that the peer gave up are passed over, and not counted.
      if (count > 0
          || !returned
          || on.core().consumedSequence() != before
          || on.core().hasHeldUpEnd()) {
        node.signal(on.connection(), on.core()); // the peer gets credit for what was consumed
      }
    }
    return count;
  }

  /**
   * In a handler that is being told a message of this channel: keeps the message's memory beyond
   * the handler's return, until {@link RetainedMessage#release}. Only large messages (above 64 KiB)
   * lie in memory of their own; half of {@link NodeConfigBuilder#largePoolBytes} at most is
   * retained at a time. The message is consumed as usual; if the handler answers {@link
   * #RETRY_LATER} it is not retained.
   *
   * @return null if it is not a large one, or that much is retained already: copy it
   * @throws IllegalStateException if no handler is running
   */
  public @Nullable RetainedMessage retain() {
    Binding on = binding;
    if (on == null || !polling) {
      throw new IllegalStateException(
          "retain() is for a handler that is being told a message of " + this);
    }
    BufferPool.Kept kept = on.core().keep();
    return kept == null ? null : new RetainedMessage(this, on, kept, on.core().kept());
  }

  /** What was retained is free. */
  void released(Binding on) {
    node.signal(on.connection(), on.core());
  }

  /**
   * Consumes what was received and is not polled yet, without looking at it, so that its memory is
   * free. Completions of {@link #send} are told. Threads: as for {@link #poll}.
   *
   * @return how many messages and completions there were
   */
  public int discard() {
    return poll((segment, offset, length, sequence) -> CONTINUE, Integer.MAX_VALUE);
  }

  /** Has it looked at whether a poll would find something; the engine's thread. */
  void lookAt(ReadyChannels ready) {
    Binding on = binding;
    if (on != null) {
      ready.lookAt(on.connection(), on.core());
    }
  }

  /** Why its connection or the channel has ended; 0 if it has not. */
  long coreStatus() {
    Binding on = binding;
    return on == null ? 0 : on.core().terminalStatus();
  }

  /** Whether a poll would find something. */
  boolean hasUnpolled() {
    Binding on = binding;
    return on != null && on.core().hasUnpolled();
  }

  // ------------------------------------------------------------------ marks

  /**
   * The random number that the life of the peer's process has drawn which this channel belongs to,
   * 0 if not known yet.
   */
  public long incarnation() {
    Binding on = binding;
    return on == null ? 0 : on.connection().peerIncarnation();
  }

  /** Messages that were received and are not polled yet, those included that the peer gave up. */
  public long unpolled() {
    Binding on = binding;
    return on == null ? 0 : on.core().unpolled();
  }

  /** Highest sequence that was offered, 0 at first. */
  public long offeredSequence() {
    Binding on = binding;
    return on == null ? 0 : on.core().offeredSequence();
  }

  /**
   * Highest sequence known to be accepted, in order: the peer's runtime has it safely, though its
   * handler need not have seen it.
   */
  public long acceptedSequence() {
    Binding on = binding;
    return on == null ? 0 : on.core().acceptedSequence();
  }

  /** Highest sequence known to be consumed: the peer's handler has returned from it. */
  public long consumedSequence() {
    Binding on = binding;
    return on == null ? 0 : on.core().peerConsumedSequence();
  }

  /** Highest sequence received in order here: delivered, or ready for {@link #poll}. */
  public long receivedSequence() {
    Binding on = binding;
    return on == null ? 0 : on.core().receivedSequence();
  }

  /**
   * Waits until the peer has accepted a message. Polls nothing: with messages coming in as well,
   * watch {@link #acceptedSequence()} in the application's own loop. An interrupt neither ends nor
   * fails it, see {@link Node}.
   *
   * @param sequence as {@link #offer} returned it
   * @throws CrosstieTimeoutException if that takes longer; the message may still arrive
   * @throws CrosstieException if it cannot be known any more, since the peer or the connection is
   *     gone
   */
  public void awaitAccepted(long sequence, Duration timeout) {
    if (sequence <= 0 || sequence > offeredSequence()) {
      throw new CrosstieException(
          "channel "
              + number
              + " to "
              + peer.name()
              + ": no message has the sequence "
              + sequence
              + " ("
              + Status.name(sequence)
              + "); the last one offered has "
              + offeredSequence()
              + ". Check that offer returned a number above 0");
    }
    node.await(
        timeout,
        () -> {
          if (acceptedSequence() >= sequence) {
            return true;
          }
          Binding on = binding;
          if (on != null && on.core().terminalStatus() == CHANNEL_REFUSED) {
            throw new CrosstieException(
                "message "
                    + sequence
                    + " was not accepted, since "
                    + peer.name()
                    + " refuses channel "
                    + number
                    + ": it has as many channels as it may; raise maxChannels there or use fewer");
          }
          if (on != null && on.connection().state().isOver()) {
            throw new CrosstieException(
                "whether message "
                    + sequence
                    + " on channel "
                    + number
                    + " was accepted is unknown, since the connection to "
                    + peer.name()
                    + " is "
                    + on.connection().state()
                    + "; known to be accepted are those up to "
                    + acceptedSequence());
          }
          return false;
        },
        () ->
            "message "
                + sequence
                + " on channel "
                + number
                + " to "
                + peer.name()
                + " was not accepted within "
                + ConfigRules.text(timeout)
                + "; accepted are those up to "
                + acceptedSequence()
                + ". "
                + peer.describe());
  }

  // ------------------------------------------------------------------ the end

  /**
   * 0 while messages can be offered, or the negative status that {@link #offer} answers for ever:
   * {@link #CLOSED} after {@link #close()}, too, though messages can still be received then. Who
   * only receives asks {@link #isOver()}.
   */
  public long status() {
    if (!node.isOpen()) {
      return CLOSED;
    }
    Binding on = binding;
    long ended = on == null ? 0 : on.core().terminalStatus();
    return ended == 0 && closed ? CLOSED : ended;
  }

  /**
   * Whether nothing is sent or received on it any more, since its connection or the node has ended,
   * or both sides have closed it and everything that was sent on it was delivered; then {@link
   * Peer#channel} gives another one of the same number. What had been received before can still be
   * polled, unless the node was closed.
   */
  public boolean isOver() {
    if (!node.isOpen()) {
      return true;
    }
    Binding on = binding;
    return on != null && (on.connection().state().isOver() || on.core().isFreed());
  }

  /** Whether the peer has closed its sending side and everything that it sent was delivered. */
  public boolean isPeerFinished() {
    Binding on = binding;
    return on != null && on.core().isPeerFinished();
  }

  /**
   * Half-close: what was offered is still sent, further offers are answered by {@link #CLOSED}, and
   * messages can still be received. Idempotent. Once the peer has closed it, too, and each side has
   * polled what the other sent, it {@link #isOver()}. Before there is a connection it holds for the
   * first one.
   */
  public void close() {
    engine.check();
    closed = true;
    Binding on = binding;
    if (on != null && !engine.isStopped()) {
      on.core().closeSending();
      node.signal(on.connection(), on.core());
    }
  }

  @Override
  public String toString() {
    return "channel " + number + " to " + peer.name();
  }

  /** Calls the application's handler for the core; for one poll at a time. */
  private static final class HandlerAdapter
      implements io.crosstie.reliability.channel.MessageHandler {
    private MessageHandler handler = (segment, offset, length, sequence) -> RETRY_LATER;
    private @Nullable ChannelHandler common;
    private boolean broken;

    /** For the poll that begins. */
    @SuppressWarnings("ReferenceEquality") // the very same one needs no store
    HandlerAdapter to(MessageHandler next) {
      if (handler != next) {
        handler = next;
        common = null;
      }
      return this;
    }

    /** The same for a handler of all channels. */
    @SuppressWarnings("ReferenceEquality") // the very same one needs no new object
    HandlerAdapter to(ChannelHandler next, Channel channel) {
      broken = false;
      if (common != next) {
        handler =
            new MessageHandler() {
              @Override
              public MessageHandler.Action onMessage(
                  MemorySegment segment, long offset, long length, long sequence) {
                return next.onMessage(channel, segment, offset, length, sequence);
              }

              @Override
              public MessageHandler.Action onMessage(
                  MemorySegment segment,
                  int headerLength,
                  long offset,
                  long length,
                  long sequence) {
                return next.onMessage(channel, segment, headerLength, offset, length, sequence);
              }
            };
        common = next;
      }
      return this;
    }

    /** Whether the handler has ended the last poll of all channels. */
    boolean isBroken() {
      return broken;
    }

    @Override
    public Action onMessage(MemorySegment segment, long offset, long length, long sequence) {
      return onMessage(segment, offset, length, sequence, 0);
    }

    @Override
    public Action onMessage(
        MemorySegment segment, long offset, long length, long sequence, int headerLength) {
      MessageHandler.Action action =
          handler.onMessage(segment, headerLength, offset, length, sequence);
      if (action == CONTINUE) {
        return Action.CONTINUE;
      }
      broken = action == BREAK;
      return action == RETRY_LATER ? Action.RETRY_LATER : Action.BREAK;
    }
  }
}
