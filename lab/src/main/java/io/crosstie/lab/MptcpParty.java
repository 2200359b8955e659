// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.JsonObject;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The kernel's Multipath TCP, through sockets of the C library, since Java's have no way to ask for
 * it. Each stream is a connection of its own, so that none waits for another's bytes. All messages
 * of a stream have one length, so that they need no frames and a damaged byte damages one message
 * only.
 */
final class MptcpParty implements Party {
  private static final int IPPROTO_MPTCP = 262;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_NODELAY = 1;
  private static final int SHUT_RDWR = 2;
  private static final int READ_BYTES = 256 << 10;
  private static final long PATIENCE_NS = 100_000_000;

  /**
   * Beyond what the kernel would give by itself: it charges some kilobyte for each small message,
   * and once messages out of order have used the buffer up, the one that is missing is dropped
   * whenever it is sent again, so that the connection stands still for good (seen with Linux 6.18).
   */
  private static final int RECEIVE_BUFFER_BYTES = 64 << 20;

  private final Setup setup;
  private final int[] listeners;
  private final int[] sockets;
  private final long[] written; // of the message of a stream that is being offered
  private final Libc libc = new Libc(); // of the thread that starts, and then sends or receives
  private volatile boolean stopping;

  MptcpParty(Setup setup) {
    this.setup = setup;
    int streams = setup.streams().size();
    listeners = new int[streams];
    sockets = new int[streams];
    written = new long[streams];
    Arrays.fill(listeners, -1);
    Arrays.fill(sockets, -1);
    for (int stream = 0; stream < streams; stream++) {
      if (!setup.sender()) {
        listen(stream);
      }
    }
  }

  private void listen(int stream) {
    int fd = socket();
    listeners[stream] = fd;
    check("SO_REUSEADDR", libc.setOption(fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_REUSEADDR, 1));
    check(
        "SO_RCVBUFFORCE",
        libc.setOption(fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES));
    try (Arena arena = Arena.ofConfined()) {
      // All addresses, since further subflows come to the other ones.
      check("bind", libc.bind(fd, address(arena, "0.0.0.0", stream)));
    }
    check("listen", libc.listen(fd, 1));
  }

  private int socket() {
    return check(
        "socket(IPPROTO_MPTCP)",
        libc.socket(
            SocketAbi.AF_INET, SocketAbi.SOCK_STREAM | SocketAbi.SOCK_CLOEXEC, IPPROTO_MPTCP));
  }

  private MemorySegment address(Arena arena, String host, int stream) {
    try {
      byte[] bytes = InetAddress.ofLiteral(host).getAddress();
      MemorySegment address = arena.allocate(SocketAbi.SOCKADDR_IN_BYTES, 8);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) SocketAbi.AF_INET);
      address.set(
          ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN),
          2,
          (short) (setup.port() + stream));
      MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 4, bytes.length);
      return address;
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException("not an address: " + host, e);
    }
  }

  private static int check(String what, int result) {
    if (result < 0) {
      throw new IllegalStateException(what + " of Multipath TCP failed: " + Errno.name(-result));
    }
    return result;
  }

  @Override
  public void awaitUp() {
    for (int stream = 0; stream < sockets.length; stream++) {
      int fd = socket();
      sockets[stream] = fd;
      check("TCP_NODELAY", libc.setOption(fd, IPPROTO_TCP, TCP_NODELAY, 1));
      try (Arena arena = Arena.ofConfined()) {
        check(
            "connect", libc.connect(fd, address(arena, setup.rails().getFirst().there(), stream)));
      }
      noWaiting(fd);
    }
  }

  private void noWaiting(int fd) {
    int flags = check("F_GETFL", libc.fcntl(fd, SocketAbi.F_GETFL, 0));
    check("O_NONBLOCK", libc.fcntl(fd, SocketAbi.F_SETFL, flags | SocketAbi.O_NONBLOCK));
  }

  @Override
  public boolean offer(int stream, MemorySegment message) {
    long left = message.byteSize() - written[stream];
    long took = libc.write(sockets[stream], message.asSlice(written[stream]), left);
    if (took == left) {
      written[stream] = 0;
      return true;
    }
    if (took >= 0) {
      written[stream] += took;
    } else if (took != -Errno.EAGAIN && took != -Errno.EINTR) {
      throw new IllegalStateException(
          "Multipath TCP does not take more: " + Errno.name((int) -took));
    }
    return false;
  }

  @Override
  public void receive(List<? extends Delivery> takers) {
    int streams = sockets.length;
    try (Arena arena = Arena.ofConfined()) {
      List<Incoming> incoming = new ArrayList<>();
      MemorySegment pollfds = arena.allocate((long) streams * SocketAbi.POLLFD_BYTES, 8);
      for (int stream = 0; stream < streams; stream++) {
        int fd = libc.accept(listeners[stream], SocketAbi.SOCK_CLOEXEC);
        if (fd < 0) {
          if (!stopping) {
            check("accept", fd);
          }
          return;
        }
        sockets[stream] = fd;
        noWaiting(fd);
        int bytes = setup.streams().get(stream).bytes();
        incoming.add(new Incoming(fd, bytes, takers.get(stream), arena));
        long at = (long) stream * SocketAbi.POLLFD_BYTES;
        pollfds.set(ValueLayout.JAVA_INT, at, fd);
        pollfds.set(ValueLayout.JAVA_SHORT, at + SocketAbi.POLLFD_EVENTS, SocketAbi.POLLIN);
      }
      MemorySegment patience = arena.allocate(16, 8);
      patience.set(ValueLayout.JAVA_LONG, 8, PATIENCE_NS);
      while (!stopping) {
        int ready = libc.ppoll(pollfds, streams, patience);
        if (ready != -Errno.EINTR) {
          check("ppoll", ready);
        }
        for (Incoming each : incoming) {
          if (!each.take()) {
            return;
          }
        }
      }
    }
  }

  /** The bytes of one connection, from which its messages are taken. */
  private final class Incoming {
    private final int fd;
    private final int messageBytes;
    private final Delivery taker;
    private final MemorySegment buffer;
    private long filled;

    Incoming(int fd, int messageBytes, Delivery taker, Arena arena) {
      this.fd = fd;
      this.messageBytes = messageBytes;
      this.taker = taker;
      this.buffer = arena.allocate((long) messageBytes + READ_BYTES, 64);
    }

    /** Takes what is there; false at its end. Whether that is too early is told by the count. */
    boolean take() {
      long read = libc.read(fd, buffer.asSlice(filled), READ_BYTES);
      if (read <= 0) {
        return read == -Errno.EAGAIN || read == -Errno.EINTR;
      }
      filled += read;
      long taken = 0;
      for (; filled - taken >= messageBytes; taken += messageBytes) {
        taker.take(buffer, taken, messageBytes);
      }
      if (taken > 0) {
        MemorySegment.copy(buffer, taken, buffer, 0, filled - taken);
        filled -= taken;
      }
      return true;
    }
  }

  /** Segments sent again, of this host. */
  @Override
  public JsonObject counters() {
    JsonObject counters = new JsonObject();
    try {
      List<String> tcp =
          Files.readAllLines(Path.of("/proc/self/net/snmp")).stream()
              .filter(line -> line.startsWith("Tcp:"))
              .toList();
      String[] names = tcp.get(0).split(" ", -1);
      String[] values = tcp.get(1).split(" ", -1);
      for (int i = 1; i < names.length; i++) {
        counters.addProperty(names[i], Long.parseLong(values[i]));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return counters;
  }

  @Override
  public void close() {
    stopping = true;
    Libc own = new Libc(); // errno is captured per instance, and another thread may be waiting
    for (int[] some : List.of(sockets, listeners)) {
      for (int i = 0; i < some.length; i++) {
        if (some[i] >= 0) {
          int unused = own.shutdown(some[i], SHUT_RDWR); // ends the calls that block
          unused = own.close(some[i]);
          some[i] = -1;
        }
      }
    }
  }
}
