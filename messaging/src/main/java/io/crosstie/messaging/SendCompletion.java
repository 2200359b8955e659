// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Told, inside a poll, when a lent message's memory is free again. */
@FunctionalInterface
public interface SendCompletion {
  /**
   * The message was accepted by the peer; {@code error} is null. Otherwise why it never will be
   * known to be. If it throws, it has been told all the same, and the exception comes out of the
   * poll; those that follow are told by the next one.
   */
  void onComplete(long sequence, @org.jspecify.annotations.Nullable String error);
}
