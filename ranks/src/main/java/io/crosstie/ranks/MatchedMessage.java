// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Arrived;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A message that {@link Communicator#mprobe} has found and taken: nobody else receives it. */
public final class MatchedMessage {
  private final Communicator communicator;
  private final AtomicReference<@Nullable Arrived> message;
  private final Received found;

  MatchedMessage(Communicator communicator, Arrived message) {
    this.communicator = communicator;
    this.message = new AtomicReference<>(message);
    this.found = communicator.found(message);
  }

  /** Whose it is, its tag and its length. */
  public Received found() {
    return found;
  }

  /**
   * Receives it.
   *
   * @throws IllegalStateException if that was done before
   */
  public Request irecv(Data data) {
    Arrived taken = message.getAndSet(null);
    if (taken == null) {
      throw new IllegalStateException("the message was received already; a probe takes it once");
    }
    ReceiveRequest request =
        new ReceiveRequest(communicator, taken.source(), taken.tag(), data.writable());
    request.begin(taken);
    return request;
  }

  /** Receives it, and waits for it. */
  public Received recv(Data data) {
    return irecv(data).await();
  }
}
