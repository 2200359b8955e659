// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

/**
 * What a driver may know about the node that opens a port.
 *
 * @param nodeName name of the node, for messages and file names (sanitise before use in a path)
 * @param incarnation the node's random 64-bit incarnation
 * @param seed seed for anything random that the driver needs (names of files, hash keys)
 */
public record PortContext(String nodeName, long incarnation, long seed) {}
