// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/**
 * Every path that a message, or the news that it arrived, can take. For each the simulator counts
 * how often it was entered ({@link PathCensus}), and for each there is a fault of its own that it
 * has to find.
 */
public enum MessagePath {
  /** One short message leaves inside of the offer, where all calls come from one thread. */
  INLINE_IN_OFFER(Plant.INLINE_IN_OFFER_NOT_NOTED),
  /** One short message leaves where the duty cycle begins, before the clock is asked. */
  INLINE_IN_CYCLE(Plant.INLINE_IN_CYCLE_NOT_NOTED),
  /** A packet is taken in by comparison with the one that is expected. */
  HEADER_PREDICTION(Plant.PREDICTED_UNCHECKED),
  /** A whole message by itself in a frame. */
  WHOLE_ALONE(Plant.NO_DUPLICATE_FILTER),
  /** Several whole messages in one frame. */
  WHOLES_TOGETHER(Plant.WHOLES_MISPLACED),
  /** A part of a message within the eager limit. */
  EAGER_FRAGMENT(Plant.EAGER_PART_COUNTED_TWICE),
  /** A part of a large message, which was granted. */
  GRANTED_FRAGMENT(Plant.GRANTED_TWICE),
  /** A part that overlaps others, being cut for another packet size. */
  OVERLAPPING_FRAGMENT(Plant.OVERLAP_MISPLACED),
  /** A reference: a single copy out of the sender's memory. */
  REFERENCE(Plant.SUMMED_AT_SOURCE),
  /** The same where the memory could not be read. */
  REFERENCE_FAILED(Plant.PULL_FAILURE_UNTOLD),
  /** Packets of one message that share a record of the sender. */
  RUN_OF_PACKETS(Plant.RUN_FORGOTTEN),
  /** Acknowledgement by ranges, with gaps. */
  ACK_RANGES(Plant.GAPS_ACKNOWLEDGED),
  /** Acknowledgement by the position of a ring's consumer. */
  ACK_POSITION(Plant.POSITION_TOO_FAR),
  /** A whole message once more. */
  WHOLE_AGAIN(Plant.WHOLE_NOT_AGAIN),
  /** A part of a message once more. */
  FRAGMENT_AGAIN(Plant.FRAGMENT_NOT_AGAIN),
  /** A large message whose grant was revoked, granted anew and sent again whole. */
  REVOKED(Plant.REVOKED_NOT_AGAIN),
  /** What comes of a channel that is over, while its number may be another's. */
  FORMER_USE(Plant.FORMER_USE_TAKEN),
  /** A message that was whole, cut into parts for a rail with smaller packets. */
  CUT_AGAIN(Plant.NOT_CUT_AGAIN),
  /** What hangs on a silent rail, on another. */
  REINJECTION(Plant.NO_REINJECTION),
  /** The same while the original still lies in a ring, which is then read. */
  ORIGINAL_IN_RING(Plant.NO_NUMBER),
  /** A datagram that the peer could not use. */
  NACK_OF_DATAGRAM(Plant.REFUSED_IS_ACKNOWLEDGED),
  /** A packet of a ring that the peer could not use; the position may have passed it. */
  NACK_OF_RING(Plant.NACK_BEHIND_POSITION_IGNORED),
  /** The oldest message once more, though nothing is outstanding. */
  STALL_PROBE(Plant.NO_SAFETY_NET),
  /** Copies on all rails, by a redundant scheduler. */
  REDUNDANT_COPY(Plant.COPIES_WITHOUT_END),
  /** A message out of the send log. */
  FROM_LOG(Plant.NO_CRC),
  /** A message out of lent memory. */
  FROM_LENT_MEMORY(Plant.LENT_UNTIL_SENT),
  /** Payload stored into a ring by streaming. */
  STREAMING_STORES(Plant.STREAM_UNFENCED),
  /** Through the ring from the engine to a port's thread. */
  THREAD_OF_PORT_OUT(Plant.STALE_LENGTH),
  /** Through the ring back. */
  THREAD_OF_PORT_IN(Plant.EARLY_RELEASE),
  /** A part of a message that has its place in a region. */
  PLACED(Plant.PLACED_AGAIN),
  /** The same once more. */
  PLACED_AGAIN(Plant.PLACED_UNCHECKED),
  /** The same, overlapping others. */
  PLACED_OVERLAPPING(Plant.PLACED_GAP_MISPLACED),
  /** A placed message that is told when all is there. */
  NOTIFICATION(Plant.NOTIFIED_EARLY),
  /** One that is not taken. */
  PLACED_REFUSED(Plant.REFUSED_IS_ACCEPTED),
  /** A get, or an operation on a word. */
  REQUEST(Plant.ATOMIC_TWICE),
  /** What comes back. */
  ANSWER(Plant.ANSWERED_EARLY),
  /** A datagram. */
  DATAGRAM(Plant.DATAGRAM_TWICE),
  /** One in a packet that is given up. */
  DATAGRAM_LOST(Plant.DATAGRAM_RESENT),
  /** A queue without fences, where all calls come from one thread. */
  QUEUE_OF_ONE_THREAD(Plant.CLAIM_STAYS_OPEN);

  private final Plant plant;

  MessagePath(Plant plant) {
    this.plant = plant;
  }

  /** The fault that has to be found. */
  public Plant plant() {
    return plant;
  }
}
