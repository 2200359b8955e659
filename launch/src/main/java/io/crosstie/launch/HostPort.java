// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a TCP port is.
 *
 * @param host a name or an address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record HostPort(String host, int port) {
  private static final int MAX_PORT = 65535;

  /**
   * Reads {@code host:port} or {@code [v6]:port}.
   *
   * @param what it is, for the message
   */
  static HostPort parse(String what, String text) {
    int colon = text.lastIndexOf(':');
    try {
      if (colon > 0) {
        int port = Integer.parseInt(text.substring(colon + 1));
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
          host = host.substring(1, host.length() - 1);
        }
        if (port > 0 && port <= MAX_PORT && !host.isEmpty()) {
          return new HostPort(host, port);
        }
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new LaunchException(
        what + " is \"" + text + "\"; write host:port, for example node7.example:7400");
  }

  /** Several, for a person. */
  static String list(List<HostPort> places) {
    return places.stream().map(HostPort::toString).collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
