// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

/**
 * What a rail promises and what it hints at.
 *
 * @param kind for people and metrics, for example {@code "udp/linux+gso"} or {@code "shm"}
 * @param ordered packets that arrive do so in the order in which they were committed
 * @param lossless every committed packet reaches the peer's poll unless the rail dies; {@link
 *     Rail#consumed()} then stands in for acknowledgements
 * @param sharedMemory received packets lie in memory that another process can write
 * @param latencyHintNs one-way latency to assume until it has been measured, in nanoseconds
 * @param bandwidthHint bytes per second to assume until it has been measured
 * @param receiveBufferBytes bytes that the kernel really granted for packets that nobody has polled
 *     yet; 0 where the rail has flow control of its own
 */
public record RailAttributes(
    String kind,
    boolean ordered,
    boolean lossless,
    boolean sharedMemory,
    long latencyHintNs,
    long bandwidthHint,
    int receiveBufferBytes) {}
