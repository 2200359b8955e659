// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Settings that cannot work: the message says what, where, the errno, and what to do next. */
final class ConfigurationIT extends ProcessScene {
  private static void assertSays(String message, List<String> parts) {
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "\"" + part + "\" is missing in: " + message);
    }
  }

  /** What is configured, and what the message has to say besides naming that. */
  private static final List<List<String>> RAILS =
      List.of(
          List.of("127.0.0.1:7400", "malformed rail", "udp://198.18.1.1:7400"),
          List.of("tcp://127.0.0.1:7400", "no driver for scheme \"tcp\"", "udp:", "shm:"),
          List.of("udp://127.0.0.1", "port"),
          List.of("udp://127.0.0.1:99999", "port"),
          List.of("udp://127.0.0.1:0?mtu=9", "mtu=9", "1280"),
          List.of("udp://127.0.0.1:0?colour=red", "unknown option \"colour\"", "mtu"),
          List.of("udp://127.0.0.1:0?mtu=1500&mtu=9000", "stands twice"),
          List.of("udp://127.0.0.1:0?driver=warp", "driver=warp", "netty"),
          List.of("udp://no-such-host.invalid:0", "no-such-host.invalid"),
          List.of("udp://198.18.77.77:0", "EADDRNOTAVAIL"),
          List.of("shm:relative/path", "path"));

  @Test
  void railThatCannotBe() {
    WorkerProcess a = worker("a");
    assertAll(
        RAILS.stream().map(parts -> () -> assertSays(startError(a, parts.getFirst()), parts)));
  }

  private static String startError(WorkerProcess a, String rail) {
    return a.askForError("start name=a rail=" + rail);
  }

  @Test
  void portTakenByAnotherProcess() {
    WorkerProcess b = node("b", "rail=udp://127.0.0.1:0");
    String message = worker("a").askForError("start name=a rail=" + address(b, 0));
    assertSays(message, List.of(address(b, 0), "EADDRINUSE", "port"));
  }

  @Test
  void peerOfAnotherName() {
    WorkerProcess b = node("b", "rail=udp://127.0.0.1:0");
    WorkerProcess a = node("a", "rail=udp://127.0.0.1:0 peer=c@" + address(b, 0));
    String[] message = {""};
    Await.until(
        () -> {
          message[0] = a.askForError("await-up c 100");
          return message[0].contains("WRONG_NAME");
        },
        () -> "awaitUp says only: " + message[0]);
    assertSays(message[0], List.of(address(b, 0), "this is \"b\"", "Next:"));
    assertEquals("CONNECTING", a.state("c"));
  }
}
