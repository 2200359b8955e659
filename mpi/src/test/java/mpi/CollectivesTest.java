// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chapters 5 to 7 of the standard: collective operations, groups, communicators, topologies. */
@Timeout(120)
final class CollectivesTest {
  @ParameterizedTest
  @CsvSource({"1, shm:", "2, shm:", "4, udp://127.0.0.1:0", "5, shm:"})
  void operations(int size, String rail) throws Exception {
    Ranks.run(size, rail, CollectivesTest.class, "all");
  }

  private static Intracomm world;
  private static int me;
  private static int size;

  static void all() {
    world = MPI.COMM_WORLD;
    me = world.getRank();
    size = world.getSize();
    movesInBothDialects();
    variableLengths();
    reductions();
    operationsOfTheProgram();
    objects();
    nonBlocking();
    groupsAndCommunicators();
    topologies();
    attributes();
  }

  private static void movesInBothDialects() {
    int root = size - 1;
    int[] data = {me == root ? 5 : 0, me};
    world.bcast(data, 1, MPI.INT, root);
    assertArrayEquals(new int[] {5, me}, data);
    boolean[] flags = new boolean[3];
    flags[1] = me == 0;
    world.Bcast(flags, 1, 1, MPI.BOOLEAN, 0);
    assertArrayEquals(new boolean[] {false, true, false}, flags);
    int[] all = new int[2 * size + 1];
    world.Gather(new int[] {9, me, -me}, 1, 2, MPI.INT, all, 1, 2, MPI.INT, root);
    for (int i = 0; i < size; i++) {
      assertEquals(me == root ? i : 0, all[1 + 2 * i]);
      assertEquals(me == root ? -i : 0, all[2 + 2 * i]);
    }
    int[] part = new int[2];
    world.scatter(Arrays.copyOfRange(all, 1, all.length), 2, MPI.INT, part, 2, MPI.INT, root);
    assertArrayEquals(new int[] {me, -me}, part);
    int[] place = new int[size];
    place[me] = me * me;
    world.allGather(place, 1, MPI.INT);
    int[] turned = new int[size];
    int[] mine = new int[size];
    Arrays.setAll(mine, i -> 100 * me + i);
    world.Alltoall(mine, 0, 1, MPI.INT, turned, 0, 1, MPI.INT);
    for (int i = 0; i < size; i++) {
      assertEquals(i * i, place[i]);
      assertEquals(100 * i + me, turned[i]);
    }
    // columns of a matrix, gathered at every second place
    Datatype column = Datatype.createResized(Datatype.createVector(2, 1, size, MPI.INT), 0, 4);
    int[] matrix = new int[2 * size];
    world.allGather(new int[] {me, 10 + me}, 2, MPI.INT, matrix, 1, column);
    for (int i = 0; i < size; i++) {
      assertEquals(i, matrix[i]);
      assertEquals(10 + i, matrix[size + i]);
    }
  }

  private static int[] counts() {
    int[] counts = new int[size];
    Arrays.setAll(counts, i -> i); // rank 0 has nothing
    return counts;
  }

  private static int[] displacements() {
    int[] displs = new int[size];
    for (int i = 1; i < size; i++) {
      displs[i] = displs[i - 1] + i; // one between two
    }
    return displs;
  }

  private static void variableLengths() {
    int[] counts = counts();
    int[] displs = displacements();
    int length = size * (size + 1) / 2;
    int[] mine = new int[me];
    Arrays.fill(mine, me);
    int[] all = new int[length];
    world.Allgatherv(mine, 0, me, MPI.INT, all, 0, counts, displs, MPI.INT);
    int[] expected = new int[length];
    for (int i = 0; i < size; i++) {
      Arrays.fill(expected, displs[i], displs[i] + i, i);
    }
    assertArrayEquals(expected, all);
    int[] gathered = new int[length];
    if (me == 0) {
      world.gatherv(gathered, counts, displs, MPI.INT, 0);
      assertArrayEquals(expected, gathered);
    } else {
      world.gatherv(mine, me, MPI.INT, 0);
    }
    int[] back = new int[me];
    world.Scatterv(gathered, 0, counts, displs, MPI.INT, back, 0, me, MPI.INT, 0);
    assertArrayEquals(mine, back);
    int[] one = new int[size];
    Arrays.fill(one, 1);
    int[] reversed = new int[size];
    int[] places = new int[size];
    Arrays.setAll(places, i -> size - 1 - i);
    int[] values = new int[size];
    Arrays.setAll(values, i -> 10 * me + i);
    world.allToAllv(values, one, places, MPI.INT, reversed, one, places, MPI.INT);
    for (int i = 0; i < size; i++) {
      assertEquals(10 * i + size - 1 - me, reversed[size - 1 - i]);
    }
    int[] bytes = new int[size];
    Arrays.setAll(bytes, i -> 4 * i);
    Datatype[] types = new Datatype[size];
    Arrays.fill(types, MPI.INT);
    int[] turned = new int[size];
    world.allToAllw(values, one, bytes, types, turned, one, bytes, types);
    assertEquals(10 * (size - 1) + me, turned[size - 1]);
  }

  private static void reductions() {
    int ranks = size * (size - 1) / 2;
    double[] sum = new double[2];
    world.Allreduce(new double[] {0, me, 1}, 1, sum, 0, 2, MPI.DOUBLE, MPI.SUM);
    assertArrayEquals(new double[] {ranks, size}, sum);
    int[] max = {me, -me};
    world.reduce(max, 2, MPI.INT, MPI.MAX, 0);
    assertArrayEquals(me == 0 ? new int[] {size - 1, 0} : new int[] {me, -me}, max);
    boolean[] flags = {me == 0, true};
    world.allReduce(flags, 2, MPI.BOOLEAN, MPI.LAND);
    assertArrayEquals(new boolean[] {size == 1, true}, flags);
    double[] best = {me % 2, me};
    world.allReduce(best, 1, MPI.DOUBLE2, MPI.MAXLOC);
    assertArrayEquals(new double[] {size == 1 ? 0 : 1, size == 1 ? 0 : 1}, best);
    var pair = MPI.newByteBuffer(MPI.doubleInt.getExtent());
    DoubleInt.Data data = MPI.doubleInt.getData(pair);
    data.putValue(-me);
    data.putIndex(me);
    world.allReduce(pair, 1, MPI.DOUBLE_INT, MPI.MINLOC);
    assertEquals(1 - size, data.getValue());
    assertEquals(size - 1, data.getIndex());
    float[] complex = {0, 1};
    world.allReduce(complex, 1, MPI.FLOAT_COMPLEX, MPI.PROD); // i to the power of size
    assertArrayEquals(new float[][] {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}[size % 4], complex, 1e-6f);
    long[] counts = new long[size];
    Arrays.setAll(counts, i -> i + me);
    long[] mine = new long[1];
    int[] one = new int[size];
    Arrays.fill(one, 1);
    world.Reduce_scatter(counts, 0, mine, 0, one, MPI.LONG, MPI.SUM);
    assertEquals((long) size * me + ranks, mine[0]);
    world.reduceScatterBlock(counts, 1, MPI.LONG, MPI.SUM);
    assertEquals(mine[0], counts[0]);
    int[] scan = {0};
    world.scan(new int[] {me + 1}, scan, 1, MPI.INT, MPI.SUM);
    assertEquals((me + 1) * (me + 2) / 2, scan[0]);
    int[] before = {me + 1};
    world.exScan(before, 1, MPI.INT, MPI.SUM);
    assertEquals(me == 0 ? 1 : me * (me + 1) / 2, before[0]);
    int[] local = {4};
    Comm.reduceLocal(new int[] {3}, local, 1, MPI.INT, MPI.PROD);
    assertEquals(12, local[0]);
    assertThrows(MPIException.class, () -> world.allReduce(new double[1], 1, MPI.DOUBLE, MPI.BAND));
    assertThrows(MPIException.class, () -> world.allReduce(new int[2], 1, MPI.INT, MPI.MINLOC));
  }

  /** Composition of x -> a x + b, which does not commute. */
  private static final class Compose extends User_function {
    @Override
    public void Call(
        Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype type) {
      long[] left = (long[]) invec;
      long[] right = (long[]) inoutvec;
      for (int i = 0; i < count; i++) {
        int a = inoffset + 2 * i;
        int b = inoutoffset + 2 * i;
        right[b + 1] = left[a + 1] * right[b] + right[b + 1];
        right[b] = left[a] * right[b];
      }
    }
  }

  private static void operationsOfTheProgram() {
    Datatype two = Datatype.Contiguous(2, MPI.LONG);
    Op compose = new Op(new Compose(), false);
    long[] mine = {me + 2, me};
    long a = 1;
    long b = 0;
    for (int i = 0; i < size; i++) {
      a *= i + 2;
      b = b * (i + 2) + i;
    }
    long[] all = new long[2];
    world.Allreduce(mine, 0, all, 0, 1, two, compose);
    assertArrayEquals(new long[] {a, b}, all);
    for (int root = 0; root < size; root++) { // the order is that of the ranks, whose root it is
      long[] reduced = new long[2];
      world.Reduce(mine, 0, reduced, 0, 1, two, compose, root);
      assertArrayEquals(me == root ? new long[] {a, b} : new long[2], reduced);
      long[] place = mine.clone();
      world.reduce(place, 1, two, compose, root);
      assertArrayEquals(me == root ? new long[] {a, b} : mine, place);
    }
    long[] prefix = new long[2];
    world.Scan(mine, 0, prefix, 0, 1, two, compose);
    if (me == size - 1) {
      assertArrayEquals(all, prefix);
    }
    Op sum =
        new Op(
            new UserFunction() {
              @Override
              public void call(Object in, Object inOut, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                  ((int[]) inOut)[i] += ((int[]) in)[i];
                }
              }
            },
            true);
    int[] total = new int[100_000];
    Arrays.fill(total, me);
    world.allReduce(total, total.length, MPI.INT, sum);
    assertEquals(size * (size - 1) / 2, total[99_999]);
  }

  private static void objects() {
    Object[] text = {me == 0 ? "from the root" : null};
    world.Bcast(text, 0, 1, MPI.OBJECT, 0);
    assertEquals("from the root", text[0]);
    Object[] all = new Object[size];
    world.Allgather(new Object[] {"rank " + me}, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
    assertEquals("rank " + (size - 1), all[size - 1]);
    Op join =
        new Op(
            new User_function() {
              @Override
              public void Call(
                  Object in, int inAt, Object inOut, int at, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                  ((Object[]) inOut)[at + i] =
                      ((Object[]) in)[inAt + i] + "," + ((Object[]) inOut)[at + i];
                }
              }
            },
            false);
    Object[] joined = new Object[1];
    world.Reduce(new Object[] {me}, 0, joined, 0, 1, MPI.OBJECT, join, size - 1);
    StringBuilder expected = new StringBuilder("0");
    for (int i = 1; i < size; i++) {
      expected.append(',').append(i);
    }
    assertEquals(
        me == size - 1 ? expected.toString() : null,
        joined[0] == null ? null : joined[0].toString());
    world.Allreduce(new Object[] {me}, 0, joined, 0, 1, MPI.OBJECT, join);
    assertEquals(expected.toString(), joined[0].toString());
  }

  private static void nonBlocking() {
    IntBuffer sum = MPI.newIntBuffer(1);
    IntBuffer mine = MPI.newIntBuffer(1).put(0, me);
    int[] all = new int[size];
    Request first = world.iAllReduce(mine, sum, 1, MPI.INT, MPI.SUM);
    Request second = world.iAllGather(new int[] {me}, 1, MPI.INT, all, 1, MPI.INT);
    Request third = world.iBarrier();
    third.waitFor();
    second.waitFor();
    first.waitFor();
    assertEquals(size * (size - 1) / 2, sum.get(0));
    assertEquals(size - 1, all[size - 1]);
  }

  private static void groupsAndCommunicators() {
    Group group = world.getGroup();
    Group even = group.rangeIncl(new int[][] {{0, size - 1, 2}});
    Group odd = group.excl(Group.translateRanks(even, ranks(even), group));
    assertEquals(size, even.getSize() + odd.getSize());
    assertEquals(MPI.SIMILAR, size > 2 ? Group.compare(group, Group.union(odd, even)) : 1);
    assertEquals(0, Group.Intersection(even, odd).Size());
    assertEquals(MPI.IDENT, Group.Compare(even, Group.Difference(group, odd)));
    assertEquals(me % 2 == 0 ? me / 2 : MPI.UNDEFINED, even.Rank());
    Intracomm evens = world.create(even);
    assertEquals(me % 2 != 0, evens.isNull());
    assertEquals(me % 2 == 0, world.Create(even) != null);
    Intracomm both = world.create(me % 2 == 0 ? even : odd); // two groups at once
    assertEquals(me % 2 == 0 ? even.getSize() : odd.getSize(), both.getSize());
    assertEquals(me / 2, both.getRank());
    int[] members = new int[both.getSize()];
    both.allGather(new int[] {me}, 1, MPI.INT, members, 1, MPI.INT);
    assertEquals(me % 2, members[0]);
    Intracomm half = world.Split(me % 2, -me);
    assertEquals((size + 1 - me % 2) / 2, half.Size());
    int[] sum = {me};
    half.allReduce(sum, 1, MPI.INT, MPI.SUM);
    int others = 0;
    for (int rank = me % 2; rank < size; rank += 2) {
      others += rank;
    }
    assertEquals(others, sum[0]);
    assertEquals(half.Size() - 1 - me / 2, half.Rank()); // the highest is first
    Intracomm some = world.Split(me == 0 ? MPI.UNDEFINED : 1, 0);
    assertEquals(me == 0, some == null);
    assertTrue(some == null || (some.Size() == size - 1 && some.Rank() == me - 1));
    Intracomm copy = world.clone();
    assertEquals(MPI.CONGRUENT, Comm.compare(world, copy));
    assertEquals(MPI.IDENT, Comm.Compare(world, world));
    assertEquals(size == 1 ? MPI.CONGRUENT : MPI.UNEQUAL, Comm.compare(world, MPI.COMM_SELF));
    assertEquals(size, world.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL).getSize());
    // messages of one do not meet those of another
    int[] got = new int[1];
    Request one = world.iRecv(got, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
    copy.sendRecv(new int[] {1}, 1, MPI.INT, me, 3, new int[1], 1, MPI.INT, me, 3);
    assertTrue(one.getStatus() == null);
    world.send(new int[] {2}, 1, MPI.INT, me, 4);
    assertEquals(4, one.waitStatus().getTag());
    MPI.COMM_SELF.Barrier();
    assertEquals(0, MPI.COMM_SELF.Rank());
  }

  private static int[] ranks(Group group) {
    int[] ranks = new int[group.getSize()];
    Arrays.setAll(ranks, i -> i);
    return ranks;
  }

  private static void topologies() {
    int[] dims = new int[2];
    CartComm.createDims(12, dims);
    assertArrayEquals(new int[] {4, 3}, dims);
    CartComm ring = world.createCart(new int[] {size}, new boolean[] {true}, false);
    assertEquals(MPI.CART, ring.getTopology());
    ShiftParms shift = ring.shift(0, 1);
    assertEquals((me + 1) % size, shift.rank_dest);
    assertEquals((me - 1 + size) % size, shift.getRankSource());
    int[] around = new int[2];
    ring.neighborAllToAll(new int[] {-me - 1, me + 1}, 1, MPI.INT, around, 1, MPI.INT);
    assertArrayEquals(new int[] {shift.rank_source + 1, -shift.rank_dest - 1}, around);
    neighboursOfVariousLengths(ring);
    neighboursOfVariousLengths(ring.dup());
    Cartcomm grid = world.Create_cart(new int[] {size, 1}, new boolean[2], false);
    assertEquals(me == 0 ? MPI.PROC_NULL : me - 1, grid.Shift(0, 1).rank_source);
    assertArrayEquals(new int[] {me, 0}, grid.Coords(me));
    Cartcomm row = grid.Sub(new boolean[] {false, true});
    assertEquals(1, row.Size());
    assertThrows(MPIException.class, () -> world.createCart(new int[] {99}, new boolean[1], false));
    int[] index = new int[size];
    int[] edges = new int[2 * size];
    for (int i = 0; i < size; i++) {
      index[i] = 2 * i + 2;
      edges[2 * i] = (i - 1 + size) % size;
      edges[2 * i + 1] = (i + 1) % size;
    }
    GraphComm graph = world.createGraph(index, edges, false);
    int[] from = new int[2];
    graph.neighborAllGather(new int[] {me}, 1, MPI.INT, from, 1, MPI.INT);
    assertArrayEquals(graph.getNeighbors(me), from);
    GraphComm distributed =
        world.createDistGraph(
            new int[] {me}, new int[] {1}, new int[] {(me + 1) % size}, MPI.INFO_NULL, false);
    DistGraphNeighbors neighbours = distributed.getDistGraphNeighbors();
    assertEquals(1, neighbours.getInDegree());
    assertEquals((me - 1 + size) % size, neighbours.getSource(0));
    assertEquals((me + 1) % size, neighbours.getDestination(0));
  }

  /** In a ring of two both neighbours are the same rank, and each is for one of its messages. */
  private static void neighboursOfVariousLengths(CartComm ring) {
    int source = ring.shift(0, 1).rank_source;
    int dest = ring.shift(0, 1).rank_dest;
    int[] mine = new int[me + 1];
    Arrays.fill(mine, me);
    int[] counts = {source + 1, dest + 1};
    int[] displs = {dest + 2, 0};
    int[] expected = new int[source + dest + 3];
    Arrays.fill(expected, displs[0], expected.length, source);
    Arrays.fill(expected, 0, dest + 1, dest);
    int[][] got = new int[2][source + dest + 3];
    ring.neighborAllGatherv(mine, me + 1, MPI.INT, got[0], counts, displs, MPI.INT);
    ring.iNeighborAllGatherv(mine, me + 1, MPI.INT, got[1], counts, displs, MPI.INT).waitFor();
    assertArrayEquals(new int[][] {expected, expected}, got);
    // one to the rank before, two to the one behind
    int[] sent = {-me, 0, me, me + 1};
    int[] to = {1, 2};
    int[] at = {0, 2};
    int[] from = {2, 1};
    int[] places = {1, 0};
    int[][] turned = new int[2][3];
    ring.neighborAllToAllv(sent, to, at, MPI.INT, turned[0], from, places, MPI.INT);
    ring.iNeighborAllToAllv(sent, to, at, MPI.INT, turned[1], from, places, MPI.INT).waitFor();
    int[] all = {-dest, source, source + 1};
    assertArrayEquals(new int[][] {all, all}, turned);
    int[][] pairs = new int[4][2];
    ring.neighborAllGather(mine, 1, MPI.INT, pairs[0], 1, MPI.INT);
    ring.iNeighborAllGather(mine, 1, MPI.INT, pairs[1], 1, MPI.INT).waitFor();
    int[] both = {-me, me};
    ring.neighborAllToAll(both, 1, MPI.INT, pairs[2], 1, MPI.INT);
    ring.iNeighborAllToAll(both, 1, MPI.INT, pairs[3], 1, MPI.INT).waitFor();
    int[] ranks = {source, dest};
    int[] parts = {source, -dest};
    assertArrayEquals(new int[][] {ranks, ranks, parts, parts}, pairs);
  }

  private static void attributes() {
    int key = Comm.createKeyval();
    world.setAttr(key, "value");
    assertEquals("value", world.dup().getAttr(key));
    world.deleteAttr(key);
    assertNull(world.getAttr(key));
    assertTrue((int) world.Attr_get(MPI.TAG_UB) >= 32767);
    assertEquals(false, world.getAttr(MPI.WTIME_IS_GLOBAL)); // as Open MPI has it
    assertEquals(0, world.Attr_get(MPI.WTIME_IS_GLOBAL));
    Comm.freeKeyval(key);
    assertThrows(MPIException.class, () -> world.getAttr(key));
    Info info = new Info();
    info.set("key", "text");
    assertEquals("text", info.dup().get("key"));
    assertEquals(MPI.THREAD_MULTIPLE, MPI.queryThread());
    assertThrows(MPIException.Later.class, () -> Intracomm.openPort());
  }
}
