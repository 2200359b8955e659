// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.checksum.MemoryWords;
import io.crosstie.reliability.wire.SinglePacket;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import org.jspecify.annotations.Nullable;

/**
 * What is behind a path: the port that it leaves by, where it leads, and the {@link Rail} in
 * between, which is replaced when it ended. Effective time.
 */
public final class RailLink {
  private static final long FIRST_CONNECT_NS = 10_000_000L;
  private static final long MAX_CONNECT_NS = 100_000_000L;

  /** A rail that has never been of use, say since a peer tells of what is not there. */
  private static final long MAX_FIRST_CONNECT_NS = 5_000_000_000L;

  private int portIndex;
  private String name;
  private int weight;
  private String kind = "";
  private @Nullable Rail rail;
  private @Nullable RailAddress remote;
  private @Nullable RailAddress remoteAlias;
  private boolean lossless;
  private boolean shared;
  private @Nullable MemoryWords words;
  private boolean peerPulls;
  private long firstNumber;
  private long attachedNs;
  private long nextConnectNs;
  private long connectIntervalNs;

  /**
   * A link without a rail.
   *
   * @param portIndex the port's place in the endpoint's table
   * @param name the port's own address
   * @param weight the port's share of what a scheduler gives out by weight
   */
  public RailLink(int portIndex, String name, int weight) {
    this.portIndex = portIndex;
    this.name = name;
    this.weight = weight;
  }

  // ---- which port ----

  /** The port's place in the endpoint's table. */
  public int portIndex() {
    return portIndex;
  }

  /** The port's own address. */
  public String name() {
    return name;
  }

  /** The port's share of what a scheduler gives out by weight. */
  public int weight() {
    return weight;
  }

  /** What the driver called itself when it was last open; empty before. */
  public String kind() {
    return kind;
  }

  /** The driver was seen to be open, and called itself so. */
  public void isOfKind(String driver) {
    kind = driver;
  }

  /** The same path leaves by another port, since the peer came by it. */
  public void moveTo(int index, String localName, int portWeight) {
    portIndex = index;
    name = localName;
    weight = portWeight;
  }

  /** The path begins anew at a port, and leads nowhere yet. */
  public void begin(int index, String localName, int portWeight) {
    moveTo(index, localName, portWeight);
    remote = null;
    remoteAlias = null;
  }

  // ---- where it leads ----

  /**
   * Where it leads, as advertised by the peer; null on the accepting side until the first packet.
   */
  public @Nullable RailAddress remote() {
    return remote;
  }

  /** The same address as it was given: a host name, say; null if by no other name. */
  public @Nullable RailAddress remoteAlias() {
    return remoteAlias;
  }

  /** The path leads there from the next connect on. */
  public void leadTo(RailAddress address) {
    remote = address;
  }

  /** Where it leads has another name as well. */
  public void alsoKnownAs(RailAddress alias) {
    remoteAlias = alias;
  }

  // ---- the rail ----

  /** The rail in use, or null while there is none. */
  public @Nullable Rail rail() {
    return rail;
  }

  /** Whether there is a rail, which has not ended. */
  public boolean isOpen() {
    Rail r = rail;
    return r != null && r.isOpen();
  }

  /** Whether the rail in use, or the last one, loses nothing and limits itself. */
  public boolean isLossless() {
    return lossless;
  }

  /** Whether it is memory that both processes share. */
  public boolean isShared() {
    return shared;
  }

  /** The rail's transmit memory where single packets can be written to it, else null. */
  public @Nullable MemoryWords words() {
    return words;
  }

  /** The peer said that it can read this process's memory: large messages go by reference. */
  public boolean peerPulls() {
    return peerPulls;
  }

  /** The peer says whether it can read this process's memory. */
  public void onPeerPulls(boolean pulls) {
    peerPulls = shared && pulls;
  }

  /**
   * Puts a rail in.
   *
   * @param numbersFrom number of the first packet on it; its consumer position counts from there
   */
  void attach(Rail newRail, long numbersFrom, long nowNs) {
    RailAttributes attributes = newRail.port().attributes();
    rail = newRail;
    attachedNs = nowNs;
    remote = newRail.remoteAddress();
    lossless = attributes.lossless();
    shared = attributes.sharedMemory();
    words = shared && lossless && SinglePacket.isAvailable() ? wordsOf(newRail) : null;
    peerPulls = false;
    firstNumber = numbersFrom;
  }

  private static @Nullable MemoryWords wordsOf(Rail of) {
    return of.txMemory().isNative() ? MemoryWords.of(of.txMemory()) : null;
  }

  /** A packet was committed that has no number: the rail's consumer position counts it. */
  public void onCommittedWithoutNumber() {
    firstNumber--;
  }

  /** Number of the first packet that the peer has not consumed. Only of a rail that is there. */
  long consumedUntil(Rail of) {
    return firstNumber + of.consumed();
  }

  /** When the rail was put in. */
  long attachedNs() {
    return attachedNs;
  }

  /** Takes the rail out, to be closed by the caller; nothing of its memory is kept. */
  public @Nullable Rail detach() {
    Rail was = rail;
    rail = null;
    words = null; // an application may hold a channel of this connection for long
    return was;
  }

  // ---- when to connect anew ----

  /** A rail in place of the one that is gone is tried soon, the sooner if that was of use. */
  void connectAfterLoss(boolean wasOfUse, long nowNs) {
    connectIntervalNs = wasOfUse ? FIRST_CONNECT_NS : Math.max(FIRST_CONNECT_NS, connectIntervalNs);
    nextConnectNs = nowNs + connectIntervalNs;
  }

  /** The next try to connect is due. */
  public void connectNow(long nowNs) {
    nextConnectNs = nowNs;
  }

  /** The first try to connect failed. */
  public void connectLater(long nowNs) {
    nextConnectNs = nowNs + MAX_CONNECT_NS;
  }

  /** When the next try is due. */
  long nextConnectNs() {
    return nextConnectNs;
  }

  /** One is made now: the next follows after up to twice the time. */
  void onConnect(boolean everOfUse, long nowNs) {
    long limit = everOfUse ? MAX_CONNECT_NS : MAX_FIRST_CONNECT_NS;
    connectIntervalNs = Math.min(limit, Math.max(FIRST_CONNECT_NS, connectIntervalNs * 2));
    nextConnectNs = nowNs + connectIntervalNs;
  }
}
