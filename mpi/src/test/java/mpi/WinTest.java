// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chapter 11: one-sided accesses, in epochs of fences, and of groups. */
@Timeout(120)
final class WinTest {
  private static final int LARGE = 100_000;

  @ParameterizedTest
  @CsvSource({"1, shm:", "3, udp://127.0.0.1:0", "4, shm:"})
  void windows(int size, String rail) throws Exception {
    Ranks.run(size, rail, WinTest.class, "all");
  }

  private static final Intracomm ALL = MPI.COMM_WORLD;
  private static int me;
  private static int size;

  static void all() throws InterruptedException {
    me = ALL.getRank();
    size = ALL.getSize();
    putsAndGets();
    typesAtBothEnds();
    accumulates();
    oneItem();
    manyAndLarge();
    epochsOfGroups();
    mistakes();
    farApart();
    whatItIs();
    assertTrue(Progress.isQuiet());
  }

  private static int errorOf(Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  private static Win of(IntBuffer base) {
    return new Win(base, base.capacity(), 1, MPI.INFO_NULL, ALL);
  }

  private static IntBuffer ints(int... values) {
    return MPI.newIntBuffer(values.length).put(values);
  }

  private static int[] array(IntBuffer of) {
    int[] all = new int[of.capacity()];
    of.get(0, all);
    return all;
  }

  private static void putsAndGets() {
    IntBuffer base = MPI.newIntBuffer(2 * size);
    Win win = of(base);
    win.fence(MPI.MODE_NOPRECEDE);
    IntBuffer mine = ints(10 + me, 20 + me);
    for (int i = 0; i < size; i++) {
      win.put(mine, 2, MPI.INT, i, 2 * me, 2, MPI.INT);
    }
    win.put(mine, 2, MPI.INT, MPI.PROC_NULL, 99, 2, MPI.INT);
    assertEquals(0, base.get(0), "nothing comes before the fence");
    win.fence(0);
    int[] expected = new int[2 * size];
    Arrays.setAll(expected, i -> (i % 2 == 0 ? 10 : 20) + i / 2);
    assertArrayEquals(expected, array(base));
    IntBuffer got = IntBuffer.wrap(new int[3]); // buffers on the heap are taken, too
    win.get(got, 2, MPI.INT, (me + 1) % size, 2 * me, 2, MPI.INT);
    win.fence(0);
    assertArrayEquals(new int[] {10 + me, 20 + me, 0}, array(got));
    // the owner stores between fences, and others see it
    base.put(0, 1000 + me);
    win.fence(0);
    win.get(got, 1, MPI.INT, (me + 1) % size, 0, 1, MPI.INT);
    win.fence(MPI.MODE_NOSUCCEED);
    assertEquals(1000 + (me + 1) % size, got.get(0));
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(() -> win.get(got, 1, MPI.INT, 0, 0, 1, MPI.INT)));
    win.free();
  }

  /** A row goes into a column of the next rank's matrix, and comes back by a struct's blocks. */
  private static void typesAtBothEnds() {
    int n = 4;
    DoubleBuffer matrix = MPI.newDoubleBuffer(n * n);
    Win win = new Win(matrix, n * n, n, MPI.INFO_NULL, ALL); // displacements count rows
    Datatype column = Datatype.createVector(n, 1, n, MPI.DOUBLE);
    int next = (me + 1) % size;
    int before = (me - 1 + size) % size;
    win.fence(0);
    DoubleBuffer row = MPI.newDoubleBuffer(n).put(new double[] {me, me + 0.25, me + 0.5, 7});
    win.put(row, n, MPI.DOUBLE, next, 0, 1, column);
    column.free(); // it may be freed while it is in use
    win.fence(0);
    for (int i = 0; i < n; i++) {
      assertEquals(i == 3 ? 7 : before + 0.25 * i, matrix.get(n * i));
      assertEquals(0, matrix.get(n * i + 1));
    }
    Datatype every = Datatype.createResized(MPI.DOUBLE, 0, 16);
    Datatype ends = Datatype.createIndexed(new int[] {1, 1}, new int[] {0, n}, MPI.DOUBLE);
    DoubleBuffer got = MPI.newDoubleBuffer(4);
    win.get(got, 2, every, before, 2, 1, ends); // rows 2 and 3
    win.fence(0);
    int twice = (before - 1 + size) % size;
    assertArrayEquals(
        new double[] {twice + 0.5, 0, 7, 0},
        new double[] {got.get(0), got.get(1), got.get(2), got.get(3)});
    win.free();
  }

  private static void accumulates() {
    IntBuffer base = ints(1, 100, 5, 5);
    Win win = of(base);
    win.fence(0);
    IntBuffer mine = ints(me, 1);
    win.accumulate(mine, 2, MPI.INT, 0, 0, 2, MPI.INT, MPI.SUM);
    win.accumulate(mine, 1, MPI.INT, 0, 2, 1, MPI.INT, MPI.MAX);
    // one rank's accumulates at one place are done in their order
    win.accumulate(ints(3), 1, MPI.INT, me, 3, 1, MPI.INT, MPI.PROD);
    win.accumulate(ints(4), 1, MPI.INT, me, 3, 1, MPI.INT, MPI.SUM);
    IntBuffer old = MPI.newIntBuffer(1);
    win.getAccumulate(ints(9), 1, MPI.INT, old, 1, MPI.INT, me, 3, 1, MPI.INT, MPI.REPLACE);
    IntBuffer then = MPI.newIntBuffer(1);
    win.getAccumulate(null, 0, MPI.INT, then, 1, MPI.INT, me, 3, 1, MPI.INT, MPI.NO_OP);
    win.fence(0);
    if (me == 0) {
      assertEquals(1 + size * (size - 1) / 2, base.get(0));
      assertEquals(100 + size, base.get(1));
      assertEquals(Math.max(5, size - 1), base.get(2));
    }
    assertEquals(19, old.get(0));
    assertEquals(9, then.get(0));
    assertEquals(9, base.get(3));
    win.free();
    // pairs, with holes between them
    ByteBuffer pairs = MPI.newByteBuffer(32).putDouble(0, -1).putDouble(16, -1);
    Win located = new Win(pairs, 32, 16, MPI.INFO_NULL, ALL);
    located.fence(0);
    ByteBuffer pair = MPI.newByteBuffer(16).putDouble(0, me * 0.5).putInt(8, me);
    for (int i = 0; i < size; i++) {
      located.accumulate(pair, 1, MPI.DOUBLE_INT, i, 1, 1, MPI.DOUBLE_INT, MPI.MAXLOC);
    }
    located.fence(0);
    assertEquals(-1, pairs.getDouble(0));
    assertEquals((size - 1) * 0.5, pairs.getDouble(16));
    assertEquals(size - 1, pairs.getInt(24));
    located.free();
  }

  /** Tickets: each gets its own; and one rank alone wins. */
  private static void oneItem() {
    LongBuffer base = MPI.newLongBuffer(2);
    Win win = new Win(base, 2, 1, MPI.INFO_NULL, ALL);
    win.fence(0);
    LongBuffer ticket = MPI.newLongBuffer(1);
    LongBuffer winner = MPI.newLongBuffer(1);
    LongBuffer one = MPI.newLongBuffer(1).put(0, 1);
    LongBuffer mine = MPI.newLongBuffer(1).put(0, me + 1);
    win.fetchAndOp(one, ticket, MPI.LONG, 0, 0, MPI.SUM);
    win.compareAndSwap(mine, MPI.newLongBuffer(1), winner, MPI.LONG, 0, 1);
    win.fence(0);
    long[] all = new long[2 * size];
    all[2 * me] = ticket.get(0);
    all[2 * me + 1] = winner.get(0);
    ALL.allGather(all, 2, MPI.LONG);
    long[] tickets = new long[size];
    Arrays.setAll(tickets, i -> all[2 * i]);
    Arrays.sort(tickets);
    long winners = 0;
    for (int i = 0; i < size; i++) {
      assertEquals(i, tickets[i]);
      winners += all[2 * i + 1] == 0 ? 1 : 0;
    }
    assertEquals(1, winners);
    if (me == 0) {
      assertEquals(size, base.get(0));
      assertTrue(base.get(1) >= 1 && base.get(1) <= size);
    }
    win.free();
  }

  /** More than one batch, and data that comes by itself, of all kinds at once. */
  private static void manyAndLarge() {
    IntBuffer base = MPI.newIntBuffer(3 * LARGE);
    Win win = of(base);
    int next = (me + 1) % size;
    win.fence(0);
    IntBuffer one = ints(1);
    for (int i = 0; i < 3000; i++) {
      win.accumulate(one, 1, MPI.INT, next, i % 7, 1, MPI.INT, MPI.SUM);
    }
    IntBuffer large = MPI.newIntBuffer(LARGE);
    for (int i = 0; i < LARGE; i++) {
      large.put(i, i);
    }
    win.put(large, LARGE, MPI.INT, next, LARGE, LARGE, MPI.INT);
    win.accumulate(large, LARGE, MPI.INT, next, 2 * LARGE, LARGE, MPI.INT, MPI.SUM);
    IntBuffer old = MPI.newIntBuffer(LARGE);
    win.getAccumulate(
        large, LARGE, MPI.INT, old, LARGE, MPI.INT, next, 2 * LARGE, LARGE, MPI.INT, MPI.SUM);
    IntBuffer got = MPI.newIntBuffer(3000);
    for (int i = 0; i < 3000; i++) {
      win.get(got.slice(i, 1), 1, MPI.INT, next, 2 * LARGE + i, 1, MPI.INT);
    }
    win.fence(0);
    for (int i = 0; i < 7; i++) {
      assertEquals(3000 / 7 + (i < 3000 % 7 ? 1 : 0), base.get(i));
    }
    for (int i = 0; i < LARGE; i++) {
      if (base.get(LARGE + i) != i || base.get(2 * LARGE + i) != 2 * i || old.get(i) != i) {
        assertEquals(i, base.get(LARGE + i));
        assertEquals(2 * i, base.get(2 * LARGE + i));
        assertEquals(i, old.get(i));
      }
    }
    assertEquals(2 * 2999, got.get(2999));
    win.free();
  }

  /** Each puts to the next one, and is put to by the one before, both at once. */
  private static void epochsOfGroups() {
    IntBuffer base = ints(-1, -1);
    Win win = of(base);
    Group world = ALL.getGroup();
    Group next = world.incl(new int[] {(me + 1) % size});
    Group before = world.incl(new int[] {(me - 1 + size) % size});
    for (int i = 0; i < 3; i++) {
      win.post(before, 0);
      win.start(next, 0);
      win.put(ints(10 * i + me), 1, MPI.INT, (me + 1) % size, 0, 1, MPI.INT);
      IntBuffer got = MPI.newIntBuffer(1);
      win.get(got, 1, MPI.INT, (me + 1) % size, 1, 1, MPI.INT);
      win.complete();
      assertEquals(i == 0 ? -1 : i - 1, got.get(0));
      win.waitFor();
      assertEquals(10 * i + (me - 1 + size) % size, base.get(0));
      base.put(1, i);
    }
    // all put to rank 0, which asks whether they have
    if (me == 0) {
      win.post(world, 0);
      assertFalse(size > 1 && win.test()); // the others begin behind the barrier
      ALL.barrier();
      win.start(world.incl(new int[] {0}), 0);
      win.accumulate(ints(1), 1, MPI.INT, 0, 0, 1, MPI.INT, MPI.SUM);
      win.complete();
      int had = base.get(0);
      while (!win.test()) {
        Thread.onSpinWait();
      }
      assertTrue(base.get(0) >= had);
      assertEquals(20 + (size - 1) + size, base.get(0));
    } else {
      ALL.barrier();
      win.start(world.incl(new int[] {0}), 0);
      win.accumulate(ints(1), 1, MPI.INT, 0, 0, 1, MPI.INT, MPI.SUM);
      win.complete();
    }
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(win::waitFor));
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(win::test));
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(win::complete));
    win.start(MPI.GROUP_EMPTY, 0);
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(() -> win.start(next, 0)));
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(() -> win.put(ints(1), 1, MPI.INT, 0, 0, 1, MPI.INT)));
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(() -> win.fence(0)));
    win.complete();
    win.post(MPI.GROUP_EMPTY, 0);
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(() -> win.post(next, 0)));
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(win::free));
    win.waitFor();
    win.free();
  }

  private static void mistakes() {
    IntBuffer base = MPI.newIntBuffer(me == 0 ? 4 : 2);
    Win win = of(base);
    IntBuffer two = ints(1, 2);
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(() -> win.put(two, 1, MPI.INT, 0, 0, 1, MPI.INT)));
    win.fence(0);
    assertEquals(MPI.ERR_RANK, errorOf(() -> win.put(two, 1, MPI.INT, size, 0, 1, MPI.INT)));
    assertEquals(MPI.ERR_DISP, errorOf(() -> win.put(two, 1, MPI.INT, 0, -1, 1, MPI.INT)));
    assertEquals(MPI.ERR_DISP, errorOf(() -> win.put(two, 2, MPI.INT, 0, 3, 2, MPI.INT)));
    assertEquals(
        MPI.ERR_DISP,
        errorOf(() -> win.get(two, 1, MPI.INT, size - 1, size == 1 ? 4 : 2, 1, MPI.INT)));
    Datatype before = Datatype.createHIndexed(new int[] {1}, new int[] {-4}, MPI.INT);
    assertEquals(MPI.ERR_DISP, errorOf(() -> win.put(two, 1, MPI.INT, 0, 0, 1, before)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> win.put(two, 1, MPI.INT, 0, 0, -1, MPI.INT)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> win.put(two, 1, MPI.INT, 0, 0, 2, MPI.INT)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> win.put(two, 1, MPI.INT, 0, 0, 1, MPI.FLOAT)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> win.put(two, 1, MPI.INT, 0, 0, 1, null)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> win.put(two, 1, MPI.INT, 0, 0, 1, MPI.NULL)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> win.put(null, 1, MPI.INT, 0, 0, 1, MPI.INT)));
    // memory is looked at in the call, and no target waits for what never comes
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> win.put(ints(1), 2, MPI.INT, 0, 0, 2, MPI.INT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> win.get(ints(1), 2, MPI.INT, 0, 0, 2, MPI.INT)));
    IntBuffer fixed = ints(1, 2).asReadOnlyBuffer();
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> win.get(fixed, 2, MPI.INT, 0, 0, 2, MPI.INT)));
    Op own =
        new Op(
            new User_function() {
              @Override
              public void Call(
                  Object in, int inAt, Object inOut, int at, int count, Datatype type) {
                throw new AssertionError("it is never run");
              }
            },
            true);
    assertEquals(MPI.ERR_OP, errorOf(() -> win.accumulate(two, 1, MPI.INT, 0, 0, 1, MPI.INT, own)));
    assertEquals(
        MPI.ERR_OP, errorOf(() -> win.accumulate(two, 1, MPI.FLOAT, 0, 0, 1, MPI.FLOAT, MPI.BAND)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> win.compareAndSwap(two, two, two, MPI.DOUBLE, 0, 0)));
    assertEquals(MPI.ERR_ASSERT, errorOf(() -> win.fence(1 << 20)));
    win.put(two, 0, MPI.INT, 0, 4, 0, MPI.INT); // nothing, at the end
    win.fence(0);
    assertEquals(0, base.get(0));
    win.put(two, 1, MPI.INT, me, 0, 1, MPI.INT);
    assertEquals(MPI.ERR_RMA_SYNC, errorOf(win::free));
    win.fence(0);
    win.free();
    assertEquals(MPI.ERR_WIN, errorOf(() -> win.fence(0)));
    // what one rank gives wrongly all are told
    assertEquals(MPI.ERR_SIZE, errorOf(() -> new Win(two, me == 0 ? 3 : 2, 1, MPI.INFO_NULL, ALL)));
    assertEquals(
        MPI.ERR_DISP, errorOf(() -> new Win(two, 2, me == size - 1 ? 0 : 1, MPI.INFO_NULL, ALL)));
    assertEquals(
        MPI.ERR_BUFFER, errorOf(() -> new Win(two.asReadOnlyBuffer(), 2, 1, MPI.INFO_NULL, ALL)));
    assertEquals(
        MPI.ERR_UNSUPPORTED_OPERATION,
        errorOf(() -> new Win(2, 1, MPI.INFO_NULL, ALL, two, Win.FLAVOR_SHARED)));
  }

  /** Units and displacements of more bytes than an int, or a long, can say. */
  private static void farApart() {
    LongBuffer base = LongBuffer.allocate(7700);
    Win win = new Win(base, base.capacity(), 1_518_506_280, MPI.INFO_NULL, ALL);
    assertEquals(7700 * 8, win.getAttr(MPI.WIN_SIZE));
    assertEquals(1_518_506_280L * 8, win.getAttr(MPI.WIN_DISP_UNIT));
    win.fence(0);
    LongBuffer one = MPI.newLongBuffer(1).put(0, 1);
    win.put(one, 1, MPI.LONG, me, 0, 1, MPI.LONG);
    // as a long of 64 bits it would be within the window: byte 7648 * 8
    int far = 1_518_494_220;
    assertEquals(MPI.ERR_DISP, errorOf(() -> win.put(one, 1, MPI.LONG, me, far, 1, MPI.LONG)));
    assertEquals(MPI.ERR_DISP, errorOf(() -> win.get(one, 1, MPI.LONG, me, 1, 1, MPI.LONG)));
    win.fence(0);
    assertEquals(1, base.get(0));
    assertEquals(0, base.get(7648));
    win.free();
  }

  private static void whatItIs() {
    IntBuffer base = MPI.newIntBuffer(4);
    Win win = new Win(4, 2, MPI.INFO_NULL, ALL, base, Win.FLAVOR_PRIVATE);
    assertSame(base, win.getAttr(MPI.WIN_BASE));
    assertEquals(16, win.getAttr(MPI.WIN_SIZE));
    assertEquals(8, win.getAttr(MPI.WIN_DISP_UNIT));
    int key = Win.createKeyval();
    assertNull(win.getAttr(key));
    win.setAttr(key, "text");
    assertEquals("text", win.getAttr(key));
    win.deleteAttr(key);
    Win.freeKeyval(key);
    assertEquals(MPI.ERR_KEYVAL, errorOf(() -> win.setAttr(key, 1)));
    win.setName("mine");
    assertEquals("mine", win.getName());
    assertEquals(MPI.IDENT, Group.compare(ALL.getGroup(), win.getGroup()));
    assertEquals(MPI.ERR_WIN, errorOf(() -> win.callErrhandler(MPI.ERR_WIN)));
    win.setErrhandler(MPI.ERRORS_RETURN);
    assertSame(MPI.ERRORS_RETURN, win.getErrhandler());
    Info hints = new Info();
    hints.set("no_locks", "true");
    win.setInfo(hints);
    assertEquals("true", win.getInfo().get("no_locks"));
    Win empty = new Win(null, 0, 1, MPI.INFO_NULL, ALL);
    empty.fence(0);
    assertEquals(MPI.ERR_DISP, errorOf(() -> empty.put(base, 1, MPI.INT, 0, 0, 1, MPI.INT)));
    empty.fence(0);
    empty.free();
    win.free();
  }
}
