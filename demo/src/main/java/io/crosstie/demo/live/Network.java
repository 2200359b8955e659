// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.net.InetAddress;
import java.util.regex.Pattern;

/**
 * A network that is one rail. The rail is known by its network, since a network that was taken out
 * and put in again may come with another interface and another address.
 *
 * @param name of the rail, and of the Docker network if there is one
 * @param prefix an address of the network
 * @param bits how many leading bits of it count
 */
public record Network(String name, InetAddress prefix, int bits) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");

  /**
   * Reads {@code NAME=ADDRESS/BITS}.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public static Network parse(String text) {
    int equals = text.indexOf('=');
    int slash = text.lastIndexOf('/');
    if (equals < 1 || slash < equals) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not NAME=ADDRESS/BITS, for example rail1=198.18.11.0/24");
    }
    String name = text.substring(0, equals);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"" + name + "\" is no name for a rail; take letters, digits, dots, - and _");
    }
    InetAddress prefix = InetAddress.ofLiteral(text.substring(equals + 1, slash));
    int most = 8 * prefix.getAddress().length;
    int bits;
    try {
      bits = Integer.parseInt(text.substring(slash + 1));
    } catch (NumberFormatException e) {
      bits = -1;
    }
    if (bits < 1 || bits > most) {
      throw new IllegalArgumentException("\"" + text + "\": the bits are not 1 to " + most);
    }
    return new Network(name, prefix, bits);
  }

  /** Whether an address belongs to it. */
  boolean contains(InetAddress address) {
    byte[] mine = prefix.getAddress();
    byte[] theirs = address.getAddress();
    if (mine.length != theirs.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> (bit & 7);
      if (((mine[bit >> 3] ^ theirs[bit >> 3]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether the address of a rail, such as {@code udp://198.18.11.2:7400}, belongs to it. */
  boolean containsRail(String address) {
    int begin = address.indexOf("://");
    int end = address.lastIndexOf(':');
    if (begin < 0 || end < begin + 3) {
      return false;
    }
    String host = address.substring(begin + 3, end);
    try {
      return contains(InetAddress.ofLiteral(host.replace("[", "").replace("]", "")));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** As a person would write it. */
  String text() {
    return prefix.getHostAddress() + "/" + bits;
  }
}
