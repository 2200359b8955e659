// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.ChannelHandler;
import io.crosstie.messaging.CycleHook;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Region;
import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.HeapFullException;
import io.crosstie.ranks.p2p.Messenger;
import io.crosstie.ranks.schedule.Executions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a rank does in each duty cycle of its node: what threads have asked for, what came, who has
 * ended, and what can be sent. All state of the protocol belongs to whoever runs it.
 */
final class RankProgress implements CycleHook {
  private static final int MOST_ASKED = 256;
  private static final int MOST_MESSAGES = 64;

  /**
   * Calls in a row in which something has thrown count as work, since it may have done something
   * before that somebody waits for; no more of them, or the node would never rest.
   */
  private static final int MOST_ERRORS = 8;

  private static final ValueLayout.OfLong ID =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** What a thread asks for. */
  @FunctionalInterface
  interface Action {
    /** Whoever makes progress: does it, once. */
    void run();

    /** Whoever makes progress: it has thrown, and who waits for it is to be told. */
    default void onThrown(Failure why) {}
  }

  private final Queue<Action> asked = new ConcurrentLinkedQueue<>();
  private final Queue<Executions.Lent> foreign = new ConcurrentLinkedQueue<>();
  private final ChannelHandler handler = new Handler();
  private int errorsInRow;
  private volatile @Nullable Parts parts;

  /** What it works on, once the node has started. */
  private record Parts(
      Node node,
      NodeWire wire,
      Messenger messenger,
      Executions executions,
      BiConsumer<Integer, String> onDeath) {}

  /**
   * From now on it works.
   *
   * @param onDeath is told of a rank that this one finds dead
   */
  void begin(
      Node node,
      NodeWire wire,
      Messenger messenger,
      Executions executions,
      BiConsumer<Integer, String> onDeath) {
    parts = new Parts(node, wire, messenger, executions, onDeath);
    node.wakeUp();
  }

  /** Any thread: has something done by whoever makes progress. */
  void ask(Node node, Action action) {
    boolean unused = asked.add(action);
    node.wakeUp();
  }

  @Override
  public int onCycle(long nowNs) {
    Parts on = parts;
    if (on == null) {
      return 0;
    }
    int work = doAsked(on) + takeMessages(on) + takeEvents(on) + progress(on);
    lend(on);
    if (on.messenger.errors().isEmpty()) {
      errorsInRow = 0;
    } else if (errorsInRow < MOST_ERRORS) {
      errorsInRow++;
      work++;
    }
    return work;
  }

  @Override
  public @Nullable Throwable takeError() {
    Parts on = parts;
    return on == null ? null : on.messenger.errors().take();
  }

  private int doAsked(Parts on) {
    int done = 0;
    for (Action action = asked.poll(); action != null; action = asked.poll()) {
      try {
        action.run();
      } catch (RuntimeException | Error e) {
        on.messenger.errors().add(e);
        tell(on, action, e);
      }
      if (++done == MOST_ASKED) {
        break;
      }
    }
    return done;
  }

  private static void tell(Parts on, Action action, Throwable error) {
    try {
      action.onThrown(Failure.unexpected(error));
    } catch (RuntimeException | Error e) {
      on.messenger.errors().add(e);
    }
  }

  private int takeMessages(Parts on) {
    try {
      return on.node.poll(handler, MOST_MESSAGES);
    } catch (RuntimeException | Error e) {
      on.messenger.errors().add(e);
      return 0;
    }
  }

  private int takeEvents(Parts on) {
    try {
      return on.node.pollEvents(event -> take(on, event));
    } catch (RuntimeException | Error e) {
      on.messenger.errors().add(e);
      return 0;
    }
  }

  private void take(Parts on, NodeEvent event) {
    try {
      onEvent(on, event);
    } catch (RuntimeException | Error e) {
      on.messenger.errors().add(e);
    }
  }

  /**
   * Operations first: what they send then leaves in this duty cycle, not in the next. What throws
   * in the messenger or in an operation is contained there.
   */
  private int progress(Parts on) {
    int work = 0;
    try {
      Failure offence = on.messenger.takeOffence();
      if (offence != null) {
        onDeath(on, offence.rank(), offence.text());
      }
      work += on.executions.progress();
    } catch (RuntimeException | Error e) {
      on.messenger.errors().add(e);
    }
    try {
      work += on.messenger.progress();
      NodeWire.Refusal refusal = on.wire.takeRefusal();
      if (refusal != null) {
        onDeath(on, refusal.rank(), refusal.why());
      }
    } catch (RuntimeException | Error e) {
      on.messenger.errors().add(e);
    }
    return work;
  }

  private void lend(Parts on) {
    for (Executions.Lent next = on.executions.borrow();
        next != null;
        next = on.executions.borrow()) {
      try {
        boolean unused = foreign.add(next);
      } catch (Error e) {
        on.messenger.errors().add(e);
        on.executions.giveBack(next, Failure.unexpected(e));
      }
    }
  }

  /**
   * A thread of the application's: does what only the application can.
   *
   * @return whether there was something
   */
  boolean help(Node node) {
    Parts on = parts;
    Executions.Lent next = foreign.poll();
    if (next == null || on == null) {
      return false;
    }
    Failure failure = next.run();
    ask(node, () -> on.executions.giveBack(next, failure));
    return true;
  }

  private void onEvent(Parts on, NodeEvent event) {
    switch (event) {
      case NodeEvent.PeerUp up -> {
        int rank = on.wire.rankOf(up.peer());
        if (rank >= 0) {
          on.wire.onConnected(rank, on.node.peer(up.peer()));
          on.messenger.onConnected(rank);
        }
      }
      case NodeEvent.PeerLost lost -> {
        int rank = on.wire.rankOf(lost.peer());
        Peer peer = rank < 0 ? null : on.wire.peer(rank);
        if (peer != null && peer.state() == Peer.State.CLOSED) {
          onClosed(on, rank); // what it had not accepted is not needed any more
        } else {
          onDeath(on, lost.peer(), "is lost: " + lost.why());
        }
      }
      case NodeEvent.PeerRestarted restarted ->
          onDeath(on, restarted.peer(), "was started anew, and does not come back as it was");
      case NodeEvent.Superseded by -> onDeath(on, by.peer(), "knows another process: " + by.why());
      case NodeEvent.ChannelRefused refused ->
          onDeath(
              on,
              refused.peer(),
              "takes no messages on channel "
                  + refused.channel()
                  + ", since its node has as many channels as it may; open none of the program's"
                  + " own on World.node() in such numbers");
      case NodeEvent.PeerClosed closed -> {
        int rank = on.wire.rankOf(closed.peer());
        if (rank >= 0) {
          onClosed(on, rank);
        }
      }
      default -> {}
    }
  }

  /** So a process ends that leaves, and one that exits: whoever has seen it dead says so later. */
  private void onClosed(Parts on, int rank) {
    end(on, rank, true, "has left the world");
  }

  private void onDeath(Parts on, String peer, String why) {
    int rank = on.wire.rankOf(peer);
    if (rank >= 0) {
      onDeath(on, rank, why);
    }
  }

  private void onDeath(Parts on, int rank, String why) {
    if (on.messenger.end(rank) == null) { // else the connection ends because the rank did
      try {
        end(on, rank, false, why);
      } finally { // it is dead, whatever could not be taken in
        on.onDeath.accept(rank, why);
      }
    }
  }

  /**
   * Whoever makes progress: a rank is no more. What it had sent before is taken in first. One that
   * seemed to have left may turn out to have died.
   */
  void onEnd(int rank, boolean left, String why) {
    Parts on = parts;
    if (on != null) {
      end(on, rank, left, why);
    }
  }

  /** Whoever makes progress: a rank whose connection was begun has had its time to answer. */
  void onFirstContact(int rank, String why) {
    Parts on = parts;
    Peer peer = on == null ? null : on.wire.peer(rank);
    if (on != null && peer != null && peer.state() == Peer.State.CONNECTING) {
      onDeath(on, rank, why);
    }
  }

  /**
   * Whoever makes progress: nobody tells addresses any more, and ranks whose are not known have had
   * their time to connect by themselves.
   */
  void onSilence(String why) {
    Parts on = parts;
    for (int rank = 0; on != null && rank < on.wire.size(); rank++) {
      if (on.wire.peer(rank) == null) {
        String text =
            "rank "
                + rank
                + " cannot be found: nothing was sent to it before, and "
                + why
                + "; exchange a message with it before rank 0 leaves the world";
        on.messenger.onUnreachable(rank, new Failure(Failure.Kind.UNREACHABLE, rank, text));
      }
    }
  }

  private void end(Parts on, int rank, boolean left, String why) {
    Failure known = on.messenger.end(rank);
    if (known != null && (left || known.kind() != Failure.Kind.RANK_LEFT)) {
      return;
    }
    try {
      if (known == null) {
        takeIn(on, rank);
      }
    } finally { // whatever comes of that: nobody waits for it any more
      String text = "rank " + rank + " " + why + "; what needs it cannot be done, all else goes on";
      Failure.Kind kind = left ? Failure.Kind.RANK_LEFT : Failure.Kind.RANK_ENDED;
      Failure failure = new Failure(kind, rank, text);
      on.messenger.onEnd(rank, failure);
      on.executions.onEnd(rank, failure);
    }
  }

  private void takeIn(Parts on, int rank) {
    while (on.node.poll(handler, MOST_MESSAGES) > 0) {
      // what it has put is told of
    }
    Peer peer = on.wire.peer(rank);
    if (peer != null) {
      List<Channel> all = new ArrayList<>(peer.formerChannels());
      all.addAll(peer.channels());
      for (Channel channel : all) {
        drain(on, rank, channel);
      }
    }
  }

  private static void drain(Parts on, int rank, Channel channel) {
    MessageHandler all =
        (segment, offset, length, sequence) -> {
          try {
            boolean unused =
                on.messenger.onMessage(rank, channel.number(), segment, offset, length);
          } catch (HeapFullException e) {
            return Channel.RETRY_LATER; // which ends the loop
          }
          return Channel.CONTINUE;
        };
    while (channel.poll(all, MOST_MESSAGES) > 0) {
      // until nothing is left
    }
  }

  /** What the node tells. */
  private final class Handler implements ChannelHandler {
    @Override
    public MessageHandler.Action onMessage(
        Channel channel, MemorySegment segment, long offset, long length, long sequence) {
      Parts on = parts;
      int rank = on == null ? -1 : on.wire.rankOf(channel);
      if (on != null && rank >= 0) {
        try {
          boolean unused = on.messenger.onMessage(rank, channel.number(), segment, offset, length);
        } catch (HeapFullException e) {
          return Channel.RETRY_LATER;
        }
      }
      return Channel.CONTINUE;
    }

    @Override
    public void onNotification(
        Region region,
        Peer peer,
        MemorySegment bytes,
        long offset,
        int length,
        long targetOffset,
        long targetLength) {
      Parts on = parts;
      int rank = on == null || length != Long.BYTES ? -1 : on.wire.rankOf(peer.name());
      if (on != null && rank >= 0) {
        boolean unused = on.messenger.onPlaced(rank, bytes.get(ID, offset), targetLength);
      }
    }
  }
}
