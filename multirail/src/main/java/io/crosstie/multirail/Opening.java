// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A port that is being opened again. That takes milliseconds, for which the messages on all other
 * rails would wait; so whoever configured it may have another thread do it. The engine calls
 * everything here.
 */
final class Opening {
  /** What came of it: a port, or why there is none. */
  record Outcome(@Nullable RailPort port, String why) {}

  private static final Outcome UNWANTED = new Outcome(null, "");

  private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

  /** Begins, and if no other thread does it, ends. */
  static Opening begin(PortOpener opener, PortHandler handler) {
    Opening opening = new Opening();
    try {
      opener.run(() -> opening.end(attempt(opener, handler)));
    } catch (OutOfMemoryError e) {
      opening.end(new Outcome(null, "there is no thread to be had that opens it"));
    }
    return opening;
  }

  private static Outcome attempt(PortOpener opener, PortHandler handler) {
    try {
      return new Outcome(opener.open(handler), "");
    } catch (RailException e) {
      return new Outcome(null, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      return new Outcome(null, "its driver failed with " + e);
    }
  }

  private void end(Outcome now) {
    if (!outcome.compareAndSet(null, now) && now.port != null) {
      now.port.close();
    }
  }

  /** Null while it goes on. */
  @Nullable Outcome outcome() {
    return outcome.get();
  }

  /** The port is not wanted any more; what is or will be open is closed. */
  void giveUp() {
    Outcome before = outcome.getAndSet(UNWANTED);
    if (before != null && before.port != null) {
      before.port.close();
    }
  }
}
