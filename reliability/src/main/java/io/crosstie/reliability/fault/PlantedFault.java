// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.fault;

/**
 * Negative controls: faults that the simulator puts into the core to see that it finds them, one
 * for each path that a message can take. Each is looked for only where something has gone wrong
 * already (a repeat, a loss, a refusal, an overlap), or chooses a class when an object is made; so
 * none costs anything on the path of a message.
 */
public enum PlantedFault {
  /** None: the core as it is shipped. */
  NONE(false),
  /** Header prediction takes whatever it expected for the message after the last one accepted. */
  NO_NUMBER(false),
  /** A message that left inside of the offer is not noted. */
  INLINE_IN_OFFER_NOT_NOTED(false),
  /** A message that left where the duty cycle begins is not noted. */
  INLINE_IN_CYCLE_NOT_NOTED(false),
  /** What came as expected is not compared with its checksum. */
  PREDICTED_UNCHECKED(false),
  /** A message that came before passes for the next one. */
  NO_DUPLICATE_FILTER(false),
  /** Of a packet of several messages some of which came before, the others are misplaced. */
  WHOLES_MISPLACED(false),
  /** A part of an eager message that comes again completes it. */
  EAGER_PART_COUNTED_TWICE(false),
  /** A large message that is announced again gets a second buffer. */
  GRANTED_TWICE(false),
  /** Of a part that overlaps others the gaps are filled from its beginning. */
  OVERLAP_MISPLACED(false),
  /** The bytes of a reference are summed where they come from, not where they have arrived. */
  SUMMED_AT_SOURCE(false),
  /** A reference that could not be followed is not told to the sender. */
  PULL_FAILURE_UNTOLD(true),
  /** Of the packets under one record each passes for the first when it is lost. */
  RUN_FORGOTTEN(true),
  /** What lies in the gaps of an acknowledgement passes for acknowledged. */
  GAPS_ACKNOWLEDGED(true),
  /** The packets of the handshake count as packets of the connection in a consumer's position. */
  POSITION_TOO_FAR(true),
  /** A whole message that is lost is not sent again. */
  WHOLE_NOT_AGAIN(true),
  /** A part of a message that is lost is not sent again. */
  FRAGMENT_NOT_AGAIN(true),
  /** Of a message that is granted once more, only what had not left before is sent. */
  REVOKED_NOT_AGAIN(true),
  /** A message that does not fit in a packet of another rail is not cut. */
  NOT_CUT_AGAIN(true),
  /** A packet that cannot be used is acknowledged all the same. */
  REFUSED_IS_ACKNOWLEDGED(true),
  /** What the peer cannot use of a ring that it has consumed is not sent again. */
  NACK_BEHIND_POSITION_IGNORED(true),
  /** There is no safety net under loss detection. */
  NO_SAFETY_NET(true),
  /** What comes late of a channel passes for a message of the next channel of its number. */
  FORMER_USE_TAKEN(false),
  /** Copies of a redundant scheduler are copied again. */
  COPIES_WITHOUT_END(false),
  /** Lent memory is given back when it has left. */
  LENT_UNTIL_SENT(false),
  /** A late repeat of a placed message is written to its place again. */
  PLACED_AGAIN(false),
  /** The gaps of a placed part that overlaps others are filled from its beginning. */
  PLACED_GAP_MISPLACED(false),
  /** What is placed is not compared with its checksum. */
  PLACED_UNCHECKED(false),
  /** A notification is told as soon as it has come, before all is in place. */
  NOTIFIED_EARLY(false),
  /** A region that was closed still takes what comes. */
  CLOSED_IS_OPEN(false),
  /** A placed message that is refused counts as accepted. */
  REFUSED_IS_ACCEPTED(false),
  /** A refusal that is lost is not told again. */
  REFUSAL_NOT_AGAIN(true),
  /** A flush does not wait for what is not accepted. */
  FLUSHED_EARLY(false),
  /** A request that comes again is done again. */
  ATOMIC_TWICE(false),
  /** A get is told when its first part has come. */
  ANSWERED_EARLY(false),
  /** A region that was closed is still read from. */
  GOT_AFTER_CLOSE(false),
  /** Of a placed message what a rail took along is not sent again. */
  PLACED_NOT_AGAIN(true),
  /** Datagrams of a packet that came before are told again. */
  DATAGRAM_TWICE(false),
  /** A datagram that was lost leaves again. */
  DATAGRAM_RESENT(false),
  /** Where there is one thread only, a claim that is given back stays open. */
  CLAIM_STAYS_OPEN(false);

  private final boolean withoutNet;

  PlantedFault(boolean withoutNet) {
    this.withoutNet = withoutNet;
  }

  /** Whether the safety net is taken away, which would make good what is left out. */
  public boolean isWithoutNet() {
    return withoutNet;
  }
}
