// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.testkit.Campaign;
import io.crosstie.testkit.Facility;
import io.crosstie.transport.RailAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A socket that has shaken hands and then sends senseless packets, at a node of an ordinary
 * application with little memory. The node lives, keeps little, meets no error of its own, and
 * serves an honest peer all the while.
 *
 * <p>For longer: {@code mvn verify -pl integration-tests -am -Dit.test=HostilePeerIT
 * -Dcrosstie.hostile.seconds=600}, with {@code -Dcrosstie.hostile.seed} for another course.
 */
final class HostilePeerIT extends ProcessScene {
  private static final long SEED = Long.getLong("crosstie.hostile.seed", 20261126);
  private static final long SECONDS = Long.getLong("crosstie.hostile.seconds", 0);
  private static final int PACKETS = Campaign.count(5_000, 20_000);
  private static final int RING_PACKETS = Campaign.count(2_000, 5_000);
  private static final int PACKETS_PER_PING = 100;

  /** The heap is bound; what else the process takes is no affair of a peer's. */
  private static final List<String> MEMORY = List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError");

  private static final long MOST_LIVE_HEAP = 48L << 20;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final HostilePackets packets = new HostilePackets();
  private final List<NodeEvent> losses = new ArrayList<>();
  private WorkerProcess victim;
  private Node honest;
  private Channel pings;
  private long answered;
  private int port;
  private RailAddress ring;
  @TempDir private Path folder;

  @BeforeEach
  void scene() {
    List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData"));
    options.addAll(WorkerProcess.NATIVE);
    options.addAll(MEMORY);
    victim =
        keep(
            WorkerProcess.startProgram(
                "victim",
                options,
                HostileVictim.class.getName(),
                "rail=udp://127.0.0.1:0",
                "rail=shm:" + folder));
    JsonObject state = state();
    String address = state.get("udp").getAsString();
    ring = new RailAddress(state.get("shm").getAsString());
    port = port(address);
    honest =
        Node.start(
            NodeConfig.builder()
                .name("honest")
                .rail("udp://127.0.0.1:0")
                .peer("victim", address)
                .shutdownHook(false)
                .build());
    honest.peer("victim").awaitUp(Await.PATIENCE);
    pings = honest.peer("victim").channel(1);
    ping();
  }

  @AfterEach
  void close() {
    honest.close(Duration.ZERO);
  }

  private JsonObject state() {
    victim.tell("state");
    return JsonParser.parseString(victim.readLine("state")).getAsJsonObject();
  }

  /** One message to the victim and back. */
  private void ping() {
    long want = answered + 1;
    Await.until(
        () -> {
          honest.pollEvents(
              event -> {
                if (event instanceof NodeEvent.PeerLost || event instanceof NodeEvent.PeerClosed) {
                  losses.add(event);
                }
              });
          return pings.offeredSequence() >= want || pings.offer(new byte[16]) > 0;
        },
        () -> "a ping leaves: " + describe());
    Await.until(
        () -> {
          pings.poll(
              (m, offset, length, sequence) -> {
                answered++;
                return Channel.CONTINUE;
              },
              1);
          return answered >= want;
        },
        () -> "an answer: " + describe());
  }

  private String describe() {
    return honest.peer("victim")
        + ", status "
        + pings.status()
        + ", victim alive "
        + victim.isAlive()
        + " seed "
        + SEED
        + "\n"
        + losses
        + victim.errors();
  }

  private void assertUnharmed() {
    ping();
    JsonObject state = state();
    assertTrue(victim.isAlive(), this::describe);
    assertEquals(List.of(), losses);
    assertEquals(0, state.get("INTERNAL_ERRORS").getAsLong(), () -> state + "\n" + victim.errors());
    assertEquals(0, state.get("PORT_RESTARTS").getAsLong(), state::toString);
    long heap = state.get("liveHeap").getAsLong();
    assertTrue(heap < MOST_LIVE_HEAP, state::toString);
    System.out.println("hostile peer: " + state);
  }

  @Test
  void everyFrameWithExtremeNumbers() throws IOException {
    Facility.TIME.require("frames with extreme numbers");
    int rounds = 0;
    try (RogueSocket rogue = new RogueSocket("rogue", port, random);
        RogueSocket stranger = new RogueSocket("stranger", port, random)) {
      rogue.shakeHands();
      int all = packets.extremes();
      for (int n = 0; n < all; n++) {
        if (rogue.hasEnded()) {
          rogue.shakeHands();
        }
        int length = packets.extreme(n, rogue.remoteId(), rogue.takeNumber());
        rogue.send(packets.packet(), length);
        length = packets.extreme(n, random.nextLong(), n);
        stranger.send(packets.packet(), length);
        rogue.listen();
        if (++rounds % PACKETS_PER_PING == 0) {
          ping();
        }
      }
    }
    assertUnharmed();
  }

  @Test
  void randomPacketsWithSoundHeaders() throws IOException {
    Facility.TIME.require("random packets");
    long endNs = System.nanoTime() + SECONDS * 1_000_000_000L;
    long sent = 0;
    long lives = 1;
    try (RogueSocket rogue = new RogueSocket("rogue", port, random)) {
      rogue.shakeHands();
      while (SECONDS == 0 ? sent < PACKETS : System.nanoTime() - endNs < 0) {
        if (rogue.hasEnded() || random.nextInt(2000) == 0) {
          rogue.shakeHands();
          lives++;
        }
        long number = rogue.takeNumber();
        if (random.nextInt(1000) == 0) {
          number = HostilePackets.EXTREMES[random.nextInt(HostilePackets.EXTREMES.length)];
        }
        int length = packets.random(random, rogue.remoteId(), number);
        rogue.send(packets.packet(), length);
        rogue.listen();
        if (++sent % PACKETS_PER_PING == 0) {
          ping();
        }
      }
    }
    System.out.println("hostile peer: " + sent + " packets in " + lives + " lives, seed " + SEED);
    assertUnharmed();
  }

  /** The same through shared memory, where the segment itself holds nonsense now and then. */
  @Test
  void nonsenseInASegment() throws Exception {
    Facility.TIME.require("nonsense in a segment");
    int segments = 1;
    try (RogueRing rogue = new RogueRing("rogue", folder, ring, random)) {
      rogue.renew();
      rogue.shakeHands();
      for (int sent = 1; sent <= RING_PACKETS; sent++) {
        if (rogue.hasEnded() || !rogue.isOpen()) {
          rogue.renew();
          rogue.shakeHands();
          segments++;
        }
        long number = rogue.takeNumber();
        rogue.send(packets.packet(), packets.random(random, rogue.remoteId(), number));
        rogue.listen();
        if (random.nextInt(100) == 0) {
          rogue.scribble(random, 1 + random.nextInt(20));
        }
        if (random.nextInt(300) == 0) {
          rogue.renew(); // the victim may wait at a record that will never begin
          rogue.shakeHands();
          segments++;
        }
        if (sent % PACKETS_PER_PING == 0) {
          ping();
        }
      }
    }
    System.out.println("hostile peer: " + segments + " segments, seed " + SEED);
    assertUnharmed();
  }

  @Test
  void namesThatAreNone() throws IOException {
    byte[] init = new byte[1200];
    try (RogueSocket rogue = new RogueSocket("rogue", port, random)) {
      for (String hex : List.of("efbbbf", "e2808b", "e280a8", "ff", "eda080", "00", "1b", "c2ad")) {
        int length =
            new Init(
                    PacketHeader.WIRE_VERSION,
                    PacketHeader.WIRE_VERSION,
                    random.nextLong(),
                    "rogueXXX",
                    "")
                .encode(init, 0, 1200);
        byte[] name = java.util.HexFormat.of().parseHex(hex);
        System.arraycopy(name, 0, init, 45, name.length);
        Reject reject = rogue.rejectOf(init, length);
        assertNotNull(reject, hex);
        assertEquals(Reject.REFUSED, reject.reason(), hex);
      }
    }
    assertUnharmed();
  }
}
