// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.memory;

import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.memory.NodeMemory;
import java.util.List;

/** What one peer's channels take of the node's memory, and where they queue for more. */
public final class PeerMemory {
  private final NodeMemory.Share share;
  private final GrantQueue grants;
  private final MemoryRelief relief;
  private final FormerChannels formers;
  private final IdleMemory idle;
  private final MemoryUser user;
  private boolean closed;

  public PeerMemory(
      NodeMemory.Share share,
      GrantQueue grants,
      MemoryRelief relief,
      FormerChannels formers,
      IdleMemory idle,
      MemoryUser user) {
    this.share = share;
    this.grants = grants;
    this.relief = relief;
    this.formers = formers;
    this.idle = idle;
    this.user = user;
  }

  /** The accounts that are charged. */
  public NodeMemory.Share share() {
    return share;
  }

  /** See {@link GrantQueue#request}. */
  public boolean request(ChannelEngine channel, long seq, long length, int behind, int round) {
    return grants.request(user, channel, seq, length, behind, round);
  }

  /** The engine comes to know a channel. */
  public void reserve() {
    idle.reserve();
  }

  /** Something has happened on a channel, which may keep memory from now on. */
  public void used(ChannelEngine channel) {
    idle.used(channel);
  }

  /** If a channel was refused something just now it waits for it. */
  public void queueIfRefused(ChannelEngine channel) {
    if (channel.received().takeWantsMemory()) {
      relief.wanted(user, channel);
    }
  }

  /** Consumed memory of a channel came back. */
  public void released(ChannelEngine channel) {
    grants.retry();
    relief.released();
    queueIfRefused(channel);
  }

  /** What a channel kept in which nothing lay came back. */
  public void trimmed() {
    relief.released();
  }

  /** The channel is over. */
  public void forget(ChannelEngine channel) {
    grants.forget(user, channel);
    relief.forget(channel);
    idle.forget(1);
  }

  /** A channel was polled after the connection was over. */
  public void polled(ChannelEngine channel) {
    formers.polled(channel);
  }

  /** The connection is over: nothing is sent to the peer any more. May be called again. */
  public void close(List<ChannelEngine> channels, long nowNs) {
    share.closeSending();
    idle.forget(closed ? 0 : channels.size());
    closed = true;
    formers.add(user, channels, nowNs);
    grants.forget(user);
    relief.forget(user);
  }
}
