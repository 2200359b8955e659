// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/**
 * Where a rail of a node can be reached, for example {@code udp://198.18.1.1:7400}: a seed for
 * {@link NodeConfigBuilder#peer}.
 *
 * @param text as peers are told it; two addresses are equal if their texts are
 */
public record NodeAddress(String text) {
  /** Whether it is one of the loopback interface, by which only this host is reached. */
  public boolean isLoopback() {
    return text.startsWith("udp://127.")
        || text.startsWith("udp://localhost:")
        || text.startsWith("udp://[::1]");
  }

  @Override
  public String toString() {
    return text;
  }
}
