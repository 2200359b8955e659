// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rails that come and go under a stream, shares among them, and ends in good order. */
final class GoodOrderIT extends ProcessScene {
  @Test
  void railsAreAddedAndRemovedWhileMessagesFlow() {
    WorkerProcess b = node("b", "rail=udp://127.0.0.1:0" + PATIENT);
    WorkerProcess a = node("a", "rail=udp://127.0.0.1:0 peer=b@" + address(b, 0) + PATIENT);
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=24-20000");
    awaitReceived(b, "s", 200);
    a.ask("add-rail udp://127.0.0.2:0");
    b.ask("add-rail udp://127.0.0.2:0");
    awaitRail(a, "127.0.0.2", "127.0.0.2", true);
    awaitRail(b, "127.0.0.2", "127.0.0.2", true);
    awaitReceived(b, "s", b.number("s", "received") + 500);
    a.ask("remove-rail udp://127.0.0.1:0");
    awaitRail(a, "127.0.0.1", "", false);
    awaitRail(b, "", "127.0.0.1", false);
    awaitReceived(b, "s", b.number("s", "received") + 500);
    b.ask("add-rail shm:");
    a.ask("add-rail shm:");
    awaitRail(a, "shm:", "shm:", true);
    b.ask("remove-rail udp://127.0.0.2:0");
    b.ask("remove-rail udp://127.0.0.1:0");
    awaitRail(a, "udp:", "", false);
    awaitRail(b, "udp:", "", false);
    a.ask("add-rail udp://127.0.0.3:0");
    b.ask("add-rail udp://127.0.0.3:0");
    awaitRail(a, "127.0.0.3", "127.0.0.3", true);
    awaitReceived(b, "s", b.number("s", "received") + 500);
    a.ask("pause s");
    awaitReceived(b, "s", a.number("s", "next"));
    awaitAccepted(a, "s");
    // Gone, not broken.
    assertEquals(0, a.railSum("b", "FAILOVERS"), () -> a.describe("b"));
    assertEquals(0, b.railSum("a", "FAILOVERS"), () -> b.describe("a"));
  }

  /** Waits until there is an active rail between such addresses, or until none is listed. */
  private static void awaitRail(WorkerProcess from, String local, String remote, boolean wanted) {
    String peer = from.name().equals("a") ? "b" : "a";
    Await.until(
        () -> {
          boolean found = false;
          for (JsonElement element : from.rails(peer)) {
            JsonObject rail = element.getAsJsonObject();
            String state = rail.get("state").getAsString();
            found |=
                rail.get("local").getAsString().contains(local)
                    && rail.get("remote").getAsString().contains(remote)
                    && (wanted ? state.equals("ACTIVE") : !state.equals("REMOVED"));
          }
          return found == wanted;
        },
        () -> local + " to " + remote + " is " + wanted + ": " + from.describe(peer));
  }

  @Test
  void weightedSharesFollowTheWeights() {
    int[] weights = {1, 2, 5};
    StringBuilder rails = new StringBuilder();
    for (int i = 0; i < weights.length; i++) {
      rails.append(" rail=udp://127.0.0." + (i + 1) + ":0?mtu=1500&weight=" + weights[i]);
    }
    // the shares are of rails that carry: a busy machine must not make one suspect
    String settings = "scheduler=weighted suspectFloorMs=5000" + rails;
    WorkerProcess b = node("b", settings);
    WorkerProcess a = node("a", settings + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 3);
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=1000-60000 end=1500");
    awaitReceived(b, "s", 1500);
    awaitAccepted(a, "s");
    Map<Integer, Long> payload = new HashMap<>();
    long total = 0;
    for (JsonElement element : a.rails("b")) {
      JsonObject rail = element.getAsJsonObject();
      String local = rail.get("local").getAsString();
      int i = local.charAt("udp://127.0.0.".length()) - '1';
      long bytes = WorkerProcess.counter(rail, "PAYLOAD_FIRST_OUT");
      payload.put(i, bytes);
      total += bytes;
    }
    assertEquals(b.number("s", "bytes"), total);
    for (int i = 0; i < weights.length; i++) {
      double share = 100.0 * payload.get(i) / total;
      double expected = 100.0 * weights[i] / 8;
      assertEquals(expected, share, 5, () -> payload + " " + a.describe("b"));
    }
  }

  @Test
  void halfClosedChannelStillReceives() {
    WorkerProcess b = node("b", TWO_UDP_RAILS);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("sink s2 peer=b");
    a.ask("source s peer=b end=1000");
    Await.until(() -> a.ask("task s").get("done").getAsBoolean(), "all is offered");
    a.ask("close-channel peer=b");
    Await.until(
        () -> b.ask("task s").get("peerFinished").getAsBoolean(),
        () -> "b is not told of the end: " + b.ask("task s"));
    assertEquals(1000, b.number("s", "received"));
    assertSound(b, "s");
    assertEquals("CLOSED", a.ask("offer peer=b size=10").get("result").getAsString());
    b.ask("source back peer=a seed=4 end=1000");
    awaitReceived(a, "s2", 1000);
    awaitAccepted(b, "back");
    // The other channels are not concerned.
    a.ask("source other peer=b channel=2 seed=5 end=100");
    b.ask("sink other peer=a channel=2");
    awaitReceived(b, "other", 100);
  }

  @Test
  void closeWithLingerDrains() {
    WorkerProcess b = node("b", TWO_UDP_RAILS);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=50000-60000");
    awaitReceived(b, "s", 10);
    a.ask("pause s");
    long sent = a.number("s", "next");
    a.ask("close 30000");
    awaitReceived(b, "s", sent);
    b.awaitEvent("PeerClosed");
    assertEquals(sent, b.number("s", "received"));
    assertTrue(b.events("PeerLost").isEmpty(), () -> b.describe("a"));
  }

  @Test
  void closeWithoutLingerDeliversWhatWasAccepted() {
    WorkerProcess b = node("b", TWO_UDP_RAILS);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a paused=1");
    a.ask("source s peer=b");
    Await.until(
        () -> a.ask("task s").get("status").getAsString().equals("BACK_PRESSURED"),
        "the log is full");
    a.ask("pause s");
    a.ask("close 0");
    assertEquals("CLOSED", a.ask("offer peer=b size=10").get("result").getAsString());
    a.ask("exit");
    a.awaitExit();
    // What was accepted before is delivered still, in order and whole.
    b.ask("resume s");
    awaitReceived(b, "s", b.number("s", "ready"));
  }
}
