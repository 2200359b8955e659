// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chapter 13: files that ranks write and read together. */
@Timeout(120)
final class FileTest {
  private static final int LARGE = 700_000;
  private static final int CREATE = MPI.MODE_CREATE | MPI.MODE_RDWR;

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void files(int ranks, @TempDir Path folder) throws Exception {
    System.setProperty("mpi.test.folder", folder.toString()); // the ranks load their own classes
    Ranks.run(ranks, "shm:", FileTest.class, "all");
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(0, left.count(), "nothing is left behind");
    }
  }

  /** How much a file of some length has for a view is what lies before its end. */
  @Test
  void viewsCountWhatTheFileHas() {
    Datatype[] types = {
      MPI.BYTE,
      Datatype.createContiguous(3, MPI.BYTE),
      Datatype.createVector(3, 2, 5, MPI.BYTE),
      Datatype.createResized(
          Datatype.createIndexed(new int[] {2, 1}, new int[] {9, 13}, MPI.BYTE), 0, 6),
      Datatype.createResized(MPI.BYTE, 0, 7),
    };
    for (Datatype type : types) {
      FileView view = new FileView(3, MPI.BYTE, type, "native").checked();
      for (int bytes = 0; bytes < 60; bytes++) {
        int seen = 0;
        for (int i = 0; i < 100; i++) {
          seen += view.place(i) < bytes ? 1 : 0;
        }
        assertEquals(seen, view.items(bytes), type.getExtent() + ": " + bytes);
      }
      for (int i = 0; i < 50; i++) {
        int run = (int) Math.min(view.run(i), 50);
        for (int j = 0; j < run; j++) {
          assertEquals(view.place(i) + j, view.place(i + j));
        }
      }
    }
  }

  /** To walk over all blocks of a view takes no time that grows with the square of their number. */
  @Test
  void aViewOfManyBlocks() {
    int blocks = 1_000_000;
    int[] lengths = new int[blocks];
    int[] at = new int[blocks];
    for (int i = 0; i < blocks; i++) {
      lengths[i] = 1 + i % 3;
      at[i] = 5 * i;
    }
    Datatype many = Datatype.createIndexed(lengths, at, MPI.BYTE);
    FileView view = new FileView(7, MPI.BYTE, many, "native").checked();
    long seen = 0;
    for (int i = 0; i < 2 * blocks; i++) {
      int block = i % blocks;
      long tile = 7L + i / blocks * many.extent();
      if (view.place(seen) != tile + at[block] || view.run(seen) != lengths[block]) {
        assertEquals(tile + at[block], view.place(seen), "block " + i);
        assertEquals(lengths[block], view.run(seen), "block " + i);
      }
      seen += lengths[block];
    }
  }

  private static final Intracomm ALL = MPI.COMM_WORLD;
  private static int me;
  private static int size;

  static void all() throws IOException {
    me = ALL.getRank();
    size = ALL.getSize();
    offsetsAndPointers();
    views();
    memoryWithHoles();
    manyAndLarge();
    sizes();
    modes();
    splitCalls();
    sharedPointer();
    thePointerMovesBehindWrites();
    orderedCalls();
    interrupts();
    sequentialFiles();
    atomicAccesses();
    whatIsNotTaken();
    mistakes();
    assertTrue(Progress.isQuiet());
  }

  private static int errorOf(Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  private static String path(String name) {
    return System.getProperty("mpi.test.folder") + "/" + name;
  }

  private static File opened(String name) {
    return new File(ALL, path(name), CREATE);
  }

  private static void closed(File file, String name) {
    file.close();
    ALL.barrier();
    if (me == 0) {
      File.delete(path(name));
    }
    ALL.barrier();
  }

  private static void offsetsAndPointers() {
    File file = opened("plain");
    int[] mine = {me, -me};
    Status status = file.writeAt(8L * me, mine, 2, MPI.INT);
    assertEquals(2, status.getCount(MPI.INT));
    ALL.barrier();
    assertEquals(8L * size, file.getSize());
    int[] all = new int[2 * size + 3];
    Arrays.fill(all, 99);
    status = file.readAtAll(0, all, 2 * size + 3, MPI.INT);
    assertEquals(2 * size, status.getCount(MPI.INT)); // there is no more
    for (int i = 0; i < size; i++) {
      assertEquals(i, all[2 * i]);
      assertEquals(-i, all[2 * i + 1]);
    }
    assertEquals(99, all[2 * size]);
    assertEquals(0, file.getPosition());
    file.seek(8L * ((me + 1) % size), MPI.SEEK_SET);
    int[] one = new int[1];
    file.read(one, 1, MPI.INT);
    assertEquals((me + 1) % size, one[0]);
    file.read(one, 1, MPI.INT);
    assertEquals(-((me + 1) % size), one[0]);
    assertEquals(8L * ((me + 1) % size) + 8, file.getPosition());
    file.seek(-8, MPI.SEEK_CUR);
    IntBuffer direct = MPI.newIntBuffer(2);
    Request request = file.iReadAll(direct, 2, MPI.INT);
    assertEquals(2, request.waitStatus().getCount(MPI.INT));
    assertEquals(-((me + 1) % size), direct.get(1));
    file.seek(-4, MPI.SEEK_END);
    assertEquals(8L * size - 4, file.getPosition());
    assertEquals(1, file.read(one, 1, MPI.INT).getCount(MPI.INT));
    assertEquals(1 - size, one[0]);
    assertEquals(0, file.read(one, 1, MPI.INT).getCount(MPI.INT));
    assertEquals(MPI.ERR_ARG, errorOf(() -> file.seek(-1, MPI.SEEK_SET)));
    assertEquals(8L * size, file.getPosition());
    ALL.barrier();
    request = file.iWriteAt(8L * me, direct.put(0, 7), 1, MPI.INT);
    request.waitFor();
    assertTrue(file.iWriteAtAll(8L * me, direct.put(0, 8), 1, MPI.INT).test());
    file.sync();
    file.iReadAt(0, direct, 1, MPI.INT).waitFor();
    assertEquals(8, direct.get(0));
    file.iReadAtAll(8L * (size - 1), direct, 1, MPI.INT).waitFor();
    assertEquals(8, direct.get(0));
    closed(file, "plain");
  }

  /** Each rank sees every size-th block of two, behind a header. */
  private static void views() throws IOException {
    File file = opened("views");
    Datatype two = Datatype.createContiguous(2, MPI.INT);
    Datatype mine =
        Datatype.createResized(
            Datatype.createIndexed(new int[] {1}, new int[] {me}, two), 0, 8 * size);
    file.setView(12, MPI.INT, mine, "native");
    assertEquals(12, file.getView().getDisp());
    assertSame(mine, file.getView().getFileType());
    assertSame(MPI.INT, file.getView().getEType());
    assertEquals("native", file.getView().getDataRep());
    int[] out = {me, 10 + me, 20 + me, 30 + me, 40 + me};
    file.write(out, 3, MPI.INT);
    assertEquals(3, file.getPosition());
    file.write(Arrays.copyOfRange(out, 3, 5), 2, MPI.INT);
    assertEquals(5, file.getPosition());
    assertEquals(12 + 8L * me, file.getByteOffset(0));
    assertEquals(12 + 8L * (size + me) + 4, file.getByteOffset(3));
    assertEquals(4, file.getTypeExtent(MPI.INT));
    ALL.barrier();
    if (me == 0) {
      ByteBuffer all =
          ByteBuffer.wrap(Files.readAllBytes(Path.of(path("views"))))
              .order(ByteOrder.nativeOrder());
      assertEquals(12 + 8 * 2 * size + 8 * (size - 1) + 4, all.capacity());
      for (int i = 0; i < 5 * size; i++) {
        int rank = i % size;
        int item = i / size; // the last one of each has a hole behind it
        int at = 12 + 8 * (item / 2 * size + rank) + item % 2 * 4;
        assertEquals(item * 10 + rank, all.getInt(at));
      }
    }
    int[] in = new int[7];
    assertEquals(5, file.readAt(0, in, 5, MPI.INT).getCount(MPI.INT));
    assertArrayEquals(new int[] {me, 10 + me, 20 + me, 30 + me, 40 + me, 0, 0}, in);
    file.seek(0, MPI.SEEK_END);
    assertEquals(me == size - 1 ? 5 : 6, file.getPosition());
    // items of another type, two of the elementary one each, over the edge of a block
    long[] wide = new long[1];
    file.seek(1, MPI.SEEK_SET);
    file.read(wide, 1, MPI.LONG);
    assertEquals(3, file.getPosition());
    ByteBuffer both = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(0, wide[0]);
    assertEquals(10 + me, both.getInt(0));
    assertEquals(20 + me, both.getInt(4));
    mine.free();
    file.readAt(4, in, 1, MPI.INT); // a type may be freed while it is in use
    assertEquals(40 + me, in[0]);
    file.setView(0, MPI.BYTE, MPI.BYTE, "internal", new Info());
    assertEquals(0, file.getPosition());
    closed(file, "views");
  }

  private static void memoryWithHoles() {
    File file = opened("holes");
    Datatype column = Datatype.createVector(3, 1, 2, MPI.SHORT);
    short[] out = {1, -1, 2, -1, 3, -1};
    assertEquals(6, file.writeAt(6L * me, out, 1, column).getCount(MPI.BYTE));
    short[] in = new short[6];
    assertEquals(1, file.readAt(6L * me, in, 1, column).getCount(column));
    assertArrayEquals(new short[] {1, 0, 2, 0, 3, 0}, in);
    ALL.barrier();
    boolean[] flags = {true, false, true};
    file.writeAt(3L * me, flags, 3, MPI.BOOLEAN);
    boolean[] read = new boolean[3];
    assertEquals(3, file.readAt(3L * me, read, 3, MPI.BOOLEAN).getCount(MPI.BOOLEAN));
    assertArrayEquals(flags, read);
    closed(file, "holes");
  }

  /** More than the library holds at once, from a type with holes and by a view with holes. */
  private static void manyAndLarge() {
    File file = opened("large");
    Datatype mine =
        Datatype.createResized(
            Datatype.createIndexed(new int[] {1000}, new int[] {1000 * me}, MPI.INT),
            0,
            4000 * size);
    file.setView(0, MPI.INT, mine, "native");
    Datatype every = Datatype.createResized(MPI.INT, 0, 8);
    int[] out = new int[2 * LARGE];
    Arrays.setAll(out, i -> i % 2 == 0 ? i / 2 * size + me : -1);
    file.writeAll(out, LARGE, every);
    assertEquals(LARGE, file.getPosition());
    file.seek(0, MPI.SEEK_SET);
    int[] in = new int[LARGE];
    assertEquals(LARGE, file.readAll(in, LARGE, MPI.INT).getCount(MPI.INT));
    for (int i = 0; i < LARGE; i++) {
      if (in[i] != i * size + me) {
        assertEquals(i * size + me, in[i]);
      }
    }
    int[] spread = new int[2 * LARGE];
    file.readAtAll(1, spread, LARGE - 1, every);
    assertEquals((LARGE - 1) * size + me, spread[2 * (LARGE - 2)]);
    assertEquals(0, spread[1]);
    closed(file, "large");
  }

  private static void sizes() {
    File file = opened("sizes");
    file.setSize(100);
    assertEquals(100, file.getSize());
    file.preallocate(3_000_000);
    assertEquals(3_000_000, file.getSize());
    file.preallocate(10); // has that already
    assertEquals(3_000_000, file.getSize());
    ALL.barrier();
    file.setSize(7);
    assertEquals(7, file.getSize());
    byte[] got = new byte[10];
    assertEquals(7, file.readAt(0, got, 10, MPI.BYTE).getCount(MPI.BYTE));
    assertEquals(MPI.ERR_ARG, errorOf(() -> file.setSize(me == 0 ? -1 : 5)));
    assertEquals(MPI.IDENT, Group.compare(ALL.getGroup(), file.getGroup()));
    assertEquals(CREATE, file.getAMode());
    Info hints = new Info();
    hints.set("striping_factor", "4");
    file.setInfo(hints);
    assertEquals("4", file.getInfo().get("striping_factor"));
    closed(file, "sizes");
  }

  private static void modes() {
    assertEquals(MPI.ERR_NO_SUCH_FILE, errorOf(() -> new File(ALL, path("none"), MPI.MODE_RDONLY)));
    assertEquals(MPI.ERR_NO_SUCH_FILE, errorOf(() -> File.delete(path("none"))));
    assertEquals(MPI.ERR_BAD_FILE, errorOf(() -> new File(ALL, path(""), CREATE)));
    assertEquals(MPI.ERR_BAD_FILE, errorOf(() -> new File(ALL, "", CREATE)));
    int[] bad = {
      0,
      MPI.MODE_CREATE,
      MPI.MODE_RDONLY | MPI.MODE_WRONLY,
      MPI.MODE_RDONLY | MPI.MODE_CREATE,
      MPI.MODE_RDWR | MPI.MODE_SEQUENTIAL,
      MPI.MODE_RDWR | 1 << 20
    };
    for (int mode : bad) {
      assertEquals(MPI.ERR_AMODE, errorOf(() -> new File(ALL, path("bad"), mode)));
    }
    int exclusive = CREATE | MPI.MODE_EXCL;
    File file = new File(ALL, path("modes"), exclusive);
    assertEquals(MPI.ERR_FILE_EXISTS, errorOf(() -> new File(ALL, path("modes"), exclusive)));
    file.writeAt(4L * me, new int[] {me}, 1, MPI.INT);
    file.close();
    assertEquals(MPI.ERR_FILE, errorOf(file::getSize));
    assertEquals(MPI.ERR_FILE, errorOf(file::close));
    int appending = MPI.MODE_WRONLY | MPI.MODE_APPEND;
    File more = new File(ALL, path("modes"), appending, new Info());
    assertEquals(4L * size, more.getPosition());
    assertEquals(MPI.ERR_ACCESS, errorOf(() -> more.read(new int[1], 1, MPI.INT)));
    more.close();
    int once = MPI.MODE_RDONLY | MPI.MODE_DELETE_ON_CLOSE | MPI.MODE_UNIQUE_OPEN;
    File last = new File(ALL, path("modes"), once);
    int[] got = new int[1];
    last.readAt(4L * me, got, 1, MPI.INT);
    assertEquals(me, got[0]);
    assertEquals(MPI.ERR_READ_ONLY, errorOf(() -> last.write(got, 1, MPI.INT)));
    assertEquals(MPI.ERR_READ_ONLY, errorOf(() -> last.setSize(0)));
    assertEquals(MPI.ERR_READ_ONLY, errorOf(() -> last.preallocate(0)));
    assertTrue(Files.exists(Path.of(path("modes"))));
    last.close();
    assertFalse(Files.exists(Path.of(path("modes"))));
    File alone = new File(MPI.COMM_SELF, path("alone" + me), CREATE | MPI.MODE_DELETE_ON_CLOSE);
    alone.write(new byte[] {1}, 1, MPI.BYTE);
    assertEquals(1, alone.getSize());
    alone.close();
    if (size > 1) {
      int mode = me == 1 ? MPI.MODE_RDONLY : CREATE;
      assertEquals(MPI.ERR_NOT_SAME, errorOf(() -> new File(ALL, path("differ"), mode)));
    }
  }

  private static void splitCalls() {
    File file = opened("split");
    int[] out = {me, me};
    file.writeAtAllBegin(8L * me, out, 2, MPI.INT);
    assertEquals(MPI.ERR_FILE, errorOf(() -> file.readAllBegin(out, 2, MPI.INT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.writeAtAllEnd(new int[2])));
    assertEquals(MPI.ERR_FILE, errorOf(file::close));
    assertEquals(2, file.writeAtAllEnd(out).getCount(MPI.INT));
    assertEquals(MPI.ERR_FILE, errorOf(() -> file.writeAtAllEnd(out)));
    int[] in = new int[2];
    file.readAtAllBegin(8L * me, in, 2, MPI.INT);
    assertEquals(2, file.readAtAllEnd(in).getCount(MPI.INT));
    assertArrayEquals(out, in);
    file.seek(8L * me, MPI.SEEK_SET);
    int[] next = {5, 6};
    file.writeAllBegin(next, 2, MPI.INT);
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.writeAllEnd(in)));
    assertEquals(2, file.writeAllEnd(next).getCount(MPI.INT));
    file.seek(8L * me, MPI.SEEK_SET);
    file.readAllBegin(in, 2, MPI.INT);
    assertEquals(2, file.readAllEnd(in).getCount(MPI.INT));
    assertArrayEquals(next, in);
    closed(file, "split");
  }

  /** Nobody's items meet another one's, and there are no gaps. */
  private static void sharedPointer() {
    File file = opened("shared");
    file.setView(4, MPI.INT, MPI.INT, "native");
    assertEquals(0, file.getPositionShared());
    ALL.barrier();
    for (int i = 0; i < 10; i++) {
      file.writeShared(new int[] {me, i}, 2, MPI.INT);
    }
    file.iWriteShared(MPI.newIntBuffer(2).put(0, me).put(1, 10), 2, MPI.INT).waitFor();
    ALL.barrier();
    assertEquals(22L * size, file.getPositionShared());
    assertEquals(0, file.getPosition());
    int[] all = new int[22 * size];
    file.readAt(0, all, all.length, MPI.INT);
    int[] next = new int[size];
    for (int i = 0; i < all.length; i += 2) {
      assertEquals(next[all[i]]++, all[i + 1]); // each rank's own are in order
    }
    file.seekShared(-2, MPI.SEEK_END);
    assertEquals(22L * size - 2, file.getPositionShared());
    file.seekShared(2 - 22L * size, MPI.SEEK_CUR);
    assertEquals(0, file.getPositionShared());
    ALL.barrier();
    int[] sum = new int[1];
    int[] two = new int[2];
    for (int i = 0; i < 10; i++) {
      assertEquals(2, file.readShared(two, 2, MPI.INT).getCount(MPI.INT));
      sum[0] += two[1];
    }
    IntBuffer last = MPI.newIntBuffer(2);
    file.iReadShared(last, 2, MPI.INT).waitFor();
    sum[0] += last.get(1);
    ALL.allReduce(sum, 1, MPI.INT, MPI.SUM);
    assertEquals(55 * size, sum[0]);
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.readShared(two, 3, MPI.INT)));
    ALL.barrier();
    assertEquals(22L * size, file.getPositionShared()); // a mistake does not move it
    assertEquals(MPI.ERR_ARG, errorOf(() -> file.seekShared(me == 0 ? -1 : 1, MPI.SEEK_SET)));
    closed(file, "shared");
  }

  private static void writeSharedBytes(File file, int howMany) {
    for (int i = 0; i < howMany; i++) {
      file.writeShared(new byte[] {(byte) me}, 1, MPI.BYTE);
    }
  }

  /** What moves it for all comes behind what each rank has written before, however late it is. */
  private static void thePointerMovesBehindWrites() {
    int mine = me == 0 ? 0 : 200; // rank 0 waits for the others in the next call
    long all = 200L * (size - 1);
    File file = opened("behind");
    ALL.barrier();
    writeSharedBytes(file, mine);
    file.seekShared(0, MPI.SEEK_CUR);
    assertEquals(all, file.getPositionShared());
    ALL.barrier();
    writeSharedBytes(file, mine);
    file.seekShared(0, MPI.SEEK_END);
    assertEquals(2 * all, file.getPositionShared());
    closed(file, "behind");
    int mode = MPI.MODE_WRONLY | MPI.MODE_CREATE | MPI.MODE_SEQUENTIAL;
    File next = new File(ALL, path("behind"), mode);
    writeSharedBytes(next, mine);
    next.setView(MPI.DISPLACEMENT_CURRENT, MPI.BYTE, MPI.BYTE, "native");
    assertEquals(all, next.getView().getDisp());
    closed(next, "behind");
  }

  /** The file stays open, all is written and read, and who was interrupted is told afterwards. */
  private static void interrupts() {
    File file = opened("interrupts");
    file.setView(0, MPI.INT, MPI.INT, "native");
    int[] one = {me};
    Thread.currentThread().interrupt();
    assertEquals(1, file.writeAt(me, one, 1, MPI.INT).getCount(MPI.INT));
    assertEquals(1, file.writeOrdered(one, 1, MPI.INT).getCount(MPI.INT));
    file.setAtomicity(true);
    file.writeAt(size + me, one, 1, MPI.INT);
    file.sync();
    file.preallocate(4L * 3 * size);
    assertEquals(4L * 3 * size, file.getSize());
    int[] all = new int[3 * size];
    assertEquals(3 * size, file.readAt(0, all, 3 * size, MPI.INT).getCount(MPI.INT));
    for (int i = 0; i < 2 * size; i++) {
      assertEquals(i % size, all[i]);
    }
    file.setSize(4);
    file.writeShared(one, 1, MPI.INT);
    assertTrue(Thread.interrupted(), "the interrupt is still there");
    assertEquals(1, file.readAt(0, one, 1, MPI.INT).getCount(MPI.INT));
    closed(file, "interrupts");
  }

  private static void orderedCalls() {
    File file = opened("ordered");
    int[] mine = new int[me + 1];
    Arrays.fill(mine, me);
    for (int i = 0; i < 2; i++) {
      assertEquals(me + 1, file.writeOrdered(mine, me + 1, MPI.INT).getCount(MPI.INT));
    }
    int each = size * (size + 1) / 2;
    assertEquals(8L * each, file.getPositionShared());
    int[] all = new int[2 * each];
    ALL.barrier();
    file.readAt(0, all, all.length, MPI.INT);
    int at = 0;
    for (int i = 0; i < 2 * size; i++) {
      for (int j = 0; j <= i % size; j++) {
        assertEquals(i % size, all[at++]);
      }
    }
    file.seekShared(0, MPI.SEEK_SET);
    int[] back = new int[me + 1];
    assertEquals(me + 1, file.readOrdered(back, me + 1, MPI.INT).getCount(MPI.INT));
    assertArrayEquals(mine, back);
    file.readOrderedBegin(back, 1, MPI.INT);
    file.readOrderedEnd(back);
    file.writeOrderedBegin(mine, 1, MPI.INT);
    assertEquals(1, file.writeOrderedEnd(mine).getCount(MPI.INT));
    // what one rank cannot write all are told
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.writeOrdered(mine, me == 0 ? 99 : 1, MPI.INT)));
    closed(file, "ordered");
  }

  private static void sequentialFiles() {
    int mode = MPI.MODE_WRONLY | MPI.MODE_CREATE | MPI.MODE_SEQUENTIAL;
    File file = new File(ALL, path("sequential"), mode);
    file.writeOrdered(new byte[] {(byte) me}, 1, MPI.BYTE);
    file.setView(MPI.DISPLACEMENT_CURRENT, MPI.INT, MPI.INT, "native");
    assertEquals(size, file.getView().getDisp());
    file.writeOrdered(new int[] {me}, 1, MPI.INT);
    int unsupported = MPI.ERR_UNSUPPORTED_OPERATION;
    assertEquals(unsupported, errorOf(() -> file.seek(0, MPI.SEEK_SET)));
    assertEquals(unsupported, errorOf(() -> file.writeAt(0, new int[1], 1, MPI.INT)));
    assertEquals(unsupported, errorOf(() -> file.seekShared(0, MPI.SEEK_SET)));
    ALL.barrier();
    assertEquals(5L * size, file.getSize());
    closed(file, "sequential");
  }

  /** All write the same place, each with bytes of its own: it holds those of one. */
  private static void atomicAccesses() {
    File file = opened("atomic");
    assertFalse(file.getAtomicity());
    file.setAtomicity(true);
    assertTrue(file.getAtomicity());
    Datatype every = Datatype.createResized(MPI.BYTE, 0, 2);
    file.setView(0, MPI.BYTE, every, "native");
    byte[] mine = new byte[500];
    Arrays.fill(mine, (byte) (me + 1));
    byte[] got = new byte[500];
    for (int i = 0; i < 5; i++) {
      file.writeAt(0, mine, 500, MPI.BYTE);
      file.readAt(0, got, 500, MPI.BYTE);
      for (byte each : got) {
        assertEquals(got[0], each);
      }
    }
    closed(file, "atomic");
  }

  /** What is wrong is told before anything is changed, by what the buffer or the view is. */
  private static void whatIsNotTaken() {
    File file = opened("kept");
    file.writeAt(me, new byte[] {(byte) me}, 1, MPI.BYTE);
    FileView before = file.getView();
    assertEquals(MPI.ERR_INFO, errorOf(() -> file.setView(4, MPI.INT, MPI.INT, "native", null)));
    assertSame(before, file.getView());
    file.seek(me, MPI.SEEK_SET);
    Datatype holes = Datatype.createVector(1, 1, 2, MPI.BYTE);
    for (ByteBuffer fixed :
        List.of(
            ByteBuffer.allocate(4).asReadOnlyBuffer(),
            ByteBuffer.allocateDirect(4).asReadOnlyBuffer())) {
      assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.read(fixed, 1, MPI.BYTE)));
      assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.read(fixed, 1, holes)));
      assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.readAt(0, fixed, 1, MPI.BYTE)));
      assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.iRead(fixed, 1, MPI.BYTE).waitFor()));
    }
    assertEquals(me, file.getPosition());
    file.close();
    assertEquals(MPI.ERR_FILE, errorOf(() -> file.setErrhandler(MPI.ERRORS_RETURN)));
    assertEquals(MPI.ERR_FILE, errorOf(() -> file.setInfo(MPI.INFO_NULL)));
    if (me == 0) {
      File.delete(path("kept"));
    }
  }

  private static void mistakes() {
    File file = opened("mistakes");
    int[] data = new int[2];
    assertEquals(MPI.ERR_ARG, errorOf(() -> file.readAt(-1, data, 1, MPI.INT)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> file.seek(0, 1)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> file.write(data, -1, MPI.INT)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.write(data, 1, MPI.FLOAT)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.write(data, 1, null)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.write(new Object[1], 1, MPI.OBJECT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.write(null, 1, MPI.INT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.write(data, 3, MPI.INT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.read(data, 3, MPI.INT)));
    Datatype gaps = Datatype.createVector(2, 1, 2, MPI.INT);
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> file.write(data, 1, gaps)));
    assertEquals(0, file.getPosition());
    assertEquals(0, file.getSize());
    assertEquals(
        MPI.ERR_ARG, errorOf(() -> file.setView(me == 0 ? -1 : 0, MPI.INT, MPI.INT, "native")));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.setView(0, MPI.INT, MPI.SHORT, "native")));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.setView(0, MPI.INT, null, "native")));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.setView(0, MPI.NULL, MPI.INT, "native")));
    Datatype none = Datatype.createContiguous(0, MPI.INT);
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.setView(0, none, MPI.INT, "native")));
    Datatype back = Datatype.createIndexed(new int[] {1, 1}, new int[] {1, 0}, MPI.INT);
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.setView(0, MPI.INT, back, "native")));
    Datatype over = Datatype.createResized(gaps, 0, 8);
    assertEquals(MPI.ERR_TYPE, errorOf(() -> file.setView(0, MPI.INT, over, "native")));
    assertEquals(
        MPI.ERR_UNSUPPORTED_DATAREP,
        errorOf(() -> file.setView(0, MPI.INT, MPI.INT, "external32")));
    assertEquals(
        MPI.ERR_ARG,
        errorOf(() -> file.setView(MPI.DISPLACEMENT_CURRENT, MPI.INT, MPI.INT, "native")));
    assertSame(MPI.BYTE, file.getView().getEType()); // none of them was taken
    assertEquals(MPI.ERR_IO, errorOf(() -> file.callErrhandler(MPI.ERR_IO)));
    file.setErrhandler(MPI.ERRORS_RETURN);
    assertSame(MPI.ERRORS_RETURN, file.getErrhandler());
    closed(file, "mistakes");
  }
}
