// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import com.google.gson.Gson;
import io.crosstie.messaging.NodeConfigBuilder;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** What {@code crosstie send} and {@code crosstie receive} are both told. */
final class TransferOptions {
  private static final Gson GSON = new Gson();

  @Option(
      names = "--rail",
      paramLabel = "URI",
      description =
          "A rail of this side; may be repeated. Default: each interface (receive: at port 7412),"
              + " and shm:.")
  private List<String> rails = new ArrayList<>();

  @Option(names = "--json", description = "The result as one JSON object, and no bar.")
  private boolean json;

  boolean json() {
    return json;
  }

  /**
   * Adds the rails that were asked for, or the usual ones at that port.
   *
   * @param loopback whether the other side may be called by an address that stays on this host
   */
  NodeConfigBuilder addRails(NodeConfigBuilder config, int port, boolean loopback)
      throws SocketException {
    (rails.isEmpty() ? Interfaces.rails(port, loopback) : rails).forEach(config::rail);
    return config;
  }

  /** The result as it was asked for. */
  String text(Map<String, Object> result) {
    return json ? GSON.toJson(result) : Transfer.words(result);
  }
}
