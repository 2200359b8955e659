// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.event;

/** Takes what was thrown and should not have been; on the engine's thread, which goes on. */
@FunctionalInterface
public interface ErrorSink {
  /**
   * An error that no connection is to blame for, say a driver's. It is counted and logged; what to
   * give up because of it is the caller's matter.
   */
  void onError(Throwable error);

  /** The error for a person, also where no memory is left to write it. */
  static String describe(String what, Throwable error) {
    try {
      return what + error;
    } catch (RuntimeException | Error e) {
      return "failed, and it cannot be said how";
    }
  }
}
