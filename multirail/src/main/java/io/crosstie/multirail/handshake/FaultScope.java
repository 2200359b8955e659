// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import org.jspecify.annotations.Nullable;

/** Which connection the packet at hand is about: it ends if something is thrown meanwhile. */
final class FaultScope {
  private @Nullable Connection connection;

  /** From now on it is about that one; null if about none. */
  void enter(@Nullable Connection of) {
    connection = of;
  }

  @Nullable Connection connection() {
    return connection;
  }
}
