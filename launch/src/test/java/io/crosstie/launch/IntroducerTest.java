// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks are introduced, and told of one another's end. */
@Timeout(180)
final class IntroducerTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Keeps what it is told. */
  static final class Told implements WireUp.Listener {
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
    public List<String> onQuestion(WireUp.Question question) {
      return List.of("first " + question, "second");
    }

    @Override
    public void onSilence(String why) {
      lines.add("silence");
    }

    String next() throws InterruptedException {
      return String.valueOf(lines.poll(60, TimeUnit.SECONDS));
    }
  }

  private static Job job(Introducer introducer, int rank, int size) {
    List<HostPort> at = List.of(introducer.address());
    return new Job(rank, size, "key", at, true, size, Placement.UNKNOWN, LONG, "test");
  }

  /** Joins with one address. */
  static void start(WireUp wireUp, String address) {
    start(wireUp, List.of(address), new Told());
  }

  /** Joins, and tells its addresses; where ranks are is nothing that this is about. */
  private static void start(WireUp wireUp, List<String> addresses, Told told) {
    Placement unused = wireUp.join();
    wireUp.start("", addresses, told);
  }

  @Test
  @SuppressWarnings("try") // closed early, which is what this is about
  void addressesAreToldWhenTheyAreKnownAndEndsAlways() throws InterruptedException {
    Told[] told = {new Told(), new Told(), new Told()};
    try (Introducer introducer = Introducer.onLoopback("key", 4, LONG, Placement.UNKNOWN);
        IntroducerClient zero = new IntroducerClient(job(introducer, 0, 4), null);
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 4), null);
        IntroducerClient two = new IntroducerClient(job(introducer, 2, 4), null)) {
      start(zero, List.of("shm:a", "udp://127.0.0.1:1"), told[0]);
      zero.fetch(1);
      start(one, List.of("shm:b"), told[1]);
      assertEquals("1 at [shm:b]", told[0].next());
      one.fetch(0);
      assertEquals("0 at [shm:a, udp://127.0.0.1:1]", told[1].next());
      start(two, List.of("shm:c"), told[2]);
      two.leave();
      two.close();
      assertEquals("2 left: has left the world", told[0].next());
      assertEquals("2 left: has left the world", told[1].next());
      introducer.onExit(2, 0); // which is nothing new
      introducer.onExit(3, 5);
      assertEquals("3 died: has ended with exit status 5 before it joined", told[0].next());
      one.close();
      assertTrue(told[0].next().startsWith("1 died: has ended without leaving the world"));
      try (IntroducerClient again = new IntroducerClient(job(introducer, 2, 4), null)) {
        String why =
            assertThrows(LaunchException.class, () -> start(again, List.of("shm:d"), told[2]))
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
    try (Introducer introducer = Introducer.onLoopback("key", 3, LONG, Placement.UNKNOWN);
        IntroducerClient zero = new IntroducerClient(job(introducer, 0, 3), null);
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 3), null)) {
      start(zero, List.of("shm:a"), told[0]);
      start(one, List.of("shm:b"), told[1]);
      zero.fetch(2);
      introducer.giveUp(LONG);
      String never = told[0].next();
      assertTrue(never.startsWith("2 died: has not come within 300 s (2 of 3 ranks have)"), never);
      assertEquals(never, told[1].next());
      zero.declareDead(1, "is silent");
      assertEquals("1 died: is silent", told[0].next());
      assertEquals("1 died: is silent", told[1].next());
    }
  }

  /** Only what hosts are really called is shown to people. */
  @Test
  void theHostOfWhoHasNotComeIsTold() throws InterruptedException {
    Map<Placement, String> meant =
        Map.of(
            Placement.named(List.of("near", "far")), " s from host far (1 of 2",
            Placement.numbered(List.of(0, 1)), " s (1 of 2");
    for (Map.Entry<Placement, String> each : meant.entrySet()) {
      Told told = new Told();
      try (Introducer introducer = Introducer.onLoopback("key", 2, LONG, each.getKey());
          IntroducerClient zero = new IntroducerClient(job(introducer, 0, 2), null)) {
        start(zero, List.of("shm:a"), told);
        introducer.giveUp(LONG);
        String never = told.next();
        assertTrue(never.contains(each.getValue()), never);
      }
    }
  }

  /** What a rank knows by itself does not count. */
  @Test
  void allAreToldTheSamePlacement() {
    Placement placement = Placement.named(List.of("a", "b", "a"));
    try (Introducer introducer = Introducer.onLoopback("key", 3, LONG, placement)) {
      for (int rank = 0; rank < 3; rank++) {
        try (IntroducerClient one = new IntroducerClient(job(introducer, rank, 3), null)) {
          assertEquals(Placement.numbered(List.of(0, 1, 0)), one.join());
        }
      }
    }
  }

  @Test
  void whoIsNoRankIsToldSo() throws IOException {
    try (Introducer introducer = Introducer.onLoopback("key", 2, LONG, Placement.UNKNOWN)) {
      Map<String, String> answers =
          Map.of(
              "GET / HTTP/1.0", "ERR this is where ranks",
              "CROSSTIE1 wrong 0 2 1 1 h", "OTHER the job's key is another one",
              "CROSSTIE1 key 9 2 1 1 h", "ERR no rank 9",
              "CROSSTIE1 key 1 3 1 1 h", "ERR this job has 2 ranks, not 3");
      for (String hello : answers.keySet()) {
        try (Socket socket = new Socket(introducer.address().host(), introducer.address().port())) {
          socket.getOutputStream().write((hello + "\n").getBytes(StandardCharsets.UTF_8));
          socket.shutdownOutput();
          String answer =
              new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
          assertTrue(answer.strip().startsWith(answers.get(hello)), answer);
        }
      }
    }
  }

  @Test
  void ranksAnswerWhatAPersonAsks() throws InterruptedException {
    BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    try (Introducer introducer = Introducer.onLoopback("key", 3, LONG, Placement.UNKNOWN);
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 3), null)) {
      introducer.readBy((rank, lines) -> reports.add(rank + " " + lines));
      assertEquals(0, introducer.ask(WireUp.Question.ALL));
      start(one, List.of("shm:a"), new Told());
      for (WireUp.Question question : WireUp.Question.values()) {
        assertEquals(1, introducer.ask(question));
        assertEquals("1 [first " + question + ", second]", reports.poll(60, TimeUnit.SECONDS));
      }
    }
  }

  private static Job at(List<HostPort> places, int rank, Duration patience) {
    Placement placement = Placement.named(List.of("near", "far"));
    return new Job(rank, 2, "key", places, true, 0, placement, patience, "test");
  }

  @Test
  void twoRanksWithOneNumberAreToldOfEachOther() {
    try (Introducer introducer = Introducer.onLoopback("key", 2, LONG, Placement.UNKNOWN);
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 2), null);
        IntroducerClient too = new IntroducerClient(job(introducer, 1, 2), null)) {
      start(one, List.of("shm:a"), new Told());
      String why =
          assertThrows(LaunchException.class, () -> start(too, List.of("shm:b"), new Told()))
              .getMessage();
      String process = "process " + ProcessHandle.current().pid();
      assertTrue(why.contains("rank 1 is there already: " + process), why);
    }
  }

  /** Ports that follow from a job's number may be taken by another job. */
  @Test
  void aRankGoesOnFromAnotherJobsIntroducer() throws Exception {
    try (Introducer other = Introducer.onLoopback("another", 2, LONG, Placement.UNKNOWN);
        Introducer mine = Introducer.onLoopback("key", 2, LONG, Placement.UNKNOWN);
        IntroducerClient one =
            new IntroducerClient(at(List.of(other.address(), mine.address()), 1, LONG), null);
        IntroducerClient wrong =
            new IntroducerClient(at(List.of(other.address()), 1, LONG), null)) {
      start(one, List.of("shm:a"), new Told());
      assertTrue(mine.isPresent(1));
      assertFalse(other.isPresent(1));
      String why =
          assertThrows(LaunchException.class, () -> start(wrong, List.of("shm:a"), new Told()))
              .getMessage();
      assertTrue(why.contains("the job's key is another one"), why);
    }
  }

  @Test
  void whatWasTriedIsTold() {
    int nobody = Ports.free();
    List<HostPort> places =
        List.of(new HostPort("127.0.0.1", nobody), new HostPort("no-such-host.invalid", 7));
    try (IntroducerClient one = new IntroducerClient(at(places, 1, Duration.ZERO), null)) {
      String why =
          assertThrows(LaunchException.class, () -> start(one, List.of("shm:a"), new Told()))
              .getMessage();
      assertTrue(why.contains("rank 1 does not reach rank 0 on near"), why);
      assertTrue(why.contains("127.0.0.1:" + nobody + " (Connection refused)"), why);
      assertTrue(
          why.contains(
              "no-such-host.invalid:7 (nobody knows the host name \"no-such-host.invalid\""),
          why);
    }
  }

  /** Rank 0 comes when rank 1 has tried for a while. */
  @Test
  void whoIsEarlyWaits() throws Exception {
    List<HostPort> place = List.of(new HostPort("localhost", Ports.free()));
    try (ExecutorService early = Executors.newSingleThreadExecutor();
        IntroducerClient one = new IntroducerClient(at(place, 1, LONG), null)) {
      Future<?> joined = early.submit(() -> start(one, List.of("shm:a"), new Told()));
      assertThrows(TimeoutException.class, () -> joined.get(300, TimeUnit.MILLISECONDS));
      Job zero = new Job(0, 2, "key", place, false, 2, Placement.UNKNOWN, LONG, "test");
      try (Introducer introducer = Introducer.atFirstFree(zero)) {
        assertNotNull(introducer);
        Object unused = joined.get(60, TimeUnit.SECONDS);
        assertTrue(introducer.isPresent(1));
      }
    }
  }

  /** With PMI-1 all ranks come together when the last one has been started. */
  @Test
  void othersAreExpectedFromWhenRankZeroStarts() throws Exception {
    HostPort place = new HostPort("127.0.0.1", Ports.free());
    List<HostPort> at = List.of(place);
    Job job = new Job(0, 3, "key", at, false, 3, Placement.UNKNOWN, Duration.ZERO, "test");
    Introducer introducer = Introducer.atFirstFree(job);
    assertNotNull(introducer);
    Told[] told = {new Told(), new Told()};
    try (IntroducerClient zero = new IntroducerClient(job, introducer);
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 3), null)) {
      introducer.awaitEnds(Duration.ofMillis(100)); // a timer would be over by now
      start(one, List.of("shm:b"), told[1]);
      start(zero, List.of("shm:a"), told[0]);
      assertTrue(told[1].next().startsWith("2 died: has not come within 0 s (2 of 3"));
      assertTrue(told[0].next().startsWith("2 died: has not come within 0 s (2 of 3"));
    }
  }

  /** Rank 0 answers itself: that has no time limit of the network's. */
  @Test
  void rankZeroWaitsForItselfOnABusyMachine() throws Exception {
    List<HostPort> at = List.of(new HostPort("127.0.0.1", Ports.free()));
    Job job = new Job(0, 2, "key", at, false, 2, Placement.UNKNOWN, Duration.ZERO, "test");
    Introducer introducer = Introducer.atFirstFree(job);
    assertNotNull(introducer);
    try (ExecutorService ranks = Executors.newSingleThreadExecutor();
        IntroducerClient zero = new IntroducerClient(job, introducer)) {
      Future<?> joined;
      synchronized (introducer) { // it can answer nobody
        joined = ranks.submit(() -> start(zero, List.of("shm:a"), new Told()));
        assertThrows(TimeoutException.class, () -> joined.get(2, TimeUnit.SECONDS));
      }
      Object unused = joined.get(60, TimeUnit.SECONDS);
      assertTrue(introducer.isPresent(0));
    }
  }

  /** A process that says it is rank 1, and is let in; what follows is its own. */
  private static Socket letIn(Introducer introducer, String process) throws IOException {
    Socket socket = new Socket(introducer.address().host(), introducer.address().port());
    String hello = "CROSSTIE1 key 1 2 " + process + "\n";
    socket.getOutputStream().write(hello.getBytes(StandardCharsets.UTF_8));
    StringBuilder answer = new StringBuilder();
    while (!answer.toString().endsWith("OK\n")) {
      int one = socket.getInputStream().read();
      assertTrue(one >= 0, answer::toString);
      StringBuilder unused = answer.append((char) one);
    }
    return socket;
  }

  /** Who has not seen the answer in time, and has not told its addresses, may come again. */
  @Test
  void aRankThatGoesOnBeforeItHasJoinedIsNotDead() throws Exception {
    try (Introducer introducer = Introducer.onLoopback("key", 2, LONG, Placement.UNKNOWN);
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 2), null)) {
      try (Socket socket = letIn(introducer, "1 1 elsewhere")) {
        assertTrue(introducer.isPresent(1), socket::toString);
      }
      long endNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (introducer.isPresent(1) && System.nanoTime() - endNs < 0) {
        Thread.onSpinWait();
      }
      start(one, List.of("shm:a"), new Told());
      assertTrue(introducer.isPresent(1));
    }
  }

  /** The end of its first connection may be seen late. */
  @Test
  void aRankMayComeAgainBeforeItsFirstConnectionHasEnded() throws Exception {
    try (Introducer introducer = Introducer.onLoopback("key", 2, LONG, Placement.UNKNOWN);
        IntroducerClient one = new IntroducerClient(job(introducer, 1, 2), null);
        IntroducerClient another = new IntroducerClient(job(introducer, 1, 2), null)) {
      long process = ProcessHandle.current().pid();
      String host = IntroducerClient.hostName();
      try (Socket socket = letIn(introducer, process + " " + one.number() + " " + host)) {
        String why =
            assertThrows(LaunchException.class, () -> start(another, List.of("shm:b"), new Told()))
                .getMessage();
        assertTrue(why.contains("rank 1 is there already"), why);
        start(one, List.of("shm:a"), new Told());
        InputStream in = socket.getInputStream();
        assertThrows(SocketException.class, in::readAllBytes); // no end
      }
      assertTrue(introducer.isPresent(1));
    }
  }

  /** Once nobody waits for others any more, that one is dead. */
  @Test
  void aRankThatEndsBeforeItHasJoinedIsDeadAtLast() throws Exception {
    Told told = new Told();
    try (Introducer introducer = Introducer.onLoopback("key", 2, LONG, Placement.UNKNOWN);
        IntroducerClient zero = new IntroducerClient(job(introducer, 0, 2), null)) {
      start(zero, List.of("shm:a"), told);
      try (Socket socket = letIn(introducer, "1 1 elsewhere")) {
        introducer.giveUp(LONG);
        assertTrue(introducer.isPresent(1), socket::toString);
      }
      String why = told.next();
      assertTrue(why.startsWith("1 died: has ended without leaving the world (process 1 on"), why);
    }
  }
}
