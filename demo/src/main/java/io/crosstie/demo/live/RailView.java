// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

/**
 * One rail as one side sees it.
 *
 * @param device the interface's name; empty if there is none with an address of the network
 * @param address empty likewise
 * @param up whether the kernel calls the interface up
 * @param state of Crosstie's rail, "NONE" if there is none
 * @param fault what was done to it on the page: "", "down", "black hole" or "loss 5 %"
 * @param payloadIn bytes of payload that were accepted from it, repeats not counted
 * @param payloadOut bytes of payload sent on it, repeats counted
 * @param rxBytes what the kernel counted at the rail's interfaces, however many there were
 */
record RailView(
    String name,
    String network,
    String device,
    String address,
    boolean up,
    String state,
    String fault,
    long payloadIn,
    long payloadOut,
    long retransmitted,
    double rttMs,
    long failovers,
    long failbacks,
    long rxBytes,
    long txBytes) {

  /** Whether the peer answers on it. */
  boolean carries() {
    return state.equals("ACTIVE");
  }
}
