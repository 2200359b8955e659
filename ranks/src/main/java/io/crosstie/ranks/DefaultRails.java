// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.launch.Job;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The rails of a rank where the program names none. */
final class DefaultRails {
  private static final String VARIABLE = "CROSSTIE_RAILS";
  private static final String SHARED_MEMORY = "shm:";
  private static final String LOOPBACK = "udp://127.0.0.1:0";

  /** A node has more places for rails; one of these is shared memory. */
  private static final int MOST = 15;

  private DefaultRails() {}

  /** Those that the variable names, separated by commas or spaces; else what is found. */
  static List<String> of(Job job, Map<String, String> environment) {
    String named = environment.get(VARIABLE);
    if (named != null && !named.isBlank()) {
      return List.of(named.strip().split("[,\\s]+"));
    }
    if (job.isLocal()) {
      return List.of(SHARED_MEMORY, LOOPBACK);
    }
    List<String> rails = new ArrayList<>();
    rails.add(SHARED_MEMORY);
    try {
      for (NetworkInterface nic : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (nic.isUp() && !nic.isLoopback() && rails.size() < MOST) {
          Collections.list(nic.getInetAddresses()).stream()
              .filter(address -> !address.isLinkLocalAddress())
              .min(Comparator.comparing(Inet6Address.class::isInstance)) // IPv4 first
              .ifPresent(address -> rails.add("udp://" + text(address) + ":0"));
        }
      }
    } catch (SocketException e) {
      throw new RanksException(
          "the network interfaces cannot be listed: " + e.getMessage() + "; set " + VARIABLE, e);
    }
    if (rails.size() == 1) {
      rails.add(LOOPBACK);
    }
    return rails;
  }

  private static String text(InetAddress address) {
    String text = address.getHostAddress().replaceAll("%.*", "");
    return address instanceof Inet6Address ? "[" + text + "]" : text;
  }
}
