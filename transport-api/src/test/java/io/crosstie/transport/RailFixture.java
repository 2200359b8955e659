// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * How tests of rails open ports, send and wait. Waiting means polling every port a bounded number
 * of times until a condition holds: no sleep, no deadline. The JUnit time-out only ends a test that
 * hangs.
 */
@Timeout(120)
public abstract class RailFixture {
  private static final int PATIENCE = 400_000;

  /** The least before giving up: other programs may have the processors for a while. */
  private static final long PATIENCE_NS = 60_000_000_000L;

  private static final int ROUNDS_BEFORE_YIELD = 1000;

  private final List<Station> stations = new ArrayList<>();

  // ---- what a driver's test says

  /**
   * Opens a port of the rail under test.
   *
   * @param node name of the node, different for each port that is open at a time
   */
  protected abstract RailPort open(String node, PortHandler handler) throws Exception;

  /** Opens a port again that was closed, under the same address. */
  protected abstract RailPort reopen(String node, RailAddress address, PortHandler handler)
      throws Exception;

  /** Lets things move between two polls: a simulation advances its clock and its network here. */
  protected void progress() {
    relax();
  }

  /** Lets others run: there are few cores, and the other end may be a thread. */
  @SuppressWarnings("ThreadPriorityCheck") // a hint only; correctness does not rest on it
  protected static void relax() {
    Thread.yield();
  }

  /** The engine's clock, in nanoseconds. */
  protected long nowNs() {
    return System.nanoTime();
  }

  /** A poller for the test that waits. The default is what an engine uses. */
  protected Poller poller() throws Exception {
    return Pollers.create();
  }

  // ---- for the tests

  /** Two stations and a rail from the first to the second. */
  protected static final class Pair {
    /** The sender's end. */
    public final Station a;

    /** The receiver's end. */
    public final Station b;

    /** From a to b. */
    public final Rail aToB;

    Pair(Station a, Station b) throws RailException {
      this.a = a;
      this.b = b;
      this.aToB = a.port().connect(b.port().localAddress());
    }
  }

  /** Closes whatever was open and opens a fresh pair. */
  protected final Pair pair() throws Exception {
    closeAll();
    return new Pair(station("a"), station("b"));
  }

  /** One more port. */
  protected final Station station(String node) throws Exception {
    Station station = new Station();
    station.attachTo(open(node, station));
    stations.add(station);
    return station;
  }

  /** Opens a closed port's address again. */
  protected final Station stationAgain(String node, RailAddress address) throws Exception {
    Station station = new Station();
    station.attachTo(reopen(node, address, station));
    stations.add(station);
    return station;
  }

  /** Closes every port of this test. */
  @AfterEach
  protected final void closeAll() {
    for (Station station : stations) {
      station.port().close();
    }
    stations.clear();
  }

  /** Polls every port once. */
  protected final void pollAll() {
    progress();
    for (Station station : List.copyOf(stations)) {
      int unused = station.port().poll(nowNs(), 64);
    }
  }

  /** A port's own thread, and whatever else runs here, may wait for this processor. */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves rounds; nothing relies on it
  private static void giveWay(int round) {
    if (round >= ROUNDS_BEFORE_YIELD) {
      Thread.yield();
    }
  }

  /** Polls until the condition holds, and fails if it never does. */
  protected final void pump(BooleanSupplier condition) {
    long beganNs = System.nanoTime();
    for (int i = 0; i < PATIENCE || System.nanoTime() - beganNs < PATIENCE_NS; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      pollAll();
      giveWay(i);
    }
    fail("it did not happen in " + PATIENCE + " rounds of polling");
  }

  /** Claims, polling everything while the rail has no room. */
  protected final long claim(Rail rail, int length) {
    long beganNs = System.nanoTime();
    for (int i = 0; i < PATIENCE || System.nanoTime() - beganNs < PATIENCE_NS; i++) {
      long offset = rail.claim(length);
      if (offset >= 0) {
        return offset;
      }
      assertTrue(offset == Rail.WOULD_BLOCK, "the rail is closed");
      rail.flush();
      pollAll();
      giveWay(i);
    }
    return fail("no room after " + PATIENCE + " rounds of polling");
  }

  /** Claims, writes and commits; does not flush. */
  protected final void send(Rail rail, byte[] packet) {
    long offset = claim(rail, packet.length);
    write(rail.txMemory(), offset, packet);
    rail.commit(packet.length);
  }

  /** Copies bytes into memory. */
  protected static void write(MemorySegment memory, long offset, byte[] bytes) {
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, bytes.length);
  }

  /** A heap segment with these bytes. */
  protected static MemorySegment segment(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }

  /** Bytes that tell their index (if there is room for its four bytes), and are random else. */
  protected static byte[] bytes(int index, int length) {
    byte[] bytes = new byte[length];
    new Random(31L * index + length).nextBytes(bytes);
    if (length >= 4) {
      for (int i = 0; i < 4; i++) {
        bytes[i] = (byte) (index >>> (8 * i));
      }
    }
    return bytes;
  }

  /** The index in {@link #bytes}, or -1. */
  protected static int indexOf(byte[] bytes) {
    if (bytes.length < 4) {
      return -1;
    }
    return (bytes[0] & 0xff)
        | (bytes[1] & 0xff) << 8
        | (bytes[2] & 0xff) << 16
        | (bytes[3] & 0xff) << 24;
  }
}
