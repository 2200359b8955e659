// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks are introduced, and told of one another's end. */
@Timeout(60)
final class IntroducerTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Keeps what it is told. */
  private static final class Told implements WireUp.Listener {
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    @Override
    public void onAddresses(int rank, List<String> addresses) {
      lines.add(rank + " at " + addresses);
    }

    @Override
    public void onEnd(int rank, boolean left, String why) {
      lines.add(rank + (left ? " left: " : " died: ") + why);
    }

    @Override
    public void onSilence(String why) {
      lines.add("silence");
    }

    String next() throws InterruptedException {
      return String.valueOf(lines.poll(30, TimeUnit.SECONDS));
    }
  }

  private static Job job(Introducer introducer, int rank, int size) {
    return new Job(rank, size, "key", introducer.address(), true, size, LONG, "test");
  }

  @Test
  @SuppressWarnings("try") // closed early, which is what this is about
  void addressesAreToldWhenTheyAreKnownAndEndsAlways() throws InterruptedException {
    Told[] told = {new Told(), new Told(), new Told()};
    try (Introducer introducer = Introducer.onLoopback("key", 4, LONG);
        IntroducerClient zero = new IntroducerClient(job(introducer, 0, 4));
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 4));
        IntroducerClient two = new IntroducerClient(job(introducer, 2, 4))) {
      zero.start(List.of("shm:a", "udp://127.0.0.1:1"), told[0]);
      zero.fetch(1);
      one.start(List.of("shm:b"), told[1]);
      assertEquals("1 at [shm:b]", told[0].next());
      one.fetch(0);
      assertEquals("0 at [shm:a, udp://127.0.0.1:1]", told[1].next());
      two.start(List.of("shm:c"), told[2]);
      two.leave();
      two.close();
      assertEquals("2 left: has left the world", told[0].next());
      assertEquals("2 left: has left the world", told[1].next());
      introducer.onExit(2, 0); // which is nothing new
      introducer.onExit(3, 5);
      assertEquals("3 died: has ended with exit status 5 before it joined", told[0].next());
      one.close();
      assertTrue(told[0].next().startsWith("1 died: has ended without leaving the world"));
      try (IntroducerClient again = new IntroducerClient(job(introducer, 2, 4))) {
        String why =
            assertThrows(LaunchException.class, () -> again.start(List.of("shm:d"), told[2]))
                .getMessage();
        assertTrue(why.contains("does not come back"), why);
      }
      introducer.close();
      assertEquals("silence", told[0].next());
    }
  }

  @Test
  void aRankThatIsFoundDeadIsToldSoAndOneThatNeverComesIsDead() throws InterruptedException {
    Told[] told = {new Told(), new Told()};
    try (Introducer introducer = Introducer.onLoopback("key", 3, Duration.ofMillis(300));
        IntroducerClient zero = new IntroducerClient(job(introducer, 0, 3));
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 3))) {
      zero.start(List.of("shm:a"), told[0]);
      one.start(List.of("shm:b"), told[1]);
      zero.fetch(2);
      String never = told[0].next();
      assertTrue(never.startsWith("2 died: has not come within"), never);
      assertEquals(never, told[1].next());
      zero.declareDead(1, "is silent");
      assertEquals("1 died: is silent", told[0].next());
      assertEquals("1 died: is silent", told[1].next());
    }
  }

  @Test
  void whoIsNoRankIsToldSo() throws IOException {
    try (Introducer introducer = Introducer.onLoopback("key", 2, LONG)) {
      for (String hello :
          List.of("GET / HTTP/1.0", "CROSSTIE1 wrong 0 2 1 h", "CROSSTIE1 key 9 2 1 h")) {
        try (Socket socket = new Socket(introducer.address().host(), introducer.address().port())) {
          socket.getOutputStream().write((hello + "\n").getBytes(StandardCharsets.UTF_8));
          socket.shutdownOutput();
          String answer =
              new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
          assertTrue(answer.startsWith("ERR "), answer);
        }
      }
    }
  }
}
