// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;

/**
 * A rail of the demo as one of its processes has it. The name is the same in both.
 *
 * @param name for people and the verdict
 * @param uri as the library is told
 * @param host address of a UDP rail, empty for shared memory
 * @param port port of a UDP rail, 0 for shared memory
 * @param folder where a shared-memory rail has its files, empty for UDP
 */
record RailSpec(String name, String uri, String host, int port, String folder) {
  static RailSpec udp(String name, String host, int port, Map<String, String> options) {
    StringBuilder uri = new StringBuilder("udp://").append(host).append(':').append(port);
    char separator = '?';
    for (Map.Entry<String, String> option : options.entrySet()) {
      uri.append(separator).append(option.getKey()).append('=').append(option.getValue());
      separator = '&';
    }
    return new RailSpec(name, uri.toString(), host, port, "");
  }

  static RailSpec sharedMemory(String name, Path folder) {
    return new RailSpec(name, "shm:" + folder, "", 0, folder.toString());
  }

  boolean isUdp() {
    return port != 0;
  }

  InetSocketAddress address() {
    return new InetSocketAddress(host, port);
  }
}
