// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.List;

/** What an application may want to know besides messages. */
public sealed interface NodeEvent {
  /** The peer's name. */
  String peer();

  /** The peer answered; channels can be used. */
  record PeerUp(String peer, int rank, long incarnation) implements NodeEvent {}

  /**
   * No rail brought anything from the peer for the peer time-out, or it closed without draining.
   */
  record PeerLost(String peer, String why, List<Unknown> unknown) implements NodeEvent {}

  /** The peer's process is a new one. */
  record PeerRestarted(String peer, long oldIncarnation, long newIncarnation, List<Unknown> unknown)
      implements NodeEvent {}

  /**
   * The peer has let a newer process have this node's name, since this one gave no sign of life for
   * a second when it was asked, say because it was stopped. It is not connected to that peer any
   * more: it has to be started anew, unless it is the newer one that should not run.
   *
   * @param why a sentence that says so
   * @param unknown of messages to that peer
   */
  record Superseded(String peer, String why, List<Unknown> unknown) implements NodeEvent {}

  /**
   * Another process came under the name of a peer that lives, and was rejected: two processes have
   * one name. Told once for each such process in a row.
   *
   * @param from where it came from
   * @param incarnation the newcomer's
   * @param why a sentence that says so
   */
  record NewcomerRejected(String peer, String from, long incarnation, String why)
      implements NodeEvent {}

  /**
   * A peer rejects this node, which goes on asking. Told once as long as the answer is the same.
   *
   * @param address that answered
   * @param reason a name of one of the protocol's reasons, such as NAME_TAKEN, REFUSED or BUSY
   * @param why a sentence of the peer's
   */
  record Rejected(String peer, String address, String reason, String why) implements NodeEvent {}

  /**
   * Messages go where nobody looks, perhaps since one side has the other's name wrong: the peer is
   * not configured here, has sent messages, and nobody has asked for its channels for three
   * seconds; or it has accepted messages of this node, and its application has taken none of them
   * for five seconds and more. Each told once for each connection, and logged.
   *
   * @param why a sentence that says what to look for
   */
  record NobodyPolls(String peer, String why) implements NodeEvent {}

  /** The peer closed the connection in good order. */
  record PeerClosed(String peer) implements NodeEvent {}

  /**
   * Messages offered and not known to be accepted: numbers {@code first} to {@code last} of a
   * channel.
   */
  record Unknown(int channel, long first, long last) {}

  /**
   * A rail changed its state.
   *
   * @param gapNs for a change to SUSPECT or DOWN how long nothing had arrived on it; for a change
   *     to ACTIVE how long it was away
   */
  record RailChanged(
      String peer, int rail, String name, RailState from, RailState to, String cause, long gapNs)
      implements NodeEvent {}

  /**
   * The peer sent on a channel that this side has not opened; it is held within the channel's
   * credit. Never dropped while the channel lives, whoever polls events late.
   *
   * @param incarnation of the peer's process, as {@link PeerUp} told it
   */
  record ChannelOpenedByPeer(String peer, int channel, long incarnation) implements NodeEvent {}

  /**
   * One offered message was given up, and the peer will skip it; the others go on. Of those that
   * nobody polls the last 16,384 are kept.
   */
  record MessageFailed(String peer, int channel, long sequence, String why) implements NodeEvent {}

  /**
   * The peer takes nothing on a channel, because it has its bound of them (its {@code
   * maxChannels}). The channel answers so as long as the connection lasts; all others go on.
   *
   * @param first the first of the messages that were offered there and were not kept, 0 if there
   *     are none; told again for those that were offered meanwhile
   * @param last the last of them
   */
  record ChannelRefused(String peer, int channel, long first, long last) implements NodeEvent {}

  /**
   * Channels of the peer were replaced by those of its next life, or of the next connection to it,
   * and these messages, which were accepted before, are not polled yet: {@code
   * Peer.formerChannels()} lists the channels, until all is polled.
   *
   * @param incarnation of the peer that had sent them
   * @param unpolled at least one; by channel
   */
  record FormerMessages(String peer, long incarnation, List<Unpolled> unpolled)
      implements NodeEvent {}

  /** Messages accepted and not polled: numbers {@code first} to {@code last} of a channel. */
  record Unpolled(int channel, long first, long last) {}

  /**
   * Messages that a connection had accepted before it ended were not polled for seconds while
   * living peers waited for their memory, and are given up: a poll of that channel gives none of
   * them any more.
   *
   * @param incarnation of the peer that had sent them
   * @param first the first of them
   * @param last the last of them
   */
  record MessagesDropped(String peer, long incarnation, int channel, long first, long last)
      implements NodeEvent {}

  /** A payload failed its checksum under a sound header. */
  record PayloadCorrupt(String peer, int rail, String name) implements NodeEvent {}

  /** This process did not run for that long; no rail is blamed. The peer is empty. */
  record SelfPaused(String peer, long pauseNs) implements NodeEvent {}

  /**
   * No rail can join a local port to an address that the peer advertises, though both are of one
   * kind, for example shared memory of a process in another container. The other rails go on. Told
   * once per address.
   *
   * @param why a sentence that says what is in the way
   */
  record RailDeclined(String peer, String port, String remote, String why) implements NodeEvent {}

  /** A local port failed, or was opened again. The peer is empty. */
  record PortChanged(String peer, String port, boolean open, String cause) implements NodeEvent {}
}
