// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import org.jspecify.annotations.Nullable;

/** The page's verdict, from the receiver's account alone. One thread. */
final class Judgement {
  private static final double SILENT_MS = 2_000;

  /** Accounts travel like all messages: where a rail carries, they come, or they hang. */
  private static final double HANGING_MS = 10_000;

  private final StringBuilder earlier = new StringBuilder();
  private LiveSender.@Nullable Session last;

  /**
   * What to think of a session as it stands.
   *
   * @param carries whether some rail is ACTIVE, so that the peer answers
   */
  LiveState.Verdict judge(LiveSender.@Nullable Session session, boolean carries) {
    LiveSender.Session before = last;
    if (before != null && before != session) {
      String fault = fault(before.report());
      if (earlier.isEmpty()) {
        earlier.append(fault);
      }
    }
    last = session;
    if (!earlier.isEmpty()) {
      return red(earlier + " in an earlier life of the streams");
    }
    if (session == null) {
      return grey("the receiver has not answered yet");
    }
    Report report = session.report();
    String fault = fault(report);
    if (!fault.isEmpty()) {
      return red(fault);
    }
    if (session.hangs.isHanging()) {
      return red("messages hang though a rail carries");
    }
    double hung = session.hangs.longestMs();
    if (hung > 0) {
      return red("messages hung for %.1f s though a rail carried".formatted(hung / 1e3 + 5));
    }
    if (report == null) {
      return grey("no account of the receiver has come yet");
    }
    if (session.reportAgeMs() > HANGING_MS && carries) {
      return red("the receiver's accounts hang though a rail carries");
    }
    if (session.reportAgeMs() > SILENT_MS) {
      return grey(
          "no word from the receiver for %.0f s; messages wait"
              .formatted(session.reportAgeMs() / 1e3));
    }
    return new LiveState.Verdict("green", "nothing lost, repeated, damaged or out of order");
  }

  private static String fault(@Nullable Report report) {
    if (report != null) {
      for (Report.Stream stream : report.streams()) {
        if (!stream.isClean()) {
          return stream.name()
              + ": "
              + stream.lost()
              + " lost, "
              + stream.duplicated()
              + " repeated, "
              + stream.corrupt()
              + " damaged, "
              + stream.outOfOrder()
              + " out of order; first: "
              + stream.firstFault();
        }
      }
    }
    return "";
  }

  private static LiveState.Verdict red(String text) {
    return new LiveState.Verdict("red", text);
  }

  private static LiveState.Verdict grey(String text) {
    return new LiveState.Verdict("grey", text);
  }
}
