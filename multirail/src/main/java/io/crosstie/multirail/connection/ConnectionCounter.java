// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

/** Counters of one connection. */
public enum ConnectionCounter {
  /** Messages whose first byte left. */
  MESSAGES_OUT,
  /** Payload bytes of messages, first transmissions. */
  BYTES_OUT,
  /** Messages accepted in order. */
  MESSAGES_IN,
  /** Bytes of messages accepted in order. */
  BYTES_IN,
  /** Messages that the peer is known to have accepted. */
  MESSAGES_ACCEPTED,
  /** Times that sending had to stop for want of credit. */
  CREDIT_STALLS,
  /** Times that a large message had to wait for its grant. */
  GRANT_WAITS,
  /** Probes of a zero window or of a missing data acknowledgement. */
  STALL_PROBES,
  /** Packets with a sound header and this connection's id that were refused as senseless. */
  PROTOCOL_ERRORS,
  /** Frames on channels beyond the bound: dropped, and the peer was told. */
  CHANNELS_REFUSED,
  /** Channels that both sides have closed, so that their numbers are free again. */
  CHANNELS_FREED,
  /** Frames that came when the channel that they are about was over: dropped. */
  FORMER_USE_IN,
  /**
   * Times that grants of a channel were taken back, since they brought nothing and others waited.
   */
  GRANTS_REVOKED,
  /** Times that the peer took grants back: what had left under them is sent again. */
  GRANTS_LOST,
  /** Short messages that left in packets of their own, before anything else was done. */
  INLINE_SENDS,
  /** Packets that were the ones expected next, and taken in by comparison. */
  PREDICTED_PACKETS,
  /** Parts of placed messages that were dropped, since they have no place here. */
  PLACED_REFUSED,
  /** Datagrams that left, each once. */
  DATAGRAMS_OUT,
  /** Datagrams that were not sent: the path became too narrow for them, or the connection ended. */
  DATAGRAMS_UNSENT,
  /** Datagrams in packets that were given up as lost; they are not sent again. */
  DATAGRAMS_LOST,
  /** Datagrams that came. */
  DATAGRAMS_IN,
  /** Datagrams that came and were not polled: the oldest where there is no room for more. */
  DATAGRAMS_DROPPED,
  /** Fragments waiting to be sent again (gauge). */
  RETRANSMIT_QUEUE
}
