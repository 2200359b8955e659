// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Data;
import io.crosstie.ranks.Operation;
import io.crosstie.ranks.Reduction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** How a reduction combines. */
public class Op implements Freeable {
  /** What the library brings. */
  private enum Builtin {
    REDUCTION,
    LOCATION,
    NONE
  }

  private final Builtin builtin;
  private final Reduction reduction;
  private final boolean largest;
  private final User_function upper;
  private final UserFunction lower;

  /** Which of its two methods the program has overridden. */
  private final boolean onArrays;

  private final boolean onBuffers;
  private final boolean commute;
  private final String name;
  private boolean freed;

  private Op(
      Builtin builtin,
      Reduction reduction,
      boolean largest,
      User_function upper,
      UserFunction lower,
      boolean commute,
      String name) {
    this.builtin = builtin;
    this.reduction = reduction;
    this.largest = largest;
    this.upper = upper;
    this.lower = lower;
    this.onArrays = lower != null && overrides(lower, Object.class);
    this.onBuffers = lower != null && overrides(lower, ByteBuffer.class);
    this.commute = commute;
    this.name = name;
  }

  static Op of(Reduction reduction) {
    return new Op(Builtin.REDUCTION, reduction, false, null, null, true, "MPI." + reduction.name());
  }

  static Op location(boolean largest) {
    return new Op(
        Builtin.LOCATION, null, largest, null, null, true, largest ? "MPI.MAXLOC" : "MPI.MINLOC");
  }

  /** One that is for one-sided calls alone. */
  static Op oneSided(String name) {
    return new Op(Builtin.NONE, null, false, null, null, false, name);
  }

  /**
   * An operation of the program's own, which is associative.
   *
   * @param commute whether ranks may be taken in any order; they are taken in theirs all the same
   */
  public Op(User_function function, boolean commute) {
    this(null, null, false, given(function), null, commute, "an operation of the program");
  }

  /** {@link #Op(User_function, boolean)}. */
  public Op(UserFunction function, boolean commute) {
    this(null, null, false, null, given(function), commute, "an operation of the program");
  }

  private static boolean overrides(UserFunction function, Class<?> memory) {
    try {
      return function
              .getClass()
              .getMethod("call", memory, memory, int.class, Datatype.class)
              .getDeclaringClass()
          != UserFunction.class;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every UserFunction has both", e);
    }
  }

  private static <T> T given(T function) {
    return Checks.given(function, MPI.ERR_ARG, "the function");
  }

  /** Whether ranks may be taken in any order. */
  public boolean isCommutative() {
    return commute;
  }

  @Override
  public void free() {
    if (builtin != null) {
      throw MPIException.of(MPI.ERR_OP, name + " cannot be freed");
    }
    freed = true;
  }

  /** {@link #free}. */
  public void Free() {
    free();
  }

  /** Whether it was freed. */
  public boolean isNull() {
    return freed;
  }

  /** {@link #isNull}. */
  public boolean Is_null() {
    return isNull();
  }

  // ------------------------------------------------------------------ for this package

  private MPIException unfit(Datatype type) {
    return MPIException.of(MPI.ERR_OP, name + " is not for " + type);
  }

  /** As the ranks below combine data of that type. */
  Operation operation(Datatype type) {
    if (freed) {
      throw MPIException.of(MPI.ERR_OP, "the operation was freed");
    }
    if (builtin == null) {
      return (left, right) -> call(left, right, type);
    }
    return switch (builtin) {
      case REDUCTION -> reduction(type);
      case LOCATION -> location(type);
      case NONE -> throw unfit(type);
    };
  }

  private Operation reduction(Datatype type) {
    boolean isFloat = type.kind() == Kind.FLOAT || type.kind() == Kind.DOUBLE;
    boolean isArithmetic =
        reduction == Reduction.SUM
            || reduction == Reduction.PRODUCT
            || reduction == Reduction.MIN
            || reduction == Reduction.MAX;
    boolean isBoolean = type.kind() == Kind.BOOLEAN;
    if (type.isMixed()
        || type.isObject()
        || type.kind() == Kind.NONE
        || (isFloat && !isArithmetic)
        || (isBoolean && isArithmetic)) {
      throw unfit(type);
    }
    if (reduction == Reduction.PRODUCT && type.isComplex()) {
      return (left, right) -> multiply(left, right, type.kind());
    }
    if (type.isComplex() && reduction != Reduction.SUM) {
      throw unfit(type);
    }
    return reduction;
  }

  private static void multiply(Data left, Data right, Kind kind) {
    MemorySegment a = left.segment();
    MemorySegment b = right.segment();
    for (long i = 0; i < b.byteSize(); i += 2L * kind.bytes()) {
      double real = get(a, i, kind);
      double imaginary = get(a, i + kind.bytes(), kind);
      double otherReal = get(b, i, kind);
      double otherImaginary = get(b, i + kind.bytes(), kind);
      put(b, i, kind, real * otherReal - imaginary * otherImaginary);
      put(b, i + kind.bytes(), kind, real * otherImaginary + imaginary * otherReal);
    }
  }

  private static double get(MemorySegment memory, long at, Kind kind) {
    return switch (kind) {
      case FLOAT -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
      case DOUBLE -> memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
      case BYTE -> memory.get(ValueLayout.JAVA_BYTE, at);
      case SHORT -> memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
      case CHAR -> memory.get(ValueLayout.JAVA_CHAR_UNALIGNED, at);
      default -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
    };
  }

  private static void put(MemorySegment memory, long at, Kind kind, double value) {
    if (kind == Kind.FLOAT) {
      memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) value);
    } else {
      memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
    }
  }

  private static int compare(MemorySegment a, MemorySegment b, long at, Kind kind) {
    if (kind == Kind.LONG) {
      return Long.compare(
          a.get(ValueLayout.JAVA_LONG_UNALIGNED, at), b.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
    }
    double one = get(a, at, kind);
    double other = get(b, at, kind);
    return one == other ? 0 : Double.compare(one, other); // 0.0 and -0.0 are equal
  }

  private static long index(MemorySegment memory, long at, Kind kind) {
    return kind == Kind.LONG
        ? memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at)
        : (long) get(memory, at, kind);
  }

  /** The lesser or greater value with its index; of equal ones the lesser index. */
  private Operation location(Datatype type) {
    Kind[] pair = type.pair();
    if (pair == null) {
      throw MPIException.of(
          MPI.ERR_OP, name + " is for pairs such as MPI.INT2 and MPI.DOUBLE_INT, not for " + type);
    }
    int step = pair[0].bytes() + pair[1].bytes();
    return (left, right) -> {
      MemorySegment a = left.segment();
      MemorySegment b = right.segment();
      for (long i = 0; i < b.byteSize(); i += step) {
        int order = compare(a, b, i, pair[0]);
        long at = i + pair[0].bytes();
        boolean first =
            order == 0 ? index(a, at, pair[1]) < index(b, at, pair[1]) : largest == (order > 0);
        if (first) {
          MemorySegment.copy(a, i, b, i, step);
        }
      }
    };
  }

  /** Runs the program's function on memory that has holes where the type has them. */
  private void call(Data left, Data right, Datatype type) {
    if (right.byteSize() == 0) {
      return;
    }
    int count = Math.toIntExact(right.byteSize() / type.bytes());
    int before = Math.toIntExact(Math.ceilDiv(-first(count, type), (long) type.kind().bytes()));
    // a buffer has no booleans, so arrays are what Open MPI gives of these
    boolean buffers = onBuffers && !(onArrays && type.kind() == Kind.BOOLEAN);
    Object in = buffers ? buffer(count, type) : array(before, count, type);
    Object inOut = buffers ? buffer(count, type) : array(before, count, type);
    Part of = Part.lasting(in, before, count, type);
    of.unpack(left.segment(), of.bytes());
    Part to = Part.lasting(inOut, before, count, type);
    to.unpack(right.segment(), to.bytes());
    call(in, inOut, before, count, type);
    MemorySegment unused = right.segment().copyFrom(to.pack());
  }

  private static Object array(int before, int count, Datatype type) {
    int each = type.kind().bytes();
    return type.kind().newArray(before + Math.toIntExact(Math.ceilDiv(end(count, type), each)));
  }

  private static ByteBuffer buffer(int count, Datatype type) {
    return ByteBuffer.allocateDirect(Math.toIntExact(end(count, type)))
        .order(ByteOrder.nativeOrder());
  }

  /** What a UserFunction does with buffers unless it says otherwise: the same on arrays. */
  static void onArrays(
      UserFunction function, ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
    Part from = Part.of(in, 0, count, type);
    Part to = Part.of(inOut, 0, count, type);
    Object one = array(0, count, type);
    Object other = array(0, count, type);
    Part.lasting(one, 0, count, type).unpack(from.pack(), from.bytes());
    Part result = Part.lasting(other, 0, count, type);
    result.unpack(to.pack(), to.bytes());
    function.call(one, other, count, type);
    to.unpack(result.pack(), to.bytes());
  }

  /** Where the first byte of the items is, from where the array begins: 0 or less. */
  private static long first(int count, Datatype type) {
    return Math.min(0, type.trueLow() + Math.min(0, (count - 1) * type.extent()));
  }

  /** Where the last byte of the items ends, from where the array begins: 0 or more. */
  private static long end(int count, Datatype type) {
    return Math.max(0, type.trueHigh() + Math.max(0, (count - 1) * type.extent()));
  }

  /** inOut = in op inOut. */
  void call(Object in, Object inOut, int count, Datatype type) {
    call(in, inOut, 0, count, type);
  }

  private void call(Object in, Object inOut, int at, int count, Datatype type) {
    if (lower != null && at != 0) {
      throw MPIException.of(
          MPI.ERR_TYPE, "a UserFunction has no place for data before the buffer: " + type);
    }
    try {
      if (upper != null) {
        upper.Call(in, at, inOut, at, count, type);
      } else if (in instanceof ByteBuffer left) {
        lower.call(left, (ByteBuffer) inOut, count, type);
      } else {
        lower.call(in, inOut, count, type);
      }
    } catch (RuntimeException e) {
      throw MPIException.inOperation(e);
    }
  }

  /** Whether it combines objects is told before any rank waits for another. */
  void requireForObjects() {
    if (freed) {
      throw MPIException.of(MPI.ERR_OP, "the operation was freed");
    }
    if (builtin != null || (onBuffers && !onArrays)) {
      throw unfit(MPI.OBJECT);
    }
  }

  /** Combines objects in rank order, none of which is changed. */
  Object[] fold(Object[][] ofRanks) {
    Object[] result = ofRanks[0];
    for (int rank = 1; rank < ofRanks.length; rank++) {
      Object[] next = ofRanks[rank];
      call(result, next, next.length, MPI.OBJECT);
      result = next;
    }
    return result;
  }

  @Override
  public String toString() {
    return name;
  }
}
