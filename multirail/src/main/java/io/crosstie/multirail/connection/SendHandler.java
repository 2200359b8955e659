// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.path.RailPath;

/** What sending asks of the connection; on the engine's thread. */
interface SendHandler {
  /** There is more to send in the next duty cycle. */
  void activate();

  /** A driver threw what it should not have while a rail was used, which pays for it. */
  void onDriverError(RailPath path, Throwable error);
}
