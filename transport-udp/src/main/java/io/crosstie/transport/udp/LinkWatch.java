// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel tells of the interface that has a port's address: that it went down or lost its
 * carrier, or that the address was taken away (rtnetlink(7)). That is known at once, where silence
 * takes a round trip and more to be told from delay. News only: whether the rail is dead is judged
 * by what arrives.
 *
 * <p>A carrier that came back is to be left alone for a moment ({@link #SETTLE_NS}). What leaves
 * first makes the kernel ask for the neighbour's hardware address, and if the neighbour's end is
 * not quite up yet, as it is for up to some milliseconds, the kernel asks again only after a second
 * (arp(7), retrans_time_ms), in which nothing leaves.
 *
 * <p>The kernel may hold news of a carrier back until a second after the last news, so the
 * carrier's file in /sys is read as well.
 *
 * <p>Messages whose layout is not understood are passed over; if they are lost, so is the news.
 */
final class LinkWatch implements AutoCloseable {
  private static final int AF_NETLINK = 16;
  private static final int SOCK_RAW = 3;
  private static final int SO_DOMAIN = 39;
  private static final int NETLINK_ROUTE = 0;
  private static final int GROUP_LINK = 1;
  private static final int GROUP_IPV4_ADDRESS = 0x10;
  private static final int GROUP_IPV6_ADDRESS = 0x100;
  private static final int SOCKADDR_BYTES = 12;
  private static final int SOCKADDR_GROUPS = 8;

  private static final int HEADER_BYTES = 16;
  private static final int RTM_NEWLINK = 16;
  private static final int RTM_DELLINK = 17;
  private static final int RTM_DELADDR = 21;
  private static final int IFINFO_BYTES = 16;
  private static final int IFADDR_BYTES = 8;
  private static final int IFF_RUNNING = 0x40;
  private static final int IFA_ADDRESS = 1;
  private static final int IFA_LOCAL = 2;

  private static final int BUFFER_BYTES = 16 << 10;

  /** Most messages taken in at a look: others' interfaces may come and go all the time. */
  private static final int MAX_MESSAGES = 16;

  /** How long nothing should leave after a carrier came back: ten milliseconds. */
  static final long SETTLE_NS = 10_000_000L;

  private final Libc libc;
  private final int fd;
  private final int index;
  private final byte[] address;
  private final MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES, 8);

  private final @Nullable RandomAccessFile carrier;
  private boolean running = true;
  private boolean carried = true;
  private boolean settling;
  private long settledNs;

  private LinkWatch(
      Libc libc, int fd, int index, byte[] address, @Nullable RandomAccessFile carrier) {
    this.carrier = carrier;
    this.libc = libc;
    this.fd = fd;
    this.index = index;
    this.address = address;
  }

  /** Null where there is nothing to watch (the wildcard address, loopback) or no way to do it. */
  static @Nullable LinkWatch of(Libc libc, InetAddress address) {
    if (address.isAnyLocalAddress() || address.isLoopbackAddress()) {
      return null;
    }
    NetworkInterface nic = Interfaces.find(address);
    if (nic == null) {
      return null;
    }
    int type = SOCK_RAW | SocketAbi.SOCK_NONBLOCK | SocketAbi.SOCK_CLOEXEC;
    int fd = libc.socket(AF_NETLINK, type, NETLINK_ROUTE);
    if (fd < 0) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(SOCKADDR_BYTES, 4);
      name.set(JAVA_SHORT, 0, (short) AF_NETLINK);
      name.set(JAVA_INT, SOCKADDR_GROUPS, GROUP_LINK | GROUP_IPV4_ADDRESS | GROUP_IPV6_ADDRESS);
      if (libc.bind(fd, name) < 0) {
        int unused = libc.close(fd);
        return null;
      }
    }
    return new LinkWatch(libc, fd, nic.getIndex(), address.getAddress(), carrierOf(nic.getName()));
  }

  private static @Nullable RandomAccessFile carrierOf(String name) {
    try {
      return new RandomAccessFile("/sys/class/net/" + name + "/carrier", "r");
    } catch (IOException e) {
      return null; // netlink tells it, too
    }
  }

  /** Readable when there may be news. */
  int fd() {
    return fd;
  }

  /** Whether since the last look the address has become of no use. Never blocks. */
  boolean check() {
    boolean lost = false;
    for (int i = 0; i < MAX_MESSAGES; i++) {
      long length = libc.tryRecv(fd, buffer.address(), BUFFER_BYTES, SocketAbi.MSG_DONTWAIT);
      if (length < HEADER_BYTES) {
        break;
      }
      lost |= read((int) length);
    }
    boolean wasCarried = carried;
    checkCarrier();
    return lost || (wasCarried && !carried);
  }

  private void checkCarrier() {
    boolean carries = readCarrier();
    if (carries && !carried) {
      settling = true;
      settledNs = System.nanoTime() + SETTLE_NS;
    }
    carried = carries;
  }

  /**
   * Whether nothing should leave now. What is known to have no carrier is looked at again, and may
   * be used: an address of this host can be reached without one.
   */
  boolean isSettling() {
    if (carried && !settling) {
      return false;
    }
    if (!carried) {
      checkCarrier();
    }
    return isSettling(System.nanoTime());
  }

  /**
   * As {@link #isSettling()}, without another look.
   *
   * @param nowNs of {@link System#nanoTime()}
   */
  boolean isSettling(long nowNs) {
    settling &= nowNs - settledNs < 0;
    return settling;
  }

  /** The file cannot be read while the interface is down. */
  private boolean readCarrier() {
    RandomAccessFile file = carrier;
    if (file == null) {
      return running;
    }
    try {
      file.seek(0);
      return file.read() != '0';
    } catch (IOException e) {
      return false;
    }
  }

  private boolean read(int length) {
    boolean lost = false;
    int at = 0;
    while (at + HEADER_BYTES <= length) {
      int size = buffer.get(JAVA_INT, at);
      if (size < HEADER_BYTES || size > length - at) {
        break;
      }
      int body = at + HEADER_BYTES;
      int end = at + size;
      switch (buffer.get(JAVA_SHORT, at + 4)) {
        case RTM_NEWLINK -> {
          if (body + IFINFO_BYTES <= end && buffer.get(JAVA_INT, body + 4) == index) {
            running = (buffer.get(JAVA_INT, body + 8) & IFF_RUNNING) != 0;
            carried &= running; // even if it is back by now
            lost |= !running;
          }
        }
        case RTM_DELLINK ->
            lost |= body + IFINFO_BYTES <= end && buffer.get(JAVA_INT, body + 4) == index;
        case RTM_DELADDR ->
            lost |=
                body + IFADDR_BYTES <= end
                    && buffer.get(JAVA_INT, body + 4) == index
                    && isOurs(body + IFADDR_BYTES, end);
        default -> {
          // of no interest
        }
      }
      at += align(size);
    }
    return lost;
  }

  /** Whether one of the attributes is the address. */
  private boolean isOurs(int from, int end) {
    int at = from;
    while (at + 4 <= end) {
      int size = Short.toUnsignedInt(buffer.get(JAVA_SHORT, at));
      int type = buffer.get(JAVA_SHORT, at + 2);
      if (size < 4 || size > end - at) {
        return false;
      }
      if ((type == IFA_ADDRESS || type == IFA_LOCAL) && size - 4 == address.length) {
        boolean same = true;
        for (int i = 0; i < address.length; i++) {
          same &= buffer.get(JAVA_BYTE, at + 4 + i) == address[i];
        }
        if (same) {
          return true;
        }
      }
      at += align(size);
    }
    return false;
  }

  private static int align(int size) {
    return (size + 3) & ~3;
  }

  /**
   * Whether the descriptor is still ours: somebody else in the process may have closed it, or put
   * another file under its number.
   */
  boolean isOurs() {
    return libc.getOption(fd, SocketAbi.SOL_SOCKET, SO_DOMAIN) == AF_NETLINK;
  }

  /** Closes the descriptor if it is still ours. */
  @Override
  public void close() {
    if (isOurs()) {
      int unused = libc.close(fd);
    }
    RandomAccessFile file = carrier;
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        // it was only read
      }
    }
  }
}
