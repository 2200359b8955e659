// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonObject;
import io.crosstie.messaging.Channel;

/** Sends every message back on the channel it came from. */
final class Echo implements WorkerTask {
  private static final int BURST = 64;

  private final Channel channel;
  private long returned;
  private boolean paused;

  Echo(Channel channel) {
    this.channel = channel;
  }

  @Override
  public int run() {
    return paused
        ? 0
        : channel.poll(
            (m, offset, length, sequence) -> {
              if (channel.offer(m, offset, length) <= 0) {
                return Channel.RETRY_LATER;
              }
              returned++;
              return Channel.CONTINUE;
            },
            BURST);
  }

  @Override
  public JsonObject state() {
    JsonObject state = new JsonObject();
    state.addProperty("returned", returned);
    return state;
  }

  @Override
  public void pause(boolean paused) {
    this.paused = paused;
  }
}
