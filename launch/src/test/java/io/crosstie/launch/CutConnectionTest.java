// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The network that a rank's connection to the introducer goes by is cut: nobody dies of that. */
@Timeout(120)
final class CutConnectionTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Rank 0 is on the introducer's host. */
  private final IntroducerTest.Told near = new IntroducerTest.Told();

  /** Rank 1 reaches it by either cable. */
  private final IntroducerTest.Told far = new IntroducerTest.Told();

  private Introducer introducer;
  private Cable first;
  private Cable second;
  private IntroducerClient zero;
  private IntroducerClient one;

  @BeforeEach
  void join() throws Exception {
    joinWithin(LONG);
  }

  /** Ranks that are cut off may come back within that time. */
  private void joinWithin(Duration returnPatience) throws Exception {
    joinAt(true, returnPatience);
  }

  private void joinAt(boolean local, Duration returnPatience) throws Exception {
    introducer =
        Introducer.open("key", 3, Places.binding(local, 0), Placement.UNKNOWN, returnPatience);
    first = new Cable(introducer.address());
    second = new Cable(introducer.address());
    zero = client(0, introducer.address());
    one = client(1, first.address(), second.address());
    Placement unused = zero.join();
    zero.start("", List.of("shm:a"), near);
    Placement unusedToo = one.join();
    one.start("", List.of("shm:b"), far);
    zero.fetch(1);
    assertEquals("1 at [shm:b]", near.next());
  }

  @AfterEach
  void close() throws IOException {
    first.close();
    second.close();
    one.close();
    zero.close();
    introducer.close();
  }

  private static IntroducerClient client(int rank, HostPort... at) {
    return new IntroducerClient(
        new Job(rank, 3, "key", List.of(at), true, 3, Placement.UNKNOWN, LONG, "test"), null);
  }

  /** Rank 2, on the introducer's host. */
  private IntroducerClient two() {
    IntroducerClient two = client(2, introducer.address());
    IntroducerTest.start(two, "shm:c");
    return two;
  }

  /** Whatever was told before is taken for that. */
  private void awaitBack() throws InterruptedException {
    one.fetch(0);
    assertEquals("0 at [shm:a]", far.next());
  }

  @Test
  void theOtherCableTakesItsPlaceAndNobodyIsTold() throws Exception {
    first.pull();
    awaitBack();
    second.pull();
    first.plug(introducer.address());
    awaitBack();
    try (IntroducerClient two = two()) {
      two.leave();
    }
    assertEquals("2 left: has left the world", near.next());
    assertEquals("2 left: has left the world", far.next());
  }

  @Test
  void whatWasLostIsSaidAgain() throws Exception {
    first.lose();
    one.fetch(2);
    one.declareDead(2, "is silent");
    first.pull();
    assertEquals("2 died: is silent", near.next());
    assertEquals("2 died: is silent", far.next());
  }

  @Test
  void anAnswerThatComesLateComesAllTheSame() throws Exception {
    first.lose();
    one.fetch(2);
    first.pull();
    try (IntroducerClient two = two()) {
      assertEquals("2 at [shm:c]", far.next());
      two.leave();
    }
  }

  @Test
  void whatItHasMissedIsTold() throws Exception {
    second.pull();
    first.pull();
    try (IntroducerClient two = two()) {
      two.leave();
    }
    assertEquals("2 left: has left the world", near.next());
    first.plug(introducer.address());
    assertEquals("2 left: has left the world", far.next());
  }

  @Test
  void whatAPersonAsksIsAskedAgain() throws Exception {
    BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    introducer.readBy((rank, lines) -> reports.add(rank + " " + lines));
    first.lose();
    assertEquals(2, introducer.ask(WireUp.Question.RAILS));
    assertEquals("0 [first RAILS, second]", reports.poll(60, TimeUnit.SECONDS));
    first.pull();
    assertEquals("1 [first RAILS, second]", reports.poll(60, TimeUnit.SECONDS));
  }

  @Test
  void whoLeavesWhileItIsCutHasLeft() throws Exception {
    first.lose();
    one.leave();
    first.pull();
    assertEquals("1 left: has left the world", near.next());
    one.close();
  }

  @Test
  void whoEndsAfterItCameBackIsDeadAtOnce() throws Exception {
    first.pull();
    awaitBack();
    one.close();
    String why = near.next();
    assertTrue(why.startsWith("1 died: has ended without leaving the world"), why);
  }

  @Test
  void whoDoesNotComeBackInTimeIsDeadAndIsToldSoIfItComes() throws Exception {
    close();
    joinWithin(Duration.ofMillis(1));
    second.pull();
    first.pull();
    String why = near.next();
    assertTrue(why.startsWith("1 died: cannot be reached, and has not come back within 0 s"), why);
    first.plug(introducer.address());
    assertEquals(why, far.next());
  }

  /** It was cut off, and takes all others for dead. */
  @Test
  void whoIsDeadDeclaresNobodyDead() throws Exception {
    close();
    joinWithin(Duration.ofMillis(1));
    try (IntroducerClient two = two()) {
      second.pull();
      first.pull();
      String why = near.next();
      assertTrue(why.startsWith("1 died: cannot be reached"), why);
      one.declareDead(2, "is silent");
      first.plug(introducer.address());
      assertEquals(why, far.next());
      one.close();
      two.leave();
      assertEquals("2 left: has left the world", near.next());
    }
  }

  /** So it looks when the introducer has stood still: it takes up what the rank has given up. */
  @Test
  void anAttemptThatWasGivenUpIsNoEnd() throws Exception {
    try (Socket attempt = new Socket(introducer.address().host(), introducer.address().port())) {
      String hello =
          String.join(
              " ",
              "CROSSTIE1-BACK key 1 3",
              Long.toString(ProcessHandle.current().pid()),
              Integer.toString(one.number()),
              IntroducerClient.hostName());
      attempt.getOutputStream().write((hello + "\n").getBytes(StandardCharsets.UTF_8));
      attempt.shutdownOutput();
      awaitAnswer(attempt);
      awaitBack();
    }
    try (IntroducerClient two = two()) {
      two.leave();
    }
    assertEquals("2 left: has left the world", near.next());
  }

  private static void awaitAnswer(Socket attempt) throws IOException {
    try {
      byte[] unused = attempt.getInputStream().readNBytes(1);
    } catch (SocketException e) {
      // the rank itself was back sooner, which ends the attempt
    }
  }

  /** Nothing tells it that nothing arrives. */
  @Test
  void whoLeavesIntoSilenceHasLeft() throws Exception {
    first.lose();
    one.leave();
    one.close();
    assertEquals("1 left: has left the world", near.next());
  }

  /** A rank that was told one place comes back by others. */
  @Test
  void theIntroducerTellsWhereElseItIs() throws Exception {
    close();
    joinAt(false, LONG);
    second.close();
    first.pull();
    awaitBack();
  }

  /** It knows nothing of the others: rank 0's process is another one by now. */
  @Test
  void anotherIntroducerIsNotTakenForIt() throws Exception {
    try (Introducer another =
        Introducer.open("key", 3, Places.binding(true, 0), Placement.UNKNOWN)) {
      second.pull();
      first.pull();
      first.plug(another.address());
      assertEquals("silence", far.next());
    }
  }
}
