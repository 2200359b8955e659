// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** What needs no other rank: numbers at the end of their range, and operations by themselves. */
@Timeout(60)
final class LimitsTest {
  private static final int MANY = Integer.MAX_VALUE;

  private static int errorOf(Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  @Test
  void datatypesBeyondWhatCanBeCounted() {
    Datatype four = Datatype.createContiguous(1 << 30, MPI.INT); // GiB, which is no error by itself
    assertEquals(MPI.ERR_ARG, errorOf(four::getSize));
    assertEquals(MPI.ERR_ARG, errorOf(four::getExtent));
    assertEquals(MPI.ERR_ARG, errorOf(four::getTrueExtent));
    assertEquals(1 << 30, four.Extent());
    Datatype far = Datatype.createHIndexed(new int[] {1}, new int[] {-MANY}, four);
    Datatype farther = Datatype.createVector(2, 1, -4, far);
    assertEquals(MPI.ERR_ARG, errorOf(farther::getLb));
    assertEquals(MPI.ERR_ARG, errorOf(farther::getTrueLb));
    Datatype huge = Datatype.createContiguous(MANY, Datatype.createContiguous(MANY, MPI.BYTE));
    int[] one = {1};
    int[] many = {MANY};
    assertEquals(MPI.ERR_ARG, errorOf(() -> Datatype.createContiguous(MANY, huge)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> Datatype.createVector(2, 1, MANY, huge)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> Datatype.createIndexed(one, many, huge)));
    assertEquals(
        MPI.ERR_ARG, errorOf(() -> Datatype.Indexed(new int[] {1, 1}, new int[] {-2, 2}, huge)));
    assertEquals(
        MPI.ERR_ARG, errorOf(() -> Datatype.createStruct(many, one, new Datatype[] {huge})));
    assertEquals(MPI.ERR_ARG, errorOf(() -> MPI.COMM_WORLD.packSize(MANY, huge)));
  }

  /** A struct of the program's whose fields are added one by one. */
  private static final class Growing extends Struct {
    @Override
    protected Data newData() {
      return new Data() {};
    }
  }

  @Test
  void structsBeyondAnInt() {
    Growing struct = new Growing();
    assertEquals(MPI.ERR_ARG, errorOf(() -> struct.addLong(1 << 28)));
    assertEquals(0, struct.addLong((1 << 28) - 2));
    assertEquals(MPI.ERR_ARG, errorOf(() -> struct.addDouble(2)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> struct.addByte(MANY)));
    assertEquals(MANY - 15, struct.addByte());
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> struct.getData(new byte[8], 4)));
    Growing sixteen = new Growing();
    int unused = sixteen.addLong(2);
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> sixteen.getData(new byte[64], 1 << 28)));
  }

  @Test
  void rangesOfRanks() {
    Group three = new Group(4, 5, 6);
    for (int[] range : new int[][] {{0, MANY, 1}, {0, -MANY, -1}, {1, MANY - 1, 1 << 30}}) {
      assertEquals(MPI.ERR_RANK, errorOf(() -> three.rangeIncl(new int[][] {range})));
      assertEquals(MPI.ERR_RANK, errorOf(() -> three.Range_excl(new int[][] {range})));
    }
    assertArrayEquals(
        new int[] {6, 4, 5},
        three.rangeIncl(new int[][] {{2, 0, -2}, {1, 1, MANY}, {2, 1, 1}}).members());
  }

  @Test
  void gridsOfNothing() {
    for (int nodes : new int[] {0, -1, -MANY}) {
      int[] dims = new int[2];
      assertEquals(MPI.ERR_ARG, errorOf(() -> CartComm.createDims(nodes, dims)));
      assertEquals(MPI.ERR_ARG, errorOf(() -> Cartcomm.Dims_create(nodes, dims)));
      assertArrayEquals(new int[2], dims);
    }
  }

  @Test
  void zerosOfEitherSignAreEqual() {
    for (Op op : List.of(MPI.MAXLOC, MPI.MINLOC)) {
      double[] result = {0.0, 3, -0.0, 5};
      Comm.reduceLocal(new double[] {-0.0, 5, 0.0, 3}, result, 2, MPI.DOUBLE2, op);
      assertArrayEquals(new double[] {3, 3}, new double[] {result[1], result[3]});
      float[] other = {-0.0f, 3, 0.0f, 5};
      Comm.reduceLocal(new float[] {0.0f, 5, -0.0f, 3}, other, 2, MPI.FLOAT2, op);
      assertArrayEquals(new float[] {3, 3}, new float[] {other[1], other[3]});
    }
  }

  // ------------------------------------------------------------------ operations of the program

  private static final List<String> CALLED = new ArrayList<>();

  /** Has one of the two methods. */
  private static class OnArrays extends UserFunction {
    @Override
    public void call(Object in, Object inOut, int count, Datatype type) {
      CALLED.add(in.getClass().getSimpleName());
      if (in instanceof int[] ints) {
        for (int i = 0; i < count; i++) {
          ((int[]) inOut)[i] += ints[i];
        }
      }
    }
  }

  /** Has both, one of which is by way of the other. */
  private static final class OnBoth extends OnArrays {
    @Override
    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
      CALLED.add("buffers");
      super.call(in, inOut, count, type);
    }
  }

  private static List<String> calledBy(Object in, Object inOut, Datatype type, UserFunction by) {
    CALLED.clear();
    Comm.reduceLocal(in, inOut, 2, type, new Op(by, true));
    return List.copyOf(CALLED);
  }

  @Test
  void theMethodThatIsOverriddenIsCalled() {
    int[] sum = {1, 2};
    int[] in = {10, 20};
    assertEquals(List.of("int[]"), calledBy(in, sum, MPI.INT, new OnArrays()));
    assertArrayEquals(new int[] {11, 22}, sum);
    assertEquals(List.of("buffers", "int[]"), calledBy(in, sum, MPI.INT, new OnBoth()));
    assertArrayEquals(new int[] {21, 42}, sum);
    boolean[] flags = new boolean[2]; // for which there is no buffer
    assertEquals(List.of("boolean[]"), calledBy(flags, flags.clone(), MPI.BOOLEAN, new OnBoth()));
    Object[] objects = {"a", "b"};
    assertEquals(List.of("Object[]"), calledBy(objects, objects.clone(), MPI.OBJECT, new OnBoth()));
    Datatype holes = Datatype.createResized(MPI.INT, 0, 8);
    int[] wide = {1, 7, 2};
    List<String> unused = calledBy(new int[] {10, 9, 20}, wide, holes, new OnBoth());
    assertArrayEquals(new int[] {1, 7, 2}, new int[] {wide[0] - 10, wide[1], wide[2]});
  }

  /** Has the other one. */
  private static final class OnBuffers extends UserFunction {
    @Override
    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
      for (int i = 0; i < count; i++) {
        inOut.put(i, (byte) (in.get(i) | inOut.get(i)));
      }
    }
  }

  @Test
  void buffersOfBooleansAreBytesAndThereAreNoneOfObjects() {
    boolean[] flags = {false, true};
    List<String> unused =
        calledBy(new boolean[] {true, false}, flags, MPI.BOOLEAN, new OnBuffers());
    assertArrayEquals(new boolean[] {true, true}, flags);
    Object[] objects = new Object[2];
    assertEquals(
        MPI.ERR_OP, errorOf(() -> calledBy(objects, objects, MPI.OBJECT, new OnBuffers())));
  }

  @Test
  void whatAnOperationThrowsIsTold() {
    for (RuntimeException own :
        List.of(
            new UnsupportedOperationException("mine"),
            new IndexOutOfBoundsException("mine"),
            new ArithmeticException("mine"))) {
      UserFunction fails =
          new UserFunction() {
            @Override
            public void call(Object in, Object inOut, int count, Datatype type) {
              throw own;
            }
          };
      for (Datatype type : List.of(MPI.INT, MPI.OBJECT)) {
        Object data = type == MPI.INT ? new int[2] : new Object[2];
        MPIException told =
            assertThrows(MPIException.class, () -> calledBy(data, data, type, fails));
        assertEquals(MPI.ERR_OTHER, told.getErrorClass());
        assertSame(own, told.getCause());
      }
    }
    Op freed = new Op(new OnArrays(), true);
    freed.free();
    Object[] objects = new Object[1];
    assertEquals(
        MPI.ERR_OP, errorOf(() -> Comm.reduceLocal(objects, objects, 1, MPI.OBJECT, freed)));
    assertEquals(
        MPI.ERR_OP, errorOf(() -> Comm.reduceLocal(objects, objects, 1, MPI.OBJECT, MPI.SUM)));
  }

  // ------------------------------------------------------------------ before the begin

  /** Only what becomes of errors can be said before Init. */
  @Test
  void beforeInit() {
    Intracomm all = MPI.COMM_WORLD;
    Errhandler before = all.getErrhandler();
    MPI.Errorhandler_set(MPI.ERRORS_RETURN);
    assertSame(MPI.ERRORS_RETURN, all.Errhandler_get());
    MPI.Errorhandler_set(before);
    for (Executable early :
        List.<Executable>of(
            () -> all.setName("x"),
            () -> all.setAttr(Comm.createKeyval(), 1),
            () -> all.setInfo(MPI.INFO_NULL),
            () -> MPI.attachBuffer(new byte[9]),
            () -> MPI.Buffer_attach(ByteBuffer.allocate(9)),
            MPI::detachBuffer,
            all::barrier,
            MPI::Finalize)) {
      assertEquals(MPI.ERR_OTHER, errorOf(early));
    }
    assertTrue(all.getName().isEmpty());
    Datatype gone = MPI.INT.dup();
    gone.free();
    assertEquals(MPI.ERR_TYPE, errorOf(() -> gone.setName("x")));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> gone.setAttr(Comm.createKeyval(), 1)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> MPI.DATATYPE_NULL.setName("x")));
    IllegalArgumentException told =
        assertThrows(IllegalArgumentException.class, () -> new mpjbuf.Buffer(null, 0, 1));
    assertTrue(told.getMessage().contains("BufferFactory"));
  }
}
