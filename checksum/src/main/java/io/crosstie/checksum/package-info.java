// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
/**
 * Checksums over memory segments, alone or fused with a copy.
 *
 * <p>The kinds and the fusing follow NewMadeleine (Brunet, Denis, Namyst, <i>Transparent fault
 * tolerance and multirail for high-performance networks</i>, section 5 and Figure 4): a checksum
 * costs least right where the data is copied anyway, block by block while the block is still in the
 * first-level cache.
 */
@NullMarked
package io.crosstie.checksum;

import org.jspecify.annotations.NullMarked;
