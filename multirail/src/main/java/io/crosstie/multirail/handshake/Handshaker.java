// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.path.RateLimiter;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.Cookie;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Limits;
import io.crosstie.reliability.wire.NodeName;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.RailInfo;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Reset;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handshakes of one endpoint, both sides: INIT, RETRY with a stateless cookie, HELLO, WELCOME
 * (R23).
 *
 * <p>Nothing is remembered of a stranger before his cookie came back. Of two opens that cross, the
 * one by the lower (name, incarnation) survives; the other side's half-open connection becomes the
 * accepted one, so its channels stay what they are. A HELLO under the name of a peer that is up
 * ends the connection to that only if {@link NameClaims} finds no life there (R33); one with an
 * incarnation that was superseded is rejected (R11).
 */
public final class Handshaker {
  private static final long SIMULTANEOUS_NS = 2_000_000_000L;

  /** Who was rejected asks again so much later. */
  private static final long REFUSED_NS = 200_000_000L;

  /** And so much later who cannot use the answer: a configuration or a release is to change. */
  private static final long UNUSABLE_NS = 1_000_000_000L;

  /** What the initiator calls the rail that the handshake uses. */
  private static final int FIRST_RAIL = 0;

  private static final String UNKNOWN_PEER =
      "only peers that are configured here may connect; configure this one with peer(name)";

  private static final int MAX_TARGETS = 65536;

  private final Endpoint e;
  private final RailPairing pairing;
  private final EndpointConfig config;
  private final CookieJar cookies;
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final byte[] packet = new byte[PacketHeader.MAX_HANDSHAKE_LENGTH];
  private final MemorySegment packetSegment = MemorySegment.ofArray(packet);
  private final InitQueue knocking = new InitQueue();
  private final Map<String, List<RailAddress>> targets = new HashMap<>();
  private final NameClaims names = new NameClaims();
  private final FormerIds formerIds = new FormerIds();
  private final Places places;
  private final ResetBudget resets;

  /** The newcomer of whom the application was told last. */
  private long lastNewcomer;

  private final RateLimiter newcomersTold = new RateLimiter(8, 1);

  /** Nobody is let in any more. */
  private boolean closing;

  /** The connection that the packet or timer at hand is about. */
  private @Nullable Connection atHand;

  public Handshaker(Endpoint endpoint, RailPairing pairing) {
    this.e = endpoint;
    this.pairing = pairing;
    this.config = endpoint.config;
    this.cookies = new CookieJar(endpoint.random);
    this.places = new Places(endpoint);
    this.resets = new ResetBudget(config.incarnation());
  }

  // ---- the initiator ----

  public Connection connect(String name, List<RailAddress> seeds, long nowNs) {
    NodeName.require(name);
    if (targets.size() >= MAX_TARGETS) {
      throw new IllegalStateException("more than " + MAX_TARGETS + " peers configured");
    }
    targets.put(name, List.copyOf(seeds));
    Connection existing = alive(name);
    return existing != null ? existing : open(name, seeds, nowNs);
  }

  private Connection open(String name, List<RailAddress> seeds, long nowNs) {
    SeedAddresses addresses = new SeedAddresses(seeds, e.seedResolver());
    Handshake handshake = new Handshake(addresses, nowNs);
    knocking.reserve();
    Connection c = e.newConnection(name, true);
    knocking.add(c, handshake);
    return c;
  }

  private @Nullable Connection alive(String name) {
    for (Connection c : e.connections()) {
      if (c.peerName().equals(name)
          && !c.state().isOver()
          && c.state() != Connection.State.CLOSING) {
        return c;
      }
    }
    return null;
  }

  /** From now on nobody is let in. */
  public void refuseNew() {
    closing = true;
  }

  /**
   * A peer closed a connection some time ago, and may have been started anew since: if it is a
   * configured one it is asked again, though what still comes for the old connection is answered
   * for a while longer.
   */
  public void askAnew(Connection c, long nowNs) {
    List<RailAddress> seeds = targets.get(c.wantedName());
    if (seeds != null && !closing && !c.closedHere() && alive(c.wantedName()) == null) {
      open(c.wantedName(), seeds, nowNs);
    }
  }

  /** A connection left the tables: a configured peer is asked again, unless we closed. */
  public void onGone(Connection c, long nowNs) {
    Handshake h = knocking.remove(c);
    formerIds.onGone(c);
    places.onGone(c);
    pairing.onGone(c);
    if (h != null) {
      h.closeDoors(null);
    }
    if (c.peerIncarnation() != 0 && c.state() == Connection.State.RESTARTED) {
      names.supersede(c);
    }
    List<RailAddress> seeds = targets.get(c.wantedName());
    if (seeds != null && (c.closedHere() || c.state() == Connection.State.SUPERSEDED)) {
      targets.remove(c.wantedName());
    } else if (seeds != null && !c.askedAnew() && alive(c.wantedName()) == null) {
      open(c.wantedName(), seeds, nowNs);
    }
  }

  public void onTimers(long nowNs) {
    names.onTimers(nowNs);
    int inits = 0;
    for (Handshake h = knocking.first();
        h != null && nowNs >= h.nextNs() && inits < InitQueue.MAX_INITS_PER_CYCLE;
        h = knocking.first()) {
      Connection c = h.connection();
      try {
        inits += onTimer(c, h, nowNs);
      } catch (RuntimeException | Error x) {
        h.next(Long.MAX_VALUE); // nothing comes of it any more
        e.onError(c, x);
      }
    }
  }

  /** Returns how many INITs left. */
  private int onTimer(Connection c, Handshake h, long nowNs) {
    if (c.state() != Connection.State.CONNECTING) {
      Handshake unused = knocking.remove(c);
      h.closeDoors(null);
      return 0;
    }
    if (h.answered != null
        || h.hasTurn()
        || h.takeTurn(knocking.turnNs(h, h.doors.size(), nowNs), nowNs)) {
      knock(c, h, nowNs);
      return h.answered != null ? 0 : 1;
    }
    return 0;
  }

  public long deadlineNs() {
    return Math.min(names.deadlineNs(), knocking.earliestNs());
  }

  private void knock(Connection c, Handshake h, long nowNs) {
    h.seeds.refresh(nowNs);
    h.sweep();
    openDoors(c, h);
    h.sent(nowNs);
    Handshake.Door answered = h.answered;
    if (answered != null) {
      h.onHello(nowNs);
      sendHello(c, h, answered);
      return;
    }
    Init init =
        new Init(
            PacketHeader.WIRE_VERSION,
            PacketHeader.WIRE_VERSION,
            config.incarnation(),
            config.name(),
            c.wantedName());
    for (Handshake.Door door : h.doors) {
      int length = init.encode(packet, 0, PacketHeader.MAX_HANDSHAKE_LENGTH);
      PacketHeader.seal(packet, 0, length, crc);
      knockAt(door, length);
    }
  }

  private void knockAt(Handshake.Door door, int length) {
    if (transmit(door.rail, length)) {
      door.committed++;
    }
  }

  /**
   * Every seed is tried from the port whose address is most like it, as rails are paired: another
   * one may be able to send there, and yet not be where the answer comes back to.
   */
  private void openDoors(Connection c, Handshake h) {
    StringBuilder why = new StringBuilder(String.join("; ", h.seeds.problems()));
    for (RailAddress seed : h.seeds.addresses()) {
      String reason = "no rail of this node has the scheme \"" + seed.scheme() + "\"";
      RailPort best = null;
      int bestIndex = -1;
      int bestLikeness = -1;
      PortTable ports = e.portTable();
      for (int i = 0; i < ports.size(); i++) {
        RailPort port = ports.port(i);
        if (port == null) {
          continue;
        }
        String unreachable = port.whyUnreachable(seed);
        int likeness = RailPairing.likeness(port.localAddress(), seed);
        if (unreachable == null && likeness > bestLikeness) {
          best = port;
          bestIndex = i;
          bestLikeness = likeness;
        } else if (unreachable != null && ports.name(i).startsWith(seed.scheme())) {
          reason = unreachable;
        }
      }
      String problem = best == null ? reason : openDoor(h, best, bestIndex, seed);
      why.append(why.isEmpty() ? "" : "; ").append(seed).append(": ").append(problem);
    }
    if (h.answered == null && !c.problem().startsWith("rejected")) {
      c.problem(why.toString());
    }
  }

  /** Returns what is wrong so far. */
  private String openDoor(Handshake h, RailPort port, int portIndex, RailAddress seed) {
    boolean open = false;
    for (Handshake.Door door : h.doors) {
      open |= door.portIndex == portIndex && door.seed.equals(seed);
    }
    if (!open) {
      try {
        h.doors.add(new Handshake.Door(portIndex, port, e.connect(port, seed), seed));
      } catch (RailException x) {
        return String.valueOf(x.getMessage());
      }
    }
    return "no answer";
  }

  private void sendHello(Connection c, Handshake h, Handshake.Door door) {
    Introduction me = introduction(c, door.port, door.rail);
    long formerId = formerIds.of(c.wantedName(), e.connections());
    Hello hello =
        new Hello(PacketHeader.WIRE_VERSION, FIRST_RAIL, h.cookie, c.wantedName(), formerId, me);
    int length = hello.encode(packet, 0, PacketHeader.MAX_HANDSHAKE_LENGTH);
    c.onAddressesTold(hello.addressesThatFit() == me.addresses().size());
    PacketHeader.seal(packet, 0, length, crc);
    knockAt(door, length);
  }

  private Introduction introduction(Connection c, RailPort port, Rail rail) {
    Limits limits =
        new Limits(
            Math.min(
                config.maxMessageBytes(), // of which those up to the eager limit need no pool
                Math.max(config.largePoolBytes(), config.eagerLimitBytes())),
            config.checksum().wireCode(),
            config.initialWindowBytes(),
            config.eagerLimitBytes(),
            (int) (config.maxAckDelayNs() / 1000));
    RailInfo info =
        new RailInfo(
            port.attributes().receiveBufferBytes(),
            rail.maxPacketLength(),
            port.attributes().lossless());
    return new Introduction(
        config.incarnation(),
        config.name(),
        config.rank(),
        c.localId,
        limits,
        info,
        e.localAddresses());
  }

  /**
   * Sends what is in {@link #packet}; the rail may lose it, and the timers make up for that.
   *
   * @return whether the rail took it
   */
  private boolean transmit(Rail rail, int length) {
    try {
      long base = rail.claim(length);
      if (base < 0) {
        return false;
      }
      MemorySegment.copy(packet, 0, rail.txMemory(), JAVA_BYTE, base, length);
      rail.commit(length);
      rail.flush();
      return true;
    } catch (InternalError x) {
      e.close(rail); // and with it the claim
      return false;
    } catch (RuntimeException | Error x) {
      rail.abort();
      e.onError(null, x);
      return false;
    }
  }

  // ---- both sides ----

  public void onHandshake(
      int kind, RailPort port, int portIndex, byte[] m, int length, long source, long nowNs) {
    atHand = null;
    try {
      take(kind, port, portIndex, m, length, source, nowNs);
    } catch (RuntimeException | Error x) {
      e.onError(atHand, x);
    }
  }

  private void take(
      int kind, RailPort port, int portIndex, byte[] m, int length, long source, long nowNs) {
    switch (kind) {
      case PacketHeader.INIT -> onInit(port, m, Init.parse(m, 0, length), nowNs);
      case PacketHeader.RETRY -> onRetry(port, source, Retry.parse(m, 0, length), nowNs);
      case PacketHeader.HELLO -> onHello(port, portIndex, Hello.parse(m, 0, length), nowNs);
      case PacketHeader.WELCOME -> onWelcome(port, source, Welcome.parse(m, 0, length), nowNs);
      case PacketHeader.REJECT -> onReject(port, source, Reject.parse(m, 0, length), nowNs);
      case PacketHeader.RESET -> onReset(m, nowNs);
      default -> e.counters().increment(EndpointCounter.INVALID_PACKETS);
    }
  }

  private void onInit(RailPort port, byte[] m, @Nullable Init init, long nowNs) {
    long incarnation = Init.incarnation(m, 0);
    if (init == null || incarnation == config.incarnation()) {
      e.counters().increment(EndpointCounter.INVALID_PACKETS);
      if (init == null) {
        String text = "INIT is malformed, or has a name that is none here: " + NodeName.RULE;
        reject(port, 0, Reject.REFUSED, incarnation, text);
      }
      return;
    }
    if (!e.listener.mayConnect(init.name())) {
      reject(port, 0, Reject.REFUSED, incarnation, UNKNOWN_PEER);
      return;
    }
    if (init.minVersion() > PacketHeader.WIRE_VERSION
        || init.maxVersion() < PacketHeader.WIRE_VERSION) {
      reject(
          port,
          0,
          Reject.VERSION,
          init.incarnation(),
          "\"" + config.name() + "\" speaks protocol version " + PacketHeader.WIRE_VERSION);
      return;
    }
    if (!init.wantedName().isEmpty() && !init.wantedName().equals(config.name())) {
      reject(port, 0, Reject.WRONG_NAME, init.incarnation(), "this is \"" + config.name() + "\"");
      return;
    }
    if (!isWelcome(port, 0, init.name(), init.incarnation())) {
      return;
    }
    Cookie cookie = cookies.bake(port.sourceAddress(), init.incarnation(), nowNs);
    Retry retry =
        new Retry(PacketHeader.WIRE_VERSION, init.incarnation(), config.incarnation(), cookie);
    int length = retry.encode(packet, 0, PacketHeader.MAX_HANDSHAKE_LENGTH);
    PacketHeader.seal(packet, 0, length, crc);
    port.reply(packetSegment, 0, length);
  }

  /** Whether a node of that name and life may be here at all; if not it was rejected. */
  private boolean isWelcome(RailPort port, long connectionId, String name, long incarnation) {
    if (closing) {
      String text = "\"" + config.name() + "\" is about to close";
      reject(port, connectionId, Reject.CLOSING, incarnation, text);
      return false;
    }
    if (name.equals(config.name())) {
      String text = "\"" + name + "\" is the name of the node asked; each needs a name of its own";
      reject(port, connectionId, Reject.NAME_TAKEN, incarnation, text);
      return false;
    }
    // It has to know which connection is meant, since that one ends for good: HELLO tells its id.
    if (connectionId != 0 && names.isSuperseded(name, incarnation)) {
      reject(port, connectionId, Reject.RESTARTED, incarnation, superseded(name));
      return false;
    }
    return true;
  }

  private static String superseded(String name) {
    return "superseded: a newer process took the name \""
        + name
        + "\" while this one did not answer; start it anew to connect again";
  }

  private void reject(RailPort port, long connectionId, int reason, long incarnation, String text) {
    e.counters().increment(EndpointCounter.REJECTED);
    Reject reject =
        new Reject(
            connectionId,
            reason,
            PacketHeader.WIRE_VERSION,
            PacketHeader.WIRE_VERSION,
            incarnation,
            text);
    int length = reject.encode(packet, 0, PacketHeader.MAX_HANDSHAKE_LENGTH);
    PacketHeader.seal(packet, 0, length, crc);
    port.reply(packetSegment, 0, length);
  }

  private void onRetry(RailPort port, long source, @Nullable Retry retry, long nowNs) {
    if (retry == null || retry.incarnation() != config.incarnation()) {
      return;
    }
    for (Connection c : knocking) {
      atHand = c;
      Handshake h = knocking.of(c);
      Handshake.Door door = h == null ? null : h.doorOf(port, source);
      if (h == null || door == null) {
        continue;
      }
      if (names.isSuperseded(c.wantedName(), retry.responder())) {
        c.problem("rejected: " + door.seed + " is a process that was superseded by a newer one");
        h.refused(door, nowNs + UNUSABLE_NS);
      } else if (h.answered == null || h.answered == door) {
        greet(c, h, retry.responder());
        h.onRetry(door, retry.cookie(), nowNs);
      }
    }
  }

  /**
   * An id that one incarnation of the peer was told is not used with another: what the dead one
   * sent to it may still be under way (R11).
   */
  private void greet(Connection c, Handshake h, long incarnation) {
    if (h.greeted != 0 && h.greeted != incarnation) {
      e.renumber(c);
    }
    h.greeted = incarnation;
  }

  private void onHello(RailPort port, int portIndex, @Nullable Hello hello, long nowNs) {
    if (hello == null) {
      e.counters().increment(EndpointCounter.INVALID_PACKETS);
      return;
    }
    Introduction peer = hello.sender();
    long roundTripNs =
        cookies.ageNs(hello.cookie(), port.sourceAddress(), peer.incarnation(), e.freshNs());
    if (roundTripNs < 0) {
      e.counters().increment(EndpointCounter.BAD_COOKIES);
      return;
    }
    e.counters().increment(EndpointCounter.HANDSHAKES_IN);
    if (!e.listener.mayConnect(peer.name())) {
      reject(port, peer.connectionId(), Reject.REFUSED, peer.incarnation(), UNKNOWN_PEER);
      return;
    }
    if (!hello.wantedName().isEmpty() && !hello.wantedName().equals(config.name())) {
      reject(
          port,
          peer.connectionId(),
          Reject.WRONG_NAME,
          peer.incarnation(),
          "this is \"" + config.name() + "\"");
      return;
    }
    if (!isWelcome(port, peer.connectionId(), peer.name(), peer.incarnation())) {
      return;
    }
    String mismatch = mismatch(peer.limits());
    if (mismatch != null) {
      reject(port, peer.connectionId(), Reject.REFUSED, peer.incarnation(), mismatch);
      return;
    }
    Connection mine = null;
    boolean before = false;
    boolean ended = formerIds.of(peer.name(), e.connections()) == peer.connectionId();
    for (Connection c : e.connections()) {
      if (!c.peerName().equals(peer.name()) || c.state().isOver()) {
        continue;
      }
      atHand = c;
      if (c.state() == Connection.State.CONNECTING) {
        Handshake h = knocking.of(c);
        boolean underWay =
            h != null && h.heardNs != Long.MIN_VALUE && nowNs - h.heardNs < SIMULTANEOUS_NS;
        if (underWay
            && isLower(config.name(), config.incarnation(), peer.name(), peer.incarnation())) {
          return; // ours survives
        }
        mine = c;
      } else if (c.peerIncarnation() == peer.incarnation() && c.remoteId == peer.connectionId()) {
        welcomeAgain(c, port, portIndex, hello, roundTripNs, nowNs); // the first one was lost
        return;
      } else {
        atHand = null; // what goes wrong is not the bearer's fault
        NameClaims.Verdict verdict = names.judge(c, nowNs);
        if (verdict == NameClaims.Verdict.TAKEN) {
          rejectNewcomer(port, peer);
        }
        if (verdict != NameClaims.Verdict.FREE) {
          return; // it asks again
        }
        before = true;
      }
    }
    atHand = null;
    if (ended) {
      String text = "the connection of this id has ended here; the next one needs another";
      reject(port, peer.connectionId(), Reject.ENDED, peer.incarnation(), text);
      return;
    }
    accept(mine, before, port, portIndex, hello, roundTripNs, nowNs);
  }

  /** Both sides' people are told: two processes with one name are a mistake of theirs (R33). */
  private void rejectNewcomer(RailPort port, Introduction newcomer) {
    String text =
        "another process already runs as \""
            + newcomer.name()
            + "\" and answers; give each process a name of its own, or end that one first";
    reject(port, newcomer.connectionId(), Reject.NAME_TAKEN, newcomer.incarnation(), text);
    if (newcomer.incarnation() != lastNewcomer && newcomersTold.take(e.nowNs())) {
      lastNewcomer = newcomer.incarnation();
      e.listener.onEvent(
          new NodeEvent.NewcomerRejected(
              newcomer.name(), port.sourceAddress().text(), newcomer.incarnation(), text));
    }
  }

  /** Why nothing could be exchanged with a node of such limits; null if it can. */
  private @Nullable String mismatch(Limits peer) {
    if (!ChecksumKind.isWireCode(peer.checksumCode())) {
      return "the code "
          + peer.checksumCode()
          + " stands for no kind of checksum that \""
          + config.name()
          + "\" knows";
    }
    if (peer.eagerLimit() != config.eagerLimitBytes()) {
      return "the eager limit must be the same on both sides; that of \""
          + config.name()
          + "\" is "
          + config.eagerLimitBytes()
          + " bytes";
    }
    return null;
  }

  private static boolean isLower(String nameA, long incarnationA, String nameB, long incarnationB) {
    int byName = nameA.compareTo(nameB);
    return byName < 0 || (byName == 0 && incarnationA < incarnationB);
  }

  /**
   * Nothing changes before it is certain that there is room.
   *
   * @param mine this side's half-open connection to the peer, which becomes the accepted one
   * @param before whether there is an earlier one, which ends
   */
  private void accept(
      @Nullable Connection mine,
      boolean before,
      RailPort port,
      int portIndex,
      Hello hello,
      long roundTripNs,
      long nowNs) {
    Introduction peer = hello.sender();
    String from = port.sourceAddress().text();
    String full = mine == null && !before ? places.whyFull(peer.name(), from, nowNs) : null;
    if (full != null) {
      reject(port, peer.connectionId(), Reject.BUSY, peer.incarnation(), full);
      return;
    }
    Rail rail;
    try {
      rail = e.accept(port);
    } catch (RailException x) {
      reject(
          port, peer.connectionId(), Reject.BUSY, peer.incarnation(), "no room for another rail");
      return;
    }
    boolean attached = false;
    try {
      if (before) {
        endAll(peer, mine, nowNs);
      }
      Connection c = mine == null ? e.newConnection(peer.name(), false) : mine;
      atHand = c;
      places.accepted(c, from);
      if (mine != null) {
        Handshake h = knocking.remove(mine);
        if (h != null) {
          greet(mine, h, peer.incarnation());
          h.closeDoors(null);
        }
        if (mine.localId == hello.formerId()) {
          e.renumber(mine); // the peer had accepted it, and has lost it since
        }
        mine.becomeResponder();
      }
      attached = true;
      establish(c, portIndex, hello.rail(), rail, 0, peer, roundTripNs, nowNs);
      sendWelcome(c, port, hello);
    } finally {
      if (!attached) {
        rail.close();
      }
    }
  }

  /** The peer begins anew: as another process, or because it has forgotten the connection. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  private void endAll(Introduction peer, @Nullable Connection except, long nowNs) {
    for (Connection c : e.connections()) {
      if (c == except || !c.peerName().equals(peer.name()) || c.state().isOver()) {
        continue;
      }
      atHand = c;
      if (c.peerIncarnation() != peer.incarnation()) {
        c.onRestarted(peer.incarnation(), nowNs);
      } else {
        c.onLost("the peer began a new connection", nowNs);
      }
    }
  }

  /** The initiator may have come by another door meanwhile, because the first one is cut. */
  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  private void welcomeAgain(
      Connection c, RailPort port, int portIndex, Hello hello, long roundTripNs, long nowNs) {
    RailPath path = c.paths.get(hello.rail());
    if (path != null
        && (path.link().rail() == null
            || (path.link().rail().port() != port && isUnheard(c, path, nowNs)))) {
      try {
        Rail rail = e.accept(port);
        if (path.state() == RailState.REMOVED) {
          c.reopenPath(path, portIndex, nowNs); // else nothing that comes by it would be heard
        } else {
          c.health.onClosed(path, "the peer came by another way", nowNs);
          path.link().moveTo(portIndex, port.localAddress().text());
        }
        path.attach(rail, 0, nowNs);
        path.onHandshakeRoundTrip(roundTripNs, nowNs);
        path.probing().probeNow(nowNs);
        c.refreshRails();
        e.activate(c);
      } catch (RailException x) {
        c.problem(String.valueOf(x.getMessage()));
      }
    }
    sendWelcome(c, port, hello);
  }

  /** A WELCOME behind which no packet came for longer than a round trip is taken for lost. */
  private static boolean isUnheard(Connection c, RailPath path, long nowNs) {
    return path.health().heardNs() <= path.health().activeSinceNs()
        && nowNs - path.health().activeSinceNs() >= path.responseNs(c.peerAckDelayNs);
  }

  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  private void sendWelcome(Connection c, RailPort port, Hello hello) {
    RailPath path = c.paths.get(hello.rail());
    Rail rail = path == null ? null : path.link().rail();
    if (path == null || rail == null || rail.port() != port) {
      return;
    }
    Introduction me = introduction(c, port, rail);
    Welcome welcome =
        new Welcome(
            PacketHeader.WIRE_VERSION,
            hello.rail(),
            hello.sender().connectionId(),
            hello.sender().incarnation(),
            me);
    int length = welcome.encode(packet, 0, PacketHeader.MAX_HANDSHAKE_LENGTH);
    c.onAddressesTold(welcome.addressesThatFit() == me.addresses().size());
    PacketHeader.seal(packet, 0, length, crc);
    if (transmit(rail, length)) {
      path.link().onCommittedWithoutNumber();
    }
  }

  private void establish(
      Connection c,
      int portIndex,
      int railId,
      Rail rail,
      int committed,
      Introduction peer,
      long roundTripNs,
      long nowNs) {
    RailPath path = c.addPath(railId, portIndex, nowNs);
    path.attach(rail, committed, nowNs);
    path.onHandshakeRoundTrip(roundTripNs, nowNs);
    path.limit(peer.railInfo().receiveBufferBytes(), peer.railInfo().maxPacketLength());
    c.onUp(peer, nowNs);
    c.health.validated(path, nowNs);
    pairing.pair(c, nowNs);
    e.activate(c);
  }

  private void onWelcome(RailPort port, long source, @Nullable Welcome welcome, long nowNs) {
    if (welcome == null || welcome.toIncarnation() != config.incarnation()) {
      return;
    }
    Connection c = e.connectionById(welcome.toConnectionId());
    Handshake h = c == null ? null : knocking.of(c);
    Handshake.Door door = h == null ? null : h.doorOf(port, source);
    if (c == null || h == null || door == null || c.state() != Connection.State.CONNECTING) {
      return;
    }
    atHand = c;
    Introduction peer = welcome.sender();
    if (welcome.rail() != FIRST_RAIL) {
      e.counters().increment(EndpointCounter.INVALID_PACKETS); // not the number that HELLO gave it
      return;
    }
    String mismatch = mismatch(peer.limits());
    if (mismatch != null) {
      refuse(c, h, door, peer, mismatch, nowNs);
      return;
    }
    if (!peer.name().equals(c.wantedName())) {
      c.problem(
          "rejected: "
              + door.seed
              + " is \""
              + peer.name()
              + "\", not \""
              + c.wantedName()
              + "\"; correct the peer's name or address");
      return;
    }
    if (names.isSuperseded(peer.name(), peer.incarnation())) {
      return; // it was asked before it was superseded
    }
    long roundTripNs = h.roundTripNs(e.freshNs());
    h.closeDoors(door);
    Handshake unused = knocking.remove(c);
    pairing.begunWith(c, h.seeds);
    establish(
        c, door.portIndex, welcome.rail(), door.rail, door.committed, peer, roundTripNs, nowNs);
    RailPath path = c.paths.get(welcome.rail());
    if (path != null) {
      path.link().alsoKnownAs(door.seed);
    }
  }

  /**
   * The peer has accepted what this side cannot use: it is told that the connection is over, and is
   * asked again later, when it may be another.
   */
  private void refuse(
      Connection c, Handshake h, Handshake.Door door, Introduction peer, String why, long nowNs) {
    e.counters().increment(EndpointCounter.REJECTED);
    c.problem("rejected: " + door.seed + " answers, but " + why + "; run the same release on both");
    PacketHeader.begin(packet, 0, PacketHeader.DATA, FIRST_RAIL, peer.connectionId(), 0);
    int length = PacketHeader.LENGTH + CloseFrame.encode(packet, PacketHeader.LENGTH, 0, 0, 0);
    PacketHeader.seal(packet, 0, length, crc);
    knockAt(door, length);
    h.refused(door, nowNs + UNUSABLE_NS);
  }

  private void onReject(RailPort port, long source, @Nullable Reject reject, long nowNs) {
    if (reject == null || reject.incarnation() != config.incarnation()) {
      return;
    }
    Connection established = e.connectionById(reject.connectionId());
    if (established != null && established.state() != Connection.State.CONNECTING) {
      atHand = established;
      if (reject.reason() == Reject.RESTARTED) { // only the peer knows that id
        established.onSuperseded(reject.text(), nowNs);
      }
      return;
    }
    for (Connection c : knocking) {
      atHand = c;
      Handshake h = knocking.of(c);
      Handshake.Door door = h == null ? null : h.doorOf(port, source);
      boolean meant = reject.connectionId() == 0 || reject.connectionId() == c.localId;
      if (meant && h != null && door != null) {
        onReject(c, h, door, reject, nowNs);
      }
    }
  }

  private void onReject(Connection c, Handshake h, Handshake.Door door, Reject reject, long nowNs) {
    String name = Reject.reasonName(reject.reason());
    String why =
        "rejected by "
            + door.seed
            + " ("
            + name
            + "): "
            + reject.text()
            + (reject.reason() == Reject.VERSION
                ? "; this node speaks version "
                    + PacketHeader.WIRE_VERSION
                    + "; run the same release on both sides"
                : "");
    boolean news = !why.equals(c.problem());
    c.problem(why);
    if (reject.reason() == Reject.RESTARTED && reject.connectionId() != 0) {
      c.onSuperseded(reject.text(), nowNs);
      return;
    }
    if (reject.reason() == Reject.ENDED) {
      if (reject.connectionId() == c.localId) {
        e.renumber(c);
        h.refused(door, nowNs);
      }
      return;
    }
    h.refused(door, nowNs + (reject.reason() == Reject.NAME_TAKEN ? UNUSABLE_NS : REFUSED_NS));
    if (news) {
      e.listener.onEvent(
          new NodeEvent.Rejected(c.wantedName(), door.seed.text(), name, reject.text()));
    }
  }

  // ---- strays ----

  /**
   * A packet for a connection that is not there: whoever sent it is told, a few times a second at
   * most (R11); a process that was superseded, that it was (R33).
   *
   * @param source key of the sender
   */
  public void onUnknown(RailPort port, byte[] m, int length, long source, long nowNs) {
    if (!Reset.mayAnswer(PacketHeader.DATA, length) || !resets.take(source, nowNs)) {
      return;
    }
    NameClaims.Superseded who = names.byId(m);
    if (who != null) {
      reject(port, who.peerId(), Reject.RESTARTED, who.incarnation(), superseded(who.name()));
    } else {
      e.counters().increment(EndpointCounter.RESETS_OUT);
      int n =
          Reset.encode(
              packet,
              0,
              PacketHeader.rail(m, 0),
              PacketHeader.connectionId(m, 0),
              config.incarnation());
      PacketHeader.seal(packet, 0, n, crc);
      port.reply(packetSegment, 0, n);
    }
  }

  private void onReset(byte[] m, long nowNs) {
    Connection c = e.byRemoteId(PacketHeader.connectionId(m, 0));
    if (c == null) {
      return;
    }
    atHand = c;
    long incarnation = Reset.incarnation(m, 0);
    if (incarnation != c.peerIncarnation()) {
      c.onRestarted(incarnation, nowNs);
    } else {
      c.onLost("the peer does not know this connection any more", nowNs);
    }
  }
}
