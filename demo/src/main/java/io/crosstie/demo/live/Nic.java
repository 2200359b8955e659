// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * A network interface as it is now.
 *
 * @param index the kernel's number of it, never used twice
 */
record Nic(String device, int index, InetAddress address, boolean up, boolean loopback) {
  /**
   * The interface with an address in a network.
   *
   * @param preferred taken if it is among several
   */
  static @Nullable Nic find(Network network, @Nullable InetAddress preferred) {
    Nic found = null;
    try {
      for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (InetAddress address : Collections.list(each.getInetAddresses())) {
          if (network.contains(address) && (found == null || address.equals(preferred))) {
            found =
                new Nic(each.getName(), each.getIndex(), address, each.isUp(), each.isLoopback());
          }
        }
      }
    } catch (SocketException e) {
      return null; // it went away while it was looked at; the next look tells
    }
    return found;
  }
}
