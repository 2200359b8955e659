// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.Poller;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import io.crosstie.transport.linux.UnixAddress;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Sockets as Linux descriptors. Every call names the descriptor anew (poll, recvmsg, sendmsg), so
 * that one that somebody in the process closed or replaced shows as an error of that socket, and
 * never blocks.
 */
final class FdSockets extends LocalSockets {
  private static final int STREAM =
      SocketAbi.SOCK_STREAM | SocketAbi.SOCK_NONBLOCK | SocketAbi.SOCK_CLOEXEC;
  private static final int FLAGS = SocketAbi.MSG_DONTWAIT | SocketAbi.MSG_NOSIGNAL;
  private static final int FIRST_CAPACITY = 8;

  /** One control message with one descriptor, and not a byte more: no second one is taken. */
  private static final int RIGHTS_BYTES = SocketAbi.CMSGHDR_BYTES + 4;

  /** Process, user and group. */
  private static final int UCRED_BYTES = 12;

  /** The peer was gone before it was accepted. */
  private static final int ECONNABORTED = 103;

  private final Libc libc = new Libc();
  private final Arena arena = Arena.ofAuto();
  private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
  private final MemorySegment iovec = arena.allocate(SocketAbi.IOVEC_BYTES, 8);
  private final MemorySegment message = arena.allocate(SocketAbi.MSGHDR_BYTES, 8);
  private final MemorySegment cookie = arena.allocate(8, 8);
  private final MemorySegment credentials = arena.allocate(UCRED_BYTES, 8);
  private final MemorySegment rights = arena.allocate(24, 8);
  private final MemorySegment noTime = arena.allocate(16, 8);

  /** Array of pollfd; entry 0 is the listening socket. */
  private MemorySegment pollfds = arena.allocate(FIRST_CAPACITY * (long) SocketAbi.POLLFD_BYTES, 8);

  /** Entry i - 1 belongs to pollfd i. */
  private @Nullable FdSocket[] sockets = new @Nullable FdSocket[FIRST_CAPACITY - 1];

  private int count;
  private int listener = -1;
  private long listenerCookie;
  private boolean listenerWatched = true;
  private @Nullable Poller poller;

  FdSockets() {
    iovec.set(JAVA_LONG, 0, buffer.address());
    message.set(JAVA_LONG, SocketAbi.MSGHDR_IOV, iovec.address());
    message.set(JAVA_LONG, SocketAbi.MSGHDR_IOVLEN, 1);
    setEntry(0, -1);
  }

  @Override
  void listen(Path path) throws IOException {
    int fd = check("socket", libc.socket(SocketAbi.AF_UNIX, STREAM, 0));
    try (Arena temporary = Arena.ofConfined()) {
      check("bind", libc.bind(fd, UnixAddress.path(temporary, path.toString())));
      check("listen", libc.listen(fd, BACKLOG));
    } catch (IOException | RuntimeException e) {
      int unused = libc.close(fd);
      throw e;
    }
    listener = fd;
    listenerCookie = cookie(fd);
    setEntry(0, fd);
  }

  @Override
  boolean listenerIntact() {
    return isOurs(listener, listenerCookie);
  }

  /** The kernel's number of a socket, which no other ever has; 0 for what is none. */
  private long cookie(int fd) {
    int result = libc.getOption(fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_COOKIE, cookie);
    return result < 0 ? 0 : cookie.get(JAVA_LONG, 0);
  }

  private boolean isOurs(int fd, long made) {
    return made == 0
        ? libc.getOption(fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_ERROR) >= 0
        : cookie(fd) == made;
  }

  @Override
  @Nullable LocalSocket connect(Path path) throws IOException {
    int fd = check("socket", libc.socket(SocketAbi.AF_UNIX, STREAM, 0));
    try (Arena temporary = Arena.ofConfined()) {
      int result = libc.connect(fd, UnixAddress.path(temporary, path.toString()));
      if (result == -Errno.EAGAIN) {
        int unused = libc.close(fd);
        return null;
      }
      check("connect", result);
    } catch (IOException | RuntimeException e) {
      int unused = libc.close(fd);
      throw e;
    }
    return add(fd);
  }

  @Override
  @Nullable LocalSocket accept() throws IOException {
    listenerReady(false);
    int fd = libc.accept(listener, SocketAbi.SOCK_NONBLOCK | SocketAbi.SOCK_CLOEXEC);
    return switch (-fd) {
      case Errno.EAGAIN, Errno.EINTR, ECONNABORTED -> null;
      case Errno.EBADF, Errno.ENOTSOCK, Errno.EINVAL, Errno.EOPNOTSUPP ->
          throw new ClosedChannelException();
      default -> add(check("accept", fd));
    };
  }

  private static int check(String call, int result) throws IOException {
    if (result < 0) {
      throw new IOException(call + ": " + Errno.describe(-result));
    }
    return result;
  }

  private FdSocket add(int fd) {
    if (count == sockets.length) {
      sockets = Arrays.copyOf(sockets, 2 * count + 1);
      MemorySegment larger = arena.allocate((sockets.length + 1L) * SocketAbi.POLLFD_BYTES, 8);
      larger.copyFrom(pollfds);
      pollfds = larger;
    }
    FdSocket socket = new FdSocket(fd);
    socket.index = count;
    sockets[count] = socket;
    count++;
    setEntry(count, fd);
    if (poller != null) {
      poller.watch(fd);
    }
    return socket;
  }

  private void remove(FdSocket socket) {
    count--;
    FdSocket last = sockets[count];
    sockets[count] = null;
    if (last != null && last != socket) {
      sockets[socket.index] = last;
      last.index = socket.index;
      setEntry(last.index + 1, last.fd);
    }
  }

  private void setEntry(int index, int fd) {
    long offset = index * (long) SocketAbi.POLLFD_BYTES;
    pollfds.set(JAVA_INT, offset, fd);
    pollfds.set(JAVA_SHORT, offset + SocketAbi.POLLFD_EVENTS, SocketAbi.POLLIN);
    pollfds.set(JAVA_SHORT, offset + SocketAbi.POLLFD_REVENTS, (short) 0);
  }

  private boolean isReady(int index) {
    return pollfds.get(JAVA_SHORT, index * (long) SocketAbi.POLLFD_BYTES + SocketAbi.POLLFD_REVENTS)
        != 0;
  }

  @Override
  void select() {
    if (libc.ppoll(pollfds, count + 1, noTime) <= 0) {
      return;
    }
    listenerReady(isReady(0));
    for (int i = 0; i < count; i++) {
      FdSocket socket = sockets[i];
      if (socket != null && isReady(i + 1)) {
        socket.ready(true);
      }
    }
  }

  @Override
  boolean isAnyFound() {
    Poller waited = poller;
    if (waited == null) {
      return true;
    }
    boolean any = listener >= 0 && listenerWatched && waited.found(listener) != 0;
    for (int i = 0; i < count && !any; i++) {
      FdSocket socket = sockets[i];
      any = socket != null && waited.found(socket.fd) != 0;
    }
    return any;
  }

  @Override
  void watchListener(boolean watched) {
    if (listenerWatched != watched && listener >= 0) {
      listenerWatched = watched;
      setEntry(0, watched ? listener : -1);
      if (poller != null) {
        if (watched) {
          poller.watch(listener);
        } else {
          poller.unwatch(listener);
        }
      }
    }
  }

  @Override
  boolean attach(Poller poller) {
    if (!poller.watchesDescriptors()) {
      return false;
    }
    this.poller = poller;
    if (listener >= 0 && listenerWatched) {
      poller.watch(listener);
    }
    for (int i = 0; i < count; i++) {
      FdSocket socket = sockets[i];
      if (socket != null) {
        poller.watch(socket.fd);
      }
    }
    return true;
  }

  @Override
  void close() {
    while (count > 0) {
      FdSocket socket = sockets[count - 1];
      if (socket != null) {
        socket.close();
      }
    }
    if (listener >= 0) {
      closeDescriptor(listener, listenerCookie);
      listener = -1;
      setEntry(0, -1);
    }
  }

  /** A number that is somebody else's by now is left alone. */
  private void closeDescriptor(int fd, long made) {
    if (poller != null) {
      poller.unwatch(fd);
    }
    if (isOurs(fd, made)) {
      int unused = libc.close(fd);
    }
  }

  private final class FdSocket extends LocalSocket {
    private final int fd;
    private final long made;
    private int index;
    private boolean closed;
    private boolean expectsDescriptor;
    private int descriptor = -1;

    FdSocket(int fd) {
      this.fd = fd;
      this.made = cookie(fd);
    }

    @Override
    int peerProcess() {
      int result = libc.getOption(fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_PEERCRED, credentials);
      return result < UCRED_BYTES ? 0 : credentials.get(JAVA_INT, 0);
    }

    @Override
    boolean intact() {
      return isOurs(fd, made);
    }

    @Override
    int read(byte[] into, int offset, int max) {
      if (closed) {
        return GONE;
      }
      iovec.set(JAVA_LONG, 8, Math.min(max, BUFFER_BYTES));
      long n = expectsDescriptor ? receiveWithDescriptor() : libc.recvmsg(fd, message, FLAGS);
      if (n == -Errno.EAGAIN || n == -Errno.EINTR) {
        return NOTHING;
      }
      if (n <= 0) {
        return GONE;
      }
      MemorySegment.copy(buffer, JAVA_BYTE, 0, into, offset, (int) n);
      return (int) n;
    }

    private long receiveWithDescriptor() {
      rights.fill((byte) 0);
      message.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROL, rights.address());
      message.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROLLEN, RIGHTS_BYTES);
      long n = libc.recvmsg(fd, message, FLAGS | SocketAbi.MSG_CMSG_CLOEXEC);
      boolean came =
          n >= 0
              && message.get(JAVA_LONG, SocketAbi.MSGHDR_CONTROLLEN) >= RIGHTS_BYTES
              && rights.get(JAVA_INT, SocketAbi.CMSGHDR_LEVEL) == SocketAbi.SOL_SOCKET
              && rights.get(JAVA_INT, SocketAbi.CMSGHDR_TYPE) == SocketAbi.SCM_RIGHTS;
      withoutRights();
      if (came) {
        dropDescriptor(); // a second one takes the place of the first
        descriptor = rights.get(JAVA_INT, SocketAbi.CMSGHDR_BYTES);
      }
      return n;
    }

    private void withoutRights() {
      message.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROL, 0L);
      message.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROLLEN, 0L);
    }

    @Override
    void expectDescriptor() {
      expectsDescriptor = true;
    }

    @Override
    int takeDescriptor() {
      int taken = descriptor;
      descriptor = -1;
      expectsDescriptor = false;
      return taken;
    }

    private void dropDescriptor() {
      if (descriptor >= 0) {
        int unused = libc.close(descriptor);
        descriptor = -1;
      }
    }

    @Override
    int write(byte[] from, int offset, int length) {
      return write(from, offset, length, -1);
    }

    @Override
    int write(byte[] from, int offset, int length, int along) {
      if (closed) {
        return GONE;
      }
      int part = Math.min(length, BUFFER_BYTES);
      MemorySegment.copy(from, offset, buffer, JAVA_BYTE, 0, part);
      iovec.set(JAVA_LONG, 8, part);
      if (along >= 0) {
        rights.set(JAVA_LONG, 0, RIGHTS_BYTES);
        rights.set(JAVA_INT, SocketAbi.CMSGHDR_LEVEL, SocketAbi.SOL_SOCKET);
        rights.set(JAVA_INT, SocketAbi.CMSGHDR_TYPE, SocketAbi.SCM_RIGHTS);
        rights.set(JAVA_INT, SocketAbi.CMSGHDR_BYTES, along);
        message.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROL, rights.address());
        message.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROLLEN, RIGHTS_BYTES);
      }
      long n = libc.sendmsg(fd, message, FLAGS);
      withoutRights();
      if (n == -Errno.EAGAIN || n == -Errno.EINTR || n == -Errno.ENOBUFS) {
        return NOTHING;
      }
      return n < 0 ? GONE : (int) n;
    }

    @Override
    void close() {
      if (!closed) {
        closed = true;
        dropDescriptor();
        remove(this);
        closeDescriptor(fd, made);
      }
    }
  }
}
