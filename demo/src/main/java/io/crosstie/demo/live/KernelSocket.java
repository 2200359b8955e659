// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteOrder;

/**
 * A blocking stream socket of the kernel: Multipath TCP where there is that, for which Java has no
 * word, else TCP. One thread works with it, any may close it.
 */
final class KernelSocket implements AutoCloseable {
  private static final int IPPROTO_MPTCP = 262;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_NODELAY = 1;
  private static final int SHUT_RDWR = 2;
  private static final int STREAM = SocketAbi.SOCK_STREAM | SocketAbi.SOCK_CLOEXEC;

  private final Libc libc;
  private final int fd;
  private final boolean multipath;
  private boolean closed;

  private KernelSocket(Libc libc, int fd, boolean multipath) {
    this.libc = libc;
    this.fd = fd;
    this.multipath = multipath;
  }

  private static KernelSocket create() throws IOException {
    Libc libc = new Libc();
    int fd = libc.socket(SocketAbi.AF_INET, STREAM, IPPROTO_MPTCP);
    boolean multipath = fd >= 0;
    if (!multipath) {
      fd = check("socket", libc.socket(SocketAbi.AF_INET, STREAM, IPPROTO_TCP));
    }
    return new KernelSocket(libc, fd, multipath);
  }

  /** Listens on all addresses. */
  static KernelSocket listen(int port) throws IOException {
    KernelSocket socket = create();
    try (Arena arena = Arena.ofConfined()) {
      check(
          "SO_REUSEADDR",
          socket.libc.setOption(socket.fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_REUSEADDR, 1));
      InetAddress any = InetAddress.ofLiteral("0.0.0.0");
      check("bind", socket.libc.bind(socket.fd, address(arena, any, port)));
      check("listen", socket.libc.listen(socket.fd, 1));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  static KernelSocket connect(InetAddress to, int port) throws IOException {
    KernelSocket socket = create();
    try (Arena arena = Arena.ofConfined()) {
      check("TCP_NODELAY", socket.libc.setOption(socket.fd, IPPROTO_TCP, TCP_NODELAY, 1));
      check("connect", socket.libc.connect(socket.fd, address(arena, to, port)));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Waits for the next connection. */
  KernelSocket accept() throws IOException {
    int accepted = check("accept", libc.accept(fd, SocketAbi.SOCK_CLOEXEC));
    return new KernelSocket(new Libc(), accepted, multipath);
  }

  private static MemorySegment address(Arena arena, InetAddress of, int port) {
    byte[] bytes = of.getAddress();
    MemorySegment address = arena.allocate(SocketAbi.SOCKADDR_IN_BYTES, 8);
    address.set(ValueLayout.JAVA_SHORT, 0, (short) SocketAbi.AF_INET);
    address.set(ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) port);
    MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 4, bytes.length);
    return address;
  }

  /** Writes all of a segment, however long that takes. */
  void write(MemorySegment message) throws IOException {
    for (long done = 0; done < message.byteSize(); ) {
      long written = libc.write(fd, message.asSlice(done), message.byteSize() - done);
      if (written >= 0) {
        done += written;
      } else if (written != -Errno.EINTR) {
        check("write", (int) written);
      }
    }
  }

  /** Reads what there is, at least a byte; 0 at the end. */
  int read(MemorySegment memory) throws IOException {
    long read;
    do {
      read = libc.read(fd, memory, memory.byteSize());
    } while (read == -Errno.EINTR);
    return check("read", (int) read);
  }

  private static int check(String what, int result) throws IOException {
    if (result < 0) {
      throw new IOException(what + ": " + Errno.name(-result));
    }
    return result;
  }

  /** "mptcp" or "tcp". */
  String kind() {
    return multipath ? "mptcp" : "tcp";
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      Libc own = new Libc(); // the other one belongs to the thread that may be blocked
      int unused = own.shutdown(fd, SHUT_RDWR); // which ends its call
      unused = own.close(fd);
    }
  }
}
