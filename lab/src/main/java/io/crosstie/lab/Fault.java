// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

/**
 * One kind of fault, made from outside: with the kernel's tools and signals.
 *
 * @param kind its name
 * @param what it does, for a person
 * @param killsRail whether nothing gets through on that rail meanwhile
 * @param pausesAll whether nothing gets through at all meanwhile, so that what counts is how soon
 *     it goes on afterwards
 * @param needsThread whether only a rail with a thread of its own can have it
 * @param holdNs how long it lasts after {@code strike} has returned
 * @param prepare done once, before the first cut
 * @param strike makes the fault
 * @param heal takes it away
 */
record Fault(
    String kind,
    String what,
    boolean killsRail,
    boolean pausesAll,
    boolean needsThread,
    long holdNs,
    Act prepare,
    Act strike,
    Act heal) {
  /** One step of a fault. */
  interface Act {
    void on(Injector injector);
  }

  /** Cuts of this kind take so long that a run makes a tenth of them. */
  boolean isSlow() {
    return holdNs >= 1_000_000_000L || pausesAll;
  }
}
