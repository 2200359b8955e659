// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.ChecksumKind;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.wire.SinglePacket;
import io.crosstie.reliability.wire.SinglePut;
import io.crosstie.transport.Rail;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends one short message by itself over shared memory, ahead of everything that a duty cycle does:
 * whoever waits for it waits for nothing else. It is the packet that the duty cycle would send,
 * with its number, its place in the log, its credit and its checksums; what is noted about it is
 * noted after it left.
 *
 * <p>Whether that may be is found out while nobody waits: each time the connection was served and
 * had nothing else to send or to say, {@link #ready} lets one message through. So a stream, which
 * has something to send in each duty cycle, shares packets as ever.
 */
@SuppressWarnings("ReferenceEquality") // the very same rail, path or channel
class InlineSender implements SendShortcut {
  private final Paths paths;
  private final PathScheduler scheduler;
  private final LongSupplier remoteId;
  private final BooleanSupplier isUp;
  private final PacketSender sender;

  /** Payloads have a CRC-32C; else none has a checksum, or single packets are not sent. */
  private final boolean sums;

  private final boolean sendsSingles;

  /** The next packet of the rail and channel that the last one was of. */
  private final SinglePacket packet = new SinglePacket();

  /** The same where the last one was a put. */
  private final SinglePut put = new SinglePut();

  /** The rail for the next one, or null if it has to wait for the duty cycle. */
  private @Nullable RailPath way;

  /** The channel that the last one was of: its next packet has its numbers already. */
  private @Nullable ChannelEngine readyFor;

  // The packet that left and is not noted yet.
  private @Nullable RailPath leftBy;
  private @Nullable Rail leftOn;
  private @Nullable ChannelEngine leftFrom;
  private int leftLength;
  private int leftBytes; // of the whole packet

  /**
   * For one connection.
   *
   * @param kind of the checksum of payloads
   * @param remoteId the id under which the peer knows the connection
   * @param isUp whether the connection is neither over nor closing
   */
  InlineSender(
      Paths paths,
      PathScheduler scheduler,
      PacketSender sender,
      ChecksumKind kind,
      LongSupplier remoteId,
      BooleanSupplier isUp) {
    this.paths = paths;
    this.scheduler = scheduler;
    this.sender = sender;
    this.remoteId = remoteId;
    this.isUp = isUp;
    this.sums = kind == ChecksumKind.CRC32C;
    this.sendsSingles = sums || kind == ChecksumKind.NONE;
  }

  @Override
  public void ready(long nowNs) {
    if (!sendsSingles || scheduler.redundant()) {
      return;
    }
    int chosen = sender.select(SinglePacket.MAX_PAYLOAD, nowNs);
    RailPath path = chosen < 0 ? null : paths.get(chosen);
    way = path == null || path.link().words() == null ? null : path;
    ChannelEngine channel = readyFor;
    if (path != null && path.link().words() != null && channel != null) {
      if (channel.isPlacement()) { // while nobody waits
        numberPut(path, channel, put.headerLength());
      } else {
        number(path, channel);
      }
    }
  }

  /** What is known of the next packet beforehand; known already, it costs nothing. */
  private void number(RailPath path, ChannelEngine channel) {
    readyFor = channel;
    if (!packet.isOf(path.id(), remoteId.getAsLong(), channel.number())) {
      packet.of(path.id(), remoteId.getAsLong(), channel.number());
    }
    packet.number(
        path.sent().nextNumber(), channel.sender().onWire(channel.sender().nextSequence()));
  }

  /** The same of a put with a notification of so many bytes. */
  private void numberPut(RailPath path, ChannelEngine channel, int notification) {
    readyFor = channel;
    if (!put.isOf(path.id(), remoteId.getAsLong(), channel.number(), notification)) {
      put.of(path.id(), remoteId.getAsLong(), channel.number(), notification);
    }
    put.number(path.sent().nextNumber(), channel.sender().onWire(channel.sender().nextSequence()));
  }

  @Override
  public void notReady() {
    way = null;
  }

  @Override
  public boolean send(ChannelEngine channel) {
    RailPath path = way;
    if (path == null
        || path.state() != RailState.ACTIVE
        || !isUp.getAsBoolean()
        || !channel.sender().hasUse()) {
      return false;
    }
    MemoryWords from = channel.sent().log();
    long place = channel.sender().onlyPlace(from);
    MemoryWords to = path.link().words();
    Rail rail = path.link().rail();
    if (to == null || rail == null) {
      return false;
    }
    if (place < 0) {
      return channel.isPlacement() && sendPut(path, channel, to, rail);
    }
    int length = (int) place;
    number(path, channel);
    int whole = SinglePacket.HEADER_LENGTH + length;
    long base = rail.claim(whole);
    if (base < 0) {
      return false;
    }
    try {
      packet.write(to, base, from, place >>> Integer.SIZE, length, sums);
    } catch (InternalError e) { // whoever tries again finds out about it
      rail.abort();
      return false;
    } catch (Throwable t) {
      rail.abort();
      sender.onTakenBack(t);
      throw t;
    }
    leave(path, channel, rail, length, whole);
    return true;
  }

  private boolean sendPut(RailPath path, ChannelEngine channel, MemoryWords to, Rail rail) {
    Put next = channel.sender().onlyPut();
    if (next == null || !next.copyTo(put.payload())) {
      return false; // its memory may be gone, and the duty cycle finds out
    }
    numberPut(path, channel, next.headerLength());
    int length = (int) next.messageLength();
    int whole = SinglePut.HEADER_LENGTH + length;
    long base = rail.claim(whole);
    if (base < 0) {
      return false;
    }
    try {
      put.write(to, base, length, next.key(), next.target(), sums);
    } catch (InternalError e) { // as above
      rail.abort();
      return false;
    } catch (Throwable t) {
      rail.abort();
      sender.onTakenBack(t);
      throw t;
    }
    leave(path, channel, rail, length, whole);
    return true;
  }

  private void leave(RailPath path, ChannelEngine channel, Rail rail, int length, int whole) {
    way = null;
    channel.sender().takeEager(length);
    leftBy = path;
    leftFrom = channel;
    leftLength = length;
    leftBytes = whole;
    leftOn = rail;
    rail.commit(whole);
  }

  @Override
  public boolean hasSent() {
    return leftBy != null;
  }

  @Override
  public void forget(ChannelEngine channel) {
    if (readyFor == channel) {
      readyFor = null;
    }
  }

  /** The packet that left is as if it had never been. */
  void forget() {
    leftBy = null;
    flush();
  }

  @Override
  public void flush() {
    if (leftOn != null) {
      leftOn.flush();
    }
  }

  @Override
  public void note(long nowNs) {
    RailPath path = leftBy;
    ChannelEngine channel = leftFrom;
    Rail rail = leftOn;
    if (path == null || channel == null || rail == null) {
      throw new IllegalStateException("nothing left");
    }
    leftBy = null;
    long seq = channel.sender().nextSequence() - 1;
    sender.noteSingle(path, channel, seq, leftLength, leftBytes, nowNs);
    sender.flush(path, rail);
  }
}
