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
  @Override
  public String toString() {
    return text;
  }
}
