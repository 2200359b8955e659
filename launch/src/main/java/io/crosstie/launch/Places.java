// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * Where rank 0 introduces the others, and the job's key, as one word that a launcher passes on:
 * {@code key/host:port/host:port...}.
 */
record Places(String key, List<HostPort> at) {
  private static final int KEY_BYTES = 16;

  /** PMI passes on values of at least that length everywhere. */
  private static final int MOST_CHARACTERS = 700;

  /** A key that nobody guesses. */
  static String freshKey() {
    byte[] random = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Where an introducer is bound: to loopback, if nobody else needs to find it. */
  static InetSocketAddress binding(boolean local, int port) {
    return local
        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
        : new InetSocketAddress(port);
  }

  /** Where a port of this host is found by others: at each interface's address, IPv4 first. */
  static List<HostPort> ofThisHost(boolean local, int port) {
    if (local) {
      return List.of(new HostPort(InetAddress.getLoopbackAddress().getHostAddress(), port));
    }
    List<InetAddress> found = new ArrayList<>();
    try {
      for (NetworkInterface nic : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (nic.isUp() && !nic.isLoopback()) {
          Collections.list(nic.getInetAddresses()).stream()
              .filter(address -> !address.isLinkLocalAddress())
              .forEach(found::add);
        }
      }
    } catch (SocketException e) {
      throw new LaunchException(
          "the network interfaces cannot be listed: " + e.getMessage() + "; set " + Job.INTRODUCER,
          e);
    }
    found.sort(Comparator.comparing(Inet6Address.class::isInstance));
    if (found.isEmpty()) {
      found.add(InetAddress.getLoopbackAddress());
    }
    return found.stream()
        .map(address -> new HostPort(address.getHostAddress().replaceAll("%.*", ""), port))
        .toList();
  }

  /** Without the key. */
  @Override
  public String toString() {
    return HostPort.list(at);
  }

  /** The word; places that do not fit into it are left out. */
  String word() {
    StringBuilder word = new StringBuilder(key);
    for (HostPort place : at) {
      String next = "/" + place;
      if (word.length() + next.length() <= MOST_CHARACTERS) {
        word.append(next);
      }
    }
    return word.toString();
  }

  /** Reads the word. */
  static Places parse(String word) {
    String[] parts = word.split("/", -1);
    List<HostPort> at = new ArrayList<>();
    for (int i = 1; i < parts.length; i++) {
      at.add(HostPort.parse("what rank 0 has published", parts[i]));
    }
    if (at.isEmpty()) {
      throw new LaunchException(
          "rank 0 has published a word of " + word.length() + " characters without a place");
    }
    return new Places(parts[0], at);
  }
}
