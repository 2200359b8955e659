// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A port with a handler that writes down what comes, on a clock of the test's own. */
final class End implements PortHandler, AutoCloseable {
  static final long STEP_NS = ShmPort.HOUSEKEEPING_NS / 4;

  /** Turns that are enough for anything that one process settles with itself. */
  static final int TURNS = 20_000;

  /** What a handler is to do besides. */
  interface OnPacket {
    void run(End end, MemorySegment memory, long offset, int length) throws Exception;
  }

  record Event(Rail rail, LinkEvent event) {}

  final ShmPort port;
  final Deque<byte[]> packets = new ArrayDeque<>();
  final List<Event> events = new ArrayList<>();
  Rail accepted;
  boolean keep = true;
  long received;
  long source;
  long nowNs = 1L << 62; // the clock's origin is arbitrary
  OnPacket onPacket = (end, memory, offset, length) -> {};

  End(Path base, String name, String options) throws RailException {
    this(base, name, options, name.hashCode());
  }

  /** With an accelerator, or with none if that is null. */
  End(Path base, String name, String options, Accelerator accelerator) throws RailException {
    this(base, options, new PortContext(name, 1, name.hashCode(), accelerator));
  }

  End(Path base, String name, String options, long seed) throws RailException {
    this(base, options, new PortContext(name, 1, seed, Accelerators.find()));
  }

  private End(Path base, String options, PortContext context) throws RailException {
    RailUri uri = RailUri.parse("shm:" + base + (options.isEmpty() ? "" : "?" + options));
    port = (ShmPort) new ShmDriver().open(uri, context, this);
  }

  @Override
  public void onPacket(RailPort port, MemorySegment memory, long offset, int length, long source) {
    received++;
    this.source = source;
    try {
      if (keep) {
        byte[] copy = new byte[length];
        MemorySegment.copy(memory, JAVA_BYTE, offset, copy, 0, length);
        packets.add(copy);
        if (accepted == null || !accepted.isOpen()) {
          accepted = port.accept();
        }
      }
      onPacket.run(this, memory, offset, length);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void onLinkEvent(RailPort port, Rail rail, LinkEvent event, int errno) {
    events.add(new Event(rail, event));
  }

  int poll() {
    nowNs += STEP_NS;
    try {
      return port.poll(nowNs, 64);
    } catch (InternalError e) {
      return 0; // compiled code may be told of a fault when it has left the port
    }
  }

  boolean closedEvent(Rail rail) {
    return events.contains(new Event(rail, LinkEvent.CLOSED));
  }

  /** Sends one packet, which has to fit. */
  static void send(Rail rail, byte[] packet) {
    long offset = rail.claim(packet.length);
    if (offset < 0) {
      throw new AssertionError("claim: " + offset + " " + rail);
    }
    MemorySegment.copy(packet, 0, rail.txMemory(), JAVA_BYTE, offset, packet.length);
    rail.commit(packet.length);
    rail.flush();
  }

  static boolean claimable(Rail rail) {
    long offset = rail.claim(1);
    rail.abort();
    return offset >= 0;
  }

  /** Polls in turn until it holds; deterministic and bounded. */
  static void until(String what, BooleanSupplier condition, End... ends) {
    for (int i = 0; i < TURNS; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      for (End end : ends) {
        end.poll();
      }
    }
    throw new AssertionError("never: " + what);
  }

  /** Lets others run: there may be two cores only. */
  @SuppressWarnings("ThreadPriorityCheck") // a hint; nothing rests on it
  static void relax() {
    Thread.yield();
  }

  /** Connects one end to the other and waits until packets can flow. */
  static ShmRail connect(End from, End to) throws RailException {
    ShmRail rail = (ShmRail) from.port.connect(to.port.localAddress());
    until("accepted", () -> claimable(rail), from, to);
    return rail;
  }

  /** The file of the only segment that has not been accepted yet. */
  FileChannel openSegmentFile() throws Exception {
    Path directory = ShmAddress.parse(port.localAddress()).directory();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "seg-*")) {
      return FileChannel.open(
          files.iterator().next(), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
  }

  Path directory() {
    return ShmAddress.parse(port.localAddress()).directory();
  }

  @Override
  public void close() {
    port.close();
  }
}
