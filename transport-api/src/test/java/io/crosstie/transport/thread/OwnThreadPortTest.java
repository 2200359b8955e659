// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.NioPoller;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the engine does in the middle of a step of the port's thread, on one thread. */
class OwnThreadPortTest {
  private final List<String> did = new ArrayList<>();
  private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
  private Runnable atInnerClose = () -> {};
  private Runnable atLock = () -> {};
  private ReentrantLock lock;
  private Poller poller;
  private OwnThreadPort port;

  @BeforeEach
  void open() throws RailException {
    poller = new NioPoller();
    PortHandler handler =
        new PortHandler() {
          @Override
          public void onPacket(RailPort on, MemorySegment m, long offset, int length, long key) {}

          @Override
          public void onLinkEvent(RailPort on, Rail rail, LinkEvent event, int errno) {}
        };
    port =
        OwnThreadPort.open(
            new FakeDriver(),
            RailUri.parse("fake://here"),
            new PortContext("n", 1, 1),
            handler,
            ManualRunner::new);
  }

  @AfterEach
  void close() {
    poller.close();
  }

  private Rail connect(String name) throws RailException {
    return port.connect(new RailAddress("fake://" + name));
  }

  private static void send(Rail rail) {
    assertTrue(rail.claim(10) >= 0);
    rail.commit(10);
  }

  /** The thread closes rails that were closed before it found that nothing waits to leave. */
  @Test
  void aPacketThatIsCommittedDuringASweepStillLeaves() throws RailException {
    Rail first = connect("first");
    Rail second = connect("second");
    atInnerClose =
        () -> {
          atInnerClose = () -> {};
          send(second);
          second.close();
        };
    first.close();
    assertEquals(PortLoop.Next.STEP, port.step(false));
    assertEquals(List.of("close first"), did);
    for (int i = 0; i < 4; i++) {
      PortLoop.Next unused = port.step(false);
    }
    assertEquals(List.of("close first", "commit second", "close second"), did);
    assertEquals(0, counters.get(PortCounter.DROPPED_OUT));
  }

  /** The thread ends between the engine's look and its lock. */
  @Test
  void nothingIsConnectedOnAPortThatHasEnded() throws RailException {
    Rail before = connect("before");
    assertTrue(before.isOpen());
    atLock = () -> port.end(null);
    assertThrows(RailException.class, () -> connect("late"));
    assertEquals(List.of("close port, locked"), did);
    assertFalse(before.isOpen());
  }

  /** Runs nothing by itself. */
  private final class ManualRunner implements PortRunner {
    @Override
    public Poller poller() {
      return poller;
    }

    @Override
    public long nowNs() {
      return 0;
    }

    @Override
    public void start(String name, PortLoop loop) {}

    @Override
    public boolean tryLock(ReentrantLock of) {
      lock = of;
      atLock.run();
      return of.tryLock();
    }

    @Override
    public boolean awaitEnd() {
      return true;
    }

    @Override
    public void discard() {}
  }

  /** Notes what is done with it. */
  private final class FakeDriver implements RailDriver {
    @Override
    public String scheme() {
      return "fake";
    }

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public int priority() {
      return 0;
    }

    @Override
    public String whyUnavailable() {
      return null;
    }

    @Override
    public RailPort open(RailUri uri, PortContext context, PortHandler handler) {
      return new FakePort();
    }
  }

  private final class FakePort implements RailPort {
    @Override
    public RailAttributes attributes() {
      return new RailAttributes("fake", false, false, false, 0, 0, 0);
    }

    @Override
    public RailAddress localAddress() {
      return new RailAddress("fake://here");
    }

    @Override
    public String whyUnreachable(RailAddress remote) {
      return null;
    }

    @Override
    public Rail connect(RailAddress remote) {
      return new FakeRail(this, remote);
    }

    @Override
    public Rail accept() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RailAddress sourceAddress() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void reply(MemorySegment packet, long offset, int length) {}

    @Override
    public int poll(long nowNs, int limit) {
      return 0;
    }

    @Override
    public boolean attach(Poller to) {
      return true;
    }

    @Override
    public boolean prepareToBlock() {
      return true;
    }

    @Override
    public void afterBlock() {}

    @Override
    public Counters<PortCounter> counters() {
      return counters;
    }

    @Override
    public void close() {
      did.add("close port, " + (lock.isHeldByCurrentThread() ? "locked" : "not locked"));
    }
  }

  private final class FakeRail implements Rail {
    private final RailPort on;
    private final RailAddress remote;
    private final String name;
    private final MemorySegment memory = Arena.ofAuto().allocate(2000);

    FakeRail(RailPort on, RailAddress remote) {
      this.on = on;
      this.remote = remote;
      this.name = remote.text().substring("fake://".length());
    }

    @Override
    public RailPort port() {
      return on;
    }

    @Override
    public RailAddress remoteAddress() {
      return remote;
    }

    @Override
    public long remoteKey() {
      return name.hashCode();
    }

    @Override
    public int maxPacketLength() {
      return 1500;
    }

    @Override
    public long claim(int length) {
      return 0;
    }

    @Override
    public MemorySegment txMemory() {
      return memory;
    }

    @Override
    public void commit(int length) {
      did.add("commit " + name);
    }

    @Override
    public void abort() {}

    @Override
    public void flush() {}

    @Override
    public long consumed() {
      return -1;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {
      did.add("close " + name);
      atInnerClose.run();
    }
  }
}
