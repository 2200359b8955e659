// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import org.jspecify.annotations.Nullable;

/**
 * What came of one rail's part in a cut. Times in milliseconds; null where it did not come to that.
 *
 * @param cut number of the cut, from 1; several rails of one cut share it
 * @param noticedMs from the cut to the rail not being ACTIVE any more at the sender
 * @param gapMs longest time between two heartbeats around the cut
 * @param resumedMs where all rails were gone: from their return to the next heartbeat
 * @param failbackMs from the rail's return to its carrying payload again
 * @param ok whether it failed over and back and the stream went on meanwhile
 */
record CutResult(
    int cut,
    String rail,
    String how,
    @Nullable Double noticedMs,
    @Nullable Double gapMs,
    @Nullable Double resumedMs,
    @Nullable Double failbackMs,
    boolean ok) {}
