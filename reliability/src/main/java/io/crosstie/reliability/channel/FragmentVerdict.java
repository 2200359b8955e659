// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

/** What became of a received fragment. */
public final class FragmentVerdict {
  /** The fragment was new and is in place. */
  public static final int ACCEPTED = 0;

  /** Every byte of it was there already; acknowledge again, deliver never again. */
  public static final int DUPLICATE = 1;

  /** No room, outside the window, or not granted: drop it. */
  public static final int REFUSED = 2;

  /** The payload does not match its checksum. */
  public static final int CORRUPT = 3;

  /** The sender contradicts itself (another length for the same message). */
  public static final int SENSELESS = 4;

  /** The message has no place here: drop it, and tell the sender, who gives it up. */
  public static final int UNWANTED = 5;

  private FragmentVerdict() {}
}
