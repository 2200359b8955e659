// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.Progress;
import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks that leave, and what others are told. */
@Timeout(180)
final class EndOfRanksTest {
  private static final String SHM = "shm:";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static int endedRank(Request request) {
    return assertThrows(RankEndedException.class, request::await).rank();
  }

  @Test
  void whatNeedsARankThatHasLeftEndsWithAnErrorThatNamesIt() throws InterruptedException {
    try (Worlds worlds = new Worlds(3, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() == 2) {
              int[] got = new int[1];
              all.recv(got, 0, 1);
              all.send(new int[] {5}, 0, 2);
              world.close();
              return;
            }
            if (world.rank() == 0) {
              Request receive = all.irecv(new int[1], 2, 77);
              Request any = all.irecv(new int[1], Communicator.ANY_SOURCE, 78);
              Request send = all.issend(Data.of(new int[1]), 2, 79);
              all.send(new int[1], 2, 1);
              assertEquals(2, endedRank(receive));
              assertEquals(2, endedRank(any));
              assertEquals(2, endedRank(send));
              int[] got = new int[1];
              all.recv(got, 2, 2); // what it had sent before is there
              assertArrayEquals(new int[] {5}, got);
              assertEquals(2, endedRank(all.isend(new int[1], 2, 1)));
              Request receiveOf = all.irecv(new int[1], 2, 3);
              RankEndedException known = assertThrows(RankEndedException.class, receiveOf::await);
              assertEquals(List.of(2, 2, 3), List.of(known.rank(), known.source(), known.tag()));
              assertThrows(RankEndedException.class, () -> all.probe(2, 3));
              assertEquals(List.of(2), world.endedRanks());
              // who is still there can be received from, also from any source
              all.send(new int[1], 1, 4);
              assertEquals(1, all.recv(got, Communicator.ANY_SOURCE, 5).source());
            } else {
              int[] got = new int[1];
              all.recv(got, 0, 4);
              all.send(got, 0, 5);
            }
          });
    }
  }

  /** The last rank does nothing but tell where it is, and what it thinks of others. */
  private static final class Witness implements AutoCloseable {
    private final Socket socket;

    Witness(String key, int port) throws IOException {
      this(key, port, 3, "shm:nowhere");
    }

    /** The last rank. */
    Witness(String key, int port, int rank, String at) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      say("CROSSTIE1 " + key + " " + rank + " " + (rank + 1) + " 1 1 here");
      say("AT " + at);
    }

    void say(String line) throws IOException {
      socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** A process that exits closes its connections; that it had not left is heard of later. */
  @Test
  void aRankThatSeemedToHaveLeftTurnsOutToHaveDied() throws Exception {
    int port = Ports.free();
    String key = "seemed-" + ProcessHandle.current().pid();
    List<World> worlds = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      worlds.add(World.join(new WorldConfig().job(rank, 4, key, "127.0.0.1:" + port).rail(SHM)));
    }
    World zero = worlds.get(0);
    World two = worlds.get(2);
    try (Witness witness = new Witness(key, port)) {
      Communicator some = zero.communicator(zero.newNumber(), new int[] {0, 1, 2});
      Request connected = zero.communicator().irecv(new int[1], 2, 1);
      two.communicator().send(new int[1], 0, 1);
      connected.await();
      // rank 1 never begins this one, which needs nothing of rank 2
      Request all = some.ibcast(Data.of(new int[1]), 1);
      two.node().close(Duration.ofSeconds(30));
      String left =
          assertThrows(RankEndedException.class, () -> zero.communicator().recv(new int[1], 2, 1))
              .getMessage();
      assertTrue(left.contains("has left"), left);
      assertFalse(all.test(), "rank 2 may have done its part");
      witness.say("DEAD 2 has exited");
      int died = assertThrows(RankEndedException.class, () -> all.await(PATIENCE)).rank();
      assertEquals(2, died);
      assertEquals(List.of(2), zero.endedRanks());
    } finally {
      assertThrows(RanksException.class, two::close); // its node is closed, and all else now
      worlds.get(1).close();
      zero.close();
    }
  }

  /** Something is on its way to a rank that leaves: that is no reason to declare it dead. */
  @Test
  void aRankThatLeavesBeforeItHasAcceptedAllHasLeft() throws Exception {
    try (Worlds worlds = new Worlds(3, config -> config.progress(Progress.thread()), SHM)) {
      World one = worlds.get(1);
      World two = worlds.get(2);
      Communicator all = one.communicator();
      Request connected = all.irecv(new int[1], 2, 1);
      two.communicator().send(new int[1], 1, 1);
      connected.await();
      CountDownLatch stopped = new CountDownLatch(1);
      CountDownLatch goesOn = new CountDownLatch(1);
      two.ask(
          () -> {
            stopped.countDown();
            try {
              goesOn.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
      stopped.await();
      for (int i = 0; i < 3000; i++) {
        Request unused = all.isend(new byte[16_000], 2, 2);
      }
      Thread closes = Thread.ofPlatform().start(() -> two.node().close(Duration.ZERO));
      while (closes.getState() == Thread.State.RUNNABLE || closes.getState() == Thread.State.NEW) {
        Thread.onSpinWait();
      }
      goesOn.countDown();
      String why =
          assertThrows(RankEndedException.class, () -> all.recv(new int[1], 2, 1)).getMessage();
      assertTrue(why.contains("has left"), why);
      closes.join();
      assertThrows(RanksException.class, two::close);
      why =
          assertThrows(
                  RankEndedException.class,
                  () -> worlds.get(0).communicator().recv(new int[1], 2, 1))
              .getMessage();
      assertTrue(why.contains("has left"), why);
    }
  }

  /** False if that rank cannot be found just now. */
  private static boolean isSent(World from, int to) {
    try {
      return from.communicator().isend(new int[] {6}, to, 1).await(PATIENCE);
    } catch (RanksException e) {
      return false;
    }
  }

  /** Who was not introduced before rank 0 left is not found, but may come. */
  @Test
  void aRankThatCannotBeFoundAnyMoreFailsWhatIsSentToItUntilItConnects() {
    UnaryOperator<WorldConfig> brief = config -> config.connectTimeout(Duration.ofMillis(300));
    try (Worlds worlds = new Worlds(3, brief, SHM)) {
      World one = worlds.get(1);
      World two = worlds.get(2);
      worlds.get(0).close();
      Communicator some = one.communicator(one.newNumber(), new int[] {1, 2});
      Request send = one.communicator().isend(new int[] {5}, 2, 1);
      Request all = some.ibarrier();
      Request receive = one.communicator().irecv(new int[1], 2, 1);
      String why =
          assertThrows(RanksException.class, () -> assertTrue(send.await(PATIENCE))).getMessage();
      assertTrue(why.startsWith("rank 2 cannot be found"), why);
      why = assertThrows(RanksException.class, () -> assertTrue(all.await(PATIENCE))).getMessage();
      assertTrue(why.startsWith("rank 2 cannot be found"), why);
      assertThrows(RanksException.class, () -> one.communicator().send(new int[1], 2, 1));
      assertFalse(receive.isDone());
      two.node()
          .addPeer(
              one.node().name(),
              one.node().localAddresses().stream().map(at -> at.text()).toArray(String[]::new));
      while (!isSent(two, 1)) { // connected soon
        two.idle();
      }
      receive.await();
      one.communicator().send(new int[] {7}, 2, 1);
      int[] got = new int[1];
      two.communicator().recv(got, 1, 1);
      assertArrayEquals(new int[] {7}, got);
    }
  }

  /** Its connection to the introducer may seem to live on for long, where its host has vanished. */
  @Test
  void aRankThatNeverAnswersWhereItSaysThatItIsDies() throws IOException {
    int port = Ports.free();
    String key = "silent-" + ProcessHandle.current().pid();
    WorldConfig config = new WorldConfig().job(0, 2, key, "127.0.0.1:" + port);
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        World zero =
            World.join(config.rail("udp://127.0.0.1:0").connectTimeout(Duration.ofMillis(300)));
        Witness unused = new Witness(key, port, 1, "udp://127.0.0.1:" + silent.getLocalPort())) {
      Request send = zero.communicator().issend(Data.of(new int[1]), 1, 1);
      RankEndedException end =
          assertThrows(RankEndedException.class, () -> assertTrue(send.await(PATIENCE)));
      assertEquals(1, end.rank());
      assertTrue(
          end.getMessage().contains("has not answered within 300 ms at udp:"), end::getMessage);
    }
  }

  /**
   * Rank 1 has room for one channel, and ranks need two of them here: which comes first is open.
   */
  @Test
  void aRankWhoseNodeRefusesAChannelDies() throws IOException {
    int port = Ports.free();
    String key = "refuses-" + ProcessHandle.current().pid();
    try (World zero = World.join(new WorldConfig().job(0, 2, key, "127.0.0.1:" + port).rail(SHM));
        Node one =
            Node.start(
                NodeConfig.builder()
                    .name(zero.node().name().replace(".0", ".1"))
                    .rail(SHM)
                    .maxChannels(1)
                    .build());
        Witness unused = new Witness(key, port, 1, one.localAddresses().getFirst().text())) {
      Communicator some = zero.communicator(zero.newNumber(), new int[] {0, 1});
      zero.communicator().send(new int[1], 1, 1);
      Request all = some.ibarrier();
      RankEndedException end =
          assertThrows(RankEndedException.class, () -> assertTrue(all.await(PATIENCE)));
      assertEquals(1, end.rank());
      assertTrue(end.getMessage().contains("takes no messages on channel "), end::getMessage);
    }
  }

  /** Bounds that do not fit each other are told, where ranks could wait for each other for ever. */
  @Test
  void aRankWithOtherBoundsThanTheFirstIsToldAndDead() {
    String introducer = "127.0.0.1:" + Ports.free();
    String key = "bounds-" + ProcessHandle.current().pid();
    try (World zero =
            World.join(
                new WorldConfig().job(0, 2, key, introducer).rail(SHM).unexpectedMessages(300));
        World one =
            World.join(
                new WorldConfig().job(1, 2, key, introducer).rail(SHM).unexpectedMessages(1000))) {
      for (World world : List.of(zero, one)) {
        Request receive = world.communicator().irecv(new int[1], 1 - world.rank(), 1);
        String why =
            assertThrows(RankEndedException.class, () -> assertTrue(receive.await(PATIENCE)))
                .getMessage();
        assertTrue(why.contains("unexpectedMessages 300"), why);
        assertTrue(why.contains("unexpectedMessages 1000"), why);
      }
    }
  }

  @Test
  void aRankThatIsThereAlreadyOrHasAnotherKeyIsNotLetIn() {
    String introducer = "127.0.0.1:" + Ports.free();
    String key = "twice-" + ProcessHandle.current().pid();
    try (World zero = World.join(new WorldConfig().job(0, 3, key, introducer).rail(SHM));
        World one = World.join(new WorldConfig().job(1, 3, key, introducer).rail(SHM))) {
      assertEquals(0, zero.rank());
      String twice =
          assertThrows(
                  RanksException.class,
                  () ->
                      World.join(
                          new WorldConfig().job(1, 3, key, introducer).rail("udp://127.0.0.1:0")))
              .getMessage();
      assertTrue(twice.contains("rank 1 is there already"), twice);
      assertEquals(1, one.rank());
      String other =
          assertThrows(
                  RanksException.class,
                  () -> World.join(new WorldConfig().job(2, 3, "another", introducer).rail(SHM)))
              .getMessage();
      assertTrue(other.contains("key"), other);
      String size =
          assertThrows(
                  RanksException.class,
                  () -> World.join(new WorldConfig().job(2, 4, key, introducer).rail(SHM)))
              .getMessage();
      assertTrue(size.contains("3 ranks, not 4"), size);
    }
  }

  /** A message that counts as sent comes, though its sender leaves before it is received. */
  @Test
  void aBufferedMessageIsStillReceivedFromARankThatLeaves() throws InterruptedException {
    byte[] long0 = new byte[100_000];
    Arrays.fill(long0, (byte) 7);
    try (Worlds worlds = new Worlds(2, SHM)) {
      CountDownLatch leaves = new CountDownLatch(1);
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() == 0) {
              world.attachBuffer(200_000);
              all.bsend(Data.of(long0), 1, 1);
              leaves.countDown();
              world.close();
            } else {
              assertEquals(long0.length, all.probe(0, 1).bytes()); // it is announced
              leaves.await();
              Request never = all.irecv(new byte[1], 0, 2);
              assertFalse(never.await(Duration.ofMillis(200)), "rank 0 waits with its end");
              byte[] got = new byte[long0.length];
              all.recv(got, 0, 1);
              assertArrayEquals(long0, got);
              assertEquals(0, endedRank(never));
            }
          });
    }
  }

  /** What nobody receives is told of, when the time is up. */
  @Test
  void aBufferedMessageThatNobodyReceivesIsTold() throws InterruptedException {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler keep =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(MessageFormat.format(line.getMessage(), line.getParameters()));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.crosstie");
    logger.addHandler(keep);
    UnaryOperator<WorldConfig> brief = config -> config.closeLinger(Duration.ofMillis(100));
    try (Worlds worlds = new Worlds(2, brief, SHM)) {
      World one = worlds.get(1);
      one.attachBuffer(200_000);
      one.communicator().bsend(Data.of(new byte[100_000]), 0, 1);
      one.close();
    } finally {
      logger.removeHandler(keep);
    }
    String told = "rank 1 leaves with 100064 bytes of buffered sends that nobody has received";
    assertTrue(lines.stream().anyMatch(line -> line.startsWith(told)), lines::toString);
  }
}
