// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

/** What the duty cycle at hand did with a rail. */
public final class PacketBatch {
  private boolean full;
  private boolean open;
  private boolean stateSent;

  PacketBatch() {}

  /** A duty cycle begins. */
  public void begin() {
    full = false;
  }

  /** The rail has no room, in this duty cycle. */
  public void onFull() {
    full = true;
  }

  /** Whether the rail has no room, in this duty cycle. */
  public boolean isFull() {
    return full;
  }

  /** A packet was committed, to be flushed. */
  public void onCommitted() {
    open = true;
  }

  /** Whether there is something to be flushed. */
  public boolean isOpen() {
    return open;
  }

  /** All is flushed. */
  public void onFlushed() {
    open = false;
    stateSent = false;
  }

  /** A channel's state is in a packet that is not flushed. */
  public void onState() {
    stateSent = true;
  }

  /** The packet with the channel's state does not leave. */
  public void onStateTakenBack() {
    stateSent = false;
  }

  /** Whether a channel's state is in a packet that is not flushed. */
  public boolean hasState() {
    return stateSent;
  }
}
