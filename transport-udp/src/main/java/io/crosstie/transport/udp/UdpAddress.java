// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Text forms of UDP addresses: {@code //host:port}, {@code //[ipv6]:port}, and their canonical
 * text.
 */
final class UdpAddress {
  static final String SCHEME = "udp";

  /** {@link HostPort#port} where none was written. */
  static final int NO_PORT = -1;

  private UdpAddress() {}

  /**
   * A host as written, not yet resolved.
   *
   * @param host name or literal, without brackets
   * @param port 0 to 65535, or {@link #NO_PORT}
   */
  record HostPort(String host, int port) {}

  /**
   * Splits {@code host:port}, {@code [ipv6]:port} or {@code host}.
   *
   * @param whole the text to show in the message
   * @throws IllegalArgumentException saying what is wrong with it
   */
  static HostPort split(String text, String whole) {
    String host;
    String port;
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      if (end < 0) {
        throw malformed(whole, "the bracket of the IPv6 address is not closed");
      }
      host = text.substring(1, end);
      String behind = text.substring(end + 1);
      if (!behind.isEmpty() && !behind.startsWith(":")) {
        throw malformed(whole, "\"" + behind + "\" stands behind the bracket instead of :port");
      }
      port = behind.isEmpty() ? null : behind.substring(1);
    } else {
      int colon = text.indexOf(':');
      if (colon != text.lastIndexOf(':')) {
        throw malformed(whole, "an IPv6 address is written in brackets");
      }
      host = colon < 0 ? text : text.substring(0, colon);
      port = colon < 0 ? null : text.substring(colon + 1);
    }
    if (host.isEmpty()) {
      throw malformed(whole, "it names no host");
    }
    return new HostPort(host, port == null ? NO_PORT : port(port, whole));
  }

  private static int port(String text, String whole) {
    try {
      int port = Integer.parseInt(text);
      if (port >= 0 && port <= 65535) {
        return port;
      }
    } catch (NumberFormatException e) {
      // falls through to the one message for all of it
    }
    throw malformed(whole, "port \"" + text + "\" is not a number from 0 to 65535");
  }

  private static IllegalArgumentException malformed(String whole, String why) {
    return new IllegalArgumentException(
        "malformed UDP address \""
            + whole
            + "\": "
            + why
            + "; write for example udp://198.18.1.1:7400, udp://[fd00::1]:7400 or"
            + " udp://node7.example:7400");
  }

  /**
   * The part behind {@code udp:}, with host and port.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  static HostPort parse(String rest, String whole) {
    if (!rest.startsWith("//")) {
      throw malformed(whole, "host and port follow \"//\"");
    }
    String text = rest.substring(2);
    if (text.endsWith("/")) {
      text = text.substring(0, text.length() - 1);
    }
    HostPort parsed = split(text, whole);
    if (parsed.port() == NO_PORT) {
      throw malformed(whole, "it has no port");
    }
    return parsed;
  }

  /** Host and port of an address from a peer or a configuration. */
  static HostPort parse(RailAddress address) {
    if (!address.scheme().equals(SCHEME)) {
      throw new IllegalArgumentException(
          "\"" + address + "\" is an address of scheme " + address.scheme() + ", not of udp");
    }
    String text = address.text();
    return parse(text.substring(text.indexOf(':') + 1), text);
  }

  /** The host as an address if it is a literal, else null: nothing is looked up. */
  static @Nullable InetAddress literal(String host) {
    try {
      return InetAddress.ofLiteral(host);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether it is well formed and has a name where a number could stand. */
  static boolean namesHost(RailAddress address) {
    try {
      return literal(parse(address).host()) == null;
    } catch (IllegalArgumentException e) {
      return false; // whoever connects to it is told
    }
  }

  /**
   * Whether its text is that of an address to send to.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  static void checkDestination(RailAddress address) {
    if (parse(address).port() == 0) {
      throw malformed(address.text(), "port 0 is no port to send to");
    }
  }

  /** All addresses of a host, with the port, in the order in which the system prefers them. */
  static List<RailAddress> lookUp(RailAddress address) throws RailException {
    HostPort host = parse(address);
    List<RailAddress> found = new ArrayList<>();
    for (InetAddress one : all(host.host(), address.text())) {
      found.add(new RailAddress(text(new InetSocketAddress(one, host.port()))));
    }
    return found;
  }

  /**
   * Resolves a host, which for a name may ask a name server and take seconds.
   *
   * @param family {@link Inet4Address} or {@link Inet6Address} to insist on one, null for the
   *     system's first choice
   * @throws RailException if the name is unknown or has no address of the family
   */
  static InetAddress resolve(
      String host, @Nullable Class<? extends InetAddress> family, String whole)
      throws RailException {
    for (InetAddress address : all(host, whole)) {
      if (family == null || family.isInstance(address)) {
        return address;
      }
    }
    throw new RailException(
        whole
            + ": \""
            + host
            + "\" has no "
            + (family == Inet4Address.class ? "IPv4" : "IPv6")
            + " address, and the local socket is of that family; bind one rail per address family");
  }

  private static InetAddress[] all(String host, String whole) throws RailException {
    try {
      InetAddress literal = literal(host);
      return literal == null ? InetAddress.getAllByName(host) : new InetAddress[] {literal};
    } catch (UnknownHostException e) {
      throw new RailException(
          whole
              + ": the host name \""
              + host
              + "\" is unknown to this machine; check its spelling, /etc/hosts and the name server,"
              + " or write the address in numbers",
          e);
    }
  }

  /** Canonical text: numbers only, IPv6 as RFC 5952 writes it, a scope (if any) by its index. */
  static String text(InetSocketAddress address) {
    return SCHEME + "://" + hostText(address.getAddress()) + ":" + address.getPort();
  }

  /** As it stands before the colon and port. */
  static String hostText(InetAddress address) {
    if (address instanceof Inet6Address ipv6) {
      String scope = ipv6.getScopeId() == 0 ? "" : "%" + ipv6.getScopeId();
      return "[" + rfc5952(ipv6.getAddress()) + scope + "]";
    }
    return address.getHostAddress();
  }

  private static String rfc5952(byte[] bytes) {
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = (bytes[2 * i] & 0xff) << 8 | (bytes[2 * i + 1] & 0xff);
    }
    int bestStart = -1;
    int bestLength = 1; // a single zero group is written out
    for (int start = 0; start < 8; start++) {
      int end = start;
      while (end < 8 && groups[end] == 0) {
        end++;
      }
      if (end - start > bestLength) {
        bestStart = start;
        bestLength = end - start;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == bestStart) {
        text.append("::");
        i += bestLength - 1;
        continue;
      }
      if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}
