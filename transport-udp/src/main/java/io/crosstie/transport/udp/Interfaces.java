// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the machine's network interfaces say about themselves. Asked at set-up only. */
final class Interfaces {
  private static final int DEFAULT_MTU = 1500;
  private static final long DEFAULT_BANDWIDTH = 125_000_000L;
  private static final long LOOPBACK_BANDWIDTH = 4_000_000_000L;
  private static final long BYTES_PER_MEGABIT = 125_000L;

  private Interfaces() {}

  /** Addresses of interfaces that are up, of one family, by interface index. */
  static List<InetAddress> addresses(Class<? extends InetAddress> family) {
    try {
      List<NetworkInterface> interfaces =
          NetworkInterface.networkInterfaces()
              .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
              .toList();
      List<InetAddress> addresses = new ArrayList<>();
      for (NetworkInterface one : interfaces) {
        if (one.isUp()) {
          one.inetAddresses().filter(family::isInstance).forEach(addresses::add);
        }
      }
      return addresses;
    } catch (SocketException e) {
      return List.of(); // no interface at all, or no right to see them
    }
  }

  /**
   * What to tell peers when the wildcard address is bound and {@code advertise=} is missing: the
   * first address of the family on an interface that is up, by interface index, passing over
   * loopback and link-local ones while there are others. On a machine with several networks that is
   * a guess, and {@code advertise=} is better.
   */
  static InetAddress advertised(Class<? extends InetAddress> family) {
    List<InetAddress> addresses = addresses(family);
    for (InetAddress address : addresses) {
      if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
        return address;
      }
    }
    return addresses.isEmpty() ? loopback(family) : addresses.getFirst();
  }

  static InetAddress loopback(Class<? extends InetAddress> family) {
    return InetAddress.ofLiteral(family == java.net.Inet4Address.class ? "127.0.0.1" : "::1");
  }

  private static @Nullable NetworkInterface of(InetAddress address) throws SocketException {
    NetworkInterface found = NetworkInterface.getByInetAddress(address);
    return found == null && address.isLoopbackAddress()
        ? NetworkInterface.getByInetAddress(loopback(address.getClass()))
        : found;
  }

  /** The interface that has the address, or null. */
  static @Nullable NetworkInterface find(InetAddress address) {
    try {
      return of(address);
    } catch (SocketException e) {
      return null;
    }
  }

  /** IP MTU, in bytes, of the interface that has the address. */
  static int mtu(InetAddress address) {
    try {
      NetworkInterface found = of(address);
      return found == null ? DEFAULT_MTU : found.getMTU();
    } catch (SocketException e) {
      return DEFAULT_MTU;
    }
  }

  /** Bytes per second that the interface of the address claims, or a guess. */
  static long bandwidth(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return LOOPBACK_BANDWIDTH;
    }
    try {
      NetworkInterface found = of(address);
      if (found != null) {
        String speed = Files.readString(Path.of("/sys/class/net", found.getName(), "speed"));
        long megabits = Long.parseLong(speed.strip());
        return megabits > 0 ? megabits * BYTES_PER_MEGABIT : DEFAULT_BANDWIDTH;
      }
    } catch (IOException | NumberFormatException e) {
      // virtual interfaces have none, other systems no such file
    }
    return DEFAULT_BANDWIDTH;
  }
}
