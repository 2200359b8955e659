// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Two containers, joined by two networks that come and go, under a steady load. */
@ResourceLock(DemoImage.NAME)
final class ContainersIT {
  private static DemoContainers demo;
  private static LivePage page;

  @BeforeAll
  static void start() throws Exception {
    DemoImage.FACILITY.require("two containers and their networks");
    demo = new DemoContainers(DemoImage.build());
    demo.start();
    page = new LivePage(demo.url());
  }

  @AfterAll
  static void stop() {
    if (page != null) {
      page.close();
    }
    if (demo != null) {
      demo.close();
    }
  }

  /** It comes back under another interface, and the second time with another address. */
  @Test
  void networkIsUnpluggedAndPluggedInUnderLoad() {
    for (boolean sameAddress : new boolean[] {true, false}) {
      JsonObject before = page.awaitHealth();
      demo.unplug(0);
      JsonObject away =
          page.await(
              "the rail is down without an interface",
              state ->
                  !LivePage.rail(state, 0).get("state").getAsString().equals("ACTIVE")
                      && LivePage.rail(state, 0).get("device").getAsString().isEmpty());
      page.awaitMore(LivePage.delivered(away), 1_000);
      demo.plug(0, sameAddress ? DemoContainers.SENDER_FIRST : DemoContainers.SENDER_OTHER);
      JsonObject back = page.awaitHealth();
      long arrived = LivePage.farRail(back, 0).get("payloadIn").getAsLong();
      JsonObject after =
          page.await(
              "the rail carries again",
              state ->
                  LivePage.farRail(state, 0).get("payloadIn").getAsLong() > arrived + 1_000_000);
      assertEquals(
          sameAddress ? DemoContainers.SENDER_FIRST : DemoContainers.SENDER_OTHER,
          LivePage.rail(after, 0).get("address").getAsString());
      assertEquals(before.get("session"), after.get("session"), after::toString);
      LivePage.assertSound(after);
    }
  }

  /** A pause is not a death: no rail is blamed, and what was under way arrives. */
  @Test
  void receiverIsPaused() {
    JsonObject before = page.awaitHealth();
    demo.pause();
    try {
      page.await(
          "the receiver is silent and nothing is held against it",
          state ->
              state.get("reportAgeMs").getAsDouble() > 3_000
                  && LivePage.colour(state).equals("grey"));
    } finally {
      demo.unpause();
    }
    JsonObject resumed = page.awaitMore(LivePage.delivered(before), 1_000);
    JsonObject after = page.awaitHealth();
    LivePage.assertSound(resumed);
    LivePage.assertSound(after);
    assertEquals(before.get("session"), after.get("session"), after::toString);
    for (int rail = 0; rail < 2; rail++) {
      assertEquals(
          LivePage.rail(before, rail).get("failovers"),
          LivePage.rail(after, rail).get("failovers"),
          after::toString);
    }
  }

  @Test
  void receiverIsKilledAndComesBackAsAnother() {
    JsonObject before = page.awaitHealth();
    demo.killReceiver();
    demo.startReceiver();
    JsonObject found =
        page.await(
            "the receiver is found to be another",
            state -> state.get("restarts").getAsLong() > before.get("restarts").getAsLong());
    long session = before.get("session").getAsLong();
    assertTrue(found.get("unknown").getAsLong() >= before.get("unknown").getAsLong());
    JsonObject after =
        page.await(
            "a new life of the streams",
            state ->
                state.get("session").getAsLong() > session && LivePage.delivered(state) > 1_000);
    assertNotEquals(before.get("peerIncarnation"), after.get("peerIncarnation"));
    LivePage.assertSound(page.awaitHealth());
  }

  /** With the streams held back, both sides have the same counts. */
  @Test
  void totalsOfBothSidesAreEqual() throws Exception {
    page.awaitHealth();
    page.order("/api/stream", "{\"paused\": true}");
    try {
      JsonObject here =
          page.await(
              "nothing is under way",
              state ->
                  state.get("paused").getAsBoolean()
                      && state.getAsJsonObject("sent").get("underWay").getAsLong() == 0);
      JsonObject there =
          JsonParser.parseString(demo.askReceiver("live", "totals")).getAsJsonObject();
      JsonElement streams = there.getAsJsonObject("receiver").get("streams");
      assertEquals(streams, here.getAsJsonObject("receiver").get("streams"));
      String metrics = page.get("/metrics");
      for (JsonElement element : streams.getAsJsonArray()) {
        JsonObject stream = element.getAsJsonObject();
        String name = "demo_delivered_total{stream=" + stream.get("name") + "}";
        String line = metrics.lines().filter(each -> each.startsWith(name)).findFirst().orElse("");
        assertEquals(
            stream.get("delivered").getAsDouble(),
            Double.parseDouble(line.substring(line.indexOf(' ') + 1)),
            metrics);
      }
    } finally {
      page.order("/api/stream", "{\"paused\": false}");
    }
  }
}
