// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.memory.FormerChannels;
import io.crosstie.multirail.memory.GrantQueue;
import io.crosstie.multirail.memory.IdleMemory;
import io.crosstie.multirail.memory.MemoryRelief;
import io.crosstie.multirail.path.ProbeBudget;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.multirail.region.RegionTable;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.transport.Counters;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What all connections of a node share, to make one of; each of its parts is handed what it needs.
 *
 * @param nowNs the engine's time, as of its last sample
 * @param random for what has to be secret
 * @param jitter for what need not be, and is drawn for every packet
 * @param reinjection whether what hangs on a silent rail is sent again on the others, for now
 * @param singleThreaded whether all calls come from one thread
 */
public record NodeParts(
    EndpointConfig config,
    SlipClock clock,
    LongSupplier nowNs,
    RandomGenerator random,
    RandomGenerator jitter,
    PortTable ports,
    NodeMemory memory,
    GrantQueue grants,
    MemoryRelief relief,
    FormerChannels formers,
    IdleMemory idle,
    ProbeBudget probes,
    PacketAssembler assembler,
    RegionTable regions,
    Counters<EndpointCounter> counters,
    BooleanSupplier reinjection,
    boolean singleThreaded,
    PlantedFault planted) {}
