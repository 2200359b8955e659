// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.Poller;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SelectableChannel;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Waits with ppoll(2), to the nanosecond, for descriptors and an eventfd.
 *
 * <p>poll rather than epoll on purpose: an engine waits for a handful of ports and doorbells, and
 * poll looks at the descriptor <em>number</em> each time. When somebody closes or replaces a
 * descriptor under us it says so (and the port then finds out), where epoll would stay silent, or
 * stay ready for a file that can no longer be removed.
 *
 * <p>A wake-up is a flag; the eventfd is written only while the engine really blocks.
 */
public final class FdPoller implements Poller {
  private static final long NS_PER_S = 1_000_000_000L;
  private static final int FIRST_CAPACITY = 16;

  /** Used by whoever waits. */
  private final Libc libc = new Libc();

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment timeout = arena.allocate(16, 8);
  private final MemorySegment counter = arena.allocate(8, 8);

  /** Array of pollfd; entry 0 is the eventfd. Under {@link #setLock}, as what follows. */
  private MemorySegment pollfds = arena.allocate(FIRST_CAPACITY * (long) SocketAbi.POLLFD_BYTES, 8);

  /** Descriptors watched, in entries 1 to {@code watched}. */
  private int[] fds = new int[FIRST_CAPACITY];

  private int watched;

  /** Where descriptors stand among the entries, by their numbers; 0 for nowhere. */
  private int[] places = new int[FIRST_CAPACITY];

  /** How often a descriptor was added or removed. */
  private int changes;

  /** Who waited last; null while somebody waits, or if the entries do not tell what was found. */
  private @Nullable Thread foundBy;

  private int foundChanges;

  /** What is watched may be changed while another thread waits. */
  private final Object setLock = new Object();

  private final AtomicBoolean wakeupPending = new AtomicBoolean();
  private volatile boolean blocking;

  /**
   * Guards {@link #eventFd} against being written by another thread while or after it is closed.
   */
  private final Object wakeupLock = new Object();

  /** Used under {@link #wakeupLock}. */
  private final Libc wakeupLibc = new Libc();

  private int eventFd;
  private boolean closed;

  /**
   * Makes the eventfd.
   *
   * @throws RailException if the process has no descriptor left
   * @throws IllegalStateException if {@link Libc#whyUnavailable()} is not null
   */
  public FdPoller() throws RailException {
    int fd = libc.eventfd(0, SocketAbi.EFD_NONBLOCK | SocketAbi.EFD_CLOEXEC);
    if (fd < 0) {
      throw new RailException(
          "cannot make an eventfd to wait with: "
              + Errno.describe(-fd)
              + "; raise the limit on open files (ulimit -n)",
          -fd);
    }
    setEventFd(fd);
  }

  private void setEventFd(int fd) {
    eventFd = fd;
    setEntry(0, fd);
  }

  @Override
  public boolean watchesDescriptors() {
    return true;
  }

  @Override
  public void watch(int fd) {
    if (fd < 0) {
      throw new IllegalArgumentException("not a descriptor: " + fd);
    }
    synchronized (setLock) {
      if (indexOf(fd) > 0) {
        return;
      }
      if (watched + 1 == fds.length) {
        fds = Arrays.copyOf(fds, 2 * fds.length);
        MemorySegment larger = arena.allocate(fds.length * (long) SocketAbi.POLLFD_BYTES, 8);
        larger.copyFrom(pollfds);
        pollfds = larger;
      }
      watched++;
      put(watched, fd);
      changes++;
    }
    onChange();
  }

  @Override
  public void unwatch(int fd) {
    synchronized (setLock) {
      int index = indexOf(fd);
      if (index <= 0) {
        return;
      }
      remove(index);
    }
    onChange();
  }

  /** Who waits waits for what was watched before. */
  private void onChange() {
    if (blocking) {
      wakeup();
    }
  }

  private int indexOf(int fd) {
    return fd >= 0 && fd < places.length ? places[fd] : 0;
  }

  private void remove(int index) {
    places[fds[index]] = 0;
    int last = watched--;
    if (last != index) {
      put(index, fds[last]);
    }
    changes++;
  }

  private void put(int index, int fd) {
    if (fd >= places.length) {
      places = Arrays.copyOf(places, Math.max(fd + 1, 2 * places.length));
    }
    places[fd] = index;
    fds[index] = fd;
    setEntry(index, fd);
  }

  private void setEntry(int index, int fd) {
    long offset = index * (long) SocketAbi.POLLFD_BYTES;
    pollfds.set(JAVA_INT, offset, fd);
    pollfds.set(JAVA_SHORT, offset + SocketAbi.POLLFD_EVENTS, SocketAbi.POLLIN);
    pollfds.set(JAVA_SHORT, offset + SocketAbi.POLLFD_REVENTS, (short) 0);
  }

  private short readyEvents(int index) {
    return pollfds.get(
        JAVA_SHORT, index * (long) SocketAbi.POLLFD_BYTES + SocketAbi.POLLFD_REVENTS);
  }

  /** Not supported: a java.nio channel does not tell its descriptor. */
  @Override
  public void watch(SelectableChannel channel, int operations) {
    throw new UnsupportedOperationException(
        "this poller waits for file descriptors; ask watchesDescriptors() first");
  }

  @Override
  public void unwatch(SelectableChannel channel) {
    // none can be watched
  }

  @Override
  public boolean await(long timeoutNs) {
    synchronized (setLock) {
      foundBy = null;
    }
    blocking = true;
    if (wakeupPending.get() || timeoutNs <= 0) {
      return ppoll(0); // whatever is ready besides the wake-up is found by the ports themselves
    }
    return ppoll(timeoutNs);
  }

  private boolean ppoll(long timeoutNs) {
    timeout.set(JAVA_LONG, 0, timeoutNs / NS_PER_S);
    timeout.set(JAVA_LONG, 8, timeoutNs % NS_PER_S);
    MemorySegment set;
    int size;
    int seen;
    synchronized (setLock) {
      set = pollfds;
      size = watched + 1;
      seen = changes;
    }
    int ready = libc.tryPpoll(set, size, timeout);
    blocking = false;
    boolean woken = wakeupPending.getAndSet(false);
    synchronized (setLock) {
      if (ready > 0 && changes != seen) {
        drain(); // entries have moved: the next wait tells more
        return true;
      }
      if (ready > 0 && readyEvents(0) != 0) {
        drain();
      }
      if (ready >= 0) {
        foundBy = Thread.currentThread();
        foundChanges = seen;
      }
      if (ready > 0) {
        dropClosedDescriptors();
      }
    }
    // a signal or anything unexpected counts as a wake-up: the engine looks once more and comes
    // back
    return woken || ready != 0;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // threads have no other
  public int found(int fd) {
    synchronized (setLock) {
      boolean known = foundBy == Thread.currentThread() && foundChanges == changes;
      int index = known ? indexOf(fd) : 0;
      if (index == 0) {
        return READABLE | FAILED;
      }
      int events = readyEvents(index);
      int readable = (events & SocketAbi.POLLIN) != 0 ? READABLE : 0;
      return (events & ~SocketAbi.POLLIN) != 0 ? readable | FAILED : readable;
    }
  }

  /**
   * Empties the eventfd. If it is no longer ours (closed or replaced by somebody in the process) a
   * new one is made.
   */
  private void drain() {
    if (libc.tryRead(eventFd, counter, 8) == 8) {
      return;
    }
    long n = libc.read(eventFd, counter, 8);
    if (n != 8 && n != -Errno.EAGAIN && n != -Errno.EINTR) {
      synchronized (wakeupLock) {
        int fd = libc.eventfd(0, SocketAbi.EFD_NONBLOCK | SocketAbi.EFD_CLOEXEC);
        if (fd >= 0) { // the old number is somebody else's now and is not closed
          setEventFd(fd);
        }
      }
    }
  }

  /**
   * Descriptors that are not open are reported once and then forgotten, so that they cannot make
   * the engine spin.
   */
  private void dropClosedDescriptors() {
    for (int i = watched; i > 0; i--) {
      if ((readyEvents(i) & SocketAbi.POLLNVAL) != 0) {
        remove(i);
      }
    }
  }

  @Override
  public void wakeup() {
    if (!wakeupPending.getAndSet(true) && blocking) {
      synchronized (wakeupLock) {
        if (!closed) {
          // R22: an eventfd that was taken away cannot be written; the wait then ends by its time
          int unused = wakeupLibc.eventfdWrite(eventFd, 1);
        }
      }
    }
  }

  @Override
  public void close() {
    synchronized (wakeupLock) {
      if (!closed) {
        closed = true;
        setEntry(0, -1); // ppoll passes over negative numbers
        int unused = libc.close(eventFd);
      }
    }
  }
}
