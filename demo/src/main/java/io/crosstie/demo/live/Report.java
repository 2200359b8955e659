// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.testkit.stream.StreamVerifier;
import java.util.List;

/**
 * What the receiver counted, as it goes back to the sender over a channel of Crosstie.
 *
 * @param session of the streams that it judges, as their messages name it, in hexadecimal; "0"
 *     before the first
 * @param number of the report, from 1
 * @param timeMs on the receiver's clock, which is nobody else's
 * @param tcp what came over the kernel's stream beside
 */
record Report(
    String session,
    long number,
    double timeMs,
    List<Stream> streams,
    Gaps gaps,
    List<RailView> rails,
    Tcp tcp) {
  /**
   * One stream's account.
   *
   * @param lost numbers that were passed over and have not come
   * @param firstFault in words; empty if there was none
   */
  record Stream(
      String name,
      long delivered,
      long bytes,
      long lost,
      long duplicated,
      long corrupt,
      long outOfOrder,
      String firstFault) {
    Stream(String name, StreamVerifier.Account account) {
      this(
          name,
          account.delivered(),
          account.bytes(),
          account.lost(),
          account.duplicated(),
          account.corrupt(),
          account.outOfOrder(),
          account.first());
    }

    boolean isClean() {
      return firstFault.isEmpty();
    }
  }

  /**
   * Intervals between deliveries of heartbeats, in milliseconds.
   *
   * @param lastMs largest of about the last second
   * @param silenceMs since the last one
   */
  record Gaps(double lastMs, double p99Ms, double maxMs, long count, double silenceMs) {}

  /**
   * The kernel's stream beside.
   *
   * @param kind "tcp" or "mptcp"; empty if there is none
   */
  record Tcp(String kind, long bytes, long messages, Gaps gaps) {}
}
