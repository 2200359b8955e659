// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The network interfaces of this machine that may be rails. */
final class Interfaces {
  private Interfaces() {}

  /**
   * One of them.
   *
   * @param name the system's
   * @param loopback whether it leads to this host alone
   * @param mtu in bytes
   * @param speedMbit as its driver tells, 0 if it does not
   * @param addresses that can be bound, as they stand in a rail
   */
  record Nic(String name, boolean loopback, int mtu, int speedMbit, List<String> addresses) {}

  /** Those that are up and have an address, loopback last. */
  static List<Nic> up() throws SocketException {
    List<Nic> found = new ArrayList<>();
    List<Nic> loopback = new ArrayList<>();
    for (NetworkInterface nic : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      List<String> addresses = new ArrayList<>();
      for (InetAddress address : Collections.list(nic.getInetAddresses())) {
        if (!address.isLinkLocalAddress()) {
          addresses.add(text(address));
        }
      }
      addresses.sort(Comparator.comparing(address -> address.startsWith("["))); // IPv4 first
      if (nic.isUp() && !addresses.isEmpty()) {
        (nic.isLoopback() ? loopback : found)
            .add(
                new Nic(
                    nic.getName(),
                    nic.isLoopback(),
                    nic.getMTU(),
                    speed(nic.getName()),
                    addresses));
      }
    }
    found.addAll(loopback);
    return found;
  }

  /**
   * The rails that join this host to others: each interface, and shared memory.
   *
   * @param loopback whether the loopback interface is one, too; it is where there is no other
   */
  static List<String> rails(int port, boolean loopback) throws SocketException {
    List<String> rails = new ArrayList<>();
    for (Nic nic : up()) {
      if (loopback || !nic.loopback() || rails.isEmpty()) {
        rails.add("udp://" + nic.addresses().getFirst() + ":" + port);
      }
    }
    rails.add("shm:");
    return rails;
  }

  private static String text(InetAddress address) {
    String text = address.getHostAddress().replaceAll("%.*", "");
    return address instanceof Inet6Address ? "[" + text + "]" : text;
  }

  private static int speed(String nic) {
    try {
      int speed =
          Integer.parseInt(Files.readString(Path.of("/sys/class/net", nic, "speed")).strip());
      return Math.max(0, speed);
    } catch (IOException | NumberFormatException e) {
      return 0; // virtual, or not Linux
    }
  }
}
