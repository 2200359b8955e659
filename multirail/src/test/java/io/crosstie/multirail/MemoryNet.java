// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.multirail.port.PortOpener;
import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortClaim;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ports in memory under the test's clock; one way of a pair of addresses can be cut, and a port can
 * fail. Those whose address begins with {@code mem://ring} are lossless; with {@code
 * mem://ring-shared}, their packets always come in the same memory, as those of a segment do.
 */
public final class MemoryNet {
  private static final long DELAY_NS = 20_000;

  /**
   * A packet under way.
   *
   * @param rail the lossless rail it was committed on, or null
   */
  private record Datagram(
      long dueNs, String from, MemorySegment bytes, @Nullable MemoryRail rail) {}

  final Map<String, Port> ports = new ConcurrentHashMap<>();
  final Set<String> deaf = new HashSet<>();
  final Set<String> refused = new HashSet<>();

  /** How long what is sent to an address takes, in nanoseconds, if not as long as usual. */
  final Map<String, Long> delaysNs = new HashMap<>();

  /** Who opens a port waits for this, on a thread of its own; null if it need not. */
  volatile @Nullable CountDownLatch opening;

  /** Called by whoever is about to write a packet; may throw. */
  @Nullable Runnable writeFault;

  int writeFaults;

  int mtu = Integer.MAX_VALUE;

  /** Which packets get lost, by their bytes, which it may change. */
  Predicate<byte[]> lost = packet -> false;

  public long nowNs = 1_000_000_000L;
  public long sent;

  public PortOpener opener(String address) {
    return new PortOpener() {
      @Override
      public String name() {
        return address;
      }

      @Override
      public void run(Runnable work) {
        CountDownLatch awaited = opening;
        if (awaited == null) {
          work.run();
        } else {
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    awaitQuietly(awaited);
                    work.run();
                  });
        }
      }

      @Override
      public RailPort open(PortHandler handler) throws RailException {
        Port old = ports.get(address);
        if ((old != null && old.open) || refused.contains(address)) {
          throw new RailException("address taken: " + address);
        }
        Port port = new Port(address, handler);
        ports.put(address, port);
        return port;
      }
    };
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** When the next packet arrives for one of the addresses that end so. */
  long arrivalNs(String end) {
    long arrivalNs = Long.MAX_VALUE;
    for (Map.Entry<String, Port> entry : ports.entrySet()) {
      Datagram next = entry.getValue().inbox.peek();
      if (next != null && entry.getKey().endsWith(end)) {
        arrivalNs = Math.min(arrivalNs, next.dueNs);
      }
    }
    return arrivalNs;
  }

  /** Nothing that is sent to that address arrives, and nobody is told. */
  public void blackHole(String address, boolean on) {
    if (on) {
      deaf.add(address);
    } else {
      deaf.remove(address);
    }
  }

  final class Port implements RailPort {
    private final RailAddress address;
    private final PortHandler handler;
    private final ArrayDeque<Datagram> inbox = new ArrayDeque<>();
    private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
    private final RailAttributes attributes;
    private final @Nullable MemorySegment inRing;
    private @Nullable String source;
    volatile boolean open = true;
    boolean failing;
    final PortClaim claim = new PortClaim();

    /** A bit of the last byte of the next packet changes on its way. */
    boolean corruptNext;

    long polls;

    Port(String address, PortHandler handler) {
      this.address = new RailAddress(address);
      this.handler = handler;
      boolean lossless = address.startsWith("mem://ring");
      boolean shared = address.startsWith("mem://ring-shared");
      this.inRing = shared ? Arena.ofAuto().allocate(1 << 16, 64) : null;
      this.attributes =
          new RailAttributes(
              "memory",
              lossless,
              lossless,
              shared,
              DELAY_NS,
              1_000_000_000L,
              lossless ? 0 : 1 << 22);
    }

    @Override
    public RailAttributes attributes() {
      return attributes;
    }

    @Override
    public RailAddress localAddress() {
      return address;
    }

    @Override
    public @Nullable String whyUnreachable(RailAddress remote) {
      return remote.scheme().equals("mem") ? null : "another scheme";
    }

    @Override
    public Rail connect(RailAddress remote) {
      return new MemoryRail(this, remote);
    }

    @Override
    public Rail accept() {
      return new MemoryRail(this, sourceAddress());
    }

    @Override
    public RailAddress sourceAddress() {
      String from = source;
      if (from == null) {
        throw new IllegalStateException("outside a handler");
      }
      return new RailAddress(from);
    }

    @Override
    public void reply(MemorySegment packet, long offset, int length) {
      send(sourceAddress().text(), packet.asSlice(offset, length), null);
    }

    void send(String to, MemorySegment bytes, @Nullable MemoryRail rail) {
      sent++;
      Port target = ports.get(to);
      byte[] packet = bytes.toArray(JAVA_BYTE);
      if (target != null
          && target.open
          && !deaf.contains(to)
          && bytes.byteSize() <= mtu
          && !lost.test(packet)) {
        MemorySegment copy = Arena.ofAuto().allocate(packet.length);
        copy.copyFrom(MemorySegment.ofArray(packet));
        long dueNs = nowNs + delaysNs.getOrDefault(to, DELAY_NS);
        target.inbox.add(new Datagram(dueNs, address.text(), copy, rail));
      }
    }

    @Override
    public int poll(long atNs, int limit) {
      polls++;
      if (failing) {
        failing = false;
        open = false;
        handler.onLinkEvent(this, null, LinkEvent.CLOSED, 88);
        return 0;
      }
      int n = 0;
      for (Datagram d = inbox.peek();
          d != null && d.dueNs <= nowNs && n < limit;
          d = inbox.peek()) {
        inbox.remove();
        source = d.from;
        MemorySegment bytes = d.bytes;
        if (corruptNext) {
          corruptNext = false;
          long last = bytes.byteSize() - 1;
          bytes.set(
              ValueLayout.JAVA_BYTE, last, (byte) (bytes.get(ValueLayout.JAVA_BYTE, last) ^ 1));
        }
        MemorySegment ring = inRing;
        if (ring != null) {
          bytes = ring.copyFrom(d.bytes);
        }
        handler.onPacket(this, bytes, 0, (int) d.bytes.byteSize(), key(d.from));
        source = null;
        if (d.rail != null) {
          d.rail.consumed++;
        }
        n++;
      }
      return n;
    }

    void announce(Rail rail, LinkEvent event) {
      handler.onLinkEvent(this, rail, event, 101);
    }

    @Override
    public boolean attach(Poller poller) {
      return true;
    }

    @Override
    public boolean prepareToBlock() {
      return inbox.isEmpty();
    }

    @Override
    public void afterBlock() {}

    @Override
    public Counters<PortCounter> counters() {
      return counters;
    }

    @Override
    public void close() {
      open = false;
    }
  }

  private static long key(String address) {
    return address.hashCode();
  }

  final class MemoryRail implements Rail {
    private final Port port;
    private final RailAddress remote;
    private final MemorySegment memory = Arena.ofAuto().allocate(1472, 8);
    private final PortClaim claim;
    private boolean open = true;
    private long consumed;

    /** What is sent over it is seen by nobody, and nobody is told. */
    boolean spoiled;

    MemoryRail(Port port, RailAddress remote) {
      this.port = port;
      this.remote = remote;
      this.claim = port.claim;
    }

    @Override
    public RailPort port() {
      return port;
    }

    @Override
    public RailAddress remoteAddress() {
      return remote;
    }

    @Override
    public long remoteKey() {
      return key(remote.text());
    }

    @Override
    public int maxPacketLength() {
      return 1472;
    }

    @Override
    public long claim(int length) {
      claim.check(length, maxPacketLength());
      if (!isOpen()) {
        return CLOSED;
      }
      claim.open(this, length);
      return 0;
    }

    @Override
    public MemorySegment txMemory() {
      Runnable fault = writeFault;
      if (fault != null) {
        writeFaults++;
        fault.run();
        writeFaults--;
      }
      return memory;
    }

    @Override
    public void commit(int length) {
      if (claim.commit(this, length) && !spoiled) {
        port.send(remote.text(), memory.asSlice(0, length), this);
      }
    }

    @Override
    public void abort() {
      claim.abort(this);
    }

    @Override
    public void flush() {}

    @Override
    public long consumed() {
      return port.attributes.lossless() ? consumed : -1;
    }

    @Override
    public boolean isOpen() {
      return open && port.open;
    }

    @Override
    public void close() {
      claim.abort(this);
      open = false;
    }
  }
}
