// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import static io.crosstie.ranks.match.Posted.ANY;

import io.crosstie.ranks.match.MessageTable;
import io.crosstie.ranks.match.ReceiveTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Point to point of one rank: sends, receives, matching, eager and rendezvous, and what becomes of
 * them when ranks end. A state machine without input and output, clock and threads: it belongs to
 * whoever makes progress.
 *
 * <p>Order of calls: {@link #openContext} for each communicator; {@link #send}, {@link #receive}
 * and the others for what the application asks; {@link #onMessage} and {@link #onPlaced} for what
 * came; then {@link #progress}. Outcomes are told inside any of these calls.
 *
 * <p>Contexts come in pairs: an even one for point to point, and the odd one behind it for
 * collective operations, which have a channel and credit of their own.
 */
public final class Messenger {
  /** Both directions of one channel to one rank. */
  private static final class Line {
    final int index;
    final Inflow in;
    final Outflow out;

    /** Of what was announced before its turn, by the sender's numbers. */
    final Map<Long, Arrived> early = new HashMap<>();

    Line(int index, Inflow in, Outflow out) {
      this.index = index;
      this.in = in;
      this.out = out;
    }
  }

  /** A send that was given up. */
  private record GivenUp(int rank, Failure why) {}

  private static final int CHANNELS = 2;
  private static final int MOST_TOLD = 16;

  private final int self;
  private final Limits limits;
  private final Wire wire;
  private final @Nullable Line[] lines;
  private final @Nullable Failure[] ended;
  private final @Nullable Failure[] unreachable;
  private int endedCount;
  private final ReceiveTable<ReceiveOp> posted = new ReceiveTable<>();
  private final MessageTable<Arrived> unexpected = new MessageTable<>();

  /**
   * Announced before their turn: receives of their very tag may take them, unless one that names no
   * tag was posted before, which gets the first of all.
   */
  private final MessageTable<Arrived> early = new MessageTable<>();

  private final Map<Long, SendOp> announced = new HashMap<>();
  private final Map<Long, ReceiveOp> receiving = new HashMap<>();
  private final Contexts contexts;

  /** Sends that were given up, and whose receives may still ask for their data. */
  private final Map<Long, GivenUp> givenUp =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, GivenUp> eldest) {
          return size() > Limits.MOST_GIVEN_UP;
        }
      };

  private final Errors errors = new Errors();
  private final ArrayDeque<Outflow> busy = new ArrayDeque<>();
  private final List<Transfer> transfers = new ArrayList<>();
  private final Envelope envelope = new Envelope();
  private @Nullable Failure offence;

  /** Receives have not asked yet, since one without a tag was posted before them. */
  private boolean asksLeft;

  /** What came early, or was not asked for, is to be looked at anew. */
  private boolean looksAgain;

  private long lastId;
  private long localBytes;
  private long dropped;
  private long late;
  private long work;

  /** Of a rank in a world of that size. */
  public Messenger(int self, int size, Limits limits, Wire wire) {
    this.self = self;
    this.limits = limits;
    this.wire = wire;
    this.contexts = new Contexts(size);
    this.lines = new Line[size * CHANNELS];
    this.ended = new Failure[size];
    this.unreachable = new Failure[size];
  }

  // ------------------------------------------------------------------ what the application asks

  /**
   * A communicator comes into being here.
   *
   * @param context the even one
   * @param members ranks of the world
   * @throws IllegalArgumentException if it was closed before
   */
  public void openContext(int context, BitSet members) {
    contexts.open(context, (BitSet) members.clone());
  }

  /**
   * The application needs a communicator no more, and begins nothing in it. What is under way in it
   * comes to its end; then it is closed: messages that no receive has taken are dropped, also those
   * that come later, and their senders told if they wait for that.
   *
   * @param context the even one
   */
  public void freeContext(int context) {
    Context of = contexts.find(context);
    boolean unused = of != null && of.free();
  }

  /**
   * Something begins in a communicator that is more than one send or receive, so that it is not
   * closed meanwhile; {@link #release} ends it.
   *
   * @return why it cannot, null if it does
   */
  public @Nullable Failure hold(int context) {
    Context of = contexts.find(context);
    if (of == null) {
      return Failures.freed();
    }
    of.hold();
    return null;
  }

  /** It is over. */
  public void release(int context) {
    Context of = contexts.find(context);
    if (of != null) {
      of.release();
    }
  }

  /** Sends a message. */
  public void send(SendOp op) {
    Context of = contexts.find(op.context());
    Failure end = of == null ? Failures.freed() : ended[op.rank()];
    end = end == null ? unreachable[op.rank()] : end;
    if (of == null || end != null) {
      op.finish(end);
      return;
    }
    op.begin(++lastId, of);
    if (op.rank() == self) {
      sendToSelf(op);
      return;
    }
    Outflow out = line(op.rank(), op.context()).out;
    out.send(op);
    if (out.hasWaiting()) {
      list(out);
    }
  }

  private @Nullable ReceiveOp match(int context, int rank, int tag) {
    ReceiveOp receive = posted.match(context, rank, tag);
    if (receive != null) {
      onUnposted(receive);
    }
    return receive;
  }

  /** One is not posted any more, which others may have had to wait for. */
  private void onUnposted(ReceiveOp receive) {
    looksAgain |= receive.tag() == ANY && (asksLeft || early.size() > 0);
  }

  private boolean unpost(ReceiveOp receive) {
    boolean was = posted.remove(receive);
    if (was) {
      onUnposted(receive);
    }
    return was;
  }

  private void sendToSelf(SendOp op) {
    ReceiveOp receive = match(op.context(), self, op.tag());
    if (receive != null) {
      takeLocal(receive, op);
      return;
    }
    if (op.isReady()) {
      op.finish(Failures.notReady(self, op.tag()));
      return;
    }
    boolean copies =
        !op.isSynchronous()
            && op.length() <= limits.eagerBytes()
            && localBytes + op.length() <= limits.unexpectedBytes();
    try {
      unexpected.add(copies ? Arrived.localCopy(op) : Arrived.local(op));
    } catch (RuntimeException | InternalError e) {
      unexpected.add(Arrived.localUnreadable(op)); // so that its receive is told
      op.finish(Failures.unreadable(e));
      return;
    }
    if (copies) {
      localBytes += op.length();
      op.finish(null);
    }
  }

  /** Posts a receive. */
  public void receive(ReceiveOp op) {
    Context of = contexts.find(op.context());
    if (of == null) {
      op.finish(Failures.freed());
      return;
    }
    op.begin(of);
    Arrived message = find(op.context(), op.source(), op.tag());
    if (message != null) {
      take(message);
      deliver(message, op);
      return;
    }
    Failure end = whyNothingComes(op.context(), op.source());
    if (end != null) {
      op.finish(end);
      return;
    }
    posted.add(op);
    ask(op);
  }

  /** The oldest that fits; of those that came before their turn only one of that very tag. */
  private @Nullable Arrived find(int context, int source, int tag) {
    Arrived message = unexpected.first(context, source, tag);
    if (message != null || tag == ANY || early.size() == 0) {
      return message;
    }
    if (source != ANY) {
      return findEarly(context, source, tag);
    }
    BitSet members = contexts.members(context);
    for (int rank = members.nextSetBit(0); rank >= 0; rank = members.nextSetBit(rank + 1)) {
      message = findEarly(context, rank, tag);
      if (message != null) {
        return message;
      }
    }
    return null;
  }

  /** One that came before its turn, and that no receive which is posted may get. */
  private @Nullable Arrived findEarly(int context, int rank, int tag) {
    Arrived message = early.first(context, rank, tag);
    return message == null || posted.first(context, rank, tag) != null ? null : message;
  }

  private void take(Arrived message) {
    if (early.remove(message)) {
      Arrived unused = line(message.source(), message.context()).early.remove(message.sendId());
      return;
    }
    boolean unused = unexpected.remove(message);
    if (message.source() == self) {
      localBytes -= message.chargedBytes();
    } else {
      Line line = line(message.source(), message.context());
      line.in.onTaken(message.chargedBytes());
      if (line.in.isCreditDue()) {
        list(line.out);
      }
    }
  }

  private @Nullable Failure whyNothingComes(int context, int source) {
    if (source != ANY) {
      return ended[source];
    }
    if (endedCount == 0) {
      return null;
    }
    BitSet members = contexts.members(context);
    if (members.cardinality() <= 1) {
      return null;
    }
    Failure last = null;
    for (int rank = members.nextSetBit(0); rank >= 0; rank = members.nextSetBit(rank + 1)) {
      if (rank != self) {
        last = ended[rank];
        if (last == null) {
          return null;
        }
      }
    }
    return last;
  }

  /** Has those that hold messages back send one that fits a receive that is posted. */
  private void ask(ReceiveOp receive) {
    if (receive.source() != ANY) {
      askFor(receive, receive.source());
      return;
    }
    BitSet members = contexts.members(receive.context());
    for (int rank = members.nextSetBit(0); rank >= 0; rank = members.nextSetBit(rank + 1)) {
      askFor(receive, rank);
    }
  }

  /** One without a tag that was posted before gets its message first. */
  private void askFor(ReceiveOp receive, int rank) {
    Line line = rank == self ? null : lines[index(rank, receive.context())];
    if (line == null || !line.in.isAtBound()) {
      return;
    }
    if (receive.tag() != ANY && posted.hasAnyTagBefore(receive, rank)) {
      asksLeft = true;
    } else {
      askRank(rank, receive.context(), receive.tag());
    }
  }

  private void ask(int context, int source, int tag) {
    if (source != ANY) {
      askRank(source, context, tag);
      return;
    }
    BitSet members = contexts.members(context);
    for (int rank = members.nextSetBit(0); rank >= 0; rank = members.nextSetBit(rank + 1)) {
      askRank(rank, context, tag);
    }
  }

  private void askRank(int rank, int context, int tag) {
    Line line = rank == self ? null : lines[index(rank, context)];
    if (line != null && line.in.isAtBound() && line.out.want(context, tag)) {
      list(line.out);
    }
  }

  /** The oldest message that a receive of that kind would get; it stays. */
  public @Nullable Arrived probe(int context, int source, int tag) {
    Arrived message = find(context, source, tag);
    if (message == null) {
      ask(context, source, tag);
    }
    return message;
  }

  /** Why a probe will never find anything, null if it may. */
  public @Nullable Failure whyNothingToProbe(int context, int source) {
    return whyNothingComes(context, source);
  }

  /** Takes such a message, for {@link #receiveMatched}. */
  public @Nullable Arrived takeMatched(int context, int source, int tag) {
    Arrived message = probe(context, source, tag);
    if (message != null) {
      take(message);
    }
    return message;
  }

  /** Receives a message that was taken. */
  public void receiveMatched(Arrived message, ReceiveOp op) {
    deliver(message, op);
  }

  /** Takes a receive back, if no message was found for it. */
  public boolean cancel(ReceiveOp op) {
    boolean was = unpost(op);
    if (was) {
      op.finish(Failures.cancelled());
    }
    return was;
  }

  /** Takes a send back, if nothing of it has left. */
  public boolean cancel(SendOp op) {
    QueuedSend queued = op.queued();
    if (queued == null || queued.isEarly() || !line(op.rank(), op.context()).out.cancel(queued)) {
      return false;
    }
    op.finish(Failures.cancelled());
    return true;
  }

  /** Gives a receive up, whatever has happened for it; what still comes for it is dropped. */
  public void abandon(ReceiveOp op) {
    if (op.isOver() || cancel(op)) {
      return;
    }
    endReceiving(op, Failures.cancelled());
  }

  private void endReceiving(ReceiveOp op, Failure why) {
    for (Map.Entry<Long, ReceiveOp> each : List.copyOf(receiving.entrySet())) {
      if (each.getValue() == op) {
        end(each.getKey(), op, why);
      }
    }
  }

  /**
   * Gives a send up; if its data is on its way, that goes on.
   *
   * @param why told to the receive that still asks for it
   */
  public void abandon(SendOp op, Failure why) {
    if (op.isOver() || cancel(op)) {
      return;
    }
    if (announced.containsKey(op.id())) {
      forget(op);
      GivenUp unused = givenUp.put(op.id(), new GivenUp(op.rank(), why));
      op.finish(Failures.cancelled());
    }
  }

  /**
   * What was done for a receive has thrown: it is over, whatever had happened for it, and says why.
   */
  public void fail(ReceiveOp op, Failure why) {
    if (!op.isOver()) {
      boolean unused = unpost(op);
      endReceiving(op, why);
      op.finish(why);
    }
  }

  /**
   * What was done for a send has thrown: it is over and says why, unless its data is on its way,
   * which goes on. A receive that asks for its data is told.
   */
  public void fail(SendOp op, Failure why) {
    if (op.isOver() || transfers.stream().anyMatch(transfer -> transfer.isOf(op))) {
      return;
    }
    QueuedSend queued = op.queued();
    if (queued != null) {
      line(op.rank(), op.context()).out.drop(queued);
    }
    SendOp unused = announced.remove(op.id());
    if (op.id() > 0) { // it has begun
      GivenUp unusedToo = givenUp.put(op.id(), new GivenUp(op.rank(), why));
    }
    op.finish(why);
  }

  // ------------------------------------------------------------------ what came

  /**
   * A message of another rank.
   *
   * @param offset where its envelope begins, with the data behind it
   * @param length of both
   * @return false if it makes no sense, and was dropped
   * @throws HeapFullException if it is to be handed in again later
   */
  public boolean onMessage(int rank, int channel, MemorySegment memory, long offset, long length) {
    if (length < Envelope.BYTES || ended[rank] != null) {
      dropped++;
      return false;
    }
    Envelope e = envelope.read(memory, offset);
    long data = offset + Envelope.BYTES;
    long bytes = length - Envelope.BYTES;
    boolean sound =
        channel == Wire.BULK
            ? onBulk(rank, e, memory, data, bytes)
            : onEnvelope(rank, channel, e, memory, data, bytes);
    if (!sound) {
      dropped++;
    }
    return sound;
  }

  private boolean onEnvelope(
      int rank, int channel, Envelope e, MemorySegment memory, long offset, long length) {
    if (channel != Wire.POINT_TO_POINT && channel != Wire.COLLECTIVE) {
      return false;
    }
    Line line = line(rank, channel - Wire.POINT_TO_POINT);
    int kind = e.kind();
    boolean isMessage = kind == Envelope.EAGER || kind == Envelope.RTS || kind == Envelope.TURN;
    if (isMessage || kind == Envelope.WANT || kind == Envelope.UNWANT) {
      if (e.context() < 0 || index(rank, e.context()) != line.index || e.tag() < ANY) {
        return false;
      }
      if (contexts.isClosed(e.context())) {
        onLate(line, rank, e, length);
        return true;
      }
    }
    if (isMessage && (e.tag() == ANY || e.second() < 0 || !isAllowed(line, e, length))) {
      if (offence == null) {
        offence = Failures.offence(rank);
      }
      return false;
    }
    switch (kind) {
      case Envelope.EAGER -> onEager(line, rank, e, memory, offset, length);
      case Envelope.RTS -> onAnnouncement(line, rank, e);
      case Envelope.TURN -> onTurn(line, rank, e.context(), e.tag(), e.answers(), e.first());
      case Envelope.CTS -> {
        return onClearToSend(rank, e.key(), e.first(), e.second());
      }
      case Envelope.ACK -> {
        SendOp op = ofRank(announced.get(e.first()), rank);
        if (op == null) {
          return false;
        }
        forget(op);
        op.finish(null);
      }
      case Envelope.REFUSED -> {
        SendOp op = ofRank(announced.get(e.first()), rank);
        boolean freed = e.second() == Envelope.FREED;
        if (op == null || !(freed || op.isReady())) {
          return false;
        }
        forget(op);
        op.finish(freed ? Failures.freedThere(rank, op.tag()) : Failures.notReady(rank, op.tag()));
      }
      case Envelope.CREDIT -> {
        line.out.onCredit(e.first(), e.second());
        list(line.out);
      }
      case Envelope.WANT -> {
        line.out.onWant(e.context(), e.tag());
        list(line.out);
      }
      case Envelope.UNWANT -> line.out.forgetWants(e.context());
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Whether the sender keeps to the bounds: early ones were asked for, others are within them. */
  private static boolean isAllowed(Line line, Envelope e, long length) {
    boolean isEarly = e.kind() == Envelope.RTS && (e.flags() & Envelope.EARLY) != 0;
    return isEarly
        ? e.answers() == Envelope.ANSWERS_TAG && line.in.hasAsked(e.context(), e.tag())
        : line.in.accepts(e.context(), length, e.answers());
  }

  /**
   * Of a communicator that is closed here: nothing is kept of it, so it is within all bounds. Who
   * waits for its receive is told that there will be none.
   */
  private void onLate(Line line, int rank, Envelope e, long length) {
    late++;
    int kind = e.kind();
    if (kind == Envelope.WANT || kind == Envelope.UNWANT) {
      return; // nothing of it is sent any more
    }
    boolean inTurn = (e.flags() & Envelope.EARLY) == 0;
    if (inTurn) {
      line.in.onArrival(length);
      line.in.onTaken(length);
    }
    int context = e.context();
    int tag = e.tag();
    int answers = e.answers();
    boolean isReadable = (e.flags() & Envelope.UNREADABLE) == 0;
    if (isReadable && (kind == Envelope.RTS || (e.flags() & Envelope.SYNCHRONOUS) != 0)) {
      line.out.refuse(e.first(), Envelope.FREED);
    }
    afterArrival(line, rank, context, tag, answers, inTurn);
  }

  /** Nothing is under way in a communicator that was freed: nothing of it is kept. */
  private void close(Context of) {
    for (int context = of.number(); context < of.number() + CHANNELS; context++) {
      dropAll(unexpected, context);
      dropAll(early, context);
      BitSet members = of.members();
      for (int rank = members.nextSetBit(0); rank >= 0; rank = members.nextSetBit(rank + 1)) {
        Line line = rank == self ? null : lines[index(rank, context)];
        if (line != null) {
          line.out.forgetWants(context);
          if (line.in.forgetAsked(context)) {
            line.out.unwant(context);
            list(line.out);
          }
          if (line.in.takeAsksLeft()) {
            asksLeft = true;
            looksAgain = true;
          }
        }
      }
    }
    contexts.close(of);
    work++;
  }

  private void dropAll(MessageTable<Arrived> table, int context) {
    for (Arrived message = table.first(context, ANY, ANY);
        message != null;
        message = table.first(context, ANY, ANY)) {
      take(message);
      late++;
      int rank = message.source();
      if (rank != self && message.isAwaited() && ended[rank] == null) {
        Outflow out = line(rank, context).out;
        out.refuse(message.sendId(), Envelope.FREED);
        list(out);
      }
    }
  }

  private void onEager(
      Line line, int rank, Envelope e, MemorySegment memory, long offset, long length) {
    int context = e.context();
    int tag = e.tag();
    int answers = e.answers();
    boolean isReady = (e.flags() & Envelope.READY) != 0;
    if (!isReady && posted.first(context, rank, tag) == null) {
      Arrived message;
      try {
        message = Arrived.eager(e, rank, memory, offset, length);
      } catch (OutOfMemoryError error) {
        throw HeapFullException.INSTANCE;
      }
      unexpected.add(message);
      line.in.onArrival(length);
      afterArrival(line, rank, context, tag, answers, true);
      return;
    }
    line.in.onArrival(length);
    ReceiveOp receive = match(context, rank, tag);
    if (receive == null) {
      line.in.onTaken(length);
      line.out.refuse(e.first(), Envelope.NOT_POSTED);
    } else {
      line.in.onTaken(length);
      boolean synchronous = (e.flags() & Envelope.SYNCHRONOUS) != 0;
      long sendId = e.first();
      receive.matched(rank, tag, length, e.mark());
      copyAll(receive, memory, offset, length);
      if (synchronous) {
        line.out.acknowledge(sendId);
      }
    }
    afterArrival(line, rank, context, tag, answers, true);
  }

  private void onAnnouncement(Line line, int rank, Envelope e) {
    Arrived message = Arrived.announced(e, rank);
    int answers = e.answers();
    boolean isEarly = (message.flags() & Envelope.EARLY) != 0;
    if (isEarly) {
      ReceiveOp receive = posted.first(message.context(), rank, message.tag());
      if (receive == null || receive.tag() == ANY) {
        early.add(message);
        Arrived unused = line.early.put(message.sendId(), message);
      } else {
        boolean unused = unpost(receive);
        deliver(message, receive);
      }
    } else {
      line.in.onArrival(0);
      match(line, message);
    }
    afterArrival(line, rank, message.context(), message.tag(), answers, !isEarly);
  }

  private void match(Line line, Arrived message) {
    ReceiveOp receive = match(message.context(), message.source(), message.tag());
    if (receive == null && (message.flags() & Envelope.READY) != 0) {
      line.in.onTaken(0);
      if (message.isAwaited()) { // the sender of one that cannot be read knows
        line.out.refuse(message.sendId(), Envelope.NOT_POSTED);
      }
    } else if (receive == null) {
      unexpected.add(message);
    } else {
      line.in.onTaken(0);
      deliver(message, receive);
    }
  }

  /** What came before its turn now is in its place among the others. */
  private void onTurn(Line line, int rank, int context, int tag, int answers, long sendId) {
    line.in.onArrival(0);
    Arrived message = line.early.get(sendId);
    if (message == null) {
      line.in.onTaken(0); // a receive has taken it
    } else {
      take(message);
      match(line, message);
    }
    afterArrival(line, rank, context, tag, answers, true);
  }

  /** The bound may be reached, or a question answered that others still ask. */
  private void afterArrival(
      Line line, int rank, int context, int tag, int answers, boolean inTurn) {
    boolean answered = false;
    if ((answers & Envelope.ANSWERS_TAG) != 0) {
      answered = line.in.onAnswer(Inflow.pattern(context, tag));
    }
    if ((answers & Envelope.ANSWERS_ANY) != 0) {
      answered |= line.in.onAnswer(Inflow.pattern(context, ANY));
    }
    if (inTurn && line.in.isJustAtBound() && posted.size() > 0) {
      posted.forEach(
          receive -> {
            if (concerns(receive, rank) && index(rank, receive.context()) == line.index) {
              askFor(receive, rank);
            }
          });
    } else if (answered) {
      askAgain(rank, context, tag);
      askAgain(rank, context, ANY);
    }
    if (answered && line.in.takeAsksLeft()) {
      asksLeft = true;
      looksAgain = true;
    }
    list(line.out);
  }

  private void askAgain(int rank, int context, int tag) {
    askAgain(posted.firstOf(context, rank, tag), rank);
    askAgain(posted.firstOf(context, ANY, tag), rank);
  }

  private void askAgain(@Nullable ReceiveOp receive, int rank) {
    if (receive != null) {
      askFor(receive, rank);
    }
  }

  /** Receives without a tag have gone: others may take what came early, or ask now. */
  private void lookAgain() {
    looksAgain = false;
    if (early.size() > 0) {
      List<Arrived> all = new ArrayList<>();
      early.forEach(all::add);
      for (Arrived message : all) {
        ReceiveOp receive = posted.first(message.context(), message.source(), message.tag());
        if (receive != null && receive.tag() != ANY) {
          boolean unused = unpost(receive);
          take(message);
          deliver(message, receive);
        }
      }
    }
    if (asksLeft) {
      asksLeft = false;
      posted.forEach(this::ask);
    }
  }

  private boolean concerns(ReceiveOp receive, int rank) {
    if (receive.source() != ANY) {
      return receive.source() == rank;
    }
    return contexts.members(receive.context()).get(rank);
  }

  /** A receive and its message have met. */
  private void deliver(Arrived message, ReceiveOp receive) {
    SendOp local = message.local();
    if (local != null) {
      takeLocal(receive, local);
      return;
    }
    int rank = message.source();
    receive.matched(rank, message.tag(), message.length(), message.mark());
    MemorySegment data = message.data();
    Outflow out = rank == self ? null : line(rank, message.context()).out;
    if (message.isUnreadable()) {
      receive.finish(Failures.unreadableThere(rank));
    } else if (data != null) {
      copyAll(receive, data, 0, message.length());
      if ((message.flags() & Envelope.SYNCHRONOUS) != 0 && out != null) {
        out.acknowledge(message.sendId());
      }
    } else if (out != null) {
      begin(message, receive, out);
    }
    if (out != null) {
      list(out);
    }
  }

  /** Rendezvous: tells the sender where the data goes. */
  private void begin(Arrived message, ReceiveOp receive, Outflow out) {
    int rank = message.source();
    Failure end = ended[rank];
    if (end != null) { // since it was taken by a matched probe
      receive.finish(end);
      return;
    }
    long length = message.length();
    if (!receive.fits(length)) {
      out.acknowledge(message.sendId());
      receive.finish(Failures.truncated(rank, message.tag(), length, receive.memory().byteSize()));
      return;
    }
    if (length == 0) {
      out.acknowledge(message.sendId());
      receive.finish(null);
      return;
    }
    long id = ++lastId;
    try {
      if ((message.flags() & Envelope.NO_PUT) == 0 && receive.memory().isNative()) {
        receive.exported(wire.export(rank, receive.memory().asSlice(0, length)));
      }
      ReceiveOp unused = receiving.put(id, receive);
    } catch (RuntimeException | Error e) {
      out.acknowledge(message.sendId()); // or the sender would wait for ever
      list(out);
      end(id, receive, Failure.unexpected(e));
      throw e;
    }
    out.clearToSend(receive.key(), message.sendId(), id);
  }

  private void copyAll(ReceiveOp receive, MemorySegment from, long offset, long length) {
    if (!receive.fits(length)) {
      receive.finish(
          Failures.truncated(
              receive.fromRank(), receive.withTag(), length, receive.memory().byteSize()));
      return;
    }
    try {
      MemorySegment.copy(from, offset, receive.memory(), 0, length);
    } catch (RuntimeException | InternalError e) {
      receive.finish(Failures.unwritable(e));
      return;
    }
    receive.finish(null);
  }

  private void takeLocal(ReceiveOp receive, SendOp op) {
    receive.matched(self, op.tag(), op.length(), op.mark());
    Failure unreadable = op.length() > 0 ? unreadable(op.memory()) : null;
    if (unreadable == null) {
      copyAll(receive, op.memory(), 0, op.length());
    } else {
      receive.finish(Failures.unreadableThere(self));
    }
    op.finish(unreadable);
  }

  /** Why this thread cannot read it, null if it can. */
  private static @Nullable Failure unreadable(MemorySegment memory) {
    try {
      // The last one: of a mapped file that was cut the first may still be there.
      byte unused = memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1);
      return null;
    } catch (RuntimeException | InternalError e) {
      return Failures.unreadable(e);
    }
  }

  private boolean onClearToSend(int rank, long key, long sendId, long receiveId) {
    SendOp op = ofRank(announced.get(sendId), rank);
    if (op == null) {
      return onLateClearToSend(rank, sendId, receiveId);
    }
    forget(op);
    transfers.add(new Transfer(op, op.memory().isNative() ? key : 0, receiveId, wire));
    return true;
  }

  /** Of a send that was given up: its receive is told. False if there was none, or long ago. */
  private boolean onLateClearToSend(int rank, long sendId, long receiveId) {
    GivenUp op = givenUp.get(sendId);
    if (op == null || op.rank() != rank) {
      return false;
    }
    GivenUp unused = givenUp.remove(sendId);
    transfers.add(Transfer.givenUp(rank, receiveId, op.why(), wire));
    return true;
  }

  private static @Nullable SendOp ofRank(@Nullable SendOp op, int rank) {
    return op != null && op.rank() == rank ? op : null;
  }

  /** Its envelope has met a receive. */
  private void forget(SendOp op) {
    SendOp unused = announced.remove(op.id());
    QueuedSend queued = op.queued(); // it went before its turn
    if (queued != null) {
      boolean unusedToo = line(op.rank(), op.context()).out.cancel(queued);
    }
  }

  private boolean onBulk(int rank, Envelope e, MemorySegment memory, long offset, long length) {
    ReceiveOp receive = receiving.get(e.first());
    if (receive == null || receive.fromRank() != rank) {
      return false;
    }
    if (e.kind() == Envelope.FAILED) {
      byte[] text = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
      String why = new String(text, StandardCharsets.UTF_8);
      end(e.first(), receive, Failures.notSent(rank, e.flags(), e.tag(), ended.length, why));
      return true;
    }
    if (e.kind() != Envelope.DATA || e.second() != receive.received() || !receive.got(length)) {
      return false;
    }
    try {
      MemorySegment.copy(memory, offset, receive.memory(), e.second(), length);
    } catch (RuntimeException | InternalError error) {
      end(e.first(), receive, Failures.unwritable(error)); // what still comes is dropped
      return true;
    }
    if (receive.isComplete()) {
      end(e.first(), receive, null);
    }
    return true;
  }

  /** Bytes were put into the memory of a receive. */
  public boolean onPlaced(int rank, long receiveId, long length) {
    ReceiveOp receive = receiving.get(receiveId);
    if (receive == null || receive.fromRank() != rank || !receive.got(length)) {
      dropped++;
      return false;
    }
    if (receive.isComplete()) {
      end(receiveId, receive, null);
    }
    return true;
  }

  private void end(long id, ReceiveOp receive, @Nullable Failure failure) {
    ReceiveOp unused = receiving.remove(id);
    if (receive.key() != 0) {
      wire.unexport(receive.key());
    }
    receive.finish(failure);
  }

  // ------------------------------------------------------------------ who has ended

  /**
   * A rank is no more; all that it had sent was handed in before. What needs it ends with that
   * failure; a receive from any source does if that rank is a member of its communicator, once.
   * That a rank has died takes the place of that it has left; nothing else changes what is known.
   */
  public void onEnd(int rank, Failure failure) {
    Failure known = ended[rank];
    if (rank == self || (known != null && known.kind() != Failure.Kind.RANK_LEFT)) {
      return;
    }
    ended[rank] = failure;
    if (known != null) {
      return; // nothing waits for it any more
    }
    endedCount++;
    for (int channel = 0; channel < CHANNELS; channel++) {
      Line line = lines[index(rank, channel)];
      if (line != null) {
        line.out.end().forEach(op -> op.finish(failure));
      }
    }
    for (SendOp op : List.copyOf(announced.values())) {
      if (op.rank() == rank) {
        SendOp unused = announced.remove(op.id());
        op.finish(failure);
      }
    }
    transfers.forEach(
        transfer -> {
          if (transfer.rank() == rank) {
            transfer.fail(failure);
          }
        });
    for (Map.Entry<Long, ReceiveOp> each : List.copyOf(receiving.entrySet())) {
      if (each.getValue().fromRank() == rank) {
        end(each.getKey(), each.getValue(), failure);
      }
    }
    dropAnnounced(rank);
    boolean unusedToo = givenUp.values().removeIf(op -> op.rank() == rank);
    List<ReceiveOp> concerned = new ArrayList<>();
    posted.forEach(
        receive -> {
          if (concerns(receive, rank)) {
            concerned.add(receive);
          }
        });
    for (ReceiveOp receive : concerned) {
      boolean unused = unpost(receive);
      receive.finish(failure);
    }
  }

  /**
   * A rank to which nothing was ever sent cannot be found any more. What is to be sent to it fails;
   * it may still connect by itself, and so what it may send is waited for.
   */
  public void onUnreachable(int rank, Failure failure) {
    if (rank == self || ended[rank] != null) {
      return;
    }
    unreachable[rank] = failure;
    for (int channel = 0; channel < CHANNELS; channel++) {
      Line line = lines[index(rank, channel)];
      if (line != null) {
        line.out.takeWaiting().forEach(op -> op.finish(failure));
      }
    }
  }

  /** It is connected. */
  public void onConnected(int rank) {
    unreachable[rank] = null;
  }

  /**
   * A rank that does not keep to the bounds, and so cannot be gone on with; null if there is none.
   * It is for the caller to declare it ended.
   */
  public @Nullable Failure takeOffence() {
    Failure taken = offence;
    offence = null;
    return taken;
  }

  /** Their data will never come. */
  private void dropAnnounced(int rank) {
    List<Arrived> gone = new ArrayList<>();
    unexpected.forEach(
        message -> {
          if (message.source() == rank && message.data() == null && message.length() > 0) {
            gone.add(message);
          }
        });
    early.forEach(
        message -> {
          if (message.source() == rank) {
            gone.add(message);
          }
        });
    gone.forEach(this::take);
  }

  /** Why a rank is no more, null if it is not known to have ended. */
  public @Nullable Failure end(int rank) {
    return ended[rank];
  }

  // ------------------------------------------------------------------ progress

  /** What {@link #progress} and others could not do, for the caller to take and tell. */
  public Errors errors() {
    return errors;
  }

  /**
   * Sends what can be sent. What throws is kept in {@link #errors} and tried again with the next
   * call; it keeps nothing else from being sent.
   *
   * @return how much was done
   */
  public int progress() {
    long before = work;
    for (Context of = contexts.nextOver(); of != null; of = contexts.nextOver()) {
      if (of.takeClose()) {
        close(of);
      }
    }
    if (looksAgain) {
      lookAgain();
    }
    for (int visits = busy.size(); visits > 0; visits--) {
      Outflow out = busy.remove();
      out.unlist();
      boolean again = true;
      try {
        again = out.pump();
      } catch (RuntimeException | Error e) {
        errors.add(e);
      }
      if (again) {
        list(out);
      } else {
        work++;
      }
    }
    if (!transfers.isEmpty()) {
      int many = transfers.size();
      boolean unused = transfers.removeIf(this::pump);
      work += many - transfers.size();
    }
    return (int) (work - before);
  }

  private boolean pump(Transfer transfer) {
    try {
      return transfer.pump();
    } catch (RuntimeException | Error e) {
      errors.add(e);
      return false;
    }
  }

  private void list(Outflow out) {
    if (out.list()) {
      busy.add(out);
    }
  }

  /** Whether nothing waits to be sent here. */
  public boolean isQuiet() {
    return busy.isEmpty() && transfers.isEmpty();
  }

  /** Receives that are posted. */
  public int posted() {
    return posted.size();
  }

  /** Messages that no receive has taken. */
  public int unexpected() {
    return unexpected.size() + early.size();
  }

  /** Messages that made no sense. */
  public long dropped() {
    return dropped;
  }

  /** Messages that no receive had taken when their communicator was closed here, or later. */
  public long late() {
    return late;
  }

  /** Communicators that are open here. */
  public int openContexts() {
    return contexts.count();
  }

  /** How much memory it takes to know those that are closed, in bits. */
  long closedBits() {
    return contexts.closedBits();
  }

  /**
   * The context of a communicator whose number a rank gives; the odd one behind it is of collective
   * operations.
   *
   * @param round 0 for the first one that it gives
   * @return 2 or more; 0 if none are left
   */
  public static int contextNumber(int rank, int size, long round) {
    return Contexts.number(rank, size, round);
  }

  private int index(int rank, int context) {
    return rank * CHANNELS + (context & 1);
  }

  private Line line(int rank, int context) {
    int index = index(rank, context);
    Line line = lines[index];
    if (line == null) {
      Inflow in = new Inflow(limits);
      int channel = Wire.POINT_TO_POINT + (context & 1);
      line =
          new Line(
              index,
              in,
              new Outflow(
                  rank,
                  channel,
                  limits,
                  wire,
                  in,
                  op -> {
                    SendOp unused = announced.put(op.id(), op);
                  }));
      lines[index] = line;
    }
    return line;
  }

  // ------------------------------------------------------------------ for a person

  /** Adds what is pending here, a line each, and only so many of each kind. */
  public void describe(List<String> to) {
    List<String> all = new ArrayList<>();
    posted.forEach(op -> all.add("waits for " + pattern(op.context(), op.source(), op.tag())));
    some(all, posted.size() + " receives are posted", to);
    unexpected.forEach(
        message ->
            all.add(
                "holds "
                    + pattern(message.context(), message.source(), message.tag())
                    + ", "
                    + message.length()
                    + " bytes, which no receive has taken"));
    some(all, unexpected() + " messages are unexpected", to);
    receiving.forEach(
        (id, op) -> all.add("receives " + pattern(op.context(), op.fromRank(), op.withTag())));
    some(all, receiving.size() + " long messages are received", to);
    announced.forEach(
        (id, op) ->
            all.add(
                "waits until rank "
                    + op.rank()
                    + " has a receive for tag "
                    + op.tag()
                    + ", "
                    + op.length()
                    + " bytes"));
    some(all, announced.size() + " announced messages wait for their receives", to);
    for (Line line : lines) {
      if (line != null && line.out.hasWaiting()) {
        all.add("holds messages for rank " + line.index / CHANNELS + " back");
      }
    }
    some(all, all.size() + " ranks are sent no more for now", to);
    if (late > 0) {
      to.add(late + " messages were left when their communicators were freed, and dropped");
    }
  }

  private static String pattern(int context, int source, int tag) {
    return (context % CHANNELS == 0 ? "a message" : "a part of a collective operation")
        + " of "
        + (source == ANY ? "any rank" : "rank " + source)
        + " with "
        + (tag == ANY ? "any tag" : "tag " + tag)
        + " in communicator "
        + context / CHANNELS;
  }

  private static void some(List<String> all, String heading, List<String> to) {
    to.add(heading);
    all.stream().limit(MOST_TOLD).map(line -> "  " + line).forEach(to::add);
    all.clear();
  }
}
