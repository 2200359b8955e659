// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Ports;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code kill -9} of a process that puts into its peer's region, and whose own region the peer puts
 * into: the survivor's puts and gets fail and name the peer, its region stays, and takes those of
 * the process that is started anew; after its close nothing is written to it.
 */
final class RegionsIT extends ProcessScene {
  @ParameterizedTest
  @Tag("R27")
  @ValueSource(strings = {"", " rail=shm:"})
  void killedWithPutsUnderWay(String more) {
    if (!more.isEmpty()) {
      Facility.TIME.require("death with puts under way");
    }
    int port = Ports.free();
    String settings = "rail=udp://127.0.0.1:" + port + more;
    WorkerProcess b = node("b", settings);
    WorkerProcess a =
        node("a", "rail=udp://127.0.0.1:0" + more + " peer=b@udp://127.0.0.1:" + port);
    a.awaitUp("b");
    b.awaitUp("a");
    String keyOfA = export(a);
    String keyOfB = export(b);
    a.ask("puts p peer=b size=40000 key=" + keyOfB);
    b.ask("puts p peer=a size=40000 key=" + keyOfA);
    awaitTold(a, 100);
    awaitTold(b, 100);
    Await.until(() -> a.number("p", "gets") > 100, () -> "nothing is got: " + a.ask("task p"));
    b.kill();
    WorkerProcess again = node("b", settings);
    a.awaitEvent("PeerRestarted");
    a.ask("pause p");
    Await.until(
        () -> a.number("p", "outstanding") == 0, () -> "puts are never told " + a.ask("task p"));
    JsonObject puts = a.ask("task p");
    assertTrue(
        puts.get("FAILED").getAsLong() + puts.get("NO_REGION").getAsLong() > 0, puts::toString);
    for (JsonElement error : puts.getAsJsonArray("errors")) {
      assertTrue(error.getAsString().startsWith("b: "), error::toString);
      assertFalse(error.getAsString().contains(" where "), error::toString);
    }
    assertSoundRegion(a);

    again.awaitUp("a");
    a.awaitUp("b");
    String unused = export(again); // which polls
    again.ask("puts p peer=a size=40000 key=" + keyOfA);
    awaitTold(a, a.number("r", "told") + 100);
    a.ask("close-region r");
    Await.until(() -> again.number("p", "NO_REGION") > 20, () -> "refused: " + again.ask("task p"));
    assertSoundRegion(a);
    assertEquals(0, again.number("p", "FAILED"), () -> again.ask("task p").toString());
    assertTrue(again.number("p", "gets") > 20, () -> again.ask("task p").toString());
    assertFalse(again.ask("task p").toString().contains(" where "), "other bytes were got");
  }

  private static String export(WorkerProcess worker) {
    return worker.ask("export r size=40000").get("key").getAsString();
  }

  private static void awaitTold(WorkerProcess worker, long count) {
    Await.until(
        () -> worker.number("r", "told") >= count,
        () -> worker.name() + " was told " + worker.ask("task r") + worker.ask("node"));
  }

  private static void assertSoundRegion(WorkerProcess worker) {
    JsonObject state = worker.ask("task r");
    assertEquals(0, state.getAsJsonArray("faults").size(), state::toString);
    assertTrue(state.get("sameSinceClose").getAsBoolean(), state::toString);
    assertTrue(state.get("sameAround").getAsBoolean(), state::toString);
  }
}
