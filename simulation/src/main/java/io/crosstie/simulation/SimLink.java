// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.RailAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One direction between two ports: a queue in front of a link of some rate, then a delay; and what
 * goes wrong on the way. A packet takes its turn before it is lost, so a lossy link is not a faster
 * one.
 */
public final class SimLink {
  private static final int MILLION = 1_000_000;
  private static final LinkCounter[] COUNTERS = LinkCounter.values();

  private record TallyKey(long connectionId, int rail) {}

  private final SimNetwork network;
  private final RailAddress from;
  private final RailAddress to;
  private final RandomGenerator random;
  private final long[] counts = new long[COUNTERS.length];
  private final Map<TallyKey, RailTally> tallies = new LinkedHashMap<>();
  private LinkModel model;
  private LinkFaults faults = LinkFaults.NONE;
  private boolean cut;
  private boolean mute;
  private boolean inBurst;
  private long busyUntilNs;
  private long lastArrivalNs;

  SimLink(
      SimNetwork network,
      RailAddress from,
      RailAddress to,
      LinkModel model,
      RandomGenerator random) {
    this.network = network;
    this.from = from;
    this.to = to;
    this.model = model;
    this.random = random;
  }

  /** Where it begins. */
  public RailAddress from() {
    return from;
  }

  /** What it is like now. */
  public LinkModel model() {
    return model;
  }

  /** Makes it another link from now on. */
  public void model(LinkModel newModel) {
    model = newModel;
  }

  /** What goes wrong now. */
  public LinkFaults faults() {
    return faults;
  }

  /** Sets what goes wrong from now on. */
  public void faults(LinkFaults newFaults) {
    faults = newFaults;
    inBurst = false;
  }

  /** Cuts or mends it; what is on its way when it is cut is gone. */
  public void cut(boolean on) {
    cut = on;
  }

  /** From now on parts of messages vanish, and everything else passes; or not any more. */
  public void mute(boolean on) {
    mute = on;
  }

  /** One of its counters. */
  public long get(LinkCounter counter) {
    return counts[counter.ordinal()];
  }

  /** Counts for this link, and for the rail that the packet belongs to. */
  void count(LinkCounter counter, @Nullable RailTally tally) {
    counts[counter.ordinal()]++;
    if (tally != null) {
      tally.count(counter);
    }
  }

  /** All packets that this link made vanish. */
  public long drops() {
    long sum = 0;
    for (LinkCounter counter : COUNTERS) {
      sum += counter.isDrop() ? counts[counter.ordinal()] : 0;
    }
    return sum;
  }

  /** Packets on their way or waiting for a poll. */
  public long underWay() {
    return get(LinkCounter.SENT) + get(LinkCounter.REPEATED) - get(LinkCounter.DELIVERED) - drops();
  }

  Collection<RailTally> tallies() {
    return tallies.values();
  }

  /** Bytes waiting in front of the link. */
  long backlogBytes() {
    long waitNs = busyUntilNs - network.clock().nowNs();
    return waitNs <= 0 ? 0 : (long) (waitNs * (double) model.bytesPerSecond() / 1e9);
  }

  /** Takes a datagram. The bytes are the link's from here on. */
  void send(byte[] data, int offset, int length) {
    long nowNs = network.clock().nowNs();
    RailTally tally = tallyOf(data, offset, length);
    SimPacket packet = new SimPacket(data, offset, length, from, this, tally);
    packet.count(LinkCounter.SENT);
    network.noteSend(this, packet);
    if (cut) {
      drop(packet, LinkCounter.CUT);
    } else if (length > model.mtu()) {
      drop(packet, LinkCounter.TOO_BIG);
    } else if (backlogBytes() + length > model.queueBytes() && busyUntilNs > nowNs) {
      drop(packet, LinkCounter.QUEUE_FULL);
    } else {
      busyUntilNs =
          Math.max(nowNs, busyUntilNs)
              + Math.max(1, (long) (length * 1e9 / model.bytesPerSecond()));
      carry(packet);
    }
  }

  /** Takes a packet whose port has failed since it was committed. */
  void sendNowhere(byte[] data) {
    RailTally tally = tallyOf(data, 0, data.length);
    SimPacket packet = new SimPacket(data, 0, data.length, from, this, tally);
    packet.count(LinkCounter.SENT);
    drop(packet, LinkCounter.CUT);
  }

  private void carry(SimPacket packet) {
    if (happens(inBurst ? faults.burstEndPpm() : faults.burstStartPpm())) {
      inBurst = !inBurst;
    }
    if (inBurst && happens(faults.burstLossPpm())) {
      drop(packet, LinkCounter.LOST_IN_BURST);
      return;
    }
    if (mute && holdsPart(packet)) {
      drop(packet, LinkCounter.LOST);
      return;
    }
    if (happens(faults.lossPpm())) {
      drop(packet, LinkCounter.LOST);
      return;
    }
    SimPacket copy = happens(faults.repeatPpm()) ? copyOf(packet) : null;
    plan(damage(packet), arrivalNs());
    if (copy != null) {
      copy.count(LinkCounter.REPEATED);
      plan(copy, arrivalNs() + random.nextLong(1 + 2 * model.delayNs()));
    }
  }

  private static boolean holdsPart(SimPacket p) {
    if (p.tally == null) {
      return false;
    }
    int end = p.offset + PacketHeader.headerLength(p.data, p.offset);
    for (int f = p.offset + PacketHeader.LENGTH; f < end; f += Frames.length(p.data, f)) {
      if (Frames.type(p.data, f) == Frames.FRAGMENT) {
        return true;
      }
    }
    return false;
  }

  private static SimPacket copyOf(SimPacket p) {
    byte[] bytes = Arrays.copyOfRange(p.data, p.offset, p.offset + p.length);
    return new SimPacket(bytes, 0, p.length, p.source, p.link, p.tally);
  }

  private long arrivalNs() {
    long jitter = model.jitterNs() == 0 ? 0 : random.nextLong(model.jitterNs() + 1);
    long at = busyUntilNs + model.delayNs() + jitter;
    if (happens(faults.reorderPpm())) {
      return at + 1 + random.nextLong(faults.reorderNs() + 1);
    }
    lastArrivalNs = Math.max(lastArrivalNs, at);
    return lastArrivalNs;
  }

  private SimPacket damage(SimPacket p) {
    if (happens(faults.truncatePpm()) && p.length > 1) {
      int shorter = 1 + random.nextInt(p.length - 1);
      byte[] bytes = Arrays.copyOfRange(p.data, p.offset, p.offset + shorter);
      SimPacket cutShort = new SimPacket(bytes, 0, shorter, from, this, p.tally);
      cutShort.damage =
          shorter < headerLength(p) ? LinkCounter.HEADER_DAMAGED : LinkCounter.TRUNCATED;
      return cutShort;
    }
    int header = Math.min(headerLength(p), p.length);
    if (happens(faults.headerPpm())) {
      flip(p, 0, header);
      p.damage = LinkCounter.HEADER_DAMAGED;
    } else if (p.length > header && happens(faults.payloadPpm())) {
      flip(p, header, p.length);
      p.damage = LinkCounter.PAYLOAD_DAMAGED;
    }
    return p;
  }

  private void flip(SimPacket p, int first, int end) {
    int bit = random.nextInt(8 * (end - first));
    p.data[p.offset + first + bit / 8] ^= (byte) (1 << (bit % 8));
    if (random.nextBoolean()) {
      // a neighbour too, so that it cannot be the same one again
      int other = bit + 1 < 8 * (end - first) ? bit + 1 : bit == 0 ? 0 : bit - 1;
      if (other != bit) {
        p.data[p.offset + first + other / 8] ^= (byte) (1 << (other % 8));
      }
    }
  }

  private static int headerLength(SimPacket p) {
    if (p.length < PacketHeader.LENGTH) {
      return p.length;
    }
    return PacketHeader.headerLength(p.data, p.offset);
  }

  private void plan(SimPacket packet, long arrivalNs) {
    network.clock().at(arrivalNs, () -> arrive(packet));
  }

  private void arrive(SimPacket packet) {
    if (cut) {
      drop(packet, LinkCounter.CUT);
      return;
    }
    if (!(network.portAt(to) instanceof SimDatagramPort port)) {
      drop(packet, LinkCounter.NO_PORT);
      network.refused(this);
    } else if (!port.enqueue(packet)) {
      drop(packet, LinkCounter.OVERFLOW);
    }
  }

  private void drop(SimPacket packet, LinkCounter why) {
    packet.count(why);
    network.noteDrop(packet, why);
  }

  /** Of the rail that a packet belongs to; null for a handshake. */
  @Nullable RailTally tallyOf(byte[] data, int offset, int length) {
    if (length < PacketHeader.LENGTH) {
      return null;
    }
    if (PacketHeader.kind(data, offset) != PacketHeader.DATA) {
      return null;
    }
    TallyKey key =
        new TallyKey(PacketHeader.connectionId(data, offset), PacketHeader.rail(data, offset));
    RailTally tally = tallies.get(key);
    if (tally == null) {
      tally = new RailTally(key.connectionId, key.rail);
      tallies.put(key, tally);
    }
    return tally;
  }

  private boolean happens(int ppm) {
    return ppm > 0 && random.nextInt(MILLION) < ppm;
  }

  @Override
  public String toString() {
    return from + " -> " + to;
  }
}
