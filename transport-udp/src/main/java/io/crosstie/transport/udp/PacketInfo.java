// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_BYTES;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_LEVEL;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_TYPE;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.transport.RailAddress;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * One of this host's addresses, as the kernel tells to which one a packet came to a socket that is
 * bound to all of them, and as it is told from which one an answer leaves: the control message
 * {@code IP_PKTINFO} or {@code IPV6_PKTINFO}. Without it the kernel takes whichever address the
 * route prefers, and who asked at another one never hears of the answer.
 */
final class PacketInfo {
  /** Room for the control message of either family, in bytes. */
  static final int CONTROL_BYTES = CMSGHDR_BYTES + 24;

  private final InetAddress address;
  private final long word0;
  private final long word1;
  private final int scope;
  private @Nullable RailAddress text;

  private PacketInfo(InetAddress address, int scope) {
    this.address = address;
    this.scope = scope;
    MemorySegment bytes = MemorySegment.ofArray(new byte[16]);
    byte[] raw = address.getAddress();
    MemorySegment.copy(raw, 0, bytes, JAVA_BYTE, 0, raw.length);
    word0 = bytes.get(JAVA_LONG.withByteAlignment(1), 0);
    word1 = bytes.get(JAVA_LONG.withByteAlignment(1), 8);
  }

  /** An address of this host; null for the wildcard address and for what is nobody's own. */
  static @Nullable PacketInfo of(InetAddress address) {
    if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
      return null;
    }
    return new PacketInfo(address, address instanceof Inet6Address ipv6 ? ipv6.getScopeId() : 0);
  }

  /**
   * What the kernel wrote.
   *
   * @param controls control messages
   * @param from where the first begins
   * @param length of all of them, in bytes
   * @return null if it is not among them
   */
  static @Nullable PacketInfo read(MemorySegment controls, long from, long length) {
    long at = find(controls, from, length, SocketAbi.IPPROTO_IP, SocketAbi.IP_PKTINFO);
    if (at >= 0) {
      byte[] raw = new byte[4];
      long source = at + CMSGHDR_BYTES + SocketAbi.IN_PKTINFO_LOCAL;
      MemorySegment.copy(controls, JAVA_BYTE, source, raw, 0, raw.length);
      return of(inet(raw, 0));
    }
    at = find(controls, from, length, SocketAbi.IPPROTO_IPV6, SocketAbi.IPV6_PKTINFO);
    if (at < 0) {
      return null;
    }
    byte[] raw = new byte[16];
    MemorySegment.copy(controls, JAVA_BYTE, at + CMSGHDR_BYTES, raw, 0, raw.length);
    InetAddress plain = inet(raw, 0);
    int index =
        plain.isLinkLocalAddress()
            ? controls.get(JAVA_INT, at + CMSGHDR_BYTES + SocketAbi.IN6_PKTINFO_INTERFACE)
            : 0;
    return of(index == 0 ? plain : inet(raw, index));
  }

  /** Whether the kernel wrote this address. */
  boolean isIn(MemorySegment controls, long from, long length) {
    if (address instanceof Inet4Address) {
      long at = find(controls, from, length, SocketAbi.IPPROTO_IP, SocketAbi.IP_PKTINFO);
      return at >= 0
          && controls.get(JAVA_INT, at + CMSGHDR_BYTES + SocketAbi.IN_PKTINFO_LOCAL) == (int) word0;
    }
    long at = find(controls, from, length, SocketAbi.IPPROTO_IPV6, SocketAbi.IPV6_PKTINFO);
    long body = at + CMSGHDR_BYTES;
    return at >= 0
        && controls.get(JAVA_LONG, body) == word0
        && controls.get(JAVA_LONG, body + 8) == word1
        && (scope == 0 || controls.get(JAVA_INT, body + SocketAbi.IN6_PKTINFO_INTERFACE) == scope);
  }

  /**
   * Where a control message begins.
   *
   * @return -1 if there is none of the kind
   */
  static long find(MemorySegment controls, long from, long length, int level, int type) {
    long end = from + length;
    long at = from;
    while (at + CMSGHDR_BYTES <= end) {
      long size = controls.get(JAVA_LONG, at);
      if (size < CMSGHDR_BYTES || size > end - at) {
        return -1;
      }
      if (controls.get(JAVA_INT, at + CMSGHDR_LEVEL) == level
          && controls.get(JAVA_INT, at + CMSGHDR_TYPE) == type) {
        return at;
      }
      at += (size + 7) & ~7L;
    }
    return -1;
  }

  private static InetAddress inet(byte[] bytes, int scope) {
    try {
      return scope == 0
          ? InetAddress.getByAddress(bytes)
          : Inet6Address.getByAddress(null, bytes, scope);
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // only for a wrong length
    }
  }

  /**
   * Writes the control message: at most {@value #CONTROL_BYTES} bytes.
   *
   * @return its length with padding
   */
  int write(MemorySegment controls, long at) {
    boolean ipv4 = address instanceof Inet4Address;
    int data = ipv4 ? SocketAbi.IN_PKTINFO_BYTES : SocketAbi.IN6_PKTINFO_BYTES;
    controls.set(JAVA_LONG, at, (long) CMSGHDR_BYTES + data);
    controls.set(
        JAVA_INT, at + CMSGHDR_LEVEL, ipv4 ? SocketAbi.IPPROTO_IP : SocketAbi.IPPROTO_IPV6);
    controls.set(JAVA_INT, at + CMSGHDR_TYPE, ipv4 ? SocketAbi.IP_PKTINFO : SocketAbi.IPV6_PKTINFO);
    long body = at + CMSGHDR_BYTES;
    if (ipv4) {
      controls.set(JAVA_INT, body, 0);
      controls.set(JAVA_INT, body + SocketAbi.IN_PKTINFO_LOCAL, (int) word0);
      controls.set(JAVA_INT, body + SocketAbi.IN_PKTINFO_LOCAL + 4, 0);
    } else {
      controls.set(JAVA_LONG, body, word0);
      controls.set(JAVA_LONG, body + 8, word1);
      controls.set(JAVA_INT, body + SocketAbi.IN6_PKTINFO_INTERFACE, scope);
    }
    return length();
  }

  /** Length of the control message with padding, in bytes. */
  int length() {
    return address instanceof Inet4Address ? CMSGHDR_BYTES + 16 : CONTROL_BYTES;
  }

  InetAddress address() {
    return address;
  }

  /** The address in text, with port 0: it stands for the port's own. */
  RailAddress railAddress() {
    RailAddress known = text;
    if (known == null) {
      known = new RailAddress(UdpAddress.text(new InetSocketAddress(address, 0)));
      text = known;
    }
    return known;
  }
}
