// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.Progress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends and receives of ranks in one JVM, over real rails. */
@Timeout(180)
final class PointToPointTest {
  private static final String SHM = "shm:";
  private static final String UDP = "udp://127.0.0.1:0";

  private static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(strings = {SHM, UDP})
  void allLengthsOfAllMemoryArrive(String rail) throws InterruptedException {
    int[] lengths = {0, 1, 8, 1000, 16 << 10, (16 << 10) + 1, 200_000, (9 << 20) + 3};
    try (Worlds worlds = new Worlds(2, rail)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            for (int length : lengths) {
              byte[] content = bytes(length, length);
              for (int kind = 0; kind < 4; kind++) {
                if (world.rank() == 0) {
                  all.send(memory(kind % 2 == 0, content), 1, kind);
                } else {
                  MemorySegment memory = memory(kind < 2, new byte[length]);
                  Received received = all.recv(memory, 0, kind);
                  assertEquals(new Received(0, kind, length), received);
                  assertEquals(-1, memory.mismatch(MemorySegment.ofArray(content)));
                }
              }
            }
          });
    }
  }

  private static MemorySegment memory(boolean isNative, byte[] content) {
    return isNative
        ? Arena.ofAuto()
            .allocate(Math.max(1, content.length), 8)
            .asSlice(0, content.length)
            .copyFrom(MemorySegment.ofArray(content))
        : MemorySegment.ofArray(content);
  }

  /** It never waits, so it is the one that has to move everything. */
  @Test
  void whoOnlyProbesSeesWhatComes() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() == 0) {
              all.send(new byte[1], 1, 1);
              long endNs = System.nanoTime() + 60_000_000_000L;
              while (all.iprobe(1, 2).isEmpty()) {
                assertTrue(System.nanoTime() < endNs, "nothing has come");
              }
              all.recv(new byte[1], 1, 2);
            } else {
              all.recv(new byte[1], 0, 1);
              all.send(new byte[1], 0, 2);
            }
          });
    }
  }

  @Test
  void allTypesArrive() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() == 0) {
              all.send(new byte[] {1, 2}, 1, 0);
              all.send(new short[] {3, -4}, 1, 1);
              all.send(new char[] {'x', '\uffff'}, 1, 2);
              all.send(new int[] {5, -6, 7}, 1, 3);
              all.send(new long[] {Long.MIN_VALUE}, 1, 4);
              all.send(new float[] {1.5f}, 1, 5);
              all.send(new double[] {Math.PI, -0.0}, 1, 6);
              all.send(ByteBuffer.wrap(new byte[] {9, 8, 7}).position(1), 1, 7);
              all.send(Data.of(new int[] {0, 1, 2, 3}, 1, 2), 1, 8);
            } else {
              byte[] b = new byte[2];
              all.recv(b, 0, 0);
              assertArrayEquals(new byte[] {1, 2}, b);
              short[] s = new short[2];
              all.recv(s, 0, 1);
              assertArrayEquals(new short[] {3, -4}, s);
              char[] c = new char[2];
              all.recv(c, 0, 2);
              assertArrayEquals(new char[] {'x', '\uffff'}, c);
              int[] i = new int[3];
              assertEquals(3, all.recv(i, 0, 3).count(ElementType.INT));
              assertArrayEquals(new int[] {5, -6, 7}, i);
              long[] l = new long[1];
              all.recv(l, 0, 4);
              assertArrayEquals(new long[] {Long.MIN_VALUE}, l);
              float[] f = new float[1];
              all.recv(f, 0, 5);
              assertArrayEquals(new float[] {1.5f}, f);
              double[] d = new double[2];
              all.recv(d, 0, 6);
              assertArrayEquals(new double[] {Math.PI, -0.0}, d);
              ByteBuffer buffer = ByteBuffer.allocateDirect(2);
              all.recv(buffer, 0, 7);
              assertEquals(8, buffer.get(0));
              assertEquals(7, buffer.get(1));
              all.recv(Data.of(i, 1, 2), 0, 8);
              assertArrayEquals(new int[] {5, 1, 2}, i);
            }
          });
    }
  }

  /** Long messages do not overtake short ones, nor the other way round. */
  @ParameterizedTest
  @ValueSource(strings = {SHM, UDP})
  void messagesOfOneTagKeepTheirOrderWhateverTheirLength(String rail) throws InterruptedException {
    int messages = 200;
    try (Worlds worlds = new Worlds(3, rail)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() > 0) {
              List<Request> sends = new ArrayList<>();
              Random random = new Random(world.rank());
              for (int i = 0; i < messages; i++) {
                int[] message = new int[1 + random.nextInt(random.nextInt(5) == 0 ? 60_000 : 50)];
                message[0] = i;
                sends.add(all.isend(message, 0, 5));
              }
              Request.awaitAll(sends);
            } else {
              int[] next = new int[3];
              for (int i = 0; i < 2 * messages; i++) {
                int[] message = new int[60_000];
                Received received = all.recv(message, Communicator.ANY_SOURCE, 5);
                assertEquals(next[received.source()]++, message[0]);
              }
              assertArrayEquals(new int[] {0, messages, messages}, next);
            }
          });
    }
  }

  @Test
  void messagesToOneself() {
    World world = World.join(new WorldConfig().job(0, 1, "alone", "").rail(SHM));
    try (world) {
      Communicator all = world.communicator();
      for (int length : new int[] {0, 10, 100_000}) {
        byte[] content = bytes(3, length);
        byte[] got = new byte[length];
        Request receive = all.irecv(got, 0, 1);
        assertFalse(receive.test());
        all.ssend(Data.of(content), 0, 1);
        assertEquals(length, receive.await().bytes());
        assertArrayEquals(content, got);
        Request send = all.isend(content, 0, 2);
        Request synchronous = all.issend(Data.of(content), 0, 3);
        assertFalse(synchronous.test());
        all.recv(new byte[length], 0, 2);
        all.recv(new byte[length], 0, 3);
        Request.awaitAll(send, synchronous);
      }
    }
  }

  @Test
  void synchronousSendsWaitForTheirReceive() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() == 0) {
              Request send = all.issend(Data.of(new int[] {1}), 1, 1);
              all.send(new int[] {2}, 1, 2);
              int[] got = new int[1];
              all.recv(got, 1, 3); // it has the second one, but not the first
              assertFalse(send.isDone());
              all.send(new int[] {4}, 1, 4);
              send.await();
            } else {
              int[] got = new int[1];
              all.recv(got, 0, 2);
              all.send(new int[] {3}, 0, 3);
              all.recv(got, 0, 4);
              assertEquals(1, all.recv(got, 0, 1).tag());
              assertEquals(1, got[0]);
            }
          });
    }
  }

  @Test
  void probesAndCancels() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() == 0) {
              Request never = all.irecv(new int[1], 1, 99);
              assertTrue(all.iprobe(1, 98).isEmpty());
              Received found = all.probe(1, Communicator.ANY_TAG);
              assertEquals(new Received(1, 7, 12), found);
              MatchedMessage message = all.mprobe(Communicator.ANY_SOURCE, 7);
              assertEquals(found, message.found());
              assertTrue(all.iprobe(1, 7).isEmpty());
              int[] got = new int[3];
              assertEquals(found, message.recv(Data.of(got)));
              assertArrayEquals(new int[] {1, 2, 3}, got);
              assertThrows(IllegalStateException.class, () -> message.irecv(Data.of(got)));
              assertTrue(never.cancel());
              assertFalse(never.cancel());
              assertThrows(RequestCancelledException.class, never::await);
              all.send(Data.none(), 1, 1);
            } else {
              all.send(new int[] {1, 2, 3}, 0, 7);
              all.recv(Data.none(), 0, 1);
            }
          });
    }
  }

  /** Each kind is begun again and again, and not while it is under way. */
  @ParameterizedTest
  @ValueSource(ints = {8, 40_000})
  void persistentRequestsAreBegunAnyNumberOfTimes(int length) throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            byte[][] data = new byte[4][length];
            List<PersistentRequest> requests = new ArrayList<>();
            world.attachBuffer(2L * (length + 64));
            for (int tag = 0; tag < 4; tag++) {
              Data of = Data.of(data[tag]);
              requests.add(
                  world.rank() == 1
                      ? all.recvInit(of, 0, tag)
                      : switch (tag) {
                        case 0 -> all.sendInit(of, 1, tag);
                        case 1 -> all.ssendInit(of, 1, tag);
                        case 2 -> all.bsendInit(of, 1, tag);
                        default -> all.rsendInit(of, 1, tag);
                      });
            }
            assertTrue(Request.testAll(requests)); // none is under way
            assertEquals(new Received(-1, -1, 0), requests.getFirst().await());
            assertFalse(requests.getFirst().cancel());
            for (int round = 0; round < 20; round++) {
              if (world.rank() == 1) {
                PersistentRequest.startAll(requests);
                String twice =
                    assertThrows(IllegalStateException.class, requests.getFirst()::start)
                        .getMessage();
                assertTrue(twice.contains("under way already"), twice);
                all.send(Data.none(), 0, 9);
                Request.awaitAll(requests);
                for (int tag = 0; tag < 4; tag++) {
                  assertEquals(4 * round + tag, data[tag][length - 1]);
                  assertEquals(new Received(0, tag, length), requests.get(tag).result());
                }
              } else {
                all.recv(Data.none(), 1, 9); // they are posted, for the ready one
                for (int tag = 0; tag < 4; tag++) {
                  data[tag][length - 1] = (byte) (4 * round + tag);
                }
                PersistentRequest.startAll(requests);
                Request.awaitAll(requests);
              }
            }
            assertThrows(IllegalArgumentException.class, () -> all.sendInit(Data.none(), 2, 0));
            assertThrows(IllegalArgumentException.class, () -> all.recvInit(Data.none(), 0, -7));
            PersistentRequest never = all.recvInit(Data.none(), world.rank(), 77);
            never.start();
            assertTrue(never.cancel());
            assertThrows(RequestCancelledException.class, never::await);
            never.start();
            all.send(Data.none(), world.rank(), 77);
            assertEquals(77, never.await().tag());
          });
    }
  }

  /** Room is charged before it is taken, comes back, and is waited for at the end. */
  @Test
  void bufferedSendsLeaveFromCopiesForWhichThereIsRoom() throws InterruptedException {
    int length = 100_000; // waits at the sender
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            byte[] data = new byte[length];
            if (world.rank() == 0) {
              String none =
                  assertThrows(RanksException.class, () -> all.bsend(Data.of(data), 1, 1))
                      .getMessage();
              assertTrue(none.contains("none is attached"), none);
              assertThrows(IllegalStateException.class, world::detachBuffer);
              world.attachBuffer(2 * (length + 64L));
              assertThrows(IllegalStateException.class, () -> world.attachBuffer(1));
              for (byte i = 1; i <= 2; i++) {
                java.util.Arrays.fill(data, i);
                all.bsend(Data.of(data), 1, 1);
              }
              java.util.Arrays.fill(data, (byte) 9); // the copies have left
              String full =
                  assertThrows(RanksException.class, () -> all.bsend(Data.none(), 1, 1))
                      .getMessage();
              assertTrue(full.contains("200128 of 200128 bytes are used"), full);
              all.send(Data.none(), 1, 2);
              assertEquals(2 * (length + 64L), world.detachBuffer());
              world.attachBuffer(64);
              all.bsend(Data.none(), 1, 3);
              assertEquals(64, world.detachBuffer());
            } else {
              all.recv(Data.none(), 0, 2);
              for (byte i = 1; i <= 2; i++) {
                all.recv(data, 0, 1);
                byte of = i;
                for (byte each : data) {
                  assertEquals(of, each);
                }
              }
              all.recv(Data.none(), 0, 3);
            }
          });
    }
  }

  @Test
  void waitsForOneSomeAndAll() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            int[][] got = new int[3][1];
            if (world.rank() == 0) {
              List<Request> receives = new ArrayList<>();
              for (int tag = 0; tag < 3; tag++) {
                receives.add(all.irecv(got[tag], 1, tag));
              }
              assertEquals(-1, Request.testAny(receives));
              assertFalse(Request.testAll(receives));
              all.send(Data.none(), 1, 9);
              assertEquals(1, Request.awaitAny(receives));
              assertEquals(List.of(1), Request.awaitSome(receives));
              all.send(Data.none(), 1, 9);
              Request.awaitAll(receives);
              assertTrue(Request.testAll(receives));
              assertEquals(List.of(0, 1, 2), Request.testSome(receives));
              assertArrayEquals(new int[][] {{10}, {11}, {12}}, got);
              assertFalse(all.irecv(got[0], 1, 77).await(Duration.ofMillis(1)));
            } else {
              all.recv(Data.none(), 0, 9);
              all.send(new int[] {11}, 0, 1);
              all.recv(Data.none(), 0, 9);
              all.send(new int[] {10}, 0, 0);
              all.send(new int[] {12}, 0, 2);
            }
          });
    }
  }

  @Test
  void whatIsWrongIsRefusedAtTheCall() {
    World world = World.join(new WorldConfig().job(0, 1, "alone", "").rail(SHM));
    try (world;
        Arena confined = Arena.ofConfined()) {
      Communicator all = world.communicator();
      assertThrows(IllegalArgumentException.class, () -> all.isend(new int[1], 1, 0));
      assertThrows(IllegalArgumentException.class, () -> all.isend(new int[1], -1, 0));
      assertThrows(IllegalArgumentException.class, () -> all.isend(new int[1], 0, -1));
      assertThrows(IllegalArgumentException.class, () -> all.irecv(new int[1], 3, 0));
      assertThrows(IllegalArgumentException.class, () -> all.irecv(new int[1], 0, -5));
      MemorySegment mine = confined.allocate(8, 8);
      assertTrue(
          assertThrows(IllegalArgumentException.class, () -> all.isend(mine, 0, 0))
              .getMessage()
              .contains("Arena.ofShared()"));
      assertThrows(
          IllegalArgumentException.class,
          () -> all.irecv(MemorySegment.ofArray(new byte[3]).asReadOnly(), 0, 0));
    }
    assertThrows(RanksException.class, () -> world.communicator().isend(new int[1], 0, 0));
    world.close();
  }

  /** All memory comes to its place also where the bound on unexpected messages is tiny. */
  @ParameterizedTest
  @ValueSource(strings = {"thread", "shared"})
  void manyMessagesWithHardlyAnyRoom(String progress) throws InterruptedException {
    int messages = 3000;
    try (Worlds worlds =
        new Worlds(
            2,
            config ->
                config
                    .unexpectedMessages(16)
                    .unexpectedBytes(1000)
                    .progress(progress.equals("thread") ? Progress.thread() : Progress.shared()),
            SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            int other = 1 - world.rank();
            long[][] content = new long[messages][25];
            List<Request> requests = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
              content[i][24] = i;
              requests.add(all.isend(content[i], other, i));
            }
            for (int i = messages - 1; i >= 0; i--) { // the last one first
              long[] got = new long[25];
              all.recv(got, other, i);
              assertEquals(i, got[24]);
            }
            Request.awaitAll(requests);
          });
    }
  }

  /** More than there is room for by far; it is found all the same, and the room is kept to. */
  @Test
  void aLaterTagIsFoundBehindAHundredThousandEarlierOnes() throws InterruptedException {
    int many = 100_000;
    int bound = 65_536;
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            int[] got = new int[1];
            if (world.rank() == 0) {
              List<Request> requests = new ArrayList<>();
              for (int i = 0; i < many; i++) {
                requests.add(all.isend(new int[] {i}, 1, 1));
              }
              all.send(new int[] {7}, 1, 2);
              all.recv(got, 1, 3);
              assertTrue(requests.stream().filter(Request::test).count() < many, "all have left");
              all.send(got, 1, 4);
              Request.awaitAll(requests);
            } else {
              all.recv(got, 0, 2);
              assertEquals(7, got[0]);
              int held =
                  world.describePending().stream()
                      .filter(line -> line.endsWith(" messages are unexpected"))
                      .mapToInt(line -> Integer.parseInt(line.substring(0, line.indexOf(' '))))
                      .sum();
              assertTrue(held >= bound && held <= bound + 1, () -> held + " are held");
              all.send(got, 0, 3);
              all.recv(got, 0, 4);
              for (int i = 0; i < many; i++) {
                all.recv(got, 0, 1);
                assertEquals(i, got[0]);
              }
            }
          });
    }
  }

  /** Any number of threads; and a transfer gets on while nobody calls. */
  @Test
  void severalThreadsAtOnce() throws InterruptedException {
    int threads = 4;
    int rounds = 300;
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            List<Thread> started = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
              int tag = t;
              started.add(
                  Thread.ofPlatform()
                      .start(
                          () -> {
                            try {
                              int[] got = new int[1];
                              for (int i = 0; i < rounds; i++) {
                                if (world.rank() == 0) {
                                  all.send(new int[] {i}, 1, tag);
                                  all.recv(got, 1, tag);
                                } else {
                                  all.recv(got, 0, tag);
                                  all.send(got, 0, tag);
                                }
                                assertEquals(i, got[0]);
                              }
                            } catch (Throwable e) {
                              synchronized (failures) {
                                failures.add(e);
                              }
                            }
                          }));
            }
            for (Thread thread : started) {
              thread.join();
            }
            synchronized (failures) {
              assertEquals(List.of(), failures);
            }
          });
    }
  }

  /** The memory of puts is that of the receive: nothing beside it is written. */
  @Test
  void nothingBesideTheMemoryIsWritten() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            int length = 1_000_000;
            MemorySegment around = Arena.ofAuto().allocate(length + 128, 64);
            if (world.rank() == 0) {
              around.fill((byte) 7);
              all.send(around.asSlice(64, length), 1, 0);
            } else {
              Received received = all.recv(around.asSlice(64, length + 8), 0, 0);
              assertEquals(length, received.bytes());
              for (long i = 0; i < 64; i++) {
                assertEquals(0, around.get(ValueLayout.JAVA_BYTE, i));
                assertEquals(0, around.get(ValueLayout.JAVA_BYTE, 64 + length + i));
              }
              assertEquals(7, around.get(ValueLayout.JAVA_BYTE, 64));
              assertEquals(7, around.get(ValueLayout.JAVA_BYTE, 63 + length));
            }
          });
    }
  }

  @Test
  void aChecksumOfOnesOwn() {
    WorldConfig config = new WorldConfig().rail(UDP).checksum("none");
    Map<String, String> environment = Map.of(WorldConfig.CHECKSUM, " xor ");
    assertEquals("none", config.checksum(environment));
    assertEquals("xor", new WorldConfig().checksum(environment));
    assertNull(new WorldConfig().checksum(Map.of(WorldConfig.CHECKSUM, " ")));
    try (World world = World.join(config.job(0, 1, "alone", ""))) {
      assertEquals("none", world.node().config().checksum());
    }
    RanksException e =
        assertThrows(RanksException.class, () -> World.join(config.checksum("crc31")));
    assertTrue(e.getMessage().contains("crc32c"), e.getMessage());
  }
}
