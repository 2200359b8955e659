// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Ports;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code kill -9} of either process, and its start anew: the application is told what is unknown.
 */
final class RestartIT extends ProcessScene {
  @ParameterizedTest
  @ValueSource(strings = {"", "shm: "})
  void receiverIsKilledAndComesBack(String more) {
    int[] ports = Ports.free(2);
    String rails = rails(more, ports);
    WorkerProcess b = node("b", rails);
    WorkerProcess a = node("a", TWO_UDP_RAILS + shm(more) + " peer=b@udp://127.0.0.1:" + ports[0]);
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("source s peer=b seed=1 sizes=24-5000");
    awaitReceived(b, "s", 500);
    b.kill();
    WorkerProcess again = node("b", rails);
    a.awaitEvent("PeerRestarted");
    again.awaitUp("a");
    a.awaitUp("b");

    JsonObject old = a.ask("task s");
    Await.until(
        () -> a.ask("task s").get("status").getAsString().equals("PEER_RESTARTED"),
        () -> "the old channel still answers " + a.ask("task s"));
    assertEquals("PEER_RESTARTED", a.ask("task s").get("channelStatus").getAsString());
    assertUnknown(a, old);

    a.ask("pause s");
    again.ask("sink s peer=a");
    a.ask("source s2 peer=b seed=2 end=1000");
    awaitReceived(again, "s", 1000);
    awaitAccepted(a, "s2");
    JsonObject state = again.ask("task s");
    // Nothing of the first life was replayed: all that came are the 1000 of the second source.
    assertEquals(1000, state.get("received").getAsLong(), state::toString);
    assertEquals(999, state.get("last").getAsLong(), state::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "shm: "})
  void senderIsKilledAndComesBack(String more) {
    Facility.TIME.require("a sender that is killed");
    int[] ports = Ports.free(2);
    WorkerProcess b = node("b", rails(more, ports));
    String settings = TWO_UDP_RAILS + shm(more) + " peer=b@udp://127.0.0.1:" + ports[0];
    WorkerProcess a = node("a", settings);
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    b.ask("source back peer=a seed=9 sizes=24-5000");
    a.ask("sink back peer=b");
    a.ask("source s peer=b seed=1 sizes=24-5000");
    awaitReceived(b, "s", 500);
    awaitReceived(a, "back", 500);
    a.kill();
    WorkerProcess again = node("a", settings);
    b.awaitEvent("PeerRestarted");
    again.awaitUp("b");
    b.awaitUp("a");
    assertSound(b, "s");
    JsonObject first = b.ask("task s");

    Await.until(
        () -> b.ask("task back").get("status").getAsString().equals("PEER_RESTARTED"),
        () -> "the old channel still answers " + b.ask("task back"));
    assertUnknown(b, b.ask("task back"));

    b.ask("sink s2 peer=a");
    again.ask("source s peer=b seed=2 end=1000");
    awaitReceived(b, "s2", 1000);
    awaitAccepted(again, "s");
    assertSound(b, "s");
    JsonObject old = b.ask("task s");
    JsonObject fresh = b.ask("task s2");
    assertEquals(1000, fresh.get("received").getAsLong(), fresh::toString);
    // Twice would show as fewer distinct messages than deliveries.
    assertEquals(
        old.get("received").getAsLong() + 1000, fresh.get("distinct").getAsLong(), old::toString);
    assertTrue(old.get("received").getAsLong() >= first.get("received").getAsLong());
  }

  /** Nothing answers under the old life's address: it is given its second, and then replaced. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "rail=udp://127.0.0.1:0",
        "rail=udp://127.0.0.3:0",
        "rail=udp://127.0.0.1:0 rail=shm:",
      })
  void killedAndStartedElsewhere(String rails) {
    Facility.TIME.require("a process that comes back elsewhere");
    int[] ports = Ports.free(2);
    WorkerProcess b = node("b", rails("shm: ", ports));
    String seed = " peer=b@udp://127.0.0.1:" + ports[0];
    WorkerProcess a = node("a", rails + seed);
    a.awaitUp("b");
    b.awaitUp("a");
    a.kill();
    WorkerProcess again = node("a", rails + seed);
    again.ask("source s peer=b seed=2 end=100");
    b.awaitEvent("PeerRestarted");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    awaitReceived(b, "s", 100);
    awaitAccepted(again, "s");
    assertEquals(1, b.events("PeerRestarted").size());
    assertEquals(0, b.events("NewcomerRejected").size(), () -> b.ask("events").toString());
    assertEquals(0, again.events("Rejected").size(), () -> again.ask("events").toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"rail=udp://127.0.0.1:0", "rail=udp://127.0.0.1:0 rail=shm:"})
  void stoppedSupersededAndToldWhenItWakes(String rails) {
    Facility.TIME.require("a process that wakes and is superseded");
    int[] ports = Ports.free(2);
    WorkerProcess b = node("b", rails("shm: ", ports));
    String seed = " peer=b@udp://127.0.0.1:" + ports[0];
    WorkerProcess a = node("a", rails + seed);
    a.awaitUp("b");
    b.awaitUp("a");
    a.ask("source s peer=b seed=1 end=10");
    awaitAccepted(a, "s");
    a.signal("STOP");
    WorkerProcess newer = node("a", rails + seed);
    newer.awaitUp("b");
    b.awaitEvent("PeerRestarted");
    a.signal("CONT");
    a.awaitEvent("Superseded");
    assertEquals("SUPERSEDED", a.state("b"));
    assertEquals("SUPERSEDED", a.ask("channel peer=b").get("status").getAsString());
    assertTrue(a.askForError("await-up b 60000").contains("superseded"));
    b.ask("sink s2 peer=a");
    newer.ask("source s peer=b seed=2 end=100");
    awaitReceived(b, "s2", 100);
    assertEquals("UP", newer.state("b"));
    assertEquals(1, b.events("PeerRestarted").size(), () -> b.ask("events").toString());
  }

  /** Two processes were started with one name by mistake. */
  @ParameterizedTest
  @ValueSource(strings = {"", "shm: "})
  void namesakeOfALivingProcessIsRejected(String more) {
    Facility.TIME.require("namesakes");
    int[] ports = Ports.free(2);
    WorkerProcess b = node("b", rails(more, ports));
    String settings = TWO_UDP_RAILS + shm(more) + " peer=b@udp://127.0.0.1:" + ports[0];
    WorkerProcess a = node("a", settings);
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=24-5000");
    awaitReceived(b, "s", 500);
    WorkerProcess namesake = node("a", settings);
    namesake.awaitEvent("Rejected");
    b.awaitEvent("NewcomerRejected");
    String told = namesake.askForError("await-up b 3000");
    assertTrue(told.contains("another process already runs as \"a\""), told);
    awaitReceived(b, "s", b.number("s", "received") + 500);
    assertEquals("UP", a.state("b"));
    assertEquals(0, b.events("PeerRestarted").size(), () -> b.ask("events").toString());
    assertEquals(0, a.events("PeerLost").size(), () -> a.ask("events").toString());
    a.kill();
    namesake.awaitUp("b"); // it has gone on asking
  }

  /**
   * One range on channel 1: from the first not known to be accepted to the last that was offered.
   */
  private static void assertUnknown(WorkerProcess sender, JsonObject source) {
    JsonObject event = sender.events("PeerRestarted").getFirst();
    assertEquals(1, event.getAsJsonArray("unknown").size(), event::toString);
    JsonObject unknown = event.getAsJsonArray("unknown").get(0).getAsJsonObject();
    assertEquals(1, unknown.get("channel").getAsInt());
    assertEquals(source.get("accepted").getAsLong() + 1, unknown.get("first").getAsLong());
    assertEquals(source.get("next").getAsLong(), unknown.get("last").getAsLong());
  }

  private static String shm(String more) {
    return more.isEmpty() ? "" : " rail=" + more.strip();
  }

  private static String rails(String more, int[] ports) {
    return "rail=udp://127.0.0.1:" + ports[0] + " rail=udp://127.0.0.2:" + ports[1] + shm(more);
  }
}
