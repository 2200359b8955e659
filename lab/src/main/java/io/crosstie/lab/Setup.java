// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.List;

/**
 * What a process of the lab is told at its start.
 *
 * @param subject what carries the messages
 * @param sender whether it sends or receives
 * @param rails addresses, the sender's and the receiver's
 * @param port where it listens; streams that need a port of their own take those that follow
 * @param seed of the content
 * @param streams what is sent
 * @param ownThreads whether each rail has a thread of its own
 * @param more what few need
 */
record Setup(
    Subject subject,
    boolean sender,
    List<Addresses> rails,
    int port,
    long seed,
    List<StreamPlan> streams,
    boolean ownThreads,
    More more) {
  /**
   * What few need.
   *
   * @param logBytes what waits of each stream at most; 0 for what is usual
   * @param echoes whether the receiver sends back what comes on {@link #TRIPS} and {@link
   *     #HIGH_TRIPS}
   */
  record More(int logBytes, boolean echoes) {
    static final More NOTHING = new More(0, false);
  }

  /** Number of a channel for round trips, of normal priority. */
  static final int TRIPS = 1000;

  /** The same of high priority. */
  static final int HIGH_TRIPS = 1001;

  /** The two ends of a rail. */
  record Addresses(String here, String there) {}

  /**
   * One ordered stream of messages of one size.
   *
   * @param bytes of each message
   * @param perSecond how many messages, 0 for as many as there is room for
   */
  record StreamPlan(String name, int bytes, int perSecond) {}
}
