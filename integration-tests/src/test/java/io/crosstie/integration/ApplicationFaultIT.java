// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.crosstie.testkit.Facility;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Applications that do what they should not. */
final class ApplicationFaultIT extends ProcessScene {
  @TempDir private Path folder;

  private WorkerProcess a;
  private WorkerProcess b;

  private void connect(String settingsOfA, String settingsOfB) {
    b = node("b", TWO_UDP_RAILS + " " + settingsOfB);
    a = node("a", (TWO_UDP_RAILS + " peer=b@" + address(b, 0) + " " + settingsOfA).strip());
    a.awaitUp("b");
    b.awaitUp("a");
  }

  @Test
  void receiverThatNeverPolls() {
    connect(PATIENT.strip(), PATIENT.strip());
    b.ask("sink s peer=a paused=1");
    a.ask("source s peer=b sizes=24-2000");
    awaitBackPressure("s", "s");
    long ready = b.number("s", "ready");
    long offered = a.number("s", "next");
    // The first window there, 128 KiB, which grows with consumption only, and 4 MiB of log here
    // (twice that while it grows), of messages of 1012 bytes on the average.
    assertTrue(ready > 90 && ready < 160, () -> "ready " + ready);
    assertTrue(offered - ready < 12_000, () -> "offered " + offered + ", ready " + ready);
    long resident = b.ask("memory").get("residentKiB").getAsLong();
    assertTrue(resident < 400_000, () -> resident + " KiB");
    // A zero window is probed for ever, and nobody is taken for dead.
    Await.pass(Duration.ofSeconds(3));
    assertEquals(ready, b.number("s", "ready"));
    assertEquals(0, b.number("s", "received"));
    assertTrue(WorkerProcess.counter(a.ask("peer b"), "CREDIT_STALLS") > 0);
    assertEquals(0, a.railSum("b", "FAILOVERS"), () -> a.describe("b"));
    a.ask("pause s");
    b.ask("resume s");
    awaitReceived(b, "s", a.number("s", "next"));
    awaitAccepted(a, "s");
  }

  @Test
  void receiverThatNeverPollsLargeMessages() {
    Facility.TIME.require("large messages that nobody polls");
    // Two of 2 MiB are half of it, which is as much as one channel may have that nobody polls.
    connect("maxMessageBytes=2000000", "maxMessageBytes=2000000 largePoolBytes=8388608");
    b.ask("sink s peer=a paused=1");
    b.ask("sink other peer=a channel=2");
    a.ask("source s peer=b sizes=1000000-2000000");
    awaitBackPressure("s", "s");
    Await.until(() -> b.number("s", "ready") >= 2, "some large messages are there");
    // It gets no more of the pool; other channels go on with small ones.
    a.ask("source other peer=b channel=2 end=500 seed=2");
    awaitReceived(b, "other", 500);
    assertTrue(b.number("s", "ready") <= 5, () -> b.ask("task s").toString());
    long resident = b.ask("memory").get("residentKiB").getAsLong();
    assertTrue(resident < 400_000, () -> resident + " KiB");
    a.ask("pause s");
    b.ask("resume s");
    awaitReceived(b, "s", a.number("s", "next"));
    awaitAccepted(a, "s");
  }

  @Test
  void poolThatHoldsTheLargestMessageOnly() {
    Facility.TIME.require("a small pool");
    connect("maxMessageBytes=3000000", "maxMessageBytes=3000000 largePoolBytes=4194304");
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=3000000-3000000 end=5");
    awaitReceived(b, "s", 5);
    awaitAccepted(a, "s");
  }

  /** Waits until the sender is refused, and nothing more is under way. */
  private void awaitBackPressure(String source, String sink) {
    long[] last = {-1, -1, 0};
    Await.until(
        () -> {
          JsonObject state = a.ask("task " + source);
          long ready = b.number(sink, "ready");
          long next = state.get("next").getAsLong();
          boolean still = ready == last[0] && next == last[1];
          last[0] = ready;
          last[1] = next;
          last[2] = still ? last[2] + 1 : 0; // once may be a process that waits for a processor
          return state.get("status").getAsString().equals("BACK_PRESSURED")
              && ready > 0
              && last[2] >= 50
              && a.railSum("b", "FLIGHT_BYTES") == 0;
        },
        () -> "no back pressure: " + a.ask("task " + source) + a.describe("b"));
  }

  @Test
  void handlerThatThrows() {
    connect("", "");
    b.ask("sink s peer=a throwEvery=7");
    a.ask("source s peer=b end=2000");
    awaitReceived(b, "s", 2000);
    awaitAccepted(a, "s");
    assertEquals(2000 / 7, b.number("s", "thrown"));
    assertEquals(2000, b.number("s", "received"));
  }

  @Test
  void messageLargerThanTheBound() {
    connect("maxMessageBytes=100000", "maxMessageBytes=50000");
    b.ask("sink s peer=a");
    assertEquals("TOO_LARGE", offer(100_001));
    assertEquals("TOO_LARGE", offer(50_001)); // what the peer takes
    a.ask("source s peer=b end=20 sizes=40000-50000");
    awaitReceived(b, "s", 20);
  }

  private String offer(int size) {
    return a.ask("offer peer=b size=" + size).get("result").getAsString();
  }

  @Test
  void channelThatThePeerNeverOpened() {
    connect("", "");
    a.ask("source s peer=b channel=42 sizes=24-2000");
    a.ask("source open peer=b channel=1 end=300 seed=5");
    b.ask("sink open peer=a channel=1");
    b.awaitEvent("ChannelOpenedByPeer");
    assertTrue(
        b.events("ChannelOpenedByPeer").stream()
            .anyMatch(event -> event.get("channel").getAsInt() == 42));
    Await.until(
        () -> a.ask("task s").get("status").getAsString().equals("BACK_PRESSURED"),
        "the sender is held within the credit");
    awaitReceived(b, "open", 300);
    a.ask("pause s");
    b.ask("sink s peer=a channel=42");
    awaitReceived(b, "s", a.number("s", "next"));
    awaitAccepted(a, "s");
  }

  @Test
  void lentArenaIsClosedInFlight() {
    connect("", "");
    b.ask("sink s peer=a");
    b.ask("sink other peer=a channel=2");
    // Nothing arrives at b, so the message is certainly in flight when its memory goes.
    b.ask("deaf all");
    a.ask("source lent peer=b lend=1 sizes=4000000 end=1 seed=1");
    Await.until(() -> a.number("lent", "next") == 1, "the message is on its way");
    a.ask("close-arena lent");
    a.ask("source copied peer=b channel=2 end=300 seed=2");
    a.ask("source after peer=b end=300 seed=3");
    b.ask("heal all");
    Await.until(
        () -> !a.ask("task lent").getAsJsonArray("completions").isEmpty(),
        () -> "no completion: " + a.ask("task lent") + a.describe("b"));
    String completion = a.ask("task lent").getAsJsonArray("completions").get(0).getAsString();
    assertFalse(completion.equals("ok"), completion);
    assertTrue(completion.matches("(?s).*(arena|memory).*"), completion);
    awaitReceived(b, "other", 300);
    Await.until(
        () -> b.number("s", "received") == 300,
        () -> "the messages behind it do not arrive: " + b.ask("task s") + a.describe("b"));
    JsonObject state = b.ask("task s");
    assertEquals(0, state.get("corrupt").getAsLong(), state::toString);
    assertEquals(299, state.get("last").getAsLong(), state::toString);
  }

  /**
   * A file that is lent becomes shorter, one that is large and waits for its grant, and one that is
   * small and waits for credit. Each fails by itself; the process lives, and no rail is closed for
   * it.
   */
  @ParameterizedTest
  @CsvSource({
    "udp://127.0.0.1:0, file",
    "udp://127.0.0.1:0, unmarked",
    "shm:, file",
    "shm:, unmarked",
    "shm:?copy=cma, file",
    "shm:?copy=cma, unmarked"
  })
  void lentFileIsTruncatedInFlight(String rail, String memory) {
    if (!rail.equals("shm:") || !memory.equals("unmarked")) {
      Facility.TIME.require("files that are truncated under messages");
    }
    String place = rail.replace("shm:", "shm:" + folder);
    String settings = "rail=" + place + " maxMessageBytes=3000000 largePoolBytes=4194304";
    b = node("b", settings);
    a = node("a", settings + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a paused=1");
    b.ask("sink other peer=a channel=2");

    a.ask("source held peer=b sizes=3000000-3000000 end=1");
    Await.until(() -> b.number("s", "ready") == 1, "the pool is full");
    a.ask("source large peer=b lend=" + memory + " sizes=3000000-3000000 end=1 seed=2");
    truncate("large");
    b.ask("resume s");
    awaitFailure("large");
    awaitDelivered(1);

    b.ask("pause s");
    a.ask("source full peer=b sizes=1000-2000 first=1 seed=3");
    awaitBackPressure("full", "s");
    a.ask("source small peer=b lend=" + memory + " sizes=2000-2000 end=1 seed=4");
    truncate("small");
    a.ask("pause full");
    b.ask("resume s");
    awaitFailure("small");
    long next = a.number("full", "next");
    awaitDelivered(next);

    a.ask("source other peer=b channel=2 end=300 seed=5");
    awaitReceived(b, "other", 300);
    a.ask("source after peer=b first=" + next + " end=" + (next + 300) + " seed=6");
    awaitDelivered(next + 300);
    assertEquals(2, a.events("MessageFailed").size());
    JsonObject state = b.ask("task s");
    for (String fault : new String[] {"corrupt", "duplicated", "disordered"}) {
      assertEquals(0, state.get(fault).getAsLong(), state::toString);
    }
    assertEquals(0, a.railSum("b", "RESTARTS"), () -> a.describe("b"));
    assertEquals(0, b.railSum("a", "RESTARTS"), () -> b.describe("a"));
    assertTrue(a.isAlive());
  }

  /** The sequence of a message that failed is left out, which is no fault here. */
  private void awaitDelivered(long messages) {
    Await.until(
        () -> b.number("s", "received") == messages,
        () -> "not all of " + messages + " messages: " + b.ask("task s") + a.describe("b"));
  }

  private void truncate(String source) {
    Await.until(() -> a.number(source, "next") == 1, "the message is on its way");
    assertEquals(0, a.ask("task " + source).getAsJsonArray("completions").size());
    a.ask("truncate " + source);
  }

  private void awaitFailure(String source) {
    Await.until(
        () -> !a.ask("task " + source).getAsJsonArray("completions").isEmpty(),
        () -> "no completion: " + a.ask("task " + source) + a.describe("b"));
    String completion = a.ask("task " + source).getAsJsonArray("completions").get(0).getAsString();
    assertTrue(completion.contains("file"), completion);
  }
}
