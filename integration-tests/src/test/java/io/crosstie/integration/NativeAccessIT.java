// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import io.crosstie.testkit.Facility;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that may not make native calls use the portable paths, and say so. */
final class NativeAccessIT extends ProcessScene {
  private static final List<String> DENIED = List.of("--illegal-native-access=deny");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void deniedFallsBackAndNamesTheFlag(boolean bothSides) {
    Facility.TIME.require("native access denied");
    WorkerProcess b = worker("b", bothSides ? DENIED : WorkerProcess.NATIVE);
    String rails = "rail=udp://127.0.0.1:0 rail=shm:";
    List<String> addresses = startNode(b, rails);
    WorkerProcess a = worker("a", DENIED);
    List<String> unused = startNode(a, rails + " peer=b@" + addresses.get(0));
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 2);
    b.ask("sink small peer=a");
    b.ask("sink large peer=a channel=2");
    a.ask("source small peer=b end=2000");
    a.ask("source large peer=b channel=2 seed=2 end=10 sizes=100000-2000000");
    awaitReceived(b, "small", 2000);
    awaitReceived(b, "large", 10);
    awaitAccepted(a, "small");
    for (JsonElement port : a.ask("node").getAsJsonArray("ports")) {
      String kind = port.getAsJsonObject().get("kind").getAsString();
      assertTrue(kind.equals("shm") || kind.startsWith("udp/netty-nio"), kind);
    }
    assertTrue(a.errors().contains("--enable-native-access"), a::errors);
    assertTrue(a.errors().contains("\"netty\""), a::errors);
  }

  @Test
  void driverThatNeedsNativeAccessIsRefusedWithTheFlag() {
    WorkerProcess a = worker("a", DENIED);
    String message = a.askForError("start name=a rail=udp://127.0.0.1:0?driver=linux");
    for (String part : List.of("driver=linux", "--enable-native-access")) {
      assertTrue(message.contains(part), message);
    }
    assertEquals(true, a.isAlive());
  }
}
