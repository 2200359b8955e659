// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.channel.SendCompletion;
import org.jspecify.annotations.Nullable;

/** Tells the application's completion for the core. */
record CompletionAdapter(io.crosstie.messaging.SendCompletion completion)
    implements SendCompletion {
  @Override
  public void onComplete(long sequence, @Nullable String error) {
    completion.onComplete(sequence, error);
  }
}
