// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Packets that no sound peer sends, at the ports of nodes that talk meanwhile. */
final class HostilePacketsIT extends ProcessScene {
  private static final long SEED = 20261121;
  private static final int PACKETS = 4000;
  private static final int SOME_MORE = 100;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);

  @Test
  void randomBytesAndForgedPacketsAtEveryPort() throws IOException {
    WorkerProcess b = node("b", TWO_UDP_RAILS + PATIENT);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " peer=b@" + address(b, 0) + PATIENT);
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 2);
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=24-3000");
    awaitReceived(b, "s", 100);
    long[] sent = {0};
    long[] received = {0};
    try (DatagramChannel attacker = DatagramChannel.open()) {
      attacker.configureBlocking(false);
      List<InetSocketAddress> targets = new ArrayList<>();
      for (WorkerProcess worker : List.of(a, b)) {
        for (int i = 0; i < 2; i++) {
          targets.add(
              new InetSocketAddress(
                  InetAddress.ofLiteral("127.0.0." + (i + 1)), port(address(worker, i))));
        }
      }
      ByteBuffer in = ByteBuffer.allocate(1 << 16);
      sent[0] += attack(attacker, targets, PACKETS);
      // The kernel drops what comes to a process that stands still: such packets attack nobody.
      Await.until(
          () -> {
            received[0] += drain(attacker, in);
            boolean counted = countsBoth(a) && countsBoth(b);
            sent[0] += counted ? 0 : attack(attacker, targets, SOME_MORE);
            return counted;
          },
          () -> "hostile packets are not counted: " + a.ask("node") + b.ask("node"));
      boolean unused =
          Await.holdsWithin(
              () -> {
                received[0] += drain(attacker, in);
                return false;
              },
              Duration.ofSeconds(1));
    }
    assertTrue(received[0] <= 3 * sent[0], () -> received[0] + " bytes for the attacker's " + SEED);
    awaitReceived(b, "s", b.number("s", "received") + 500);
    a.ask("pause s");
    awaitReceived(b, "s", a.number("s", "next"));
    awaitAccepted(a, "s");
    for (WorkerProcess worker : List.of(a, b)) {
      JsonObject node = worker.ask("node");
      assertTrue(WorkerProcess.counter(node, "INVALID_PACKETS") > 100, node::toString);
      assertTrue(WorkerProcess.counter(node, "UNKNOWN_CONNECTION") > 100, node::toString);
      assertEquals(1, WorkerProcess.counter(node, "CONNECTIONS"), node::toString);
      assertEquals(0, WorkerProcess.counter(node, "INTERNAL_ERRORS"), () -> node + worker.errors());
    }
    assertEquals(0, a.railSum("b", "FAILOVERS") + b.railSum("a", "FAILOVERS"));
    assertEquals(0, a.railSum("b", "CRC_FAILURES") + b.railSum("a", "CRC_FAILURES"));
  }

  /** Hostile packets that were taken in and found to be so, more than by chance. */
  private static boolean countsBoth(WorkerProcess worker) {
    JsonObject node = worker.ask("node");
    return WorkerProcess.counter(node, "INVALID_PACKETS") > 100
        && WorkerProcess.counter(node, "UNKNOWN_CONNECTION") > 100;
  }

  /** Sends so many to any of the targets, and returns how many bytes that were. */
  private long attack(DatagramChannel from, List<InetSocketAddress> targets, int count) {
    byte[] packet = new byte[2048];
    long bytes = 0;
    try {
      for (int i = 0; i < count; i++) {
        ByteBuffer out = ByteBuffer.wrap(packet, 0, forge(packet));
        bytes += from.send(out, targets.get(random.nextInt(targets.size())));
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return bytes;
  }

  /** Garbage, a sound header with a guessed id, a handshake, or one of these with a flipped bit. */
  private int forge(byte[] packet) {
    int length;
    switch (random.nextInt(5)) {
      case 4 -> {
        int at = PacketHeader.begin(packet, 0, PacketHeader.DATA, 0, random.nextLong(), i63());
        length = at + PingFrame.encode(packet, at);
        PacketHeader.seal(packet, 0, length, crc);
      }
      case 0 -> {
        length = 1 + random.nextInt(1500);
        for (int i = 0; i < length; i++) {
          packet[i] = (byte) random.nextInt();
        }
        return length;
      }
      case 1 -> {
        int header = 24 + 8 * random.nextInt(8);
        length = header + random.nextInt(1000);
        for (int i = 0; i < length; i++) {
          packet[i] = (byte) random.nextInt();
        }
        int unused =
            PacketHeader.begin(
                packet, 0, PacketHeader.DATA, random.nextInt(4), random.nextLong(), i63());
        PacketHeader.seal(packet, 0, header, crc);
      }
      case 2 -> {
        length =
            new Init(
                    PacketHeader.WIRE_VERSION,
                    PacketHeader.WIRE_VERSION,
                    random.nextLong(),
                    "stranger",
                    "")
                .encode(packet, 0, 1200);
        PacketHeader.seal(packet, 0, length, crc);
      }
      default -> {
        int kind = 2 + random.nextInt(6);
        length = 24 + 8 * random.nextInt(140);
        for (int i = 0; i < length; i++) {
          packet[i] = (byte) random.nextInt(4);
        }
        int unused =
            PacketHeader.begin(packet, 0, kind, random.nextInt(4), random.nextLong(), i63());
        PacketHeader.seal(packet, 0, length, crc);
      }
    }
    if (random.nextInt(3) == 0) {
      packet[random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
    }
    return random.nextInt(5) == 0 ? 1 + random.nextInt(length) : length;
  }

  private long i63() {
    return random.nextLong() >>> 1;
  }

  private static long drain(DatagramChannel channel, ByteBuffer in) {
    long bytes = 0;
    try {
      in.clear();
      while (channel.receive(in) != null) {
        bytes += in.position();
        in.clear();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return bytes;
  }

  /** Real packets: every one again, cut short, or damaged, from the address of the true peer. */
  @Test
  void replayedTruncatedAndDamagedPackets() throws Exception {
    Facility.TIME.require("packets that are replayed");
    try (Relay relay = new Relay()) {
      WorkerProcess b = viaRelay("b", relay.towardsB, relay.towardsA, "");
      WorkerProcess a =
          viaRelay(
              "a",
              relay.towardsA,
              relay.towardsB,
              " peer=b@udp://127.0.0.1:" + relay.towardsA.port());
      a.awaitUp("b");
      b.awaitUp("a");
      b.ask("sink s peer=a");
      b.ask("source back peer=a sizes=24-3000 seed=2 end=1000");
      a.ask("sink back peer=b");
      a.ask("source s peer=b sizes=24-3000 end=1000");
      awaitReceived(b, "s", 1000);
      awaitReceived(a, "back", 1000);
      replay(relay.towardsA.captured(), relay.towardsB);
      replay(relay.towardsB.captured(), relay.towardsA);
      Await.until(
          () -> {
            boolean counted =
                b.railSum("a", "DUPLICATE_PACKETS") > 50
                    && WorkerProcess.counter(b.ask("node"), "INVALID_PACKETS") > 50;
            if (!counted) { // the kernel had no room for them
              replay(relay.towardsA.captured(), relay.towardsB);
            }
            return counted;
          },
          () -> "replayed packets are not counted: " + b.describe("a"));
      a.ask("source more peer=b seed=3 sizes=24-3000 end=1000 channel=2");
      b.ask("sink more peer=a channel=2");
      awaitReceived(b, "more", 1000);
      assertEquals(1000, b.number("s", "received"));
      assertEquals(1000, a.number("back", "received"));
      assertSound(b, "s");
      assertSound(a, "back");
      assertTrue(b.railSum("a", "DUPLICATE_PACKETS") > 50, () -> b.describe("a"));
      assertTrue(WorkerProcess.counter(b.ask("node"), "INVALID_PACKETS") > 50);
      assertEquals("UP", a.state("b"));
      assertEquals(0, WorkerProcess.counter(b.ask("node"), "INTERNAL_ERRORS"), b::errors);
      assertEquals(0, WorkerProcess.counter(a.ask("node"), "INTERNAL_ERRORS"), a::errors);
    }
  }

  private void replay(List<byte[]> packets, Relay.End to) {
    for (byte[] packet : packets) {
      switch (random.nextInt(3)) {
        case 0 -> to.inject(packet);
        case 1 -> {
          byte[] part = new byte[random.nextInt(packet.length)];
          System.arraycopy(packet, 0, part, 0, part.length);
          to.inject(part);
        }
        default -> {
          byte[] damaged = packet.clone();
          damaged[random.nextInt(packet.length)] ^= (byte) (1 + random.nextInt(255));
          to.inject(damaged);
        }
      }
    }
  }

  @Test
  void packetsOfAnEarlierIncarnation() throws Exception {
    Facility.TIME.require("packets of an earlier incarnation");
    try (Relay relay = new Relay()) {
      WorkerProcess b = viaRelay("b", relay.towardsB, relay.towardsA, "");
      String toB = " peer=b@udp://127.0.0.1:" + relay.towardsA.port();
      WorkerProcess a = viaRelay("a", relay.towardsA, relay.towardsB, toB);
      a.awaitUp("b");
      b.awaitUp("a");
      b.ask("sink s peer=a");
      a.ask("source s peer=b sizes=24-3000 end=1000");
      awaitReceived(b, "s", 1000);
      List<byte[]> old = relay.towardsA.captured();
      a.kill();
      WorkerProcess again = viaRelay("a", relay.towardsA, relay.towardsB, toB);
      b.awaitEvent("PeerRestarted");
      again.awaitUp("b");
      b.awaitUp("a");
      String incarnation = again.ask("node").get("incarnation").getAsString();
      long unknown = WorkerProcess.counter(b.ask("node"), "UNKNOWN_CONNECTION");
      b.ask("sink s2 peer=a");
      again.ask("source s peer=b seed=2 sizes=24-3000 end=2000");
      old.forEach(relay.towardsB::inject);
      awaitReceived(b, "s2", 2000);
      awaitAccepted(again, "s");
      Await.until(
          () -> {
            boolean counted =
                WorkerProcess.counter(b.ask("node"), "UNKNOWN_CONNECTION") > unknown + 50;
            if (!counted) { // the kernel had no room for them
              old.forEach(relay.towardsB::inject);
            }
            return counted;
          },
          () -> "old packets are not counted: " + b.ask("node"));
      // The handshake of the earlier life among them brings nobody back.
      assertEquals(incarnation, b.ask("peer a").get("incarnation").getAsString());
      assertEquals(1, b.events("PeerRestarted").size());
      assertEquals(1000, b.number("s", "received"));
      assertEquals(2000, b.number("s2", "received"));
      assertSound(b, "s2");
    }
  }

  private WorkerProcess viaRelay(String name, Relay.End own, Relay.End other, String peer) {
    WorkerProcess worker =
        node(name, "rail=udp://127.0.0.1:0?mtu=1500&advertise=127.0.0.1:" + other.port() + peer);
    JsonObject port = worker.ask("node").getAsJsonArray("ports").get(0).getAsJsonObject();
    own.node(BoundPorts.udp(worker.pid(), port.toString()));
    return worker;
  }

  @Test
  void peerOfAnotherVersionIsToldAndTells() throws IOException {
    Facility.TIME.require("a peer of another version");
    try (DatagramChannel other = DatagramChannel.open()) {
      other.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
      other.configureBlocking(false);
      int otherPort = ((InetSocketAddress) other.getLocalAddress()).getPort();
      WorkerProcess a =
          node("a", "rail=udp://127.0.0.1:0 peer=future@udp://127.0.0.1:" + otherPort);
      InetSocketAddress target =
          new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port(address(a, 0)));
      byte[] packet = new byte[1200];

      // It asks us in versions that we do not speak.
      int length = new Init(7, 9, 42, "future", "a").encode(packet, 0, 1200);
      PacketHeader.seal(packet, 0, length, crc);
      Reject[] reject = new Reject[1];
      Init[] init = new Init[1];
      ByteBuffer in = ByteBuffer.allocateDirect(1 << 16);
      Await.until(
          () -> {
            send(other, packet, length, target);
            read(other, in, reject, init);
            return reject[0] != null && init[0] != null;
          },
          "a REJECT to the stranger, and an INIT of our own");
      assertEquals(Reject.VERSION, reject[0].reason());
      assertEquals(42, reject[0].incarnation());
      assertEquals(PacketHeader.WIRE_VERSION, reject[0].minVersion());
      assertEquals(PacketHeader.WIRE_VERSION, reject[0].maxVersion());

      // It answers our INIT in its way.
      Reject answer = new Reject(0, Reject.VERSION, 7, 9, init[0].incarnation(), "I am the future");
      int answerLength = answer.encode(packet, 0, 1200);
      PacketHeader.seal(packet, 0, answerLength, crc);
      String message =
          awaitMessage(a, "future", "VERSION", () -> send(other, packet, answerLength, target));
      assertTrue(message.contains("I am the future"), message);
      assertTrue(message.contains("speaks version " + PacketHeader.WIRE_VERSION), message);
      assertTrue(message.contains("same release"), message);
    }
  }

  private static void send(DatagramChannel from, byte[] packet, int length, InetSocketAddress to) {
    try {
      int unused = from.send(ByteBuffer.wrap(packet, 0, length), to);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void read(DatagramChannel from, ByteBuffer in, Reject[] reject, Init[] init) {
    try {
      in.clear();
      while (from.receive(in) != null) {
        byte[] m = new byte[in.flip().remaining()];
        in.get(m);
        int kind = PacketHeader.kind(m, 0);
        if (kind == PacketHeader.REJECT) {
          reject[0] = Reject.parse(m, 0, m.length);
        } else if (kind == PacketHeader.INIT) {
          init[0] = Init.parse(m, 0, m.length);
        }
        in.clear();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String awaitMessage(
      WorkerProcess a, String peer, String part, Runnable meanwhile) {
    String[] message = {""};
    Await.until(
        () -> {
          meanwhile.run();
          message[0] = a.askForError("await-up " + peer + " 50");
          return message[0].contains(part);
        },
        () -> "awaitUp says only: " + message[0]);
    return message[0];
  }
}
