// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

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
  private static final Outcome NO_MEMORY = new Outcome(null, "no memory is left to open it");

  private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

  /** Begins, and if no other thread does it, ends; also if no other thread is to be had. */
  static Opening begin(PortOpener opener, PortHandler handler) {
    Opening opening = new Opening();
    try {
      opener.run(() -> opening.end(attempt(opener, handler)));
    } catch (RuntimeException | Error e) {
      opening.end(failed("it could not be opened: ", e));
    }
    return opening;
  }

  /** Whatever is thrown, there is an outcome: nobody would ask again without one. */
  private static Outcome failed(String what, Object why) {
    try {
      return new Outcome(null, what + why);
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  private static Outcome attempt(PortOpener opener, PortHandler handler) {
    RailPort port = null;
    try {
      port = opener.open(handler);
      return new Outcome(port, "");
    } catch (RailException e) {
      return failed(String.valueOf(e.getMessage()), "");
    } catch (RuntimeException | Error e) {
      if (port != null) {
        port.close();
      }
      return failed("its driver failed with ", e);
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
