// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Ports, the links between them, and the shared-memory-like segments. Addresses read {@code
 * sim:NET/NODE:1} or {@code ring:NET/NODE:1}; a port reaches those of its own scheme and net. All
 * chance comes from one seed; each link has a generator of its own, so that what happens on one
 * does not change what happens on another.
 */
public final class SimNetwork {
  /** Scheme of datagram ports. */
  public static final String DATAGRAM = "sim";

  /** Scheme of shared-memory-like ports. */
  public static final String RING = "ring";

  private record Ends(RailAddress from, RailAddress to) {}

  private final SimClock clock;
  private final Trace trace;
  private final long seed;
  private final Map<RailAddress, SimPort> ports = new HashMap<>();
  private final Map<RailAddress, Long> keys = new HashMap<>();
  private final Map<RailAddress, Integer> cutRings = new HashMap<>();
  private final Map<String, LinkModel> models = new HashMap<>();
  private final Map<Ends, SimLink> links = new LinkedHashMap<>();
  private final List<SimRingRail> rings = new ArrayList<>();
  private final SimMemory memory = new SimMemory();
  private long ringSeed;
  private @Nullable Throwable failure;
  private @Nullable PathCensus census;

  /** An empty network. */
  public SimNetwork(SimClock clock, Trace trace, long seed) {
    this.clock = clock;
    this.trace = trace;
    this.seed = seed;
  }

  /** Its clock. */
  public SimClock clock() {
    return clock;
  }

  /** The address of a node's port on a net. */
  public static RailAddress address(boolean ring, String net, String node) {
    return new RailAddress((ring ? RING : DATAGRAM) + ":" + net + "/" + node + ":1");
  }

  /** What new links of a net are like. */
  public void define(String net, LinkModel model) {
    models.put(net, model);
  }

  static String netOf(RailAddress address) {
    String text = address.text();
    int slash = text.indexOf('/');
    return text.substring(text.indexOf(':') + 1, slash < 0 ? text.length() : slash);
  }

  /**
   * Opens a port.
   *
   * @param host told when something has arrived for it
   * @throws RailException if the address is taken
   */
  public SimPort open(RailAddress address, PortProfile profile, PortHandler handler, SimHost host)
      throws RailException {
    if (ports.containsKey(address)) {
      throw new RailException("cannot bind " + address + ": address in use (EADDRINUSE)", 98);
    }
    SimPort port =
        profile.isRing()
            ? new SimRingPort(this, address, profile, handler, host)
            : new SimDatagramPort(this, address, profile, handler, host);
    ports.put(address, port);
    return port;
  }

  void closed(SimPort port) {
    boolean unused = ports.remove(port.localAddress(), port);
  }

  @Nullable SimPort portAt(RailAddress address) {
    return ports.get(address);
  }

  /** A number for an address, the same for ever. */
  long keyOf(RailAddress address) {
    return keys.computeIfAbsent(address, a -> Bytes.mix(keys.size() + 1));
  }

  /** The link from one port to another; made on first use. */
  public SimLink link(RailAddress from, RailAddress to) {
    Ends ends = new Ends(from, to);
    SimLink link = links.get(ends);
    if (link == null) {
      LinkModel model = models.get(netOf(from));
      if (model == null) {
        throw new IllegalStateException("define() net " + netOf(from) + " before it is used");
      }
      long linkSeed = seed ^ Bytes.mix(from.text().hashCode() * 31L + to.text().hashCode());
      link = new SimLink(this, from, to, model, new SplittableRandom(linkSeed));
      links.put(ends, link);
    }
    return link;
  }

  /** All links so far. */
  public Collection<SimLink> links() {
    return links.values();
  }

  /** Cuts a port's rings, or lets new ones be made: the segments die, their ends are told. */
  public void cutRings(RailAddress port, boolean on) {
    int unused = cutRings.merge(port, on ? 1 : -1, Integer::sum);
    if (on) {
      for (SimRingRail ring : List.copyOf(rings)) {
        if (ring.port().localAddress().equals(port)) {
          ring.cut();
        }
      }
    }
  }

  /** From now on the packets are counted by the paths that they take. */
  void census(PathCensus paths) {
    census = paths;
  }

  @Nullable PathCensus census() {
    return census;
  }

  /** Something was thrown into a port that handed up what had arrived. */
  void failed(Throwable e) {
    if (failure == null) {
      failure = e;
    }
  }

  /** What was thrown first, if anything was. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Zeroed memory for a segment. */
  MemorySegment segment(long bytes) {
    return memory.take(bytes);
  }

  long nextRingSeed() {
    return Bytes.mix(seed ^ ++ringSeed);
  }

  /** Ring ends that exist at a port. */
  List<SimRingRail> ringsOf(RailAddress port) {
    List<SimRingRail> list = new ArrayList<>();
    for (SimRingRail ring : rings) {
      if (ring.port().localAddress().equals(port)) {
        list.add(ring);
      }
    }
    return list;
  }

  /** Nobody uses that segment any more. */
  void giveBack(MemorySegment segment) {
    memory.giveBack(segment);
  }

  /** The run is over: the memory of its segments goes back. */
  void giveBack() {
    memory.giveBack();
  }

  boolean ringsCut(RailAddress port) {
    return cutRings.getOrDefault(port, 0) > 0;
  }

  void ringMade(SimRingRail ring) {
    rings.add(ring);
  }

  void ringGone(SimRingRail ring) {
    rings.remove(ring);
  }

  /** Ring ends that exist. */
  public int ringCount() {
    return rings.size();
  }

  void refused(SimLink link) {
    SimPort sender = ports.get(link.from());
    if (sender != null) {
      sender.event(null, LinkEvent.REFUSED, 111);
    }
  }

  void noteSend(SimLink link, SimPacket p) {
    MemorySegment memory = MemorySegment.ofArray(p.data);
    noteSend(link, memory, p.offset, p.length, Bytes.hash(memory, p.offset, p.length));
  }

  /**
   * A packet was put into a ring. What it says of addresses in the sender's memory, and so its
   * checksum, is another in each run.
   */
  void noteCommit(SimLink link, MemorySegment memory, long offset, int length) {
    int until = Math.min(length, PacketHeader.LENGTH);
    int from = Math.min(until, PacketHeader.VERSION_AND_KIND);
    noteSend(link, memory, offset, length, Bytes.hash(memory, offset + from, until - from));
  }

  private void noteSend(SimLink link, MemorySegment memory, long offset, int length, long content) {
    PathCensus paths = census;
    if (paths != null) {
      paths.sent(link, memory, offset, length, clock.nowNs());
    }
    trace.note(
        clock.nowNs(),
        content,
        length,
        () -> link + "  sends " + PacketText.of(memory, offset, length));
  }

  void noteDrop(SimPacket p, LinkCounter why) {
    trace.note(
        clock.nowNs(),
        why.ordinal(),
        p.length,
        () ->
            p.link
                + "  DROPS ("
                + why
                + ") "
                + PacketText.of(MemorySegment.ofArray(p.data), p.offset, p.length));
  }

  void noteDelivery(SimPacket p) {
    noteDelivery(p.link, MemorySegment.ofArray(p.data), p.offset, p.length, p.damage);
  }

  void noteDelivery(
      SimLink link, MemorySegment memory, long offset, int length, @Nullable LinkCounter damage) {
    trace.note(
        clock.nowNs(),
        length,
        damage == null ? -1 : damage.ordinal(),
        () ->
            link
                + "  delivers "
                + PacketText.of(memory, offset, length)
                + (damage == null ? "" : " " + damage));
  }
}
