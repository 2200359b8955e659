// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Modes of sending, what requests say when, which message a receive gets, and the end. */
@Timeout(120)
final class RequestsTest {
  private static final int LARGE = 50_000;

  @Test
  void requests() throws Exception {
    Ranks.run(3, "shm:", RequestsTest.class, "all");
  }

  @Test
  void theEnd() throws Exception {
    Ranks.run(2, "shm:", RequestsTest.class, "end");
  }

  private static final Intracomm ALL = MPI.COMM_WORLD;
  private static int me;
  private static int left;
  private static int right;

  static void all() throws InterruptedException {
    me = ALL.getRank();
    left = (me + ALL.getSize() - 1) % ALL.getSize();
    right = (me + 1) % ALL.getSize();
    readySends();
    synchronousSends();
    bufferedSends();
    testedRequests();
    cancelledReceives();
    freedWhileActive();
    tags();
    wildcardsMeetNoCollectiveCall();
    messagesKeepTheirOrder();
    nobodyStarves();
    twoThreadsProbe();
    manyThreads();
    assertTrue(Progress.isQuiet());
  }

  private static int errorOf(Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  private static int received(int tag) {
    int[] got = {-1};
    ALL.recv(got, 1, MPI.INT, left, tag);
    return got[0];
  }

  /** Asks until it is there. */
  private static <T> T until(Supplier<T> what) {
    T found = what.get();
    while (found == null) {
      found = what.get();
    }
    return found;
  }

  // ------------------------------------------------------------------ modes

  private static void readySends() {
    int[] sent = {me};
    int[] got = new int[5];
    Request[] receives = new Request[5];
    for (int i = 0; i < 5; i++) {
      receives[i] = ALL.Irecv(got, i, 1, MPI.INT, left, i);
    }
    ALL.barrier(); // all are posted
    ALL.rSend(sent, 1, MPI.INT, right, 0);
    ALL.Rsend(sent, 0, 1, MPI.INT, right, 1);
    ALL.irSend(sent, 1, MPI.INT, right, 2).waitFor();
    Prequest again = ALL.Rsend_init(sent, 0, 1, MPI.INT, right, 3);
    again.start();
    again.waitFor();
    Prequest other = ALL.rSendInit(sent, 1, MPI.INT, right, 4);
    other.start();
    other.waitFor();
    Request.waitAll(receives);
    assertArrayEquals(new int[] {left, left, left, left, left}, got);
    // what comes before its receive is lost nowhere, also where the receive would be posted next
    int[] large = new int[LARGE];
    large[LARGE - 1] = me;
    again.start();
    Request[] early = {
      ALL.irSend(sent, 1, MPI.INT, right, 9),
      ALL.Irsend(large, 0, LARGE, MPI.INT, right, 9),
      ALL.irSend(sent, 1, MPI.INT, me, 9),
      again
    };
    ALL.rSend(sent, 1, MPI.INT, right, 8);
    ALL.barrier();
    int[] came = new int[LARGE];
    ALL.recv(came, 1, MPI.INT, me, 9);
    assertEquals(me, came[0]);
    for (int tag : new int[] {3, 8, 9}) {
      ALL.recv(came, 1, MPI.INT, left, tag);
      assertEquals(left, came[0]);
    }
    ALL.recv(came, LARGE, MPI.INT, left, 9);
    assertEquals(left, came[LARGE - 1]);
    Request.waitAll(early);
    ALL.Rsend(new Object[] {"text"}, 0, 1, MPI.OBJECT, right, 5);
    Object[] text = new Object[1];
    ALL.recv(text, 1, MPI.OBJECT, left, 5);
    assertEquals("text", text[0]);
  }

  private static void synchronousSends() throws InterruptedException {
    Object[] text = {"text"};
    Prequest again = ALL.Ssend_init(new int[] {me}, 0, 1, MPI.INT, right, 2);
    again.start();
    Request[] sends = {
      ALL.Issend(new int[] {me}, 0, 1, MPI.INT, right, 0),
      ALL.isSend(text, 1, MPI.OBJECT, right, 1),
      again,
      ALL.isSend(new int[LARGE], LARGE, MPI.INT, right, 3),
    };
    AtomicBoolean over = new AtomicBoolean();
    Thread sends4 =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  ALL.sSend(new int[] {me}, 1, MPI.INT, right, 4);
                  over.set(true);
                });
    for (int i = 0; i < 5; i++) {
      ALL.barrier();
      for (Request send : sends) {
        assertFalse(send.test());
      }
      assertFalse(over.get());
    }
    ALL.barrier(); // nobody receives before all have seen that
    assertEquals(left, received(4));
    ALL.recv(new int[LARGE], LARGE, MPI.INT, left, 3);
    assertEquals(left, received(2));
    Object[] got = new Object[1];
    ALL.recv(got, 1, MPI.OBJECT, left, 1);
    assertEquals(left, received(0));
    Request.waitAll(sends);
    sends4.join();
  }

  private static void bufferedSends() {
    MPI.attachBuffer(new byte[100_000]);
    int[] sent = {me};
    Request first = ALL.ibSend(sent, 1, MPI.INT, right, 0);
    Request second = ALL.Ibsend(sent, 0, 1, MPI.INT, right, 1);
    assertTrue(first.test() && second.test(), "a copy leaves by itself");
    Prequest again = ALL.Bsend_init(sent, 0, 1, MPI.INT, right, 2);
    Prequest other = ALL.bSendInit(sent, 1, MPI.INT, right, 3);
    for (int i = 0; i < 3; i++) {
      sent[0] = 10 * me + i;
      Prequest.startAll(new Prequest[] {again, other});
      Request.waitAll(new Request[] {again, other});
    }
    sent[0] = -1;
    assertEquals(left, received(0));
    assertEquals(left, received(1));
    for (int i = 0; i < 3; i++) {
      assertEquals(10 * left + i, received(2));
      assertEquals(10 * left + i, received(3));
    }
    assertNotNull(MPI.detachBuffer());
  }

  // ------------------------------------------------------------------ requests

  private static void testedRequests() {
    int[] got = new int[2];
    Request[] two = {
      ALL.Irecv(got, 0, 1, MPI.INT, left, 0), ALL.Irecv(got, 1, 1, MPI.INT, left, 1)
    };
    assertEquals(MPI.UNDEFINED, Request.testAny(two));
    assertNull(Request.Testany(two));
    assertFalse(Request.testAll(two));
    ALL.barrier();
    ALL.send(new int[] {me}, 1, MPI.INT, right, 1);
    int one = Request.testAny(two);
    while (one == MPI.UNDEFINED) {
      one = Request.testAny(two);
    }
    assertEquals(1, one);
    assertNull(Request.Testany(two));
    ALL.barrier();
    ALL.send(new int[] {me}, 1, MPI.INT, right, 0);
    Status status = until(() -> Request.Testany(two));
    assertEquals(0, status.index);
    assertEquals(left, status.source);
    assertEquals(MPI.UNDEFINED, Request.Testany(two).index);
    assertArrayEquals(new int[] {left, left}, got);
    Request[] all = {ALL.Irecv(got, 0, 1, MPI.INT, left, 2), null, ALL.iBarrier()};
    ALL.send(new int[] {7}, 1, MPI.INT, right, 2);
    Status[] statuses = until(() -> Request.Testall(all));
    assertEquals(2, statuses[0].tag);
    assertEquals(7, got[0]);
    assertTrue(Request.testAll(all), "none is active");
  }

  /** What was matched comes; what was taken back takes nothing. */
  private static void cancelledReceives() {
    int[] got = {-1};
    Object[] text = new Object[1];
    Request matched = ALL.iRecv(got, 1, MPI.INT, left, 0);
    Request objects = ALL.iRecv(text, 1, MPI.OBJECT, left, 1);
    ALL.send(new int[] {me}, 1, MPI.INT, right, 0);
    ALL.send(new Object[] {"of " + me}, 1, MPI.OBJECT, right, 1);
    for (Request each : List.of(matched, objects)) {
      Status unused = until(each::getStatus);
      each.cancel();
      assertFalse(each.waitStatus().isCancelled());
    }
    assertEquals(left, got[0]);
    assertEquals("of " + left, text[0]);
    Object[] nothing = new Object[1];
    Request none = ALL.Irecv(nothing, 0, 1, MPI.OBJECT, left, 2);
    none.Cancel();
    assertTrue(none.Wait().Test_cancelled());
    ALL.barrier();
    ALL.send(new Object[] {"later"}, 1, MPI.OBJECT, right, 2);
    ALL.recv(text, 1, MPI.OBJECT, left, 2);
    assertEquals("later", text[0]);
    assertNull(nothing[0]);
  }

  /** What is under way comes to its end. */
  private static void freedWhileActive() {
    int[] got = {-1};
    int[] large = new int[LARGE];
    large[LARGE - 1] = me;
    Prequest receive = ALL.recvInit(got, 1, MPI.INT, left, 0);
    Prequest send = ALL.Send_init(large, 0, LARGE, MPI.INT, right, 1);
    Prequest.startAll(new Prequest[] {receive, send});
    for (Prequest each : List.of(receive, send)) {
      each.free();
      assertTrue(each.isNull());
      assertEquals(MPI.ERR_REQUEST, errorOf(each::start));
    }
    ALL.barrier();
    ALL.send(new int[] {me}, 1, MPI.INT, right, 0);
    int[] came = new int[LARGE];
    ALL.recv(came, LARGE, MPI.INT, left, 1);
    assertEquals(left, came[LARGE - 1]);
    while (!Progress.isQuiet()) {
      Progress.advanceOthers();
      MPI.world().idle();
    }
    assertEquals(left, got[0]);
  }

  // ------------------------------------------------------------------ which message comes

  private static void tags() {
    assertEquals(Integer.MAX_VALUE, ALL.getAttr(MPI.TAG_UB));
    for (int tag : new int[] {0, Integer.MAX_VALUE}) {
      Request send = ALL.iSend(new int[] {me}, 1, MPI.INT, right, tag);
      Status found = ALL.probe(left, MPI.ANY_TAG);
      assertEquals(tag, found.tag);
      assertEquals(left, received(tag));
      send.waitFor();
      Object[] text = new Object[1];
      Request objects = ALL.iSend(new Object[] {"x".repeat(LARGE)}, 1, MPI.OBJECT, right, tag);
      assertEquals(tag, ALL.recv(text, 1, MPI.OBJECT, left, MPI.ANY_TAG).tag);
      objects.waitFor();
    }
  }

  private static void wildcardsMeetNoCollectiveCall() {
    int[] got = {-1};
    Request any = ALL.iRecv(got, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
    Object[] text = {"x".repeat(LARGE)};
    ALL.bcast(text, 1, MPI.OBJECT, 1);
    ALL.bcast(new int[1], 1, MPI.INT, 2);
    ALL.allReduce(new int[1], 1, MPI.INT, MPI.SUM);
    int[] ones = {1, 1, 1};
    int[] at = {0, 1, 2};
    ALL.allGatherv(new int[1], 1, MPI.INT, new int[3], ones, at, MPI.INT);
    ALL.createGroup(ALL.getGroup(), 0).free();
    ALL.split(me % 2, 0).free();
    ALL.iDup().getRequest().waitFor();
    assertNull(any.getStatus());
    ALL.barrier();
    ALL.send(new int[] {me}, 1, MPI.INT, right, 6);
    Status status = any.waitStatus();
    assertEquals(left, status.source);
    assertEquals(6, status.tag);
    assertEquals(left, got[0]);
  }

  /** Short messages leave at once, long ones when they are asked for: none overtakes another. */
  private static void messagesKeepTheirOrder() {
    int[] lengths = {1, LARGE, 1, LARGE, LARGE, 1, 0, LARGE, 1, 1};
    for (boolean early : new boolean[] {true, false}) {
      Request[] sends = new Request[lengths.length];
      Request[] receives = new Request[lengths.length];
      int[][] memory = new int[lengths.length][LARGE];
      for (int i = 0; early && i < lengths.length; i++) {
        receives[i] = ALL.iRecv(memory[i], LARGE, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
      }
      ALL.barrier();
      for (int i = 0; i < lengths.length; i++) {
        int[] data = new int[LARGE];
        data[0] = i;
        sends[i] = ALL.iSend(data, lengths[i], MPI.INT, right, 100 + i);
      }
      for (int i = 0; i < lengths.length; i++) {
        Status status =
            early
                ? receives[i].waitStatus()
                : ALL.recv(memory[i], LARGE, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        assertEquals(100 + i, status.tag);
        assertEquals(lengths[i], status.getCount(MPI.INT));
        assertEquals(lengths[i] == 0 ? 0 : i, memory[i][0]);
      }
      Request.waitAll(sends);
      ALL.barrier();
    }
  }

  /** Rank 1 sends again and again, and what rank 2 has sent once comes all the same. */
  private static void nobodyStarves() {
    int ahead = 8;
    int[] word = {1};
    if (me == 1) {
      for (int i = 0; i < ahead; i++) {
        ALL.send(word, 1, MPI.INT, 0, 20);
      }
      for (int left = ahead; left > 0; ) {
        ALL.recv(word, 1, MPI.INT, 0, 21);
        if (word[0] == 1) {
          ALL.send(word, 1, MPI.INT, 0, 20);
        } else {
          left--;
        }
      }
    } else if (me == 2) {
      ALL.send(word, 1, MPI.INT, 0, 20);
    } else {
      Status there = ALL.probe(2, 20);
      assertEquals(2, there.source);
      boolean found = false;
      int before = 0;
      for (int left = ahead; left > 0 || !found; ) {
        if (ALL.recv(word, 1, MPI.INT, MPI.ANY_SOURCE, 20).source == 2) {
          found = true;
          continue;
        }
        before += found ? 0 : 1;
        left -= found ? 1 : 0;
        ALL.send(new int[] {found ? 0 : 1}, 1, MPI.INT, 1, 21);
        assertTrue(before < 1000, "rank 2 starves");
      }
    }
  }

  // ------------------------------------------------------------------ threads

  private static void inThreads(int howMany, IntConsumer what) throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < howMany; i++) {
      int id = i;
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      what.accept(id);
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    synchronized (failures) {
      assertEquals(List.of(), failures);
    }
  }

  /** What one has found the other one does not receive, and lengths are those of the probe. */
  private static void twoThreadsProbe() throws InterruptedException {
    int each = 40;
    BitSet seen = new BitSet();
    if (me == 0) {
      inThreads(
          2,
          thread -> {
            for (int i = 0; i < each; i++) {
              Message message = new Message();
              Status found = message.mProbe(MPI.ANY_SOURCE, 30, ALL);
              int[] got = new int[found.getCount(MPI.INT)];
              assertEquals(found.source, message.mRecv(got, got.length, MPI.INT).source);
              assertEquals(got.length, got[0]);
              synchronized (seen) {
                seen.set(2 * got[0] + found.source - 1);
              }
            }
          });
      assertEquals(2 * each, seen.cardinality());
    } else {
      for (int i = 1; i <= each; i++) {
        int[] data = new int[i];
        data[0] = i;
        ALL.send(data, i, MPI.INT, 0, 30);
      }
    }
  }

  private static void manyThreads() throws InterruptedException {
    inThreads(
        6,
        thread -> {
          for (int i = 0; i < 20; i++) {
            int length = i % 5 == 0 ? LARGE : 1;
            int[] out = new int[length];
            int[] in = new int[length];
            out[length - 1] = 1000 * me + 10 * i + thread;
            int tag = 40 + thread;
            ALL.sendRecv(out, length, MPI.INT, right, tag, in, length, MPI.INT, left, tag);
            assertEquals(1000 * left + 10 * i + thread, in[length - 1]);
          }
        });
  }

  // ------------------------------------------------------------------ the end

  static void end() {
    Intracomm copy = ALL.dup();
    Group group = ALL.getGroup();
    Intracomm freed = ALL.dup();
    freed.free();
    MPI.Finalize();
    int[] data = new int[1];
    int key = Comm.createKeyval();
    for (Executable late :
        List.<Executable>of(
            MPI::Finalize,
            () -> MPI.Init(new String[0]),
            () -> MPI.InitThread(new String[0], MPI.THREAD_SINGLE),
            MPI::queryThread,
            MPI::isThreadMain,
            () -> MPI.attachBuffer(new byte[1]),
            () -> MPI.Buffer_attach(ByteBuffer.allocate(1)),
            MPI::detachBuffer,
            ALL::getRank,
            copy::Size,
            freed::getRank,
            group::getRank,
            () -> ALL.send(data, 1, MPI.INT, 0, 0),
            () -> copy.iRecv(data, 1, MPI.INT, 0, 0),
            () -> copy.recvInit(data, 1, MPI.INT, 0, 0),
            () -> copy.probe(0, 0),
            copy::barrier,
            () -> copy.iAllReduce(data, 1, MPI.INT, MPI.SUM),
            copy::dup,
            copy::free,
            () -> copy.setName("x"),
            () -> copy.setAttr(key, 1),
            () -> copy.deleteAttr(key),
            () -> copy.setInfo(MPI.INFO_NULL),
            () -> copy.setErrhandler(MPI.ERRORS_RETURN),
            () -> copy.callErrhandler(MPI.ERR_ARG),
            () -> new Win(null, 0, 1, MPI.INFO_NULL, copy))) {
      assertEquals(MPI.ERR_OTHER, errorOf(late));
    }
    for (Executable any :
        List.<Executable>of(
            MPI::getVersion, MPI::getLibVersion, MPI::Wtime, copy::getErrhandler, group::getSize)) {
      assertDoesNotThrow(any);
    }
    assertTrue(MPI.Initialized() && MPI.Finalized());
  }
}
