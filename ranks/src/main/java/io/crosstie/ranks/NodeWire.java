// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.launch.WireUp;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Gather;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Region;
import io.crosstie.messaging.RegionStatus;
import io.crosstie.ranks.p2p.Envelope;
import io.crosstie.ranks.p2p.Wire;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages between ranks by a node. A rank is looked for when something is first sent to
 * it, and its connection is begun once its addresses are known, unless it connects first. Whoever
 * makes progress.
 */
final class NodeWire implements Wire {
  private static final Set<Region.Right> PUT = Set.of(Region.Right.PUT);
  private static final int CHANNELS = BULK + 1;

  private final Node node;
  private final String job;
  private final WireUp wireUp;
  private final @Nullable Peer[] peers;
  private final @Nullable Channel[] channels;
  private final boolean[] fetched;
  private final Gather gather = new Gather();
  private final Map<Long, Region> regions = new HashMap<>();
  private @Nullable Refusal refusal;

  /** A rank whose node does not take what ranks need. */
  record Refusal(int rank, String why) {}

  NodeWire(Node node, String job, int size, WireUp wireUp) {
    this.node = node;
    this.job = job;
    this.wireUp = wireUp;
    this.peers = new Peer[size];
    this.channels = new Channel[size * CHANNELS];
    this.fetched = new boolean[size];
  }

  /** The name of a rank's node. */
  static String name(String job, int rank) {
    return job + "." + rank;
  }

  /** The rank of a peer, -1 if it is none of this job. */
  int rankOf(String peer) {
    if (!peer.startsWith(job + ".")) {
      return -1;
    }
    try {
      int rank = Integer.parseInt(peer.substring(job.length() + 1));
      return rank >= 0 && rank < peers.length && name(job, rank).equals(peer) ? rank : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** The rank at the other end, which is known from now on; -1 if it is none of this job. */
  int rankOf(Channel channel) {
    if (channel.attachment() instanceof Integer known) {
      return known;
    }
    int rank = rankOf(channel.peer().name());
    Object unused = channel.attach(rank);
    if (rank >= 0) {
      onConnected(rank, channel.peer());
    }
    return rank;
  }

  void onConnected(int rank, Peer peer) {
    if (peers[rank] == null) {
      peers[rank] = peer;
    }
  }

  /**
   * A rank is found.
   *
   * @return why it cannot be reached, or null
   */
  @Nullable String onAddresses(int rank, List<String> addresses) {
    if (peers[rank] == null) {
      try {
        peers[rank] = node.addPeer(name(job, rank), addresses.toArray(new String[0]));
      } catch (CrosstieException e) {
        return e.getMessage();
      }
    }
    return null;
  }

  /** One whose node does not take what ranks need, null if there is none; told once. */
  @Nullable Refusal takeRefusal() {
    Refusal taken = refusal;
    refusal = null;
    return taken;
  }

  /** What is no lack of room, and told by no event of the node. */
  private boolean isTaken(int rank, long status) {
    if (status == Channel.UNSUPPORTED) {
      refusal =
          new Refusal(rank, "has a release that takes no puts; give all ranks the same release");
    }
    return status > 0;
  }

  /** How many ranks there are. */
  int size() {
    return peers.length;
  }

  @Nullable Peer peer(int rank) {
    return peers[rank];
  }

  private @Nullable Channel channel(int rank, int number) {
    Channel channel = channels[rank * CHANNELS + number];
    if (channel == null) {
      Peer peer = peers[rank];
      if (peer != null) {
        channel = peer.channel(number);
        Object unused = channel.attach(rank);
        channels[rank * CHANNELS + number] = channel;
      } else if (!fetched[rank]) {
        fetched[rank] = true;
        wireUp.fetch(rank);
      }
    }
    return channel;
  }

  /** Whether all that was offered is accepted, where the other end is still there. */
  boolean isAccepted() {
    for (Channel channel : channels) {
      if (channel != null
          && channel.status() == 0
          && channel.acceptedSequence() < channel.offeredSequence()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean offer(
      int rank, int channel, Envelope envelope, MemorySegment body, long offset, long length) {
    Channel to = channel(rank, channel);
    if (to == null) {
      return false;
    }
    Gather unused = gather.clear().add(envelope.memory(), 0, Envelope.BYTES);
    if (length > 0) {
      Gather unusedToo = gather.add(body, offset, length);
    }
    return isTaken(rank, to.offer(gather)); // a channel that has ended is told of by an event
  }

  @Override
  public long export(int rank, MemorySegment memory) {
    Peer peer = peers[rank];
    if (peer == null) {
      return 0;
    }
    try {
      Region region = node.export(memory, PUT, peer);
      Region unused = regions.put(region.key(), region);
      return region.key();
    } catch (CrosstieException | IllegalArgumentException e) {
      return 0; // read-only, or too many: it is streamed
    }
  }

  @Override
  public void unexport(long key) {
    Region region = regions.remove(key);
    if (region != null) {
      region.close();
    }
  }

  @Override
  public boolean put(
      int rank,
      long key,
      MemorySegment source,
      long offset,
      long length,
      long targetOffset,
      long receiveId,
      PutOutcome done) {
    Peer peer = peers[rank];
    if (peer == null) {
      return false;
    }
    byte[] notification = new byte[Long.BYTES];
    ByteBuffer unused =
        ByteBuffer.wrap(notification).order(ByteOrder.LITTLE_ENDIAN).putLong(receiveId);
    return isTaken(
        rank,
        peer.region(key)
            .put(
                source,
                offset,
                length,
                targetOffset,
                notification,
                (to, status, error) ->
                    done.onDone(
                        status == RegionStatus.DONE ? null : status + ": " + error,
                        status != RegionStatus.DONE && status != RegionStatus.FAILED)));
  }
}
