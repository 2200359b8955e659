// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.path.RailPath;
import org.jspecify.annotations.Nullable;

/** What packets that come by new ways ask of their connection; on the engine's thread. */
interface PathOwner {
  /** Whether this side numbers the rails. */
  boolean isInitiator();

  /** A rail that the peer begins; null if there is no memory for it now. */
  @Nullable RailPath addPathOfPeer(int id, int portIndex, long nowNs);

  /** A rail that was removed begins anew; its numbers go on (R1). */
  void reopenPath(RailPath path, int portIndex, long nowNs);

  /** What others may see of the rails has changed. */
  void refreshRails();

  /** Local ports and the peer's addresses are to be paired again. */
  void pairRails(long nowNs);

  /** Why a rail could not be had, for a person. */
  void problem(String text);

  /** It is served in this duty cycle or the next, and may have anything to say. */
  void activate();
}
