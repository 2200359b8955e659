// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * A node's counters as Micrometer meters ({@link io.crosstie.observability.CrosstieMetrics}), and
 * its events in JDK Flight Recorder ({@link io.crosstie.observability.FlightRecorderTap}).
 *
 * <h2>Meters</h2>
 *
 * <p>Every meter has the tag {@code node}. Meters of a port also have {@code port} (its index),
 * {@code port.name} (the rail as configured) and {@code kind} (of driver); those of a peer {@code
 * peer}; those of a rail {@code peer}, {@code rail} (its number), {@code rail.name} (its local
 * address) and {@code kind}. Counters only grow as long as their meter is there, also when the peer
 * is connected to anew. Gauges and times of a rail are some 20 ms old, or up to a second where
 * nothing happens.
 *
 * <table>
 * <caption>All meters; C is a counter, G a gauge</caption>
 * <tr><th>Name</th><th></th><th>Unit</th><th>Further tag</th><th>What</th></tr>
 * <tr><td>{@code crosstie.node.packets}</td><td>C</td><td></td><td></td><td>packets received on all
 * ports</td></tr>
 * <tr><td>{@code crosstie.node.packets.dropped}</td><td>C</td><td></td><td>{@code cause}: invalid,
 * not_taken, unknown_connection</td><td>those dropped as senseless</td></tr>
 * <tr><td>{@code crosstie.node.resets}</td><td>C</td><td></td><td></td><td>resets sent to
 * strangers</td></tr>
 * <tr><td>{@code crosstie.node.handshakes}</td><td>C</td><td></td><td>{@code result}: begun,
 * bad_cookie, rejected</td><td>handshakes that others began, and refusals</td></tr>
 * <tr><td>{@code crosstie.node.connections}</td><td>G</td><td></td><td></td><td>connections that
 * exist</td></tr>
 * <tr><td>{@code crosstie.node.pool.used}</td><td>G</td><td>bytes</td><td></td><td>memory in use
 * for large messages</td></tr>
 * <tr><td>{@code crosstie.node.memory.charged}</td><td>G</td><td>bytes</td><td></td><td>what is
 * charged for messages besides that, and for windows that were promised</td></tr>
 * <tr><td>{@code crosstie.node.memory.refusals}</td><td>C</td><td></td><td></td><td>times that
 * memory for messages was refused</td></tr>
 * <tr><td>{@code crosstie.node.messages.dropped}</td><td>C</td><td></td><td></td><td>large
 * messages of connections that are over, given up since nobody polled them</td></tr>
 * <tr><td>{@code crosstie.node.self.pauses}</td><td>C</td><td></td><td></td><td>times that this
 * process was found to have paused</td></tr>
 * <tr><td>{@code crosstie.node.self.paused}</td><td>C</td><td>s</td><td></td><td>for how
 * long</td></tr>
 * <tr><td>{@code crosstie.node.addresses.declined}</td><td>C</td><td></td><td></td><td>addresses told
 * by peers that no port of their kind takes</td></tr>
 * <tr><td>{@code crosstie.node.port.restarts}</td><td>C</td><td></td><td></td><td>ports opened
 * again</td></tr>
 * <tr><td>{@code crosstie.node.cycles}</td><td>C</td><td></td><td></td><td>duty cycles of the
 * core</td></tr>
 * <tr><td>{@code crosstie.node.internal.errors}</td><td>C</td><td></td><td></td><td>unexpected
 * errors survived</td></tr>
 * <tr><td>{@code crosstie.engine.cycles}</td><td>C</td><td></td><td>{@code result}: busy, idle,
 * failed</td><td>duty cycles of the engine</td></tr>
 * <tr><td>{@code crosstie.engine.cycles.led}</td><td>C</td><td></td><td></td><td>duty cycles that
 * a waiting application thread ran</td></tr>
 * <tr><td>{@code crosstie.engine.blocks}</td><td>C</td><td></td><td></td><td>times that it
 * blocked</td></tr>
 * <tr><td>{@code crosstie.engine.commands}</td><td>C</td><td></td><td></td><td>commands
 * done</td></tr>
 * <tr><td>{@code crosstie.engine.events.dropped}</td><td>C</td><td></td><td></td><td>events that
 * nobody polled</td></tr>
 * <tr><td>{@code crosstie.engine.hook.errors}</td><td>C</td><td></td><td></td><td>runs of the hook
 * that threw</td></tr>
 * <tr><td>{@code crosstie.engine.hook.overruns}</td><td>C</td><td></td><td></td><td>runs of the hook
 * that took too long</td></tr>
 * <tr><td>{@code crosstie.engine.peers.refused}</td><td>C</td><td></td><td></td><td>peers that may
 * not connect</td></tr>
 * <tr><td>{@code crosstie.port.open}</td><td>G</td><td></td><td></td><td>1 while open</td></tr>
 * <tr><td>{@code crosstie.port.packets}</td><td>C</td><td></td><td>{@code direction}: in,
 * out</td><td>packets</td></tr>
 * <tr><td>{@code crosstie.port.bytes}</td><td>C</td><td>bytes</td><td>{@code direction}</td><td>
 * bytes of packets</td></tr>
 * <tr><td>{@code crosstie.port.system.calls}</td><td>C</td><td></td><td>{@code direction}</td><td>
 * system calls that received or sent</td></tr>
 * <tr><td>{@code crosstie.port.packets.dropped}</td><td>C</td><td></td><td>{@code
 * direction}</td><td>refused by the system, or arrived unusable</td></tr>
 * <tr><td>{@code crosstie.port.back.pressure}</td><td>C</td><td></td><td></td><td>no room for a
 * packet</td></tr>
 * <tr><td>{@code crosstie.port.link.events}</td><td>C</td><td></td><td></td><td>what links said
 * about themselves</td></tr>
 * <tr><td>{@code crosstie.port.doorbells}</td><td>C</td><td></td><td></td><td>doorbells
 * rung</td></tr>
 * <tr><td>{@code crosstie.port.pulling.rails}</td><td>G</td><td></td><td></td><td>rails on which
 *     the peer's memory may be read</td></tr>
 * <tr><td>{@code crosstie.port.pulls}</td><td>C</td><td></td><td></td><td>parts of messages read in
 *     peers' memory</td></tr>
 * <tr><td>{@code crosstie.port.pulled}</td><td>C</td><td>bytes</td><td></td><td>read in peers'
 *     memory</td></tr>
 * <tr><td>{@code crosstie.port.pull.failures}</td><td>C</td><td></td><td></td><td>rails on which
 *     reading peers' memory failed</td></tr>
 * <tr><td>{@code crosstie.port.addresses.refused}</td><td>C</td><td></td><td></td><td>addresses of
 * peers that are none of a port, or where nobody was found</td></tr>
 * <tr><td>{@code crosstie.port.sealed.rails}</td><td>G</td><td></td><td></td><td>rails through
 *     memory that no peer can truncate</td></tr>
 * <tr><td>{@code crosstie.port.streamed}</td><td>C</td><td>bytes</td><td></td><td>put into rings by
 *     streaming stores</td></tr>
 * <tr><td>{@code crosstie.port.offload}</td><td>G</td><td></td><td>{@code type}: gso,
 * gro</td><td>1 while in use</td></tr>
 * <tr><td>{@code crosstie.port.offload.fallbacks}</td><td>C</td><td></td><td></td><td>offloads given
 * up</td></tr>
 * <tr><td>{@code crosstie.port.buffer}</td><td>G</td><td>bytes</td><td>{@code direction}; {@code
 * result}: asked, granted</td><td>socket buffer</td></tr>
 * <tr><td>{@code crosstie.peer.up}</td><td>G</td><td></td><td></td><td>1 while it can be
 * reached</td></tr>
 * <tr><td>{@code crosstie.peer.rails}</td><td>G</td><td></td><td>{@code state}: unvalidated, active,
 * suspect, down, probing</td><td>rails in that state</td></tr>
 * <tr><td>{@code crosstie.peer.messages}</td><td>C</td><td></td><td>{@code direction}</td><td>
 * messages begun to be sent, or accepted in order</td></tr>
 * <tr><td>{@code crosstie.peer.bytes}</td><td>C</td><td>bytes</td><td>{@code direction}</td><td>bytes
 * of messages, first transmissions only</td></tr>
 * <tr><td>{@code crosstie.peer.messages.accepted}</td><td>C</td><td></td><td></td><td>messages that
 * the peer has safely</td></tr>
 * <tr><td>{@code crosstie.peer.back.pressure}</td><td>C</td><td></td><td>{@code cause}: credit,
 * grant</td><td>times that sending had to wait for the peer</td></tr>
 * <tr><td>{@code crosstie.peer.inline.sends}</td><td>C</td><td></td><td></td><td>short messages
 *     sent inline, before anything else was done</td></tr>
 * <tr><td>{@code crosstie.peer.predicted.packets}</td><td>C</td><td></td><td></td><td>packets that
 *     were taken in by header prediction</td></tr>
 * <tr><td>{@code crosstie.peer.stall.probes}</td><td>C</td><td></td><td></td><td>probes of a zero
 * window or a missing answer</td></tr>
 * <tr><td>{@code crosstie.peer.protocol.errors}</td><td>C</td><td></td><td></td><td>sound packets
 * with senseless content</td></tr>
 * <tr><td>{@code crosstie.peer.channels.refused}</td><td>C</td><td></td><td></td><td>frames on
 * channels beyond the bound</td></tr>
 * <tr><td>{@code crosstie.peer.channels.freed}</td><td>C</td><td></td><td></td><td>channels that
 * both sides have closed</td></tr>
 * <tr><td>{@code crosstie.peer.channels.former}</td><td>C</td><td></td><td></td><td>frames of
 * channels that were over</td></tr>
 * <tr><td>{@code crosstie.peer.grants.revoked}</td><td>C</td><td></td><td></td><td>grants taken
 * back that brought nothing while others waited</td></tr>
 * <tr><td>{@code crosstie.peer.grants.lost}</td><td>C</td><td></td><td></td><td>grants that the
 * peer took back</td></tr>
 * <tr><td>{@code crosstie.peer.datagrams}</td><td>C</td><td></td><td>{@code direction}</td><td>
 *     datagrams that left, or came</td></tr>
 * <tr><td>{@code crosstie.peer.datagrams.unsent}</td><td>C</td><td></td><td></td><td>datagrams that
 *     could not be sent any more</td></tr>
 * <tr><td>{@code crosstie.peer.datagrams.lost}</td><td>C</td><td></td><td></td><td>datagrams in
 *     packets that were given up as lost</td></tr>
 * <tr><td>{@code crosstie.peer.datagrams.dropped}</td><td>C</td><td></td><td></td><td>datagrams that
 *     came and were not polled</td></tr>
 * <tr><td>{@code crosstie.peer.placed.refused}</td><td>C</td><td></td><td></td><td>parts of puts
 * that have no place here</td></tr>
 * <tr><td>{@code crosstie.peer.retransmit.queue}</td><td>G</td><td></td><td></td><td>fragments
 * waiting to be sent again</td></tr>
 * <tr><td>{@code crosstie.rail.packets}</td><td>C</td><td></td><td>{@code direction}</td><td>
 * packets</td></tr>
 * <tr><td>{@code crosstie.rail.bytes}</td><td>C</td><td>bytes</td><td>{@code direction}</td><td>
 * bytes of packets</td></tr>
 * <tr><td>{@code crosstie.rail.payload.sent}</td><td>C</td><td>bytes</td><td>{@code type}: first,
 * again</td><td>payload of first and of repeated transmissions</td></tr>
 * <tr><td>{@code crosstie.rail.payload.accepted}</td><td>C</td><td>bytes</td><td></td><td>payload
 * accepted from the rail, without duplicates</td></tr>
 * <tr><td>{@code crosstie.rail.retransmissions}</td><td>C</td><td></td><td>{@code cause}: threshold,
 * time, timeout, nack, reinjected, rail_down</td><td>packets whose fragments were queued
 * again</td></tr>
 * <tr><td>{@code crosstie.rail.spurious}</td><td>C</td><td></td><td></td><td>of these, acknowledged
 * after all</td></tr>
 * <tr><td>{@code crosstie.rail.redundant.copies}</td><td>C</td><td></td><td></td><td>copies by a
 * redundant scheduler</td></tr>
 * <tr><td>{@code crosstie.rail.nacks}</td><td>C</td><td></td><td>{@code direction}</td><td>negative
 * acknowledgements</td></tr>
 * <tr><td>{@code crosstie.rail.acks}</td><td>C</td><td></td><td>{@code direction}</td><td>
 * acknowledgement frames</td></tr>
 * <tr><td>{@code crosstie.rail.crc.failures}</td><td>C</td><td></td><td></td><td>payloads that
 * failed their checksum</td></tr>
 * <tr><td>{@code crosstie.rail.duplicates}</td><td>C</td><td></td><td>{@code type}: packet,
 * fragment</td><td>received twice and dropped</td></tr>
 * <tr><td>{@code crosstie.rail.packets.refused}</td><td>C</td><td></td><td></td><td>no room for
 * their content</td></tr>
 * <tr><td>{@code crosstie.rail.probes}</td><td>C</td><td></td><td>{@code result}: sent,
 * answered</td><td>probes</td></tr>
 * <tr><td>{@code crosstie.rail.link.errors}</td><td>C</td><td></td><td></td><td>errors reported by
 * the driver</td></tr>
 * <tr><td>{@code crosstie.rail.restarts}</td><td>C</td><td></td><td></td><td>times that it was
 * opened anew</td></tr>
 * <tr><td>{@code crosstie.rail.suspected}</td><td>C</td><td></td><td></td><td>changes to
 * SUSPECT</td></tr>
 * <tr><td>{@code crosstie.rail.failovers}</td><td>C</td><td></td><td></td><td>changes to
 * DOWN</td></tr>
 * <tr><td>{@code crosstie.rail.failbacks}</td><td>C</td><td></td><td></td><td>returns to
 * ACTIVE</td></tr>
 * <tr><td>{@code crosstie.rail.state}</td><td>G</td><td></td><td></td><td>0 unvalidated, 1 active, 2
 * suspect, 3 down, 4 probing, 5 removed</td></tr>
 * <tr><td>{@code crosstie.rail.state.time}</td><td>C</td><td>s</td><td>{@code state}</td><td>time in
 * each state</td></tr>
 * <tr><td>{@code crosstie.rail.rtt}</td><td>G</td><td>s</td><td></td><td>smoothed round trip, 0 if
 * none was measured</td></tr>
 * <tr><td>{@code crosstie.rail.rtt.min}</td><td>G</td><td>s</td><td></td><td>least round
 * trip</td></tr>
 * <tr><td>{@code crosstie.rail.flight}</td><td>G</td><td>bytes</td><td></td><td>in flight</td></tr>
 * <tr><td>{@code crosstie.rail.window}</td><td>G</td><td>bytes</td><td></td><td>congestion
 * window</td></tr>
 * <tr><td>{@code crosstie.rail.rate}</td><td>G</td><td>bytes/s</td><td></td><td>estimated delivery
 * rate</td></tr>
 * <tr><td>{@code crosstie.rail.packet.size}</td><td>G</td><td>bytes</td><td></td><td>packet size in
 * use</td></tr>
 * <tr><td>{@code crosstie.rail.unpaced}</td><td>G</td><td></td><td></td><td>1 where congestion
 * control is left out, on loopback</td></tr>
 * </table>
 *
 * <h2>Flight Recorder</h2>
 *
 * <p>All in the category Crosstie, all with {@code node}; times are time spans.
 *
 * <table>
 * <caption>All events</caption>
 * <tr><th>Name</th><th>Fields</th></tr>
 * <tr><td>{@code io.crosstie.RailStateChanged}</td><td>peer, rail, railName, from, to, cause,
 * gap</td></tr>
 * <tr><td>{@code io.crosstie.Failover}</td><td>peer, rail, railName, cause, gap</td></tr>
 * <tr><td>{@code io.crosstie.Failback}</td><td>peer, rail, railName, away</td></tr>
 * <tr><td>{@code io.crosstie.CrcFailure}</td><td>peer, rail, railName</td></tr>
 * <tr><td>{@code io.crosstie.SelfPause}</td><td>pause</td></tr>
 * <tr><td>{@code io.crosstie.PeerUp}</td><td>peer, rank, incarnation</td></tr>
 * <tr><td>{@code io.crosstie.PeerLost}</td><td>peer, cause, unknownMessages</td></tr>
 * <tr><td>{@code io.crosstie.PeerRestarted}</td><td>peer, oldIncarnation, newIncarnation,
 * unknownMessages</td></tr>
 * <tr><td>{@code io.crosstie.PeerClosed}</td><td>peer</td></tr>
 * <tr><td>{@code io.crosstie.PortFailed}</td><td>port, cause</td></tr>
 * <tr><td>{@code io.crosstie.PortRestarted}</td><td>port</td></tr>
 * </table>
 */
@NullMarked
package io.crosstie.observability;

import org.jspecify.annotations.NullMarked;
