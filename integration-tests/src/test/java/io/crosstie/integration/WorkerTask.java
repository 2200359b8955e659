// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonObject;

/** Something that a worker does between commands, a little at a time. */
interface WorkerTask {
  /** Does a little; returns how much. */
  int run();

  /** Where it stands. */
  JsonObject state();

  /** Stops until resumed. */
  void pause(boolean paused);
}
