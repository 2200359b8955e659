// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.crosstie.testkit.Facility;
import org.junit.jupiter.api.Test;

/** A sender that dies with a large message half sent. */
final class DyingSenderIT extends ProcessScene {
  private static final int LARGE = 64 << 20;

  @Test
  void killedInTheMiddleOfALargeMessage() {
    Facility.TIME.require("a sender that is killed");
    String bounds = " maxMessageBytes=" + LARGE + " largePoolBytes=" + LARGE;
    WorkerProcess b = node("b", TWO_UDP_RAILS + bounds + " peerTimeoutMs=6000");
    String settings = TWO_UDP_RAILS + bounds + " peer=b@" + address(b, 0);
    WorkerProcess a = node("a", settings);
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("source s peer=b lend=1 sizes=" + LARGE);
    // Message follows message, so when some bytes are there that belong to no complete message,
    // one is under way.
    Await.until(() -> partial(b) > 1 << 20, () -> "no message is under way: " + b.describe("a"));
    a.kill();
    b.awaitEvent("PeerLost");
    JsonObject state = b.ask("task s");
    assertSound(b, "s");
    assertEquals(LARGE * state.get("received").getAsLong(), state.get("bytes").getAsLong());
    JsonObject lost = b.ask("peer a");
    assertEquals("LOST", lost.get("state").getAsString());
    assertEquals(state.get("received").getAsLong(), WorkerProcess.counter(lost, "MESSAGES_IN"));
    assertTrue(b.railSum("a", "PAYLOAD_IN") > state.get("bytes").getAsLong(), lost::toString);

    // The pool holds one such message: another one can only come if the memory came back.
    WorkerProcess c = node("c", settings);
    c.awaitUp("b");
    b.awaitUp("c");
    b.ask("sink s2 peer=c");
    c.ask("source s peer=b lend=1 seed=2 end=2 sizes=" + LARGE);
    awaitReceived(b, "s2", 2);
    awaitAccepted(c, "s");
  }

  /** Bytes that belong to no message that is complete. */
  private static long partial(WorkerProcess b) {
    long complete = WorkerProcess.counter(b.ask("peer a"), "BYTES_IN");
    return b.railSum("a", "PAYLOAD_IN") - complete;
  }
}
