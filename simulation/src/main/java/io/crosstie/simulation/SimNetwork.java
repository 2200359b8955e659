// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

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
  private boolean tellsRefusals = true;

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

  /** Where it notes what happens. */
  public Trace trace() {
    return trace;
  }

  /** The address of a node's port on a net. */
  public static RailAddress address(boolean ring, String net, String node) {
    return new RailAddress((ring ? RING : DATAGRAM) + ":" + net + "/" + node + ":1");
  }

  /** What new links of a net are like. */
  public void define(String net, LinkModel model) {
    models.put(net, model);
  }

  /** Whether a closed port's host answers that nobody listens. */
  public void tellsRefusals(boolean on) {
    tellsRefusals = on;
  }

  static String netOf(RailAddress address) {
    String text = address.text();
    int slash = text.indexOf('/');
    return text.substring(text.indexOf(':') + 1, slash < 0 ? text.length() : slash);
  }

  /**
   * Opens a port.
   *
   * @param wake called when something has arrived for it
   * @throws RailException if the address is taken
   */
  public SimPort open(RailAddress address, PortProfile profile, PortHandler handler, Runnable wake)
      throws RailException {
    if (ports.containsKey(address)) {
      throw new RailException("cannot bind " + address + ": address in use (EADDRINUSE)", 98);
    }
    SimPort port = new SimPort(this, address, profile, handler, wake);
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
          ring.die();
        }
      }
    }
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
    if (!tellsRefusals) {
      return;
    }
    SimPort sender = ports.get(link.from());
    if (sender != null) {
      sender.event(null, LinkEvent.REFUSED, 111);
    }
  }

  void noteSend(SimLink link, SimPacket p) {
    long content = Bytes.hash(MemorySegment.ofArray(p.data), p.offset, p.length);
    trace.note(
        clock.nowNs(),
        content,
        p.length,
        () -> link + "  sends " + PacketText.of(p.data, p.offset, p.length));
  }

  void noteDrop(SimPacket p, LinkCounter why) {
    trace.note(
        clock.nowNs(),
        why.ordinal(),
        p.length,
        () -> p.link + "  DROPS (" + why + ") " + PacketText.of(p.data, p.offset, p.length));
  }

  void noteDelivery(SimPacket p) {
    LinkCounter damage = p.damage;
    trace.note(
        clock.nowNs(),
        p.length,
        damage == null ? -1 : damage.ordinal(),
        () ->
            p.link
                + "  delivers "
                + PacketText.of(p.data, p.offset, p.length)
                + (damage == null ? "" : " " + damage));
  }
}
