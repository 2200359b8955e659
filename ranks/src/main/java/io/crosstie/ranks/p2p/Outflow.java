// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import static io.crosstie.ranks.match.Posted.ANY;

import io.crosstie.ranks.match.MessageTable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What goes to one rank by one channel: envelopes in order, and before them what the protocol
 * itself has to say. Within the receiver's bound messages leave at once; what exceeds its bytes is
 * announced, and what exceeds its number waits here.
 *
 * <p>Of those that wait, one that a receive there asks for (WANT) is sent before its turn. Of any
 * tag that is the first one, so that nothing is overtaken. Of a certain tag it is the first with
 * that tag, which is announced as early: only receives of that very tag may take it, until its turn
 * has come and the receiver is told so (TURN).
 */
final class Outflow {
  /** Something to say, of the protocol's own. */
  private record Control(int kind, long key, long first, long second, int context, int tag) {}

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final int rank;
  private final int channel;
  private final Limits limits;
  private final Wire wire;
  private final Inflow inflow;
  private final Consumer<SendOp> onAnnounced;
  private final Envelope envelope = new Envelope();

  /** No more than receives, what was asked for, and messages that have come since credit left. */
  private final ArrayDeque<Control> controls = new ArrayDeque<>();

  /** Those that wait, those included that went early; and the same by their tags. */
  private final LinkedHashSet<QueuedSend> order = new LinkedHashSet<>();

  private final MessageTable<QueuedSend> byTag = new MessageTable<>();

  /** Patterns that the receiver has asked for, and nothing that fits was sent since. */
  private final Set<Long> wants = new HashSet<>();

  /** Those of them for which there may be something here, in the order in which that came up. */
  private final LinkedHashSet<Long> ready = new LinkedHashSet<>();

  private long sent;
  private long sentBytes;
  private long taken;
  private long takenBytes;

  private boolean listed;
  private boolean ended;

  /**
   * Nothing was sent.
   *
   * @param onAnnounced is told of messages whose data waits, or whose sender does
   */
  Outflow(
      int rank,
      int channel,
      Limits limits,
      Wire wire,
      Inflow inflow,
      Consumer<SendOp> onAnnounced) {
    this.rank = rank;
    this.channel = channel;
    this.limits = limits;
    this.wire = wire;
    this.inflow = inflow;
    this.onAnnounced = onAnnounced;
  }

  /** A message; it waits if it has to. */
  void send(SendOp op) {
    if (byTag.size() == 0 && controls.isEmpty() && !isAtBound()) {
      if (transmit(op)) {
        return;
      }
    }
    QueuedSend queued = new QueuedSend(op);
    op.queuedAs(queued);
    boolean unused = order.add(queued);
    byTag.add(queued);
    if (!wants.isEmpty()) {
      ready(pattern(op, op.tag()));
      ready(pattern(op, ANY));
    }
  }

  private void ready(long pattern) {
    if (wants.contains(pattern)) {
      boolean unused = ready.add(pattern);
    }
  }

  /** Puts it into the list of those that have something to send; false if it is in already. */
  boolean list() {
    boolean was = listed;
    listed = true;
    return !was;
  }

  /** It is taken out of that list. */
  void unlist() {
    listed = false;
  }

  private boolean isAtBound() {
    return sent - taken >= limits.unexpectedMessages();
  }

  private static long pattern(SendOp op, int tag) {
    return Inflow.pattern(op.context(), tag);
  }

  /**
   * Sends the envelope in its turn, with the data where there is room for it. What cannot be read
   * has its turn all the same: its receive is told, or would wait for ever.
   *
   * @return false if it was not sent
   */
  private boolean transmit(SendOp op) {
    long length = op.length();
    boolean eager =
        length <= limits.eagerBytes()
            && sentBytes - takenBytes + length <= limits.unexpectedBytes();
    int answers = answers(op);
    try {
      boolean in =
          eager
              ? offer(op, Envelope.EAGER, flags(op), answers, op.memory())
              : offer(op, Envelope.RTS, flags(op), answers, NOTHING);
      if (!in) {
        return false;
      }
    } catch (RuntimeException | InternalError e) {
      return transmitUnreadable(op, answers, Failures.unreadable(e));
    }
    sent++;
    onAnswered(op, answers);
    if (eager) {
      sentBytes += length;
    }
    if (eager && !op.isSynchronous()) {
      op.finish(null);
    } else {
      onAnnounced.accept(op);
    }
    return true;
  }

  /** In its turn as well; false if there is no room in the channel. */
  private boolean transmitUnreadable(SendOp op, int answers, Failure why) {
    try {
      // A ready one finds its receive or is dropped, as it would be with its data.
      int flags = Envelope.UNREADABLE | (op.isReady() ? Envelope.READY : 0);
      if (!offer(op, Envelope.RTS, flags, answers, NOTHING)) {
        return false;
      }
      sent++;
      onAnswered(op, answers);
    } catch (RuntimeException e) {
      // Nothing at all can be sent to that rank, so it was not the memory. The send is over.
    }
    op.finish(why);
    return true;
  }

  private boolean offer(SendOp op, int kind, int flags, int answers, MemorySegment body) {
    Envelope marked =
        envelope
            .set(kind, flags, op.context(), op.tag(), answers, op.id(), op.length())
            .mark(op.mark());
    return wire.offer(rank, channel, marked, body, 0, body.byteSize());
  }

  private int answers(SendOp op) {
    return wants.isEmpty()
        ? 0
        : (wants.contains(pattern(op, op.tag())) ? Envelope.ANSWERS_TAG : 0)
            | (wants.contains(pattern(op, ANY)) ? Envelope.ANSWERS_ANY : 0);
  }

  private void onAnswered(SendOp op, int answers) {
    if ((answers & Envelope.ANSWERS_TAG) != 0) {
      boolean unused = wants.remove(pattern(op, op.tag()));
    }
    if ((answers & Envelope.ANSWERS_ANY) != 0) {
      boolean unused = wants.remove(pattern(op, ANY));
    }
  }

  private static int flags(SendOp op) {
    return (op.isSynchronous() ? Envelope.SYNCHRONOUS : 0)
        | (op.isReady() ? Envelope.READY : 0)
        | (op.memory().isNative() ? 0 : Envelope.NO_PUT);
  }

  /** The turn of one that waits has come; false if there is no room in the channel. */
  private boolean takeTurn(QueuedSend queued) {
    SendOp op = queued.op();
    if (queued.isEarly()) {
      int answers = answers(op);
      envelope.set(Envelope.TURN, 0, op.context(), op.tag(), answers, op.id(), 0);
      if (!wire.offer(rank, channel, envelope, NOTHING, 0, 0)) {
        return false;
      }
      sent++;
      onAnswered(op, answers);
    } else if (!transmit(op)) {
      return false;
    }
    boolean unused = cancel(queued);
    return true;
  }

  private boolean announceEarly(QueuedSend queued) {
    SendOp op = queued.op();
    int flags = flags(op) | Envelope.EARLY;
    if (!offer(op, Envelope.RTS, flags, Envelope.ANSWERS_TAG, NOTHING)) {
      return false;
    }
    boolean unused = wants.remove(pattern(op, op.tag()));
    queued.announcedEarly();
    byTag.hideFromTag(queued);
    onAnnounced.accept(op);
    return true;
  }

  /** Takes it out of those that wait; false if it does not. */
  boolean cancel(QueuedSend queued) {
    if (!byTag.remove(queued)) {
      return false;
    }
    boolean unused = order.remove(queued);
    queued.op().queuedAs(null);
    return true;
  }

  /** The same of one that may have been put in halfway only. */
  void drop(QueuedSend queued) {
    boolean unused = byTag.remove(queued);
    unused = order.remove(queued);
    queued.op().queuedAs(null);
  }

  void onCredit(long messages, long bytes) {
    taken = Math.clamp(messages, taken, sent);
    takenBytes = Math.clamp(bytes, takenBytes, sentBytes);
  }

  /** A receive there waits for the like of it. */
  void onWant(int context, int tag) {
    long pattern = Inflow.pattern(context, tag);
    if (wants.size() < Limits.MOST_WANTS && wants.add(pattern)) { // who asks for more gets no more
      boolean unused = ready.add(pattern);
    }
  }

  void clearToSend(long key, long sendId, long receiveId) {
    say(new Control(Envelope.CTS, key, sendId, receiveId, 0, 0));
  }

  void acknowledge(long sendId) {
    say(new Control(Envelope.ACK, 0, sendId, 0, 0, 0));
  }

  /**
   * It is dropped.
   *
   * @param why {@link Envelope#NOT_POSTED} or {@link Envelope#FREED}
   */
  void refuse(long sendId, int why) {
    say(new Control(Envelope.REFUSED, 0, sendId, why, 0, 0));
  }

  /** Nothing of that context is asked for any more. */
  void unwant(int context) {
    say(new Control(Envelope.UNWANT, 0, 0, 0, context, 0));
  }

  /** The receiver asks for nothing of that context, or nothing of it will be sent any more. */
  void forgetWants(int context) {
    boolean unused = wants.removeIf(pattern -> (int) (pattern >> 32) == context);
    boolean unusedToo = ready.removeIf(pattern -> (int) (pattern >> 32) == context);
  }

  /** Asks for a message, if that was not done before. */
  boolean want(int context, int tag) {
    if (!inflow.ask(Inflow.pattern(context, tag))) {
      return false;
    }
    say(new Control(Envelope.WANT, 0, 0, 0, context, tag));
    return true;
  }

  private void say(Control control) {
    if (!ended) {
      controls.add(control);
    }
  }

  /**
   * Sends what can be sent.
   *
   * @return whether something waits for room in the channel
   */
  boolean pump() {
    if (ended) {
      return false;
    }
    for (Control next = controls.peek(); next != null; next = controls.peek()) {
      if (!transmit(next)) {
        return true;
      }
      Control unused = controls.remove();
    }
    // only now: answers that wait are never more than the messages that credit was given for
    if (inflow.isCreditDue()) {
      if (!wire.offer(rank, channel, inflow.tell(envelope), NOTHING, 0, 0)) {
        return true;
      }
      inflow.onTold();
    }
    while (!order.isEmpty() && !isAtBound()) {
      if (!takeTurn(order.getFirst())) {
        return true;
      }
    }
    return isAtBound() && !sendWanted();
  }

  /** At the bound: what was asked for; false if there is no room for it in the channel. */
  private boolean sendWanted() {
    while (!ready.isEmpty()) {
      long pattern = ready.getFirst();
      int tag = (int) pattern;
      QueuedSend first =
          wants.contains(pattern) ? byTag.first((int) (pattern >> 32), rank, tag) : null;
      if (first == null) {
        boolean unused = ready.remove(pattern);
      } else if (!(tag == ANY ? takeTurn(first) : announceEarly(first))) {
        return false;
      }
    }
    return true;
  }

  private boolean transmit(Control control) {
    if (control.kind == Envelope.CTS) {
      envelope.setClearToSend(control.key, control.first, control.second);
    } else {
      envelope.set(control.kind, 0, control.context, control.tag, 0, control.first, control.second);
    }
    return wire.offer(rank, channel, envelope, NOTHING, 0, 0);
  }

  boolean hasWaiting() {
    return byTag.size() > 0 || !controls.isEmpty();
  }

  /** All that waits is taken out. */
  List<SendOp> takeWaiting() {
    List<SendOp> all = new ArrayList<>();
    for (QueuedSend queued : List.copyOf(order)) {
      all.add(queued.op());
      boolean unused = cancel(queued);
    }
    return all;
  }

  /** The rank is no more: what waits for it is handed out, and nothing is said to it any more. */
  List<SendOp> end() {
    ended = true;
    List<SendOp> all = takeWaiting();
    controls.clear();
    wants.clear();
    ready.clear();
    return all;
  }
}
