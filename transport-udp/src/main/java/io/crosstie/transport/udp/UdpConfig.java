// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.RailException;
import io.crosstie.transport.RailUri;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A UDP rail's URI, understood and checked. Options: {@code driver=auto|linux|netty}, {@code
 * advertise=host[:port]}, {@code mtu=} (IP MTU of the path, in bytes), {@code rcvbuf=} and {@code
 * sndbuf=} (bytes, 4 MiB unless told), {@code gso=auto|off}, {@code gro=auto|off}.
 *
 * @param uri as written, for messages
 * @param bind address to bind, resolved; port 0 for any
 * @param advertise what peers are told, port 0 for the bound one; null to derive it
 * @param mtu IP MTU in bytes, 0 to take the interface's
 * @param receiveBufferBytes to ask the kernel for
 * @param sendBufferBytes to ask the kernel for
 * @param gso whether segmentation offload may be used
 * @param gro whether receive offload may be used
 */
record UdpConfig(
    RailUri uri,
    InetSocketAddress bind,
    @Nullable InetSocketAddress advertise,
    int mtu,
    int receiveBufferBytes,
    int sendBufferBytes,
    boolean gso,
    boolean gro) {

  private static final Set<String> OPTIONS =
      Set.of("driver", "advertise", "mtu", "rcvbuf", "sndbuf", "gso", "gro");
  private static final long DEFAULT_BUFFER = 4L << 20;
  private static final long MIN_BUFFER = 64L << 10;
  private static final long MAX_BUFFER = 1L << 30;

  /** Least IP MTU, in bytes: what IPv6 demands of every link. */
  private static final int MIN_MTU = 1280;

  private static final int MAX_MTU = 65535;

  /**
   * Reads the URI and resolves its host names.
   *
   * @param driver name of the driver that asks
   * @throws IllegalArgumentException if the URI is malformed or an option is unknown or out of
   *     range
   * @throws RailException if a host name is unknown
   */
  static UdpConfig of(RailUri uri, String driver) throws RailException {
    if (!uri.scheme().equals(UdpAddress.SCHEME)) {
      throw new IllegalArgumentException("rail \"" + uri + "\" is not of scheme udp");
    }
    uri.allowOptions(OPTIONS);
    choice(uri, "driver", "auto", "auto", "linux", "netty");
    String wanted = uri.option("driver", "auto");
    if (!wanted.equals("auto") && !wanted.equals(driver)) {
      throw new IllegalArgumentException(
          "rail \"" + uri + "\" asks for driver=" + wanted + " but was given to " + driver);
    }
    UdpAddress.HostPort host = UdpAddress.parse(uri.rest(), uri.toString());
    InetAddress address = UdpAddress.resolve(host.host(), null, "rail \"" + uri + "\"");
    if (address.isMulticastAddress()) {
      throw new IllegalArgumentException(
          "rail \"" + uri + "\": a multicast address cannot be bound; give one of this machine's");
    }
    return new UdpConfig(
        uri,
        new InetSocketAddress(address, host.port()),
        advertise(uri, address),
        (int) uri.number("mtu", 0, MIN_MTU, MAX_MTU),
        (int) uri.number("rcvbuf", DEFAULT_BUFFER, MIN_BUFFER, MAX_BUFFER),
        (int) uri.number("sndbuf", DEFAULT_BUFFER, MIN_BUFFER, MAX_BUFFER),
        choice(uri, "gso", "auto", "auto", "off").equals("auto"),
        choice(uri, "gro", "auto", "auto", "off").equals("auto"));
  }

  private static @Nullable InetSocketAddress advertise(RailUri uri, InetAddress bound)
      throws RailException {
    String text = uri.option("advertise");
    if (text == null) {
      return null;
    }
    String where = "rail \"" + uri + "\": advertise=" + text;
    UdpAddress.HostPort host = UdpAddress.split(text, where);
    InetAddress address = UdpAddress.resolve(host.host(), bound.getClass(), where);
    if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
      throw new IllegalArgumentException(
          where + " is no address that peers can send to; give one of this machine's");
    }
    int port = host.port() == UdpAddress.NO_PORT ? 0 : host.port();
    return new InetSocketAddress(address, port);
  }

  private static String choice(RailUri uri, String key, String defaultValue, String... allowed) {
    String value = uri.option(key, defaultValue);
    for (String one : allowed) {
      if (one.equals(value)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "rail \""
            + uri
            + "\": option "
            + key
            + "="
            + value
            + " must be one of "
            + String.join(", ", allowed));
  }
}
