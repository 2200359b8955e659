// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chapter 3 of the standard, and 4: messages in both dialects, requests, datatypes, packing. */
@Timeout(120)
final class PointToPointTest {
  private static final int LARGE = 100_000;

  @ParameterizedTest
  @CsvSource({"1, shm:", "2, udp://127.0.0.1:0", "4, shm:"})
  void messages(int size, String rail) throws Exception {
    Ranks.run(size, rail, PointToPointTest.class, "all");
  }

  static void all() throws Exception {
    everyTypeInBothDialects();
    objects();
    wildcardsAndProbes();
    requests();
    truncated();
    noProcess();
    bufferedAndPersistent();
    derivedTypes();
    packed();
    mistakesAreTold();
  }

  private static int right() {
    return (MPI.COMM_WORLD.Rank() + 1) % MPI.COMM_WORLD.Size();
  }

  private static int left() {
    return (MPI.COMM_WORLD.Rank() - 1 + MPI.COMM_WORLD.Size()) % MPI.COMM_WORLD.Size();
  }

  /** Round the ring, from element 1 on, and back by the other dialect. */
  private static Object ring(Object mine, Object memory, Datatype type) {
    Request receive = MPI.COMM_WORLD.Irecv(memory, 1, 3, type, left(), 7);
    MPI.COMM_WORLD.Send(mine, 1, 3, type, right(), 7);
    Status status = receive.Wait();
    assertEquals(3, status.Get_count(type));
    assertEquals(left(), status.source);
    assertEquals(7, status.getTag());
    assertTrue(receive.Is_null());
    receive = MPI.COMM_WORLD.iRecv(memory, 4, type, right(), 8);
    MPI.COMM_WORLD.sSend(mine, 4, type, left(), 8);
    receive.waitFor();
    return memory;
  }

  private static void everyTypeInBothDialects() {
    int me = MPI.COMM_WORLD.getRank();
    int other = right();
    int[] ints = {0, me, me + 1, Integer.MIN_VALUE};
    int[] expected = {0, other, other + 1, Integer.MIN_VALUE};
    assertArrayEquals(expected, (int[]) ring(ints, new int[4], MPI.INT));
    double[] doubles = {0, me + 0.5, -me, Double.NaN};
    assertArrayEquals(
        new double[] {0, other + 0.5, -other, Double.NaN},
        (double[]) ring(doubles, new double[4], MPI.DOUBLE));
    boolean[] booleans = {true, me % 2 == 0, false, true};
    assertArrayEquals(
        new boolean[] {true, other % 2 == 0, false, true},
        (boolean[]) ring(booleans, new boolean[4], MPI.BOOLEAN));
    char[] chars = {'a', (char) me, 'c', '\uffff'};
    assertEquals(other, ((char[]) ring(chars, new char[4], MPI.CHAR))[1]);
    short[] shorts = {1, (short) -me, 2, 3};
    assertEquals(-other, ((short[]) ring(shorts, new short[4], MPI.SHORT))[1]);
    long[] longs = {1, 1L << 40 | me, 2, 3};
    assertEquals(1L << 40 | other, ((long[]) ring(longs, new long[4], MPI.LONG))[1]);
    float[] floats = {1, me, 2, 3};
    assertEquals(other, ((float[]) ring(floats, new float[4], MPI.FLOAT))[1]);
    byte[] bytes = {1, (byte) me, 2, 3};
    assertEquals(other, ((byte[]) ring(bytes, new byte[4], MPI.BYTE))[1]);
    IntBuffer direct = MPI.newIntBuffer(LARGE);
    IntBuffer got = MPI.newIntBuffer(LARGE);
    direct.put(LARGE - 1, me).position(17); // which does not count
    Request receive = MPI.COMM_WORLD.iRecv(got, LARGE, MPI.INT, left(), 1);
    Request send = MPI.COMM_WORLD.iSend(direct, LARGE, MPI.INT, right(), 1);
    Request.waitAll(new Request[] {send, receive});
    assertEquals(left(), got.get(LARGE - 1));
    MPI.COMM_WORLD.sendRecv(
        MPI.slice(direct, LARGE - 1),
        1,
        MPI.INT,
        right(),
        2,
        MPI.slice(got, 5),
        1,
        MPI.INT,
        left(),
        2);
    assertEquals(left(), got.get(5));
  }

  private static void objects() {
    int me = MPI.COMM_WORLD.Rank();
    String[] mine = {"unused", "rank " + me, null, "x".repeat(LARGE)};
    Object[] got = new Object[4];
    // both receive before they send, and what they send is too long to leave by itself
    Request receive = MPI.COMM_WORLD.Irecv(got, 1, 3, MPI.OBJECT, left(), 3);
    MPI.COMM_WORLD.Send(mine, 1, 3, MPI.OBJECT, right(), 3);
    Status status = receive.Wait();
    assertEquals(3, status.Get_count(MPI.OBJECT));
    assertArrayEquals(new Object[] {null, "rank " + left(), null, mine[3]}, got);
    int[][] matrix = {{me}, {2, 3}};
    int[][] other = new int[2][];
    MPI.COMM_WORLD.Sendrecv(
        matrix, 0, 2, MPI.OBJECT, right(), 4, other, 0, 2, MPI.OBJECT, left(), 4);
    assertArrayEquals(new int[][] {{left()}, {2, 3}}, other);
    Request small = MPI.COMM_WORLD.Irecv(new Object[1], 0, 1, MPI.OBJECT, left(), 5);
    MPI.COMM_WORLD.Send(new Object[] {1, 2}, 0, 2, MPI.OBJECT, right(), 5);
    assertEquals(MPI.ERR_TRUNCATE, assertThrows(MPIException.class, small::Wait).getErrorClass());
    MPI.setObjectFilter(
        info ->
            info.serialClass() == java.util.BitSet.class
                ? java.io.ObjectInputFilter.Status.REJECTED
                : java.io.ObjectInputFilter.Status.UNDECIDED);
    Request refused = MPI.COMM_WORLD.Irecv(got, 0, 1, MPI.OBJECT, left(), 6);
    MPI.COMM_WORLD.Send(new Object[] {new java.util.BitSet()}, 0, 1, MPI.OBJECT, right(), 6);
    assertEquals(MPI.ERR_TYPE, assertThrows(MPIException.class, refused::Wait).getErrorClass());
    MPI.setObjectFilter(null);
  }

  private static void wildcardsAndProbes() {
    int me = MPI.COMM_WORLD.Rank();
    MPI.COMM_WORLD.Barrier();
    Request send = MPI.COMM_WORLD.Isend(new int[] {me, me}, 0, 2, MPI.INT, right(), 40 + me);
    Status found = MPI.COMM_WORLD.probe(MPI.ANY_SOURCE, MPI.ANY_TAG);
    assertEquals(left(), found.getSource());
    assertEquals(40 + left(), found.tag);
    assertEquals(2, found.getCount(MPI.INT));
    assertEquals(MPI.UNDEFINED, found.getCount(Datatype.createContiguous(3, MPI.INT)));
    assertNull(MPI.COMM_WORLD.Iprobe(left(), 9));
    Message message = new Message();
    assertNotNull(message.mProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, MPI.COMM_WORLD));
    assertNull(MPI.COMM_WORLD.iProbe(MPI.ANY_SOURCE, MPI.ANY_TAG));
    int[] got = new int[2];
    assertEquals(left(), message.mRecv(got, 2, MPI.INT).getSource());
    assertEquals(left(), got[1]);
    assertTrue(message.isNull());
    send.waitFor();
  }

  private static void requests() {
    int me = MPI.COMM_WORLD.Rank();
    assertEquals(MPI.UNDEFINED, Request.waitAny(new Request[] {MPI.REQUEST_NULL, null}));
    assertNull(Request.Waitsome(new Request[] {MPI.REQUEST_NULL}));
    assertEquals(0, MPI.REQUEST_NULL.Wait().Get_count(MPI.INT));
    int[] got = new int[6];
    Request[] receives = new Request[6];
    for (int i = 0; i < 6; i++) {
      receives[i] = MPI.COMM_WORLD.Irecv(got, i, 1, MPI.INT, left(), 60 + i);
    }
    assertEquals(0, Request.testSome(receives).length);
    assertNull(Request.Testall(receives));
    MPI.COMM_WORLD.Barrier();
    MPI.COMM_WORLD.Send(new int[] {me}, 0, 1, MPI.INT, right(), 63);
    Status any = Request.Waitany(receives);
    assertEquals(3, any.index);
    assertEquals(left(), got[3]);
    MPI.COMM_WORLD.Barrier();
    for (int i : new int[] {0, 1, 2, 4}) {
      MPI.COMM_WORLD.Send(new int[] {i}, 0, 1, MPI.INT, right(), 60 + i);
    }
    int done = 1;
    while (done < 5) {
      done += Request.waitSome(receives).length;
    }
    assertArrayEquals(new int[] {0, 1, 2, left(), 4, 0}, got);
    receives[5].Cancel();
    Status cancelled = receives[5].Wait();
    assertTrue(cancelled.Test_cancelled());
    assertFalse(any.isCancelled());
    Request freed = MPI.COMM_WORLD.Isend(new int[LARGE], 0, LARGE, MPI.INT, right(), 70);
    freed.free();
    assertTrue(freed.isNull());
    Status large = MPI.COMM_WORLD.Recv(new int[LARGE], 0, LARGE, MPI.INT, left(), 70);
    assertEquals(LARGE, large.Get_count(MPI.INT));
  }

  private static void truncated() {
    int[] guard = {1, 2, 3, 4};
    Request receive = MPI.COMM_WORLD.Irecv(guard, 0, 2, MPI.INT, left(), 80);
    Request next = MPI.COMM_WORLD.Irecv(guard, 3, 1, MPI.INT, left(), 80);
    MPI.COMM_WORLD.Send(new int[3], 0, 3, MPI.INT, right(), 80);
    MPI.COMM_WORLD.Send(new int[] {9}, 0, 1, MPI.INT, right(), 80);
    MPIException told =
        assertThrows(MPIException.class, () -> Request.Waitall(new Request[] {receive, next}));
    assertEquals(MPI.ERR_IN_STATUS, told.getErrorClass());
    Status[] statuses = told.getStatuses();
    assertEquals(MPI.ERR_TRUNCATE, statuses[0].getError());
    assertEquals(left(), statuses[0].getSource());
    assertEquals(80, statuses[0].getTag());
    assertEquals(MPI.SUCCESS, statuses[1].getError());
    assertArrayEquals(new int[] {1, 2, 3, 9}, guard);
    Request any =
        MPI.COMM_WORLD.Irecv(new Object[1], 0, 1, MPI.OBJECT, MPI.ANY_SOURCE, MPI.ANY_TAG);
    MPI.COMM_WORLD.Send(new Object[2], 0, 2, MPI.OBJECT, right(), 81);
    told = assertThrows(MPIException.class, () -> Request.waitSome(new Request[] {any}));
    Status failed = told.getStatuses()[0];
    assertEquals(MPI.ERR_TRUNCATE, failed.getError());
    assertEquals(left(), failed.source);
    assertEquals(81, failed.tag);
  }

  private static void noProcess() {
    int[] data = {5};
    MPI.COMM_WORLD.Send(null, 0, 0, MPI.INT, MPI.PROC_NULL, 1);
    Status status = MPI.COMM_WORLD.Recv(data, 0, 1, MPI.INT, MPI.PROC_NULL, 1);
    assertEquals(MPI.PROC_NULL, status.source);
    assertEquals(MPI.ANY_TAG, status.tag);
    assertEquals(0, status.Get_count(MPI.INT));
    assertEquals(5, data[0]);
  }

  private static void bufferedAndPersistent() {
    int me = MPI.COMM_WORLD.Rank();
    byte[] room = new byte[3 * (400 + MPI.BSEND_OVERHEAD)];
    MPI.Buffer_attach(room);
    assertThrows(
        MPIException.class,
        () -> MPI.COMM_WORLD.Bsend(new int[1000], 0, 1000, MPI.INT, right(), 90));
    int[] data = new int[100];
    for (int i = 0; i < 3; i++) {
      Arrays.fill(data, me + i);
      MPI.COMM_WORLD.Bsend(data, 0, 100, MPI.INT, right(), 90);
    }
    for (int i = 0; i < 3; i++) {
      MPI.COMM_WORLD.Recv(data, 0, 100, MPI.INT, left(), 90);
      assertEquals(left() + i, data[99]);
    }
    assertTrue(room == MPI.Buffer_detach());
    int[] out = new int[1];
    int[] in = new int[1];
    Prequest send = MPI.COMM_WORLD.Send_init(out, 0, 1, MPI.INT, right(), 91);
    Prequest receive = MPI.COMM_WORLD.recvInit(in, 1, MPI.INT, left(), 91);
    for (int i = 0; i < 20; i++) {
      out[0] = me + i;
      Prequest.Startall(new Prequest[] {receive, send});
      Request.waitAll(new Request[] {send, receive});
      assertEquals(left() + i, in[0]);
      assertFalse(send.isNull());
    }
    send.free();
    assertTrue(send.isNull());
    assertThrows(MPIException.class, send::start);
  }

  private static void derivedTypes() {
    int me = MPI.COMM_WORLD.Rank();
    Datatype column = Datatype.Vector(3, 1, 4, MPI.DOUBLE);
    column.Commit();
    assertEquals(9, column.Extent());
    assertEquals(3, column.Size());
    assertEquals(72, column.getExtent());
    double[] matrix = new double[12];
    Arrays.setAll(matrix, i -> 100 * me + i);
    double[] got = new double[12];
    Arrays.fill(got, -1);
    MPI.COMM_WORLD.Sendrecv(matrix, 1, 1, column, right(), 1, got, 2, 1, column, left(), 1);
    int o = 100 * left();
    assertArrayEquals(new double[] {-1, -1, o + 1, -1, -1, -1, o + 5, -1, -1, -1, o + 9, -1}, got);
    double[] dense = new double[3];
    MPI.COMM_WORLD.Sendrecv(matrix, 1, 1, column, right(), 1, dense, 0, 3, MPI.DOUBLE, left(), 1);
    assertArrayEquals(new double[] {o + 1, o + 5, o + 9}, dense);
    double[] replaced = matrix.clone();
    MPI.COMM_WORLD.Sendrecv_replace(replaced, 1, 1, column, right(), 1, left(), 1);
    matrix[1] = o + 1;
    matrix[5] = o + 5;
    matrix[9] = o + 9;
    assertArrayEquals(matrix, replaced);
    Arrays.setAll(matrix, i -> 100 * me + i);
    Datatype resized = Datatype.createResized(column, 0, 8);
    double[] turned = new double[12];
    MPI.COMM_WORLD.Sendrecv(
        matrix, 0, 4, resized, right(), 1, turned, 0, 12, MPI.DOUBLE, left(), 1);
    assertArrayEquals(new double[] {o, o + 4, o + 8, o + 1}, Arrays.copyOf(turned, 4));
    Datatype two =
        Datatype.Struct(
            new int[] {1, 1, 1},
            new int[] {0, 1, 5},
            new Datatype[] {
              MPI.INT, Datatype.Indexed(new int[] {1, 2}, new int[] {2, 0}, MPI.INT), MPI.UB
            });
    assertEquals(5, two.Extent());
    int[] ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    int[] flat = new int[8];
    MPI.COMM_WORLD.Sendrecv(ints, 0, 2, two, right(), 1, flat, 0, 8, MPI.INT, left(), 1);
    assertArrayEquals(new int[] {1, 4, 2, 3, 6, 9, 7, 8}, flat);
    byDistances();
    Datatype some = Datatype.Vector(2, 1, 2, MPI.OBJECT);
    Object[] objects = new Object[3];
    MPI.COMM_WORLD.Sendrecv(
        new Object[] {"a", "b", "c"}, 0, 1, some, right(), 1, objects, 0, 1, some, left(), 1);
    assertArrayEquals(new Object[] {"a", null, "c"}, objects);
    Pair pair = new Pair();
    assertEquals(16, pair.getExtent());
    ByteBuffer pairs = MPI.newByteBuffer(2 * pair.getExtent());
    Pair.Data second = pair.getData(pairs, 1);
    second.set((byte) me, me + 0.5);
    ByteBuffer came = MPI.newByteBuffer(2 * pair.getExtent());
    MPI.COMM_WORLD.sendRecv(
        pairs, 2, pair.getType(), right(), 1, came, 2, pair.getType(), left(), 1);
    Pair.Data data = pair.getData(came, 1);
    assertEquals(left() + 0.5, data.number());
    assertEquals(left(), data.letter());
  }

  /** Blocks whose distances count bytes in one dialect, and elements of the array in the other. */
  private static void byDistances() {
    int[] from = new int[8];
    Arrays.setAll(from, i -> 10 * MPI.COMM_WORLD.Rank() + i);
    int[] two = {1, 2};
    Datatype[][] same = {
      {Datatype.createHVector(2, 2, 20, MPI.INT), Datatype.Hvector(2, 2, 5, MPI.INT)},
      {
        Datatype.createHIndexed(two, new int[] {24, 8}, MPI.INT),
        Datatype.Hindexed(two, new int[] {6, 2}, MPI.INT)
      },
    };
    int[][] places = {{0, 1, 5, 6}, {6, 2, 3}};
    for (int i = 0; i < same.length; i++) {
      for (Datatype type : same[i]) {
        int count = places[i].length;
        int[] dense = new int[count];
        MPI.COMM_WORLD.sendRecv(from, 1, type, right(), 1, dense, count, MPI.INT, left(), 1);
        int[] back = new int[8];
        MPI.COMM_WORLD.sendRecv(dense, count, MPI.INT, left(), 2, back, 1, type, right(), 2);
        int[] expected = new int[8];
        for (int j = 0; j < count; j++) {
          assertEquals(10 * left() + places[i][j], dense[j]);
          expected[places[i][j]] = from[places[i][j]];
        }
        assertArrayEquals(expected, back);
      }
    }
  }

  /** A struct of the program's. */
  static final class Pair extends Struct {
    private final int letter = addByte();
    private final int number = addDouble();

    @Override
    protected Data newData() {
      return new Data();
    }

    /** One of them. */
    final class Data extends Struct.Data {
      void set(byte one, double other) {
        putByte(letter, one);
        putDouble(number, other);
      }

      byte letter() {
        return getByte(letter);
      }

      double number() {
        return getDouble(number);
      }
    }
  }

  private static void packed() {
    byte[] bytes = new byte[200];
    int at = MPI.COMM_WORLD.pack(new int[] {7, 8}, 2, MPI.INT, bytes, 0);
    at = MPI.COMM_WORLD.Pack(new boolean[] {false, true}, 1, 1, MPI.BOOLEAN, bytes, at);
    assertEquals(9, at);
    at = MPI.COMM_WORLD.Pack(new Object[] {"text"}, 0, 1, MPI.OBJECT, bytes, at);
    MPI.COMM_WORLD.Sendrecv_replace(bytes, 0, at, MPI.PACKED, right(), 1, left(), 1);
    int[] ints = new int[2];
    boolean[] truth = new boolean[1];
    Object[] text = new Object[1];
    int from = MPI.COMM_WORLD.unpack(bytes, 0, ints, 2, MPI.INT);
    from = MPI.COMM_WORLD.Unpack(bytes, from, truth, 0, 1, MPI.BOOLEAN);
    assertEquals(at, MPI.COMM_WORLD.Unpack(bytes, from, text, 0, 1, MPI.OBJECT));
    assertArrayEquals(new int[] {7, 8}, ints);
    assertTrue(truth[0]);
    assertEquals("text", text[0]);
    assertEquals(8, MPI.COMM_WORLD.packSize(2, MPI.INT));
  }

  private static int errorOf(org.junit.jupiter.api.function.Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  private static void mistakesAreTold() {
    Intracomm all = MPI.COMM_WORLD;
    int[] data = new int[4];
    assertEquals(MPI.ERR_RANK, errorOf(() -> all.send(data, 1, MPI.INT, all.getSize(), 0)));
    assertEquals(MPI.ERR_TAG, errorOf(() -> all.send(data, 1, MPI.INT, 0, -7)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> all.send(data, -1, MPI.INT, 0, 0)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> all.Send(data, 0, 1, MPI.LONG, 0, 0)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> all.Send(data, 2, 3, MPI.INT, 0, 0)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> all.send("text", 1, MPI.INT, 0, 0)));
    assertEquals(
        MPI.ERR_BUFFER,
        errorOf(() -> all.recv(data, 2, Datatype.createVector(2, 1, 3, MPI.INT), 0, 0)));
    assertEquals(MPI.ERR_OTHER, errorOf(() -> MPI.Init(new String[0])));
    Intracomm gone = all.dup();
    gone.free();
    assertEquals(MPI.ERR_COMM, errorOf(() -> gone.send(data, 1, MPI.INT, 0, 0)));
    all.setErrhandler(MPI.ERRORS_ARE_FATAL);
    AssertionError aborted =
        assertThrows(AssertionError.class, () -> all.send(data, 1, MPI.INT, -9, 0));
    assertEquals("abort " + MPI.ERR_RANK, aborted.getMessage());
    all.setErrhandler(MPI.ERRORS_RETURN);
  }
}
