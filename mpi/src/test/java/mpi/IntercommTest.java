// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Chapter 6: communicators that some ranks make, or all in the background, and those of two groups.
 */
@Timeout(120)
final class IntercommTest {
  private static final int LARGE = 50_000;

  @ParameterizedTest
  @CsvSource({"2, shm:", "4, udp://127.0.0.1:0", "5, shm:"})
  void communicators(int size, String rail) throws Exception {
    Ranks.run(size, rail, IntercommTest.class, "all");
  }

  private static final Intracomm ALL = MPI.COMM_WORLD;
  private static int me;
  private static int size;

  /** Odd ranks are one group, even ones, of which there may be one more, the other. */
  private static Intracomm group;

  private static Intercomm inter;
  private static boolean odd;
  private static int others;

  static void all() {
    me = ALL.getRank();
    size = ALL.getSize();
    odd = me % 2 == 1;
    others = odd ? (size + 1) / 2 : size / 2;
    duplicatesInTheBackground();
    groupsThatCallAlone();
    group = ALL.split(me % 2, -me); // the last one is rank 0
    int mineLeads = group.getSize() - 1; // ranks 0 and 1 of the world
    inter = ALL.createIntercomm(group, mineLeads, odd ? 0 : 1, 9);
    whatItIs(inter);
    messages(inter);
    collectives(inter);
    collectivesAtOnce(inter);
    reducedByItems();
    whatMeansNothing();
    oneRankFails();
    copies();
    mergers();
    mistakes();
    inter.disconnect();
    assertTrue(inter.isNull());
    assertTrue(Progress.isQuiet());
  }

  private static int errorOf(Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  private static void duplicatesInTheBackground() {
    int key = Comm.createKeyval();
    ALL.setAttr(key, "kept");
    Intracomm one = ALL.iDup();
    Intracomm other = ALL.iDup();
    assertFalse(one.isNull());
    if (me == size - 1) { // not all ranks wait in the same order
      other.getRequest().waitFor();
      one.getRequest().waitFor();
    } else {
      Request.waitAll(new Request[] {one.getRequest(), other.getRequest()});
    }
    assertEquals(MPI.CONGRUENT, Comm.compare(one, other));
    assertEquals("kept", one.getAttr(key));
    ALL.deleteAttr(key);
    int[] got = new int[1];
    Request receive = one.iRecv(got, 1, MPI.INT, (me + 1) % size, 0);
    other.send(new int[] {7}, 1, MPI.INT, me, 0);
    one.send(new int[] {me}, 1, MPI.INT, (me - 1 + size) % size, 0);
    receive.waitFor();
    assertEquals((me + 1) % size, got[0]);
    other.recv(got, 1, MPI.INT, me, 0);
    assertEquals(7, got[0]);
    assertEquals(MPI.REQUEST_NULL, ALL.getRequest());
    CartComm grid = ALL.createCart(new int[] {size}, new boolean[] {true}, false);
    CartComm copy = grid.iDup();
    copy.getRequest().waitFor();
    assertEquals(MPI.CART, copy.getTopology());
    GraphComm graph =
        ALL.createDistGraphAdjacent(
                new int[] {(me + 1) % size}, new int[] {(me - 1 + size) % size}, new Info(), false)
            .iDup();
    graph.getRequest().waitFor();
    graph.neighborAllGather(new int[] {me}, 1, MPI.INT, got, 1, MPI.INT);
    assertEquals((me + 1) % size, got[0]);
    // one that is not complete yet says so
    Intracomm early = new Intracomm();
    early.makeBy(ALL, Transfer.over(Status.empty()));
    assertTrue(
        assertThrows(MPIException.class, early::getRank).getMessage().contains("getRequest"));
    assertFalse(early.isNull());
  }

  private static void groupsThatCallAlone() {
    Group last = ALL.getGroup().rangeIncl(new int[][] {{size - 1, 1, -1}});
    if (me >= 1) {
      Intracomm made = ALL.createGroup(last, 5);
      assertEquals(size - 1, made.getSize());
      assertEquals(size - 1 - me, made.getRank());
      int[] sum = {me};
      made.allReduce(sum, 1, MPI.INT, MPI.SUM);
      assertEquals(size * (size - 1) / 2, sum[0]);
      // no message of the program's meets those that make it
      int[] stray = new int[1];
      Request any = made.iRecv(stray, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
      Intracomm again = made.createGroup(made.getGroup(), 0);
      assertEquals(made.getRank(), again.getRank());
      made.send(new int[] {44}, 1, MPI.INT, made.getRank(), 3);
      any.waitFor();
      assertEquals(44, stray[0]);
    } else {
      assertTrue(ALL.createGroup(last, 5).isNull());
    }
    assertTrue(ALL.createGroup(MPI.GROUP_EMPTY, 5).isNull());
    assertEquals(MPI.ERR_TAG, errorOf(() -> ALL.createGroup(last, -1)));
    Intracomm alone = ALL.split(me, 0);
    assertEquals(MPI.ERR_GROUP, errorOf(() -> alone.createGroup(ALL.getGroup(), 1)));
  }

  private static void whatItIs(Intercomm of) {
    assertTrue(of.isInter());
    assertTrue(of.Test_inter());
    assertEquals(group.getSize(), of.getSize());
    assertEquals(group.getRank(), of.getRank());
    assertEquals(others, of.getRemoteSize());
    assertEquals(others, of.Remote_size());
    assertEquals(MPI.IDENT, Group.compare(group.getGroup(), of.getGroup()));
    int[] last = Group.translateRanks(of.getRemoteGroup(), new int[] {0}, ALL.getGroup());
    assertEquals(worldRankOf(0), last[0]);
    assertEquals(MPI.UNDEFINED, of.Remote_group().getRank());
    assertEquals(MPI.UNDEFINED, of.getTopology());
    assertTrue(Intercomm.getParent().isNull());
  }

  /** The world's number of a rank of the other group, in which the last one is rank 0. */
  private static int worldRankOf(int other) {
    return 2 * (others - 1 - other) + (odd ? 0 : 1);
  }

  /** Each sends to each of the other group. */
  private static void messages(Intercomm of) {
    int[][] got = new int[others][1];
    Request[] receives = new Request[others];
    for (int i = 0; i < others; i++) {
      receives[i] = of.iRecv(got[i], 1, MPI.INT, i, 4);
    }
    for (int i = 0; i < others; i++) {
      of.send(new int[] {100 * me + i}, 1, MPI.INT, i, 4);
    }
    Status[] all = Request.waitAllStatus(receives);
    for (int i = 0; i < others; i++) {
      assertEquals(i, all[i].getSource());
      assertEquals(100 * worldRankOf(i) + of.getRank(), got[i][0]);
    }
    Object[] texts = new Object[1];
    Request receive = of.Irecv(texts, 0, 1, MPI.OBJECT, MPI.ANY_SOURCE, 5);
    if (of.getRank() == 0) {
      for (int i = 0; i < others; i++) {
        of.Send(new Object[] {"x".repeat(LARGE) + me}, 0, 1, MPI.OBJECT, i, 5);
      }
    }
    assertEquals(0, receive.waitStatus().source);
    assertEquals("x".repeat(LARGE) + worldRankOf(0), texts[0]);
    Request send = of.isSend(new double[] {me}, 1, MPI.DOUBLE, of.getRank() % others, 6);
    for (int i = of.getRank(); i < others; i += of.getSize()) {
      assertEquals(1, of.probe(i, 6).getCount(MPI.DOUBLE));
      Message message = new Message();
      assertEquals(i, message.mProbe(i, 6, of).getSource());
      double[] value = new double[1];
      message.mRecv(value, 1, MPI.DOUBLE);
      assertEquals(worldRankOf(i), value[0]);
    }
    send.waitFor();
    assertEquals(MPI.PROC_NULL, of.recv(got[0], 1, MPI.INT, MPI.PROC_NULL, 1).source);
    int[] swapped = {me};
    if (of.getRank() == 0) {
      of.sendRecvReplace(swapped, 1, MPI.INT, 0, 7, 0, 7);
      assertEquals(worldRankOf(0), swapped[0]);
    }
  }

  /** The even group has the root, its last rank; it says so. */
  private static int rootSays(Intercomm of) {
    return odd ? (size + 1) / 2 - 1 : of.getRank() == of.getSize() - 1 ? MPI.ROOT : MPI.PROC_NULL;
  }

  private static void collectives(Intercomm of) {
    int root = rootSays(of);
    boolean isRoot = root == MPI.ROOT;
    of.barrier();
    int[] data = {me, me};
    of.bcast(data, 2, MPI.INT, root);
    assertArrayEquals(odd ? new int[2] : new int[] {me, me}, data); // the root is rank 0 of all
    int[] all = new int[2 * others];
    of.gather(new int[] {me, -me}, 2, MPI.INT, all, 2, MPI.INT, root);
    int[] expected = new int[2 * others];
    Arrays.setAll(expected, i -> i % 2 == 0 ? worldRankOf(i / 2) : -worldRankOf(i / 2));
    assertArrayEquals(isRoot ? expected : new int[2 * others], all);
    int[] part = {-9, -9};
    of.scatter(all, 2, MPI.INT, part, 2, MPI.INT, root);
    assertArrayEquals(odd ? new int[] {me, -me} : new int[] {-9, -9}, part);
    of.allGather(new int[] {me, -me}, 2, MPI.INT, all, 2, MPI.INT);
    assertArrayEquals(expected, all);
    int[] counts = new int[others];
    int[] displs = new int[others];
    Arrays.setAll(counts, i -> i);
    Arrays.setAll(displs, i -> i * (i - 1) / 2);
    int[] mine = new int[of.getRank()];
    Arrays.fill(mine, me);
    int[] growing = new int[others * (others - 1) / 2];
    of.allGatherv(mine, mine.length, MPI.INT, growing, counts, displs, MPI.INT);
    for (int i = 0; i < others; i++) {
      for (int j = 0; j < i; j++) {
        assertEquals(worldRankOf(i), growing[displs[i] + j]);
      }
    }
    int[] back = new int[of.getRank()];
    if (isRoot) {
      of.scatterv(growing, counts, displs, MPI.INT, root);
    } else {
      of.scatterv(back, back.length, MPI.INT, root);
    }
    assertArrayEquals(odd ? mine : new int[back.length], back);
    int[] regained = new int[growing.length];
    if (isRoot) {
      of.gatherv(regained, counts, displs, MPI.INT, root);
      assertArrayEquals(growing, regained);
    } else {
      of.gatherv(mine, mine.length, MPI.INT, root);
    }
    int[] turned = new int[others];
    int[] outs = new int[others];
    Arrays.setAll(outs, i -> 100 * me + i);
    of.allToAll(outs, 1, MPI.INT, turned, 1, MPI.INT);
    for (int i = 0; i < others; i++) {
      assertEquals(100 * worldRankOf(i) + of.getRank(), turned[i]);
    }
    reductions(of, root, isRoot);
  }

  /** The sum of the other group's ranks of the world. */
  private static int sumOfOthers() {
    int sum = 0;
    for (int i = 0; i < others; i++) {
      sum += worldRankOf(i);
    }
    return sum;
  }

  private static void reductions(Intercomm of, int root, boolean isRoot) {
    long[] sum = {-1};
    of.reduce(new long[] {me}, sum, 1, MPI.LONG, MPI.SUM, root);
    assertEquals(isRoot ? sumOfOthers() : -1, sum[0]);
    // what means nothing at a rank may be null there, and no rank of the other group is in place
    sum[0] = -1;
    of.reduce(root >= 0 ? new long[] {me} : null, isRoot ? sum : null, 1, MPI.LONG, MPI.SUM, root);
    assertEquals(isRoot ? sumOfOthers() : -1, sum[0]);
    int[] gathered = new int[isRoot ? others : 1];
    gathered[0] = isRoot ? -1 : me;
    of.gather(root == MPI.PROC_NULL ? null : gathered, 1, MPI.INT, root);
    for (int i = 0; isRoot && i < others; i++) {
      assertEquals(worldRankOf(i), gathered[i]);
    }
    double[] strided = {0, 5, 0};
    Datatype holes = Datatype.createVector(2, 1, 2, MPI.DOUBLE);
    of.allReduce(new double[] {me, 8, 1}, strided, 1, holes, MPI.SUM);
    assertArrayEquals(new double[] {sumOfOthers(), 5, others}, strided);
    Op append =
        new Op(
            new User_function() {
              @Override
              public void Call(
                  Object in, int inAt, Object inOut, int at, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                  ((Object[]) inOut)[at + i] =
                      "" + ((Object[]) in)[inAt + i] + ((Object[]) inOut)[at + i];
                }
              }
            },
            false);
    Object[] texts = new Object[1];
    of.allReduce(new Object[] {"" + me}, texts, 1, MPI.OBJECT, append);
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < others; i++) {
      expected.append(worldRankOf(i));
    }
    assertEquals(expected.toString(), texts[0]);
    // both groups share the same number of elements among their ranks
    int count = group.getSize() * others;
    int[] counts = new int[group.getSize()];
    Arrays.fill(counts, others);
    int[] in = new int[count];
    Arrays.setAll(in, i -> i + me);
    int[] shared = new int[others];
    of.reduceScatter(in, shared, counts, MPI.INT, MPI.SUM);
    for (int i = 0; i < others; i++) {
      assertEquals(others * (of.getRank() * others + i) + sumOfOthers(), shared[i]);
    }
  }

  /** Items with holes, which each of the other group gets in order. */
  private static void reducedByItems() {
    Datatype holes = Datatype.createResized(Datatype.createVector(2, 1, 2, MPI.INT), 0, 16);
    int[] counts = new int[group.getSize()];
    Arrays.fill(counts, others);
    int[] in = new int[4 * group.getSize() * others];
    Arrays.setAll(in, i -> i + me);
    int[] out = new int[4 * others];
    inter.reduceScatter(in, out, counts, holes, MPI.SUM);
    for (int i = 0; i < out.length; i++) {
      int sum = others * (inter.getRank() * out.length + i) + sumOfOthers();
      assertEquals(i % 2 == 0 ? sum : 0, out[i]);
    }
  }

  /** Arguments that mean nothing at the root, or beside it, are not looked at there. */
  private static void whatMeansNothing() {
    int root = rootSays(inter);
    boolean isRoot = root == MPI.ROOT;
    int[] ones = new int[others];
    Arrays.fill(ones, 1);
    int[] counts = isRoot ? ones : null;
    int[] at = new int[others];
    Arrays.setAll(at, i -> i);
    int[] displs = isRoot ? at : null;
    int[] all = isRoot ? new int[others] : null;
    int[] expected = new int[others];
    Arrays.setAll(expected, IntercommTest::worldRankOf);
    int[] mine = odd ? new int[] {me} : null;
    Datatype type = isRoot ? MPI.INT : null; // of the root's buffer
    Datatype own = odd ? MPI.INT : null; // of the other group's
    int one = odd ? 1 : -7;
    int each = isRoot ? 1 : -7;
    inter.gather(mine, one, own, all, each, type, root);
    assertArrayEquals(isRoot ? expected : null, all);
    inter.gatherv(mine, one, own, all, counts, displs, type, root);
    inter.iGatherv(mine, one, own, all, counts, displs, type, root).waitFor();
    if (!isRoot) {
      inter.gatherv(mine, one, own, root);
      inter.iGatherv(mine, one, own, root).waitFor();
    } else {
      Arrays.fill(all, -1);
      inter.gatherv(all, counts, displs, type, root);
      assertArrayEquals(expected, all);
      inter.iGatherv(all, counts, displs, type, root).waitFor();
    }
    int[] got = odd ? new int[1] : null;
    inter.scatter(all, each, type, got, one, own, root);
    inter.iScatter(all, each, type, got, one, own, root).waitFor();
    assertArrayEquals(mine, got);
    inter.scatterv(all, counts, displs, type, got, one, own, root);
    inter.iScatterv(all, counts, displs, type, got, one, own, root).waitFor();
    if (isRoot) {
      inter.scatterv(all, counts, displs, type, root);
      inter.iScatterv(all, counts, displs, type, root).waitFor();
    } else {
      inter.scatterv(got, one, own, root);
      inter.iScatterv(got, one, own, root).waitFor();
    }
    assertArrayEquals(mine, got);
    int[] sum = isRoot ? new int[1] : null;
    Op op = odd ? MPI.SUM : null;
    inter.reduce(mine, sum, 1, MPI.INT, op, root);
    assertArrayEquals(isRoot ? new int[] {sumOfOthers()} : null, sum);
    if (!isRoot) {
      inter.reduce(mine, odd ? 1 : -7, own, op, root);
      inter.iReduce(mine, odd ? 1 : -7, own, op, root).waitFor();
    } else { // which is told, and has taken nothing
      assertEquals(MPI.ERR_BUFFER, errorOf(() -> inter.reduce(sum, 1, MPI.INT, op, root)));
      assertEquals(
          MPI.ERR_BUFFER, errorOf(() -> inter.iReduce(sum, 1, MPI.INT, op, root).waitFor()));
    }
    inter.barrier();
  }

  /** An operation that fails in the first rank of one group. */
  private static Op fails(boolean inOddGroup) {
    return new Op(
        new User_function() {
          @Override
          public void Call(Object in, int inAt, Object inOut, int at, int count, Datatype type) {
            if (odd == inOddGroup && inter.getRank() == 0) {
              throw new IllegalStateException("of the program's");
            }
          }
        },
        false);
  }

  private static void failsIf(boolean it, int code, Executable what) {
    if (it) {
      assertEquals(code, errorOf(what));
    } else {
      assertDoesNotThrow(what);
    }
  }

  /** What the one that has failed cannot give is told to the other group. */
  private static void oneRankFails() {
    int root = rootSays(inter);
    Object[] bad = {root == MPI.ROOT ? new Object() : "text"};
    failsIf(odd || root == MPI.ROOT, MPI.ERR_TYPE, () -> inter.bcast(bad, 1, MPI.OBJECT, root));
    if (size < 4) {
      return; // nothing is combined in a group of one
    }
    boolean isFirst = inter.getRank() == 0;
    boolean evenFails = odd || isFirst; // then the odd group has nothing, nor has that rank
    boolean oddFails = odd ? isFirst : root == MPI.ROOT;
    int[] sum = new int[1];
    Object[] objects = new Object[1];
    for (int i = 0; i < 2; i++) {
      Op op = fails(false);
      Op other = fails(true);
      failsIf(evenFails, MPI.ERR_OTHER, () -> inter.allReduce(new int[] {me}, sum, 1, MPI.INT, op));
      failsIf(
          evenFails,
          MPI.ERR_OTHER,
          () -> inter.iAllReduce(new Object[] {me}, objects, 1, MPI.OBJECT, op).waitFor());
      failsIf(
          oddFails,
          MPI.ERR_OTHER,
          () -> inter.reduce(new int[] {me}, sum, 1, MPI.INT, other, root));
      failsIf(
          oddFails,
          MPI.ERR_OTHER,
          () -> inter.reduce(new Object[] {me}, objects, 1, MPI.OBJECT, other, root));
    }
    int[] counts = new int[group.getSize()];
    Arrays.fill(counts, others);
    int count = group.getSize() * others;
    int[] shared = new int[others];
    assertEquals( // the first of the even group tells its own one, too
        MPI.ERR_OTHER,
        errorOf(() -> inter.reduceScatter(new int[count], shared, counts, MPI.INT, fails(false))));
    int[] toFirst = new int[group.getSize()]; // the others get nothing, but hear of it
    toFirst[0] = count;
    assertEquals(
        MPI.ERR_OTHER,
        errorOf(
            () ->
                inter.reduceScatter(
                    new int[count], new int[count], toFirst, MPI.INT, fails(false))));
    int[] all = new int[count];
    inter.reduceScatter(new int[count], all, toFirst, MPI.INT, MPI.SUM);
    inter.allReduce(new int[0], new int[0], 0, MPI.INT, MPI.SUM);
    Object[] in = new Object[count];
    Arrays.fill(in, "x");
    assertEquals(
        MPI.ERR_OTHER,
        errorOf(
            () -> inter.reduceScatter(in, new Object[others], counts, MPI.OBJECT, fails(true))));
    inter.barrier();
    assertTrue(Progress.isQuiet());
  }

  /** Begun in one order, waited for in another, between messages of the program's. */
  private static void collectivesAtOnce(Intercomm of) {
    int[] sum = new int[1];
    int[] root = {me};
    int[] maximum = new int[1];
    Request[] all = {
      of.iAllReduce(new int[] {me}, sum, 1, MPI.INT, MPI.SUM),
      of.iBarrier(),
      of.iBcast(root, 1, MPI.INT, rootSays(of)),
      of.iAllReduce(new int[] {me}, maximum, 1, MPI.INT, MPI.MAX)
    };
    for (int i = 0; i < all.length; i++) {
      all[(i + me) % all.length].waitFor();
    }
    assertEquals(sumOfOthers(), sum[0]);
    assertEquals(worldRankOf(0), maximum[0]);
    assertEquals(odd ? 0 : me, root[0]);
  }

  private static void copies() {
    int key = Comm.createKeyval();
    inter.setAttr(key, 5);
    Intercomm begun = inter.iDup();
    Intercomm copy = inter.dup();
    begun.getRequest().waitFor();
    whatItIs(copy);
    messages(begun);
    collectives(copy);
    assertEquals(5, begun.getAttr(key));
    assertEquals(MPI.CONGRUENT, Comm.compare(inter, copy));
    assertEquals(MPI.IDENT, Comm.compare(copy, copy));
    assertEquals(MPI.UNEQUAL, Comm.compare(inter, group));
    assertEquals(MPI.UNEQUAL, Comm.compare(group, inter));
    Info hints = new Info();
    hints.set("a", "b");
    assertEquals("b", inter.dupWithInfo(hints).getInfo().get("a"));
    begun.free();
    copy.free();
  }

  private static void mergers() {
    Intracomm evenFirst = inter.merge(odd);
    assertEquals(size, evenFirst.getSize());
    int before = odd ? others : 0;
    assertEquals(before + inter.getRank(), evenFirst.getRank());
    Intracomm oddFirst = inter.Merge(!odd);
    assertEquals((odd ? 0 : others) + inter.getRank(), oddFirst.getRank());
    int[] sum = {me};
    oddFirst.allReduce(sum, 1, MPI.INT, MPI.SUM);
    assertEquals(size * (size - 1) / 2, sum[0]);
    // the group that comes first where both say the same is the same in all ranks
    Intracomm either = inter.merge(true);
    int[] order = new int[size];
    order[either.getRank()] = me;
    either.allGather(order, 1, MPI.INT);
    assertEquals(me, order[either.getRank()]);
    assertEquals(size - 2, order[0]); // first of the one whose first rank is lower
  }

  private static void mistakes() {
    int[] one = new int[1];
    assertEquals(MPI.ERR_RANK, errorOf(() -> inter.send(one, 1, MPI.INT, others, 1)));
    assertEquals(MPI.ERR_RANK, errorOf(() -> inter.recv(one, 1, MPI.INT, others, 1)));
    assertEquals(MPI.ERR_ROOT, errorOf(() -> inter.bcast(one, 1, MPI.INT, others)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> inter.allReduce(one, 1, MPI.INT, MPI.SUM)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> inter.allGather(one, 1, MPI.INT)));
    assertEquals(
        MPI.ERR_TOPOLOGY, errorOf(() -> inter.neighborAllGather(one, 1, MPI.INT, one, 1, MPI.INT)));
    assertEquals(MPI.ERR_TAG, errorOf(() -> ALL.createIntercomm(group, 0, 0, -1)));
    assertEquals(MPI.ERR_RANK, errorOf(() -> ALL.createIntercomm(group, size, 0, 1)));
    assertEquals(MPI.ERR_COMM, errorOf(() -> ALL.createIntercomm(inter, 0, 0, 1)));
    // what its leader alone can see is told to all of a group
    assertEquals(MPI.ERR_RANK, errorOf(() -> ALL.createIntercomm(group, 0, size, 1)));
    // the groups are the same: this one, whose leader talks to itself
    int leader = Group.translateRanks(group.getGroup(), new int[] {0}, ALL.getGroup())[0];
    assertEquals(MPI.ERR_COMM, errorOf(() -> ALL.createIntercomm(group, 0, leader, 1)));
    assertSame(ALL.getErrhandler(), inter.getErrhandler());
    Intercomm none = Intercomm.getParent();
    assertEquals(MPI.ERR_COMM, errorOf(none::getRemoteSize));
    assertEquals(MPI.ERR_COMM, errorOf(none::dup));
    assertEquals(MPI.ERR_COMM, errorOf(() -> none.merge(true)));
    assertEquals(MPI.ERR_COMM, errorOf(none::barrier));
  }
}
