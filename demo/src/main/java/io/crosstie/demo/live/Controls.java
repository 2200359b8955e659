// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.List;

/** What can be seen and done on the page. Any thread. */
interface Controls {
  LiveState state();

  /** The curves of the last minutes, oldest first. */
  List<LiveState.Sample> history();

  /** All meters, as Prometheus reads them. */
  String metrics();

  /** The rails' names. */
  List<String> rails();

  /** Whether this node sends, so that the stream can be changed here. */
  boolean isSender();

  void cut(String rail);

  void restore(String rail);

  void blackHole(String rail);

  void lose(String rail, int percent);

  void setReinjection(boolean on);

  void setPaused(boolean on);

  void setLoadMbit(int mbit);

  /** Ends this process with a status that has it started anew. */
  void startOver();

  /** Forgets gaps and hangs so far. */
  void reset();
}
