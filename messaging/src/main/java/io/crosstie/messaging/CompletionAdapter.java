// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.channel.SendCompletion;
import org.jspecify.annotations.Nullable;

/**
 * Tells the application's completion for the core.
 *
 * @param told the channel's, used again and again
 */
record CompletionAdapter(Completion told, io.crosstie.messaging.SendCompletion completion)
    implements SendCompletion {
  @Override
  public void onComplete(long sequence, @Nullable String error) {
    completion.onComplete(told.of(sequence, status(error), error));
  }

  private long status(@Nullable String error) {
    if (error == null) {
      return 0;
    }
    long ended = told.channel().coreStatus(); // which is what the core gives as the reason then
    return ended != 0 && error.equals(Status.name(ended)) ? ended : Channel.MESSAGE_FAILED;
  }
}
