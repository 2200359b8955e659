// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * One end in a rail test: a port's handler that keeps what it gets, and can do something about it
 * at once.
 */
public final class Station implements PortHandler {

  /** One packet, copied. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares these
  public record Packet(byte[] bytes, long source) {}

  /** One event. */
  public record Event(Rail rail, LinkEvent event, int errno) {}

  /** Something to do inside {@link PortHandler#onPacket}. */
  @FunctionalInterface
  public interface Reaction {
    /** Called after the packet was kept. */
    void on(RailPort port, Packet packet);
  }

  /** What arrived, in order. */
  public final List<Packet> packets = new ArrayList<>();

  /** What the link said, in order. */
  public final List<Event> events = new ArrayList<>();

  /** What to do about a packet. */
  public Reaction reaction = (port, packet) -> {};

  /** Keeps only the count of packets, where there are many. */
  public boolean countOnly;

  /** Packets handed up. */
  public long count;

  private RailPort port;

  /** Of the test that opens it. */
  public Station() {}

  void attachTo(RailPort opened) {
    port = opened;
  }

  /** The port of this station. */
  public RailPort port() {
    return port;
  }

  @Override
  public void onPacket(RailPort from, MemorySegment memory, long offset, int length, long source) {
    assertTrue(length >= 1, "length " + length);
    assertTrue(offset >= 0 && offset + length <= memory.byteSize(), "outside of the memory");
    if (from.attributes().sharedMemory()) {
      assertEquals(0, offset % 8, "offset in shared memory");
    }
    count++;
    if (countOnly) {
      return;
    }
    byte[] bytes = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
    Packet packet = new Packet(bytes, source);
    packets.add(packet);
    reaction.on(from, packet);
  }

  @Override
  public void onLinkEvent(RailPort from, Rail rail, LinkEvent event, int errno) {
    events.add(new Event(rail, event, errno));
  }

  /** Whether such an event was told. */
  public boolean heard(LinkEvent event) {
    return events.stream().anyMatch(e -> e.event() == event);
  }
}
