// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.FdPoller;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FdPollerTest extends PollerContract {
  @Override
  Poller open() throws Exception {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    return new FdPoller();
  }

  @Override
  Source source() {
    Libc libc = new Libc();
    int fd = libc.eventfd(0, SocketAbi.EFD_NONBLOCK);
    assertTrue(fd >= 0, () -> Errno.describe(-fd));
    return new Source() {
      private boolean open = true;

      @Override
      public void watchWith(Poller poller) {
        poller.watch(fd);
      }

      @Override
      public void unwatchFrom(Poller poller) {
        poller.unwatch(fd);
      }

      @Override
      public void makeReadable() {
        assertEquals(0, libc.eventfdWrite(fd, 1));
      }

      @Override
      public void close() {
        if (open) {
          open = false;
          assertEquals(0, libc.close(fd));
        }
      }
    };
  }

  @Test
  void isTheFirstChoice() throws Exception {
    try (Poller poller = Pollers.create()) {
      assertInstanceOf(FdPoller.class, poller);
      assertTrue(poller.watchesDescriptors());
    }
  }

  @Test
  void aClosedDescriptorIsToldOnce() throws Exception {
    try (Poller poller = open();
        Source source = source()) {
      source.watchWith(poller);
      source.close();
      assertTrue(poller.await(Long.MAX_VALUE));
      assertFalse(poller.await(0));
    }
  }

  /** So that a socket at which nothing was found is not asked again. */
  @Test
  void tellsWhatItFoundAtEachDescriptor() throws Exception {
    Libc libc = new Libc();
    int unknown = Poller.READABLE | Poller.FAILED;
    try (Poller poller = open()) {
      int silent = libc.eventfd(0, SocketAbi.EFD_NONBLOCK);
      int ready = libc.eventfd(1, SocketAbi.EFD_NONBLOCK);
      poller.watch(silent);
      poller.watch(ready);
      assertEquals(unknown, poller.found(ready), "nobody has waited yet");
      assertTrue(poller.await(0));
      assertEquals(0, poller.found(silent));
      assertEquals(Poller.READABLE, poller.found(ready));
      assertEquals(unknown, poller.found(1_000_000), "it was not watched");
      var elsewhere = new AtomicInteger();
      Thread other = Thread.ofPlatform().start(() -> elsewhere.set(poller.found(silent)));
      other.join();
      assertEquals(unknown, elsewhere.get(), "another thread has waited");

      poller.unwatch(silent);
      assertEquals(unknown, poller.found(ready), "entries have moved since");
      assertTrue(poller.await(0));
      assertEquals(Poller.READABLE, poller.found(ready));
      assertEquals(unknown, poller.found(silent));
      assertEquals(0, libc.close(ready));
      assertEquals(0, libc.close(silent));
    }
  }

  @Test
  void waitsForWritingThroughEpoll() throws Exception {
    Libc libc = new Libc();
    try (Poller poller = open()) {
      int fd = libc.eventfd(-2, SocketAbi.EFD_NONBLOCK);
      assertEquals(0, libc.eventfdWrite(fd, 0xffff_ffff_ffff_fffeL - 0xffff_fffeL));
      int epoll = libc.epollFor(fd, SocketAbi.POLLOUT);
      assertTrue(epoll >= 0, () -> Errno.describe(-epoll));
      poller.watch(epoll);
      assertFalse(poller.await(0)); // full: nothing can be added
      try (var arena = java.lang.foreign.Arena.ofConfined()) {
        assertEquals(8, libc.read(fd, arena.allocate(8), 8));
      }
      assertTrue(poller.await(Long.MAX_VALUE));
      assertEquals(0, libc.close(epoll));
      assertEquals(0, libc.close(fd));
    }
  }

  @Test
  void rejectsChannels() throws Exception {
    Pipe pipe = Pipe.open();
    try (Poller poller = open()) {
      pipe.source().configureBlocking(false);
      assertThrows(
          UnsupportedOperationException.class,
          () -> poller.watch(pipe.source(), SelectionKey.OP_READ));
      poller.unwatch(pipe.source());
      assertThrows(IllegalArgumentException.class, () -> poller.watch(-1));
    } finally {
      pipe.source().close();
      pipe.sink().close();
    }
  }
}
