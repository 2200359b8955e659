// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the local end of a UDP rail, whichever driver serves it: addresses, sizes, whom
 * it can reach.
 *
 * @param bound address and port of the socket
 * @param localAddress what peers are told
 * @param maxPacketLength largest packet in bytes, by the MTU
 * @param bandwidthHint bytes per second
 */
record UdpLink(
    InetSocketAddress bound, RailAddress localAddress, int maxPacketLength, long bandwidthHint) {

  private static final int IPV4_OVERHEAD = 28;
  private static final int IPV6_OVERHEAD = 48;
  private static final int MAX_IP_BYTES = 65535;
  private static final long LOOPBACK_LATENCY_NS = 5_000;
  private static final long NETWORK_LATENCY_NS = 50_000;

  static UdpLink of(UdpConfig config, InetSocketAddress bound) {
    InetAddress address = bound.getAddress();
    InetSocketAddress advertise = config.advertise();
    InetAddress told =
        advertise != null
            ? advertise.getAddress()
            : address.isAnyLocalAddress() ? Interfaces.advertised(address.getClass()) : address;
    int port =
        advertise == null || advertise.getPort() == 0 ? bound.getPort() : advertise.getPort();
    // what is advertised may be a translated address; a bound one has an interface for certain
    InetAddress own = address.isAnyLocalAddress() ? told : address;
    int mtu = config.mtu() != 0 ? config.mtu() : Interfaces.mtu(own);
    return new UdpLink(
        bound,
        new RailAddress(UdpAddress.text(new InetSocketAddress(withoutScope(told), port))),
        Math.min(mtu, MAX_IP_BYTES) - overhead(address),
        Interfaces.bandwidth(own));
  }

  /** The scope of a link-local address is a number of this host's: peers use their own. */
  private static InetAddress withoutScope(InetAddress address) {
    return address instanceof Inet6Address ? scoped(address, 0) : address;
  }

  private static InetAddress scoped(InetAddress address, int scope) {
    try {
      return Inet6Address.getByAddress(null, address.getAddress(), scope);
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // only for a wrong length
    }
  }

  private static int overhead(InetAddress address) {
    return address instanceof Inet4Address ? IPV4_OVERHEAD : IPV6_OVERHEAD;
  }

  /**
   * Most bytes that one UDP datagram carries, whatever the MTU; also the bound of a segmentation
   * batch.
   */
  int maxUdpPayload() {
    return MAX_IP_BYTES - overhead(bound.getAddress());
  }

  RailAttributes attributes(String kind, int receiveBufferBytes) {
    boolean loopback = bound.getAddress().isLoopbackAddress();
    return new RailAttributes(
        kind,
        false,
        false,
        false,
        loopback ? LOOPBACK_LATENCY_NS : NETWORK_LATENCY_NS,
        bandwidthHint,
        receiveBufferBytes);
  }

  /** As {@link io.crosstie.transport.RailPort#whyUnreachable}. */
  @Nullable String whyUnreachable(RailAddress remote) {
    try {
      UdpAddress.HostPort host = UdpAddress.parse(remote);
      InetAddress address = UdpAddress.literal(host.host());
      return address == null ? isName(host) : whyUnreachable(address, host.port());
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private static String isName(UdpAddress.HostPort host) {
    return "\""
        + host.host()
        + "\" is the name of a host, and only those that stand in this node's configuration are"
        + " looked up; what a peer tells has to be numbers";
  }

  private @Nullable String whyUnreachable(InetAddress remote, int port) {
    InetAddress local = bound.getAddress();
    String text = UdpAddress.hostText(remote);
    if (port == 0) {
      return "port 0 of " + text + " is no port to send to";
    }
    if (remote.isAnyLocalAddress() || remote.isMulticastAddress()) {
      return text + " is not the address of one host";
    }
    if (local.getClass() != remote.getClass()) {
      return text
          + " and the local "
          + UdpAddress.hostText(local)
          + " are of different address families";
    }
    if (!local.isAnyLocalAddress() && local.isLoopbackAddress() != remote.isLoopbackAddress()) {
      return "loopback stays on its own host, and only one of "
          + UdpAddress.hostText(local)
          + " and "
          + text
          + " is loopback";
    }
    return null;
  }

  /**
   * The address to send to; nothing is looked up.
   *
   * @throws RailException if it cannot be used
   */
  InetSocketAddress resolve(RailAddress remote) throws RailException {
    UdpAddress.HostPort host;
    try {
      host = UdpAddress.parse(remote);
    } catch (IllegalArgumentException e) {
      throw new RailException(message(e), e);
    }
    InetAddress local = bound.getAddress();
    InetAddress address = UdpAddress.literal(host.host());
    String why = address == null ? isName(host) : whyUnreachable(address, host.port());
    if (address == null || why != null) {
      throw new RailException("cannot reach " + remote + " from " + localAddress + ": " + why);
    }
    if (address instanceof Inet6Address ipv6
        && ipv6.isLinkLocalAddress()
        && ipv6.getScopeId() == 0
        && local instanceof Inet6Address own) {
      address = scoped(address, own.getScopeId());
    }
    return new InetSocketAddress(address, host.port());
  }

  private static String message(IllegalArgumentException e) {
    String message = e.getMessage();
    return message == null ? "malformed address" : message;
  }
}
