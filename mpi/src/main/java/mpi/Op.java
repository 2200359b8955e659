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
    this(null, null, false, function, null, commute, "an operation of the program");
  }

  /** {@link #Op(User_function, boolean)}. */
  public Op(UserFunction function, boolean commute) {
    this(null, null, false, null, function, commute, "an operation of the program");
  }

  /** Whether ranks may be taken in any order. */
  public boolean isCommutative() {
    return commute;
  }

  @Override
  public void free() {
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
    if (reduction == Reduction.PRODUCT && MPI.isComplex(type)) {
      return (left, right) -> multiply(left, right, type.kind());
    }
    if (MPI.isComplex(type) && reduction != Reduction.SUM) {
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
    return kind == Kind.LONG
        ? Long.compare(
            a.get(ValueLayout.JAVA_LONG_UNALIGNED, at), b.get(ValueLayout.JAVA_LONG_UNALIGNED, at))
        : Double.compare(get(a, at, kind), get(b, at, kind));
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

  /** Runs the program's function, on arrays that have holes where the type has them. */
  private void call(Data left, Data right, Datatype type) {
    int count = Math.toIntExact(right.byteSize() / type.bytes());
    int elements =
        Math.toIntExact(
            Math.ceilDiv(type.lowest() + count * type.extent(), (long) type.kind().bytes()));
    Object in = type.kind().newArray(elements);
    Object inOut = type.kind().newArray(elements);
    Part of = Part.of(in, 0, count, type);
    of.unpack(left.segment(), of.bytes());
    Part to = Part.of(inOut, 0, count, type);
    to.unpack(right.segment(), to.bytes());
    call(in, inOut, count, type);
    MemorySegment unused = right.segment().copyFrom(to.pack());
  }

  /** inOut = in op inOut. */
  void call(Object in, Object inOut, int count, Datatype type) {
    if (upper != null) {
      upper.Call(in, 0, inOut, 0, count, type);
      return;
    }
    if (lower == null) {
      throw unfit(type);
    }
    try {
      lower.call(in, inOut, count, type);
    } catch (UnsupportedOperationException e) {
      callOnBuffers(in, inOut, count, type);
    }
  }

  private void callOnBuffers(Object in, Object inOut, int count, Datatype type) {
    ByteBuffer one = bytes(in, count, type);
    ByteBuffer other = bytes(inOut, count, type);
    lower.call(one, other, count, type);
    Part to = Part.of(inOut, 0, count, type);
    to.unpack(Part.of(other, 0, count, type).pack(), to.bytes());
  }

  private static ByteBuffer bytes(Object array, int count, Datatype type) {
    ByteBuffer buffer =
        ByteBuffer.allocateDirect(Math.toIntExact(type.lowest() + count * type.extent()))
            .order(ByteOrder.nativeOrder());
    Part part = Part.of(array, 0, count, type);
    Part.of(buffer, 0, count, type).unpack(part.pack(), part.bytes());
    return buffer;
  }

  /** Combines objects in rank order, none of which is changed. */
  Object[] fold(Object[][] ofRanks, Datatype type) {
    if (builtin != null) {
      throw unfit(type);
    }
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
