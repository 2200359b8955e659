// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.stream.StreamVerifier;
import java.util.List;
import java.util.Map;

/**
 * What the demo's two processes tell their controller, one line each. Times are microseconds of
 * {@link DemoClock}.
 */
sealed interface Report {
  /** The node is up; of the sender: the peer is up. */
  record Ready(String text) implements Report {}

  /**
   * State of affairs, some times a second.
   *
   * @param messages given to the channel, or delivered
   * @param bytes of these
   * @param pauses times between two heartbeats of more than a millisecond since the last report, as
   *     pairs of beginning and end; the one under way included
   */
  record Status(long timeUs, long messages, long bytes, List<RailStatus> rails, List<long[]> pauses)
      implements Report {}

  /** A rail with all its counters by name. */
  record RailStatus(String name, String state, Map<String, Long> counters) {}

  /** A rail changed its state. */
  record RailChanged(long timeUs, String rail, String from, String to) implements Report {}

  /** A rail that became ACTIVE has carried payload of the stream since. */
  record Carrying(long timeUs, String rail) implements Report {}

  /** An event of the library in words; minor ones are shown only to those who ask for more. */
  record Note(String text, boolean minor) implements Report {}

  /** A rail is cut. */
  record CutMade(long timeUs, String rail, String text) implements Report {}

  /** Rails are back. */
  record Restored(long timeUs) implements Report {}

  /** The sender gave the last message to its channel, and the peer has accepted it. */
  record Sent(long timeUs, long messages, long bytes, long heartbeats) implements Report {}

  /** The receiver got the last message. */
  record Received(long timeUs) implements Report {}

  /** The receiver's judgement of the large stream and of the heartbeats. */
  record Judged(StreamVerifier.Account stream, StreamVerifier.Account heartbeats)
      implements Report {}

  /** The process cannot go on. */
  record Failed(int exitCode, String message, String trace) implements Report {}

  /** The process is gone; made by the controller. */
  record Exited(int status) implements Report {}
}
