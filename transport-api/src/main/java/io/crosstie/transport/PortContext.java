// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import io.crosstie.checksum.Accelerator;
import org.jspecify.annotations.Nullable;

/**
 * What a driver may know about the node that opens a port.
 *
 * @param nodeName name of the node, for messages and file names (sanitise before use in a path)
 * @param incarnation the node's random 64-bit incarnation
 * @param seed seed for anything random that the driver needs (names of files, hash keys)
 * @param accelerator whose loops may be used for the memory of rails, or null for Java alone
 */
public record PortContext(
    String nodeName, long incarnation, long seed, @Nullable Accelerator accelerator) {

  /** With Java alone. */
  public PortContext(String nodeName, long incarnation, long seed) {
    this(nodeName, incarnation, seed, null);
  }
}
