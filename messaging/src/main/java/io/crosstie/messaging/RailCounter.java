// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Counters of one rail of one connection: {@link RailInfo#counters()}. */
public enum RailCounter {
  /** Packets sent. */
  PACKETS_OUT,
  /** Packets received, valid ones. */
  PACKETS_IN,
  /** Bytes of packets sent. */
  BYTES_OUT,
  /** Bytes of packets received. */
  BYTES_IN,
  /** Payload bytes of first transmissions. */
  PAYLOAD_FIRST_OUT,
  /** Payload bytes of retransmissions of any cause. */
  PAYLOAD_AGAIN_OUT,
  /** Payload bytes accepted from this rail (not duplicates). */
  PAYLOAD_IN,
  /**
   * Packets of this rail whose fragments were queued again because later packets were acknowledged.
   */
  LOST_BY_THRESHOLD,
  /** The same because time had passed after a later one was acknowledged. */
  LOST_BY_TIME,
  /** The same because of a retransmission timeout. */
  LOST_BY_TIMEOUT,
  /** The same because the peer asked for it (NACK). */
  LOST_BY_NACK,
  /** The same because the rail became SUSPECT (re-injection). */
  REINJECTED,
  /** The same because the rail went DOWN or was replaced. */
  LOST_BY_RAIL_DOWN,
  /** Copies sent by a redundant scheduler. */
  REDUNDANT_COPIES,
  /** Packets declared lost that were acknowledged after all. */
  SPURIOUS,
  /** NACKs sent. */
  NACKS_OUT,
  /** NACKs received. */
  NACKS_IN,
  /** Payloads that failed their checksum. */
  CRC_FAILURES,
  /** Packets received twice. */
  DUPLICATE_PACKETS,
  /** Fragments received twice, from any rail, dropped before the copy. */
  DUPLICATE_FRAGMENTS,
  /** Packets refused because there was no room for their content. */
  REFUSED,
  /** Acknowledgement frames sent. */
  ACKS_OUT,
  /** Acknowledgement frames received. */
  ACKS_IN,
  /** Probes sent. */
  PROBES_OUT,
  /** Probes answered. */
  PROBES_ANSWERED,
  /** Link errors reported by the driver. */
  LINK_ERRORS,
  /** Times that the rail was replaced by a newly opened one. */
  RESTARTS,
  /** Changes to SUSPECT. */
  SUSPECTED,
  /** Changes to DOWN, but for those from PROBING. */
  FAILOVERS,
  /** Changes back to ACTIVE from DOWN or PROBING. */
  FAILBACKS,
  /** Nanoseconds in UNVALIDATED. */
  NS_UNVALIDATED,
  /** Nanoseconds in ACTIVE. */
  NS_ACTIVE,
  /** Nanoseconds in SUSPECT. */
  NS_SUSPECT,
  /** Nanoseconds in DOWN. */
  NS_DOWN,
  /** Nanoseconds in PROBING. */
  NS_PROBING,
  /** Gauge: smoothed round trip in nanoseconds. */
  SRTT_NS,
  /** Gauge: least round trip in nanoseconds. */
  MIN_RTT_NS,
  /** Gauge: bytes in flight. */
  FLIGHT_BYTES,
  /** Gauge: congestion window in bytes. */
  WINDOW_BYTES,
  /** Gauge: estimated rate in bytes per second. */
  RATE,
  /** Gauge: packet size in use, in bytes. */
  PACKET_SIZE,
  /**
   * Gauge: 1 if nothing is paced over it and no congestion is looked for, since both ends of a
   * lossy rail have one host's address (loopback); else 0.
   */
  UNPACED,
  /** Gauge: ordinal of the {@link RailState}. */
  STATE
}
