// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * The wire format: fixed little-endian layouts read and written in private arrays.
 *
 * <p>A flyweight is a class of static methods over an {@code (array, offset)} pair; nothing is
 * allocated for a packet. What a rail delivers is copied into such an array before it is read, and
 * a header is copied out of one when it is complete. Encoders trust their caller, which is the
 * core, and check nothing. Only {@link io.crosstie.reliability.wire.PacketValidator} and the {@code
 * parse} methods of the handshake read bytes that may be hostile; the other accessors are for
 * packets that passed it.
 *
 * <p>Encoding a packet: {@link io.crosstie.reliability.wire.PacketHeader#begin}, the frames one
 * behind the other, {@link io.crosstie.reliability.wire.PacketHeader#seal}, and the payloads behind
 * the last frame. Reading one: validate, then walk from offset {@link
 * io.crosstie.reliability.wire.PacketHeader#LENGTH} to the header length by {@link
 * io.crosstie.reliability.wire.Frames#length}, and through the payload by {@link
 * io.crosstie.reliability.wire.Frames#payloadLength}.
 */
@NullMarked
package io.crosstie.reliability.wire;

import org.jspecify.annotations.NullMarked;
