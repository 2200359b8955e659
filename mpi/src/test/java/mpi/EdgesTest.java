// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.ranks.Data;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only some programs meet: nothing at all, more than one thread, mistakes half way. */
@Timeout(120)
final class EdgesTest {
  private static final int LARGE = 100_000;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "communicatorsWhileObjectsCome",
        "endWhileObjectsCome",
        "countsOfNothing",
        "freedCommunicators",
        "communicatorsOfSeveralThreads",
        "objectsComeWhileAnotherThreadWaits",
        "aBufferIsDetachedWhileAnotherThreadSends",
        "objectsAreReducedMeanwhile",
        "operationsOnTypesWithOtherBounds",
        "elementsOfMixedTypes",
        "mistakesLeaveNothingBehind",
        "typesOfNothing",
        "persistentRequests",
        "whatIsPredefinedStays",
        "noHints",
        "matchedMessageAndWrongBuffer",
        "freedWhileUnderWay",
        "aMessageIsAskedForWhileObjectsCome",
        "anOperationThatFailsWithAnError",
        "graphsOfWrongEdges",
        "oneIsOverWhileAnotherNeverComes",
        "splitByTheTypesOfSome",
        "splitByWhatIsNoColor",
        "gridsThatOneRankDescribesWrongly",
        "objectsOfWhichTheRestFails",
        "roomThatAnotherThreadHasTaken",
        "oneRankFailsInCollectivesOfObjects",
        "roomComesBehindAnAnswer",
        "receivesIntoWhatCannotBeWritten",
        "freedCommunicatorsTakeNothing",
      })
  void edge(String method) throws Exception {
    Ranks.run(3, "shm:", EdgesTest.class, method);
  }

  private static final Intracomm ALL = MPI.COMM_WORLD;

  private static int right() {
    return (ALL.getRank() + 1) % ALL.getSize();
  }

  private static int left() {
    return (ALL.getRank() - 1 + ALL.getSize()) % ALL.getSize();
  }

  private static int errorOf(Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  /** Rank 0 has a receive open, and calls what rank 1 calls only once its message has left. */
  private static void whileObjectsCome(Runnable collective) {
    Object[] memory = new Object[1];
    Request receive = null;
    if (ALL.getRank() == 0) {
      receive = ALL.Irecv(memory, 0, 1, MPI.OBJECT, 1, 3);
    } else if (ALL.getRank() == 1) {
      ALL.Send(new Object[] {"x".repeat(LARGE)}, 0, 1, MPI.OBJECT, 0, 3);
    }
    collective.run();
    if (receive != null) {
      receive.waitFor();
      assertEquals("x".repeat(LARGE), memory[0]);
    }
  }

  static void communicatorsWhileObjectsCome() {
    whileObjectsCome(() -> assertEquals(3, ALL.dup().getSize()));
    whileObjectsCome(() -> assertEquals(3, ALL.Split(0, 0).Size()));
    whileObjectsCome(() -> assertEquals(3, ALL.create(ALL.getGroup()).getSize()));
    whileObjectsCome(
        () -> assertEquals(3, ALL.createCart(new int[] {3}, new boolean[1], false).getSize()));
  }

  /** Finalize waits for rank 1, whose message leaves once rank 0 has taken it. */
  static void endWhileObjectsCome() {
    if (ALL.getRank() == 0) {
      Request unused = ALL.Irecv(new Object[1], 0, 1, MPI.OBJECT, 1, 3);
    } else if (ALL.getRank() == 1) {
      ALL.Send(new Object[] {"x".repeat(LARGE)}, 0, 1, MPI.OBJECT, 0, 3);
    }
  }

  /** What is freed is given back, once objects whose rest is still to come are there. */
  static void freedCommunicators() throws Exception {
    int before = MPI.world().openCommunicators();
    for (int i = 0; i < 200; i++) {
      Intracomm made = i % 2 == 0 ? ALL.dup() : ALL.split(0, ALL.getRank());
      Object[] memory = new Object[1];
      Request receive = made.iRecv(memory, 1, MPI.OBJECT, left(), 3);
      Request send = made.iSend(new Object[] {"x".repeat(LARGE)}, 1, MPI.OBJECT, right(), 3);
      Request sum = made.iAllReduce(new int[] {1}, new int[1], 1, MPI.INT, MPI.SUM);
      made.free();
      receive.waitFor();
      send.waitFor();
      sum.waitFor();
      assertEquals("x".repeat(LARGE), memory[0]);
    }
    while (MPI.world().openCommunicators() > before) {
      MPI.world().idle(); // the last ones are closed as what was under way in them ends
    }
    if (ALL.getRank() < 2) {
      Intracomm own = ALL.split(ALL.getRank(), 0);
      Intercomm inter = ALL.createIntercomm(own, 0, 1 - ALL.getRank(), 5);
      inter.barrier();
      inter.free();
      own.free();
    } else {
      ALL.split(2, 0).free();
    }
    while (MPI.world().openCommunicators() > before) {
      MPI.world().idle();
    }
  }

  static void countsOfNothing() {
    int me = ALL.getRank();
    int[] mine = new int[me];
    ALL.reduceScatter(new int[] {5, 6, 7}, mine, new int[] {0, 1, 2}, MPI.INT, MPI.SUM);
    assertArrayEquals(new int[][] {{}, {15}, {18, 21}}[me], mine);
    double[] place = {1, 2};
    ALL.reduceScatter(place, new int[] {2, 0, 0}, MPI.DOUBLE, MPI.MAX);
    ALL.allReduce(new long[0], 0, MPI.LONG, MPI.BAND);
    ALL.scan(new float[0], 0, MPI.FLOAT, MPI.MIN);
    ALL.reduce(new short[0], 0, MPI.SHORT, MPI.SUM, 1);
    ALL.bcast(null, 0, MPI.INT, 2);
    ALL.allGather(new int[0], 0, MPI.INT, new int[0], 0, MPI.INT);
  }

  /** Each thread has its own communicator, and makes others of it, whatever the others do. */
  static void communicatorsOfSeveralThreads() throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Intracomm own = ALL.dup();
      int id = i;
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .unstarted(
                  () -> {
                    try {
                      make(own, id);
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    // not in the same order in all ranks
    for (int i = 0; i < 3; i++) {
      threads.get((i + ALL.getRank()) % 3).start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), failures);
  }

  /** Until that thread waits inside the library, for what nobody has sent yet. */
  private static void awaitWait(Thread thread) {
    awaitIn(thread, "await");
  }

  /** Until it is in a method of the world. */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  private static void awaitIn(Thread thread, String method) {
    boolean waits = false;
    while (!waits) {
      assertTrue(thread.isAlive());
      waits =
          Arrays.stream(thread.getStackTrace())
              .anyMatch(
                  frame ->
                      frame.getClassName().equals("io.crosstie.ranks.World")
                          && frame.getMethodName().equals(method));
      Thread.yield();
    }
  }

  /**
   * Rank 1's message of objects leaves once rank 0 has asked for the rest of it, which the thread
   * that waited before has to do: it waits for what comes behind, once with nothing else open, once
   * with something.
   */
  static void objectsComeWhileAnotherThreadWaits() throws InterruptedException {
    String large = "x".repeat(LARGE);
    for (boolean isQuiet : new boolean[] {true, false}) {
      if (ALL.getRank() == 0) {
        Object[] last = new Object[1];
        Request open = isQuiet ? null : ALL.Irecv(last, 0, 1, MPI.OBJECT, 1, 5);
        int[] got = new int[1];
        Thread waits = Thread.ofPlatform().daemon().start(() -> ALL.recv(got, 1, MPI.INT, 1, 4));
        awaitWait(waits);
        Object[] memory = new Object[1];
        Request receive = ALL.Irecv(memory, 0, 1, MPI.OBJECT, 1, 3);
        ALL.send(new int[1], 1, MPI.INT, 1, 2);
        waits.join(); // while this thread does something else
        assertEquals(7, got[0]);
        receive.waitFor();
        assertEquals(large, memory[0]);
        if (open != null) {
          open.waitFor();
          assertEquals("last", last[0]);
        }
      } else if (ALL.getRank() == 1) {
        ALL.recv(new int[1], 1, MPI.INT, 0, 2);
        ALL.Send(new Object[] {large}, 0, 1, MPI.OBJECT, 0, 3);
        ALL.send(new int[] {7}, 1, MPI.INT, 0, 4);
        if (!isQuiet) {
          ALL.Send(new Object[] {"last"}, 0, 1, MPI.OBJECT, 0, 5);
        }
      }
    }
  }

  static void freedWhileUnderWay() {
    int me = ALL.getRank();
    Intracomm own = ALL.dup();
    Object[] all = new Object[1];
    Request reduced = own.iAllReduce(new Object[] {me, me}, all, 1, MPI.OBJECT, join());
    own.free();
    reduced.waitFor();
    assertEquals("012", all[0]);
  }

  /** What rank 1 sends before it is not there until its last part is asked for. */
  static void aMessageIsAskedForWhileObjectsCome() {
    int me = ALL.getRank();
    if (me == 0) {
      Object[] memory = new Object[1];
      Request receive = ALL.Irecv(memory, 0, 1, MPI.OBJECT, 1, 3);
      Message message = new Message();
      while (message.imProbe(1, 7, ALL) == null) {
        Thread.onSpinWait();
      }
      int[] got = new int[1];
      message.mRecv(got, 1, MPI.INT);
      assertEquals(7, got[0]);
      receive.waitFor();
    } else if (me == 1) {
      ALL.Send(new Object[] {"x".repeat(LARGE)}, 0, 1, MPI.OBJECT, 0, 3);
      ALL.send(new int[] {7}, 1, MPI.INT, 0, 7);
    }
  }

  static void anOperationThatFailsWithAnError() {
    int[] calls = new int[1];
    Op fails =
        new Op(
            new User_function() {
              @Override
              public void Call(
                  Object in, int inAt, Object inOut, int at, int count, Datatype type) {
                calls[0]++;
                throw new StackOverflowError("of the program's");
              }
            },
            true);
    Object[] to = new Object[1];
    Request reduced = ALL.iReduce(new Object[] {1}, to, 1, MPI.OBJECT, fails, 0);
    ALL.barrier(); // brings everything on
    if (ALL.getRank() == 0) {
      assertEquals(MPI.ERR_OTHER, errorOf(reduced::waitFor));
      assertEquals(1, calls[0]);
    } else {
      reduced.waitFor();
    }
    assertTrue(Progress.isQuiet());
  }

  /** Who says UNDEFINED takes part all the same, and what is wrong is told to all. */
  static void splitByTheTypesOfSome() {
    int me = ALL.getRank();
    Intracomm host = ALL.splitType(me == 1 ? MPI.UNDEFINED : Comm.TYPE_SHARED, -me, MPI.INFO_NULL);
    assertEquals(me == 1, host.isNull());
    if (me != 1) {
      assertEquals(2, host.getSize());
      assertEquals(me == 2 ? 0 : 1, host.getRank());
    }
    int wrong = me == 2 ? 77 : Comm.TYPE_SHARED;
    assertEquals(MPI.ERR_ARG, errorOf(() -> ALL.splitType(wrong, 0, MPI.INFO_NULL)));
    ALL.barrier();
  }

  /** What is wrong at one rank is told to all, and nobody waits for it. */
  static void splitByWhatIsNoColor() {
    int me = ALL.getRank();
    assertEquals(MPI.ERR_ARG, errorOf(() -> ALL.split(me == 1 ? -7 : 0, 0)));
    Group some = me == 2 ? null : ALL.getGroup();
    assertEquals(MPI.ERR_GROUP, errorOf(() -> ALL.create(some)));
    Intracomm others = ALL.split(me == 1 ? MPI.UNDEFINED : 0, -me);
    assertEquals(me == 1, others.isNull());
    if (me != 1) {
      int[] ranks = {others.getRank(), me};
      int[] all = new int[4];
      others.allGather(ranks, 2, MPI.INT, all, 2, MPI.INT);
      assertArrayEquals(new int[] {0, 2, 1, 0}, all);
    }
    ALL.barrier();
  }

  /** So it is with the shapes of grids and graphs. */
  static void gridsThatOneRankDescribesWrongly() {
    int me = ALL.getRank();
    boolean[] open = {false, false};
    int[] dims = {me == 1 ? -3 : 1, 3};
    assertTrue(isError(errorOf(() -> ALL.createCart(dims, open, false))));
    assertTrue(isError(errorOf(() -> ALL.Create_cart(dims, open, false))));
    int[] index = {1, me == 2 ? 9 : 2};
    int[] edges = {1, 0};
    assertTrue(isError(errorOf(() -> ALL.createGraph(index, edges, false))));
    assertTrue(isError(errorOf(() -> ALL.Create_graph(index, edges, false))));
    CartComm grid = ALL.createCart(new int[] {1, 3}, open, false);
    assertTrue(isError(errorOf(() -> grid.sub(new boolean[me == 1 ? 1 : 2]))));
    Cartcomm same = ALL.Create_cart(new int[] {1, 3}, open, false);
    assertTrue(isError(errorOf(() -> same.Sub(new boolean[me == 1 ? 1 : 2]))));
    ALL.barrier();
  }

  private static boolean isError(int errorClass) {
    return errorClass > MPI.SUCCESS && errorClass != MPI.ERR_PROC_FAILED;
  }

  /**
   * Of a message of objects it is known whose it is, whatever fails of what follows its envelope.
   */
  static void objectsOfWhichTheRestFails() {
    int me = ALL.getRank();
    if (me == 1) {
      Part large = Part.of(new Object[] {"x".repeat(LARGE)}, 0, 1, MPI.OBJECT);
      ObjectMessages.Written good = ObjectMessages.write(large, ALL.nextNumber());
      byte[] longer = Arrays.copyOf(good.rest(), good.rest().length + 1);
      byte[] envelope = good.envelope().clone();
      ByteBuffer unused = ByteBuffer.wrap(envelope).putInt(8, Integer.MAX_VALUE);
      for (ObjectMessages.Written wrong :
          List.of(
              new ObjectMessages.Written(good.envelope(), longer, good.number()),
              new ObjectMessages.Written(envelope, null, 0))) {
        CommCreation.await(ObjectMessages.send(wrong, ALL.plain(), ALL.inner(), 0, 7, false));
      }
    } else if (me == 0) {
      for (int code : new int[] {MPI.ERR_TRUNCATE, MPI.ERR_OTHER}) {
        Request[] any = {ALL.Irecv(new Object[1], 0, 1, MPI.OBJECT, MPI.ANY_SOURCE, MPI.ANY_TAG)};
        Status failed =
            assertThrows(MPIException.class, () -> Request.waitSome(any)).getStatuses()[0];
        assertEquals(code, failed.getError());
        assertEquals(1, failed.source);
        assertEquals(7, failed.tag);
      }
    }
    ALL.barrier();
  }

  /** Another thread is about to send: a message waits for the room that it has taken. */
  static void roomThatAnotherThreadHasTaken() throws InterruptedException {
    Buffered buffered = new Buffered(Long.MAX_VALUE / 2);
    buffered.attach(null, 500);
    buffered.charge(200);
    Thread waits = Thread.ofPlatform().daemon().start(() -> buffered.charge(100));
    awaitIn(waits, "idle");
    buffered.giveBack(200);
    waits.join();
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> buffered.charge(400))); // at once
    buffered.giveBack(100);
    byte[] unused = buffered.detach();
  }

  private static Op operation(Consumer<Object[]> onBoth) {
    return new Op(
        new User_function() {
          @Override
          public void Call(Object in, int inAt, Object inOut, int at, int count, Datatype type) {
            onBoth.accept((Object[]) inOut);
          }
        },
        false);
  }

  /** Nobody waits for what does not come: who waits for it is told. */
  static void oneRankFailsInCollectivesOfObjects() {
    int me = ALL.getRank();
    Object[] mine = {me == 1 ? new Object() : "x".repeat(LARGE) + me}; // rank 1's cannot be written
    Object[] one = new Object[1];
    Object[] all = new Object[3];
    int[] ones = {1, 1, 1};
    int[] at = {0, 1, 2};
    assertEquals(MPI.ERR_TYPE, errorOf(() -> ALL.bcast(mine.clone(), 1, MPI.OBJECT, 1)));
    for (Executable gather :
        List.<Executable>of(
            () -> ALL.gather(mine, 1, MPI.OBJECT, all, 1, MPI.OBJECT, 2),
            () -> ALL.iGatherv(mine, 1, MPI.OBJECT, all, ones, at, MPI.OBJECT, 2).waitFor(),
            () -> ALL.reduce(mine, one, 1, MPI.OBJECT, join(), 2))) {
      if (me == 0) {
        assertDoesNotThrow(gather);
      } else {
        assertEquals(MPI.ERR_TYPE, errorOf(gather));
      }
    }
    Object[] parts = {"for 0", new Object(), "for 2"}; // what rank 1 has for itself is wrong
    Executable scatter = () -> ALL.scatter(parts, 1, MPI.OBJECT, one, 1, MPI.OBJECT, 1);
    if (me == 1) {
      assertEquals(MPI.ERR_TYPE, errorOf(scatter));
    } else {
      assertDoesNotThrow(scatter);
      assertEquals("for " + me, one[0]);
    }
    Object[] three = new Object[3];
    Arrays.fill(three, mine[0]);
    for (Executable each :
        List.<Executable>of(
            () -> ALL.Allgather(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT),
            () -> ALL.allToAll(three, 1, MPI.OBJECT, all, 1, MPI.OBJECT),
            () -> ALL.iAllReduce(mine, one, 1, MPI.OBJECT, join()).waitFor(),
            () -> ALL.Reduce_scatter(three, 0, one, 0, ones, MPI.OBJECT, join()),
            () -> ALL.scan(mine, one, 1, MPI.OBJECT, join()))) {
      assertEquals(MPI.ERR_TYPE, errorOf(each));
    }
    Object[] good = {me};
    Op fails =
        operation(
            unused -> {
              throw new IllegalStateException("of the program's");
            });
    assertEquals(MPI.ERR_OTHER, errorOf(() -> ALL.allReduce(good, one, 1, MPI.OBJECT, fails)));
    assertEquals(
        MPI.ERR_OTHER,
        errorOf(() -> ALL.iReduceScatterBlock(all, one, 1, MPI.OBJECT, fails).waitFor()));
    Op unwritable = operation(inOut -> inOut[0] = new Object());
    assertEquals(MPI.ERR_TYPE, errorOf(() -> ALL.allReduce(good, one, 1, MPI.OBJECT, unwritable)));
    // what rank 0 alone has no place for comes to the others
    Object[] place = me == 0 ? new Integer[1] : new Object[1];
    Executable text = () -> ALL.allReduce(good, place, 1, MPI.OBJECT, join());
    if (me == 0) {
      assertEquals(MPI.ERR_TYPE, errorOf(text));
    } else {
      assertDoesNotThrow(text);
      assertEquals("012", place[0]);
    }
    ALL.barrier();
    assertTrue(Progress.isQuiet());
  }

  /** What a message of the buffer's is to this rank: over once it was asked so many times. */
  private static Transfer asked(AtomicInteger times) {
    return new Transfer() {
      @Override
      boolean advance() {
        return times.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
      }

      @Override
      void pending(List<io.crosstie.ranks.Request> into) {
        // what is waited for is not of the ranks below
      }

      @Override
      Status finish() {
        return Status.empty();
      }
    };
  }

  /** A message was received, which is known here only a moment later: then there is room. */
  static void roomComesBehindAnAnswer() {
    Buffered.instance().attach(null, 300);
    Buffered.instance().charge(100);
    Buffered.instance().sent(asked(new AtomicInteger(5)), 100);
    Buffered.instance().charge(100);
    AtomicInteger never = new AtomicInteger(Integer.MAX_VALUE);
    Buffered.instance().sent(asked(never), 100);
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> Buffered.instance().charge(100)));
    never.set(0);
    byte[] unused = MPI.detachBuffer();
  }

  /** It is told before a message is taken. */
  static void receivesIntoWhatCannotBeWritten() {
    IntBuffer heap = IntBuffer.allocate(4).asReadOnlyBuffer();
    IntBuffer direct = MPI.newIntBuffer(4).asReadOnlyBuffer();
    Datatype column = Datatype.createVector(2, 1, 2, MPI.INT);
    int[] sent = {7, 8};
    byte[] packed = new byte[8];
    int unused = ALL.pack(sent, 2, MPI.INT, packed, 0);
    for (IntBuffer fixed : List.of(heap, direct)) {
      Request send = ALL.iSend(sent, 2, MPI.INT, right(), 1);
      Status unusedToo = ALL.probe(left(), 1);
      for (Executable receive :
          List.<Executable>of(
              () -> ALL.recv(fixed, 2, MPI.INT, left(), 1),
              () -> ALL.iRecv(fixed, 1, column, left(), 1),
              () -> ALL.Recv(fixed, 0, 1, column, left(), 1),
              () -> ALL.recvInit(fixed, 1, column, left(), 1),
              () -> ALL.recvInit(fixed, 1, MPI.INT, left(), 1),
              () -> ALL.sendRecv(sent, 1, MPI.INT, left(), 9, fixed, 2, MPI.INT, left(), 1),
              () -> ALL.allReduce(sent, fixed, 2, MPI.INT, MPI.SUM),
              () -> ALL.allGatherv(sent, 1, MPI.INT, fixed, sent(1), sent(0), column),
              () -> ALL.unpack(packed, 0, fixed, 1, column))) {
        assertEquals(MPI.ERR_BUFFER, errorOf(receive));
      }
      Message message = new Message();
      Status found = message.mProbe(left(), 1, ALL);
      assertEquals(MPI.ERR_BUFFER, errorOf(() -> message.mRecv(fixed, 1, column)));
      int[] got = new int[3];
      assertEquals(2, found.getCount(MPI.INT));
      Status unusedStatus = message.mRecv(got, 1, column);
      assertArrayEquals(new int[] {7, 0, 8}, got);
      send.waitFor();
      ALL.send(heap, 1, MPI.INT, right(), 2); // such ones can be sent
      ALL.recv(got, 1, MPI.INT, left(), 2);
    }
    assertTrue(Progress.isQuiet());
  }

  private static int[] sent(int each) {
    return new int[] {each, each, each};
  }

  static void freedCommunicatorsTakeNothing() {
    Intracomm gone = ALL.dup();
    gone.free();
    int key = Comm.createKeyval();
    for (Comm none : List.of(gone, MPI.COMM_NULL)) {
      for (Executable call :
          List.<Executable>of(
              () -> none.setAttr(key, 1),
              () -> none.Attr_put(key, 1),
              () -> none.deleteAttr(key),
              () -> none.setName("x"),
              () -> none.setInfo(MPI.INFO_NULL),
              () -> none.setErrhandler(MPI.ERRORS_RETURN),
              () -> none.Errhandler_set(MPI.ERRORS_RETURN),
              () -> none.callErrhandler(MPI.ERR_ARG))) {
        assertEquals(MPI.ERR_COMM, errorOf(call));
      }
    }
    Win win = new Win(IntBuffer.allocate(1), 1, 1, MPI.INFO_NULL, ALL);
    win.free();
    for (Executable call :
        List.<Executable>of(
            () -> win.setAttr(key, 1),
            () -> win.deleteAttr(key),
            () -> win.setName("x"),
            () -> win.setInfo(MPI.INFO_NULL),
            () -> win.setErrhandler(MPI.ERRORS_RETURN))) {
      assertEquals(MPI.ERR_WIN, errorOf(call));
    }
  }

  /** Who waits for any of several has looked at them, and then one is over before it sleeps. */
  static void oneIsOverWhileAnotherNeverComes() {
    int me = ALL.getRank();
    int[] got = new int[1];
    io.crosstie.ranks.Request never = ALL.plain().irecv(Data.of(got), me, 99);
    Progress.awaitStep(
        List.of(Transfer.over(Status.empty()), Transfer.message(never, Part.nothing())));
    ALL.send(new int[] {5}, 1, MPI.INT, me, 99);
    Request[] both = {ALL.iRecv(new int[1], 1, MPI.INT, left(), 98), ALL.iBarrier()};
    ALL.send(new int[1], 1, MPI.INT, right(), 98);
    Request.waitAll(both);
    assertEquals(5, got[0]);
  }

  static void graphsOfWrongEdges() {
    int me = ALL.getRank();
    int[] self = {me};
    int[] one = {1};
    int[] next = {right(), 7, 7}; // with what is not of it behind
    GraphComm ring = ALL.createDistGraph(self, one, next, MPI.INFO_NULL, false);
    int[] got = new int[1];
    ring.neighborAllGather(self, 1, MPI.INT, got, 1, MPI.INT);
    assertEquals(left(), got[0]);
    int[] two = {me == 1 ? 2 : 1};
    int[] to = {right()};
    assertEquals(
        MPI.ERR_ARG, errorOf(() -> ALL.createDistGraph(self, two, to, MPI.INFO_NULL, false)));
    int[] none = {me == 1 ? 3 : 0};
    assertEquals(
        MPI.ERR_ARG, errorOf(() -> ALL.createDistGraph(self, one, none, MPI.INFO_NULL, false)));
  }

  /** What the detach waits for leaves once rank 1 has what another thread sends buffered, too. */
  static void aBufferIsDetachedWhileAnotherThreadSends() throws InterruptedException {
    byte[] large = new byte[4 << 20];
    if (ALL.getRank() == 0) {
      byte[] buffer = new byte[(4 << 20) + 10_000];
      MPI.attachBuffer(buffer);
      ALL.bSend(large, large.length, MPI.BYTE, 1, 1);
      byte[][] detached = new byte[1][];
      Thread detaches = Thread.ofPlatform().daemon().start(() -> detached[0] = MPI.detachBuffer());
      awaitWait(detaches);
      ALL.bSend(new int[] {7}, 1, MPI.INT, 1, 2);
      detaches.join();
      assertSame(buffer, detached[0]);
    } else if (ALL.getRank() == 1) {
      int[] got = new int[1];
      ALL.recv(got, 1, MPI.INT, 0, 2);
      assertEquals(7, got[0]);
      ALL.recv(large, large.length, MPI.BYTE, 0, 1);
    }
  }

  private static void make(Intracomm own, int id) {
    for (int i = 0; i < 20; i++) {
      Intracomm made = i % 2 == 0 ? own.dup() : own.split(0, own.getRank());
      int[] got = new int[1];
      made.sendRecv(new int[] {100 * i + id}, 1, MPI.INT, right(), 1, got, 1, MPI.INT, left(), 1);
      assertEquals(100 * i + id, got[0]);
      int[] sum = {id};
      made.allReduce(sum, 1, MPI.INT, MPI.SUM);
      assertEquals(3 * id, sum[0]);
    }
  }

  private static Op join() {
    return new Op(
        new User_function() {
          @Override
          public void Call(Object in, int inAt, Object inOut, int at, int count, Datatype type) {
            for (int i = 0; i < count; i++) {
              ((Object[]) inOut)[at + i] =
                  "" + ((Object[]) in)[inAt + i] + ((Object[]) inOut)[at + i];
            }
          }
        },
        false);
  }

  /** Begun by rank 0 before any other comes; and waited for in another order than begun. */
  static void objectsAreReducedMeanwhile() {
    int me = ALL.getRank();
    if (me > 0) {
      ALL.recv(new int[1], 1, MPI.INT, 0, 9);
    }
    Object[] mine = {me, "x".repeat(LARGE) + me};
    Object[] reduced = new Object[2];
    Object[] all = new Object[1];
    Object[] scanned = new Object[1];
    Object[] before = {"none"};
    Object[] part = new Object[1];
    Object[] three = {"a" + me, "b" + me, "c" + me};
    Request[] requests = {
      ALL.iReduce(mine, reduced, 2, MPI.OBJECT, join(), 0),
      ALL.iAllReduce(mine, all, 1, MPI.OBJECT, join()),
      ALL.iScan(mine, scanned, 1, MPI.OBJECT, join()),
      ALL.iExScan(mine, before, 1, MPI.OBJECT, join()),
      ALL.iReduceScatter(three, part, new int[] {1, 1, 1}, MPI.OBJECT, join()),
    };
    if (me == 0) {
      for (int i = 1; i < 3; i++) {
        ALL.send(new int[1], 1, MPI.INT, i, 9);
      }
    }
    for (int i = 4; i >= 0; i--) {
      requests[(i + me) % 5].waitFor();
    }
    assertEquals(me == 0 ? "012" : null, reduced[0]);
    assertEquals("012", all[0]);
    assertEquals(List.of("0", "01", "012").get(me), "" + scanned[0]);
    assertEquals(List.of("none", "0", "01").get(me), "" + before[0]);
    assertEquals(List.of("a0a1a2", "b0b1b2", "c0c1c2").get(me), part[0]);
    assertEquals(
        MPI.ERR_OP, errorOf(() -> ALL.iAllReduce(mine, all, 1, MPI.OBJECT, MPI.SUM).waitFor()));
    assertTrue(Progress.isQuiet());
  }

  /** Adds what is at the places 0 and 2, or -1 and 0. */
  private static Op sum(int... places) {
    return new Op(
        new User_function() {
          @Override
          public void Call(Object in, int inAt, Object inOut, int at, int count, Datatype type) {
            for (int place : places) {
              ((int[]) inOut)[at + place] += ((int[]) in)[inAt + place];
            }
          }
        },
        true);
  }

  static void operationsOnTypesWithOtherBounds() {
    Datatype narrow = Datatype.createResized(Datatype.createVector(2, 1, 2, MPI.INT), 0, 4);
    int[] data = {ALL.getRank(), 7, 10};
    ALL.allReduce(data, 1, narrow, sum(0, 2));
    assertArrayEquals(new int[] {3, 7, 30}, data);
    Op lower =
        new Op(
            new UserFunction() {
              @Override
              public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
                inOut.putInt(8, in.getInt(8) + inOut.getInt(8));
              }
            },
            true);
    int[] last = {0, 7, 10};
    ALL.allReduce(last, 1, narrow, lower);
    assertEquals(30, last[2]);
    Datatype behind = Datatype.Indexed(new int[] {1, 1}, new int[] {-1, 0}, MPI.INT);
    int[] got = new int[3];
    Request request = ALL.iAllReduce(new int[] {1, 2, 3}, new int[3], 3, MPI.INT, sum(0, 1, 2));
    ALL.Allreduce(new int[] {1, 2, 3}, 1, got, 1, 1, behind, sum(-1, 0));
    assertArrayEquals(new int[] {3, 6, 0}, got);
    request.waitFor();
    // a type may be freed while it is in use
    Datatype gone = Datatype.createContiguous(2, MPI.INT);
    int[] sums = new int[2];
    Request under = ALL.iAllReduce(new int[] {1, 2}, sums, 1, gone, sum(0, 1));
    gone.free();
    under.waitFor();
    assertArrayEquals(new int[] {3, 6}, sums);
  }

  static void elementsOfMixedTypes() {
    Datatype mixed =
        Datatype.createStruct(
            new int[] {1, 2}, new int[] {0, 8}, new Datatype[] {MPI.INT, MPI.DOUBLE});
    Datatype pairs = Datatype.createContiguous(2, mixed);
    byte[] bytes = new byte[100];
    int[] lengths = {20, 24, 40, 52, 14, 0};
    int[] ofMixed = {3, 4, 6, 8, MPI.UNDEFINED, 0};
    for (int i = 0; i < lengths.length; i++) {
      Status status =
          ALL.sendRecv(bytes, lengths[i], MPI.BYTE, right(), 1, new byte[200], 4, mixed, left(), 1);
      assertEquals(ofMixed[i], status.getElements(mixed));
      assertEquals(ofMixed[i], status.getElements(pairs));
      assertEquals(lengths[i] % 20 == 0 ? lengths[i] / 20 : MPI.UNDEFINED, status.getCount(mixed));
    }
    Status set = new Status();
    for (int i = 0; i < 14; i++) {
      set.setElements(pairs, i);
      assertEquals(i, set.getElements(pairs));
    }
    assertEquals(MPI.UNDEFINED, set.getCount(pairs));
    set.setElements(MPI.DOUBLE_INT, 2);
    assertEquals(1, set.getCount(MPI.DOUBLE_INT));
  }

  static void mistakesLeaveNothingBehind() {
    int[] got = new int[1];
    int[] other = {-1};
    assertEquals(
        MPI.ERR_RANK,
        errorOf(() -> ALL.sendRecv(got, 1, MPI.INT, 99, 5, other, 1, MPI.INT, left(), 5)));
    assertEquals(
        MPI.ERR_TAG,
        errorOf(() -> ALL.sendRecv(got, 1, MPI.INT, left(), -5, other, 1, MPI.INT, left(), 5)));
    assertEquals(
        MPI.ERR_RANK,
        errorOf(() -> ALL.sendRecv(got, 1, MPI.INT, right(), 6, other, 1, MPI.INT, 99, 5)));
    Object[] bad = {new Object()}; // cannot be written
    assertThrows(
        MPIException.class,
        () ->
            ALL.Sendrecv(
                bad, 0, 1, MPI.OBJECT, right(), 5, new Object[1], 0, 1, MPI.OBJECT, left(), 5));
    assertThrows(
        MPIException.class,
        () -> ALL.Allgather(bad, 0, 1, MPI.OBJECT, new Object[3], 0, 1, MPI.OBJECT));
    assertTrue(Progress.isQuiet());
    int[] sent = {ALL.getRank()};
    Request send = ALL.iSend(sent, 1, MPI.INT, right(), 5);
    ALL.recv(got, 1, MPI.INT, left(), 5);
    send.waitFor();
    assertEquals(left(), got[0]);
    assertEquals(-1, other[0]);
  }

  static void typesOfNothing() {
    Datatype none = Datatype.createContiguous(0, MPI.INT);
    Datatype nothing = Datatype.createStruct(new int[0], new int[0], new Datatype[0]);
    assertEquals(0, none.getExtent());
    Status status = ALL.sendRecv(new int[1], 3, none, right(), 1, new int[1], 1, none, left(), 1);
    assertEquals(0, status.getCount(none));
    double[] kept = {4};
    status = ALL.sendRecv(kept, 1, nothing, right(), 1, kept, 1, nothing, left(), 1);
    assertEquals(0, status.getElements(nothing));
    assertArrayEquals(new double[] {4}, kept);
    ALL.bcast(new boolean[1], 2, nothing, 1);
    Datatype two =
        Datatype.createStruct(
            new int[] {1, 1}, new int[] {0, 64}, new Datatype[] {MPI.DOUBLE, none});
    assertFalse(two.isMixed());
    assertEquals(8, two.getExtent());
  }

  static void persistentRequests() {
    assertEquals(MPI.ERR_RANK, errorOf(() -> ALL.sendInit(new int[1], 1, MPI.INT, 3, 1)));
    assertEquals(MPI.ERR_TAG, errorOf(() -> ALL.bSendInit(new int[1], 1, MPI.INT, 0, -7)));
    assertEquals(MPI.ERR_RANK, errorOf(() -> ALL.recvInit(new int[1], 1, MPI.INT, -9, 1)));
    assertEquals(MPI.ERR_TAG, errorOf(() -> ALL.recvInit(new int[1], 1, MPI.INT, 0, -7)));
    Datatype column = Datatype.createVector(2, 1, 2, MPI.INT);
    int[] in = new int[3];
    int[] out = {ALL.getRank(), -1, 8};
    Prequest receive = ALL.recvInit(in, 1, column, left(), 1);
    Prequest send = ALL.sendInit(out, 1, column, right(), 1);
    column.free();
    for (int i = 0; i < 3; i++) {
      out[2] = i;
      Prequest.startAll(new Prequest[] {receive, send});
      Request.waitAll(new Request[] {receive, send});
      assertArrayEquals(new int[] {left(), 0, i}, in);
    }
    Prequest none = ALL.recvInit(in, 1, MPI.INT, MPI.PROC_NULL, MPI.ANY_TAG);
    none.start();
    assertEquals(MPI.PROC_NULL, none.waitStatus().source);
  }

  static void whatIsPredefinedStays() {
    assertEquals(MPI.ERR_TYPE, errorOf(() -> MPI.INT.free()));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> MPI.DOUBLE_INT.Free()));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> MPI.FLOAT_COMPLEX.free()));
    assertEquals(MPI.ERR_OP, errorOf(() -> MPI.SUM.free()));
    assertEquals(MPI.ERR_GROUP, errorOf(() -> MPI.GROUP_EMPTY.free()));
    int[] one = {1};
    ALL.allReduce(one, 1, MPI.INT, MPI.SUM);
    assertEquals(3, one[0]);
    Datatype copy = MPI.INT.dup();
    copy.free();
    assertTrue(copy.isNull());
    double[] power = {0, 1, 0, 1}; // i, whose third power is -i
    ALL.allReduce(power, 2, MPI.DOUBLE_COMPLEX.dup(), MPI.PROD);
    assertArrayEquals(new double[] {0, -1, 0, -1}, power, 1e-12);
    double[] more = {0, 1, 0, 1};
    ALL.allReduce(more, 1, Datatype.createContiguous(2, MPI.DOUBLE_COMPLEX), MPI.PROD);
    assertArrayEquals(power, more, 1e-12);
    double[] wide = {0, 1, 5, 0, 1, 5};
    ALL.allReduce(wide, 2, Datatype.createResized(MPI.DOUBLE_COMPLEX, 0, 24), MPI.PROD);
    assertArrayEquals(new double[] {0, -1, 5, 0, -1, 5}, wide, 1e-12);
    Datatype half =
        Datatype.createStruct(
            new int[] {1, 1}, new int[] {0, 16}, new Datatype[] {MPI.DOUBLE_COMPLEX, MPI.DOUBLE});
    assertFalse(half.isComplex());
  }

  static void noHints() {
    ALL.setInfo(MPI.INFO_NULL);
    assertEquals(0, ALL.getInfo().size());
    Intracomm made = ALL.dupWithInfo(MPI.INFO_NULL);
    assertEquals(0, made.getInfo().size());
    made.barrier();
  }

  static void matchedMessageAndWrongBuffer() {
    Request send = ALL.iSend(new int[] {1, 2}, 2, MPI.INT, right(), 1);
    Message message = new Message();
    Status found = message.mProbe(left(), 1, ALL);
    assertEquals(2, found.getCount(MPI.INT));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> message.mRecv(new int[1], 2, MPI.INT)));
    assertFalse(message.isNull());
    int[] got = new int[2];
    assertEquals(left(), message.mRecv(got, 2, MPI.INT).source);
    assertArrayEquals(new int[] {1, 2}, got);
    send.waitFor();
  }

  /** A message that could not be sent is told to who detaches the buffer, and only once. */
  @Test
  void lostBufferedMessagesAreTold() {
    byte[] room = new byte[1000];
    Buffered.instance().attach(room, room.length);
    Buffered.instance().charge(1);
    Buffered.instance().sent(failing("first"), 1);
    Buffered.instance().charge(1); // looks after those that have left
    Buffered.instance().sent(failing("second"), 1);
    MPIException told = assertThrows(MPIException.class, () -> Buffered.instance().detach());
    assertEquals("first", told.getMessage());
    Buffered.instance().attach(room, room.length);
    assertSame(room, Buffered.instance().detach());
  }

  private static Transfer failing(String why) {
    return new Transfer() {
      @Override
      boolean advance() {
        return true;
      }

      @Override
      void pending(List<io.crosstie.ranks.Request> into) {
        // over
      }

      @Override
      Status finish() {
        throw MPIException.of(MPI.ERR_OTHER, why);
      }
    };
  }

  @Test
  void abortIsNoSuccess() {
    int[] codes = {0, 1, 255, 256, -256, 257};
    assertArrayEquals(
        new int[] {1, 1, 255, 1, 1, 257}, Arrays.stream(codes).map(MPI::exitStatus).toArray());
  }

  @Test
  void otherErrorsHaveNoStatuses() {
    assertNull(new MPIException("text").getStatuses());
  }
}
