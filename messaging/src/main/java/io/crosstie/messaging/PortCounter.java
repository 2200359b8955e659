// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Counters of the local end of a rail: {@link PortInfo#counters()}. */
public enum PortCounter {
  /** Packets handed up. */
  PACKETS_IN,
  /** Bytes handed up. */
  BYTES_IN,
  /** Packets handed to the system, or published in shared memory. */
  PACKETS_OUT,
  /** Bytes handed to the system. */
  BYTES_OUT,
  /** System calls that received. */
  RECEIVE_CALLS,
  /** System calls that sent. */
  SEND_CALLS,
  /** Packets that the system refused and that were dropped. */
  DROPPED_OUT,
  /**
   * Packets that arrived unusable (truncated, from no valid address, malformed slot) and were
   * dropped.
   */
  DROPPED_IN,
  /**
   * Times an address that a peer told, or offers memory from, was not looked at since it is none of
   * a port, or nobody was found there; it is tried less and less often.
   */
  ADDRESSES_REFUSED,
  /** Claims refused for want of room. */
  CLAIMS_REFUSED,
  /** Link events of any kind. */
  LINK_EVENTS,
  /** Doorbells rung. */
  DOORBELLS,
  /** Rails on which the peer's memory may be read, so that large messages are copied once. */
  PULLING_RAILS,
  /** Parts of messages copied straight out of peers' memory. */
  PULLS,
  /** Bytes copied straight out of peers' memory. */
  PULLED_BYTES,
  /** Rails on which that was given up because it failed. */
  PULL_FAILURES,
  /** Rails through memory that is sealed, so that no peer can truncate it. */
  SEALED_RAILS,
  /** Bytes of payload put into rings by streaming stores. */
  STREAMED_BYTES,
  /** 1 while segmentation offload (GSO) is in use for sending. */
  GSO_ACTIVE,
  /** 1 while receive offload (GRO) is in use. */
  GRO_ACTIVE,
  /** Times an offload was given up because it failed. */
  OFFLOAD_FALLBACKS,
  /** Receive buffer asked for, in bytes. */
  RECEIVE_BUFFER_ASKED,
  /** Receive buffer granted, in bytes. */
  RECEIVE_BUFFER_GOT,
  /** Send buffer asked for, in bytes. */
  SEND_BUFFER_ASKED,
  /** Send buffer granted, in bytes. */
  SEND_BUFFER_GOT
}
