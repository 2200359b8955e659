// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.channel.ChannelCore;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Tells when messages go where nobody looks, since one side has the other's name wrong: who is
 * connected under a name that nobody here expects, and whose channels nobody has asked for; and a
 * peer whose application takes nothing of what this node sends. Looks now and then, beside the
 * message path; on the engine's thread.
 */
final class PollWatch {
  /** So long may channels of a peer that was not configured wait before that is told. */
  static final long UNASKED_SECONDS = 3;

  /** The first look at what a peer has taken, the second one comes as much later, then doubling. */
  private static final long UNTAKEN_SECONDS = 5;

  private static final long MOST_SECONDS = 40;

  /** What is told of a look that found the same as the one before. */
  private static final class Looked {
    long seconds = UNTAKEN_SECONDS;
    boolean untaken;
  }

  private final Node node;
  private final WeakReference<Node> weakly; // nothing that waits for its time keeps a closed node

  /** For each peer that is up and of which it is not known yet; no more than there are peers. */
  private final Map<String, Looked> looked = new HashMap<>();

  PollWatch(Node node) {
    this.node = node;
    this.weakly = new WeakReference<>(node);
  }

  /** What happened that may have to be looked after. */
  void onEvent(NodeEvent event) {
    switch (event) {
      case NodeEvent.PeerUp up -> {
        Looked first = new Looked();
        Looked unused = looked.put(up.peer(), first);
        later(UNTAKEN_SECONDS, watch -> watch.lookWhetherTaken(up.peer(), first));
      }
      case NodeEvent.ChannelOpenedByPeer opened -> {
        if (!node.isConfigured(opened.peer()) && node.peer(opened.peer()).beginWatch()) {
          later(UNASKED_SECONDS, watch -> watch.lookWhetherAsked(opened.peer()));
        }
      }
      default -> {}
    }
  }

  @FunctionalInterface
  private interface Look {
    void by(PollWatch watch);
  }

  private void later(long seconds, Look look) {
    WeakReference<Node> ref = weakly;
    CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS)
        .execute(
            () -> {
              Node there = ref.get();
              if (there != null && there.isOpen()) {
                there.engine().post(() -> look.by(there.pollWatch()));
              }
            });
  }

  private void lookWhetherAsked(String name) {
    Peer peer = node.peerOrNull(name);
    List<Integer> waiting = peer == null ? List.of() : peer.channelsNobodyAskedFor();
    if (peer == null || waiting.isEmpty() || !peer.isUp()) {
      return;
    }
    List<String> absent =
        node.peers().stream()
            .filter(other -> node.isConfigured(other.name()) && !other.isUp())
            .map(Peer::name)
            .sorted()
            .toList();
    String quoted = "\"" + name + "\"";
    tell(
        name,
        "messages of "
            + quoted
            + ", which is not configured here, wait on channels "
            + waiting
            + ", and nobody has asked for these; "
            + (absent.isEmpty()
                ? ""
                : "configured here and not connected are "
                    + absent
                    + ": if one of them is meant, correct its name; else ")
            + "poll node.peer("
            + quoted
            + ").channel("
            + waiting.getFirst()
            + ")");
  }

  @SuppressWarnings("ReferenceEquality") // of the connection that this look was begun for
  private void lookWhetherTaken(String name, Looked state) {
    if (looked.get(name) != state) {
      return; // it came up anew since then, which has its own
    }
    Peer peer = node.peerOrNull(name);
    if (peer == null || !peer.isUp()) {
      looked.remove(name);
      return;
    }
    List<ChannelCore> channels = peer.cores();
    if (channels.stream().anyMatch(channel -> channel.peerConsumedSequence() > 0)) {
      looked.remove(name); // somebody takes what this node sends
      return;
    }
    List<Integer> untaken =
        channels.stream()
            .filter(channel -> channel.acceptedSequence() > 0)
            .map(ChannelCore::number)
            .toList();
    if (!untaken.isEmpty() && state.untaken) {
      looked.remove(name);
      tell(
          name,
          "peer \""
              + name
              + "\" has what this node sent on channels "
              + untaken
              + ", and its application has taken none of it for "
              + state.seconds
              + " s; unless it is busy with something else, see that it polls these channels of the"
              + " peer \""
              + node.name()
              + "\", and does not wait for one of another name");
      return;
    }
    if (state.untaken || untaken.isEmpty()) {
      state.seconds = Math.min(MOST_SECONDS, 2 * state.seconds);
    }
    state.untaken = !untaken.isEmpty();
    later(state.seconds, watch -> watch.lookWhetherTaken(name, state));
  }

  private void tell(String peer, String why) {
    node.publish(new NodeEvent.NobodyPolls(peer, why));
    EngineLog.log(System.Logger.Level.WARNING, "node " + node.name() + ": " + why, null);
  }
}
