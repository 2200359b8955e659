// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.util.List;

/**
 * How a rank hears of the others: it joins them, tells its own addresses, asks for those of a rank
 * when it first needs them, and is told who has ended. Any thread; nothing here waits for other
 * ranks, but {@link #join} for who introduces them.
 */
public interface WireUp extends AutoCloseable {
  /** What a person wants to know of a rank. */
  enum Question {
    /** The rails to other ranks, and whether they work. */
    RAILS,
    /** These, and what the rank waits for. */
    ALL
  }

  /** Is told; on a thread of the wire-up's own, one call at a time. */
  interface Listener {
    /** The answer to {@link #fetch}. */
    void onAddresses(int rank, List<String> addresses);

    /**
     * A rank is no more.
     *
     * @param left whether it has left in good order
     * @param why for a person
     */
    void onEnd(int rank, boolean left, String why);

    /**
     * The launcher asks, on behalf of a person.
     *
     * @return lines, which are passed on
     */
    List<String> onQuestion(Question question);

    /** Nothing will be heard of other ranks any more. */
    void onSilence(String why);
  }

  /**
   * Finds who introduces the ranks, and is let in. Once, before {@link #start}.
   *
   * @return where the ranks are, by that one's word: what ranks know by themselves may differ
   * @throws LaunchException if nobody is found in time, or it refuses
   */
  Placement join();

  /**
   * Tells where this rank is to be found.
   *
   * @param terms what has to be the same in all ranks, for a person, in one line; a rank whose
   *     terms are others than those of the first that has come is dead, and told so
   */
  void start(String terms, List<String> addresses, Listener listener);

  /** Asks where a rank is to be found; answered once that one has told it. */
  void fetch(int rank);

  /** Tells all members that a rank has ended without leaving. */
  void declareDead(int rank, String why);

  /** Leaves in good order. */
  void leave();

  /** Ends it; without {@link #leave()} the others take this rank for dead. */
  @Override
  void close();
}
