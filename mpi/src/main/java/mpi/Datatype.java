// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Which elements of an array or buffer belong to an item of a message: blocks at displacements,
 * from a lower bound on, and where the next item begins.
 *
 * <p>In the dialect of mpiJava (upper case) sizes and displacements count elements of the array; in
 * that of Open MPI (lower case) they count bytes.
 */
public final class Datatype implements Freeable, Cloneable {
  private static final int ALIGN_MOST = 8;

  private final Kind kind;

  /** Elements of several kinds; the buffer is one of bytes. */
  private final boolean mixed;

  /** Displacements and lengths of the blocks, in bytes, in the order in which they are sent. */
  private final long[] at;

  private final long[] length;
  private final long size;
  private final long lb;
  private final long ub;
  private final boolean lowMarked;
  private final boolean highMarked;
  private final int align;

  /** What a pair of value and index consists of, null if it is none. */
  private final Kind[] pair;

  private final Attributes attributes = new Attributes();

  /** What an item consists of, in order. */
  private final Elements elements;

  private String name;

  /** Pairs of a real and an imaginary part. */
  private boolean complex;

  /** One of the library's own, which cannot be freed. */
  private boolean predefined;

  private boolean freed;

  private Datatype(
      Kind kind,
      boolean mixed,
      long[] at,
      long[] length,
      long lb,
      long ub,
      boolean lowMarked,
      boolean highMarked,
      int align,
      Kind[] pair,
      Elements elements,
      String name) {
    this.elements = elements;
    this.kind = kind;
    this.mixed = mixed;
    this.at = at;
    this.length = length;
    this.lb = lb;
    this.ub = ub;
    this.lowMarked = lowMarked;
    this.highMarked = highMarked;
    this.align = align;
    this.pair = pair;
    this.name = name;
    long sum = 0;
    for (long each : length) {
      sum = Math.addExact(sum, each);
    }
    this.size = sum;
  }

  static Datatype basic(Kind kind, String name) {
    long[] length = {kind.bytes()};
    return new Datatype(
            kind,
            false,
            new long[1],
            length,
            0,
            kind.bytes(),
            false,
            false,
            kind.bytes(),
            null,
            Elements.basic(kind.bytes()),
            name)
        .asPredefined();
  }

  private Datatype asPredefined() {
    predefined = true;
    return this;
  }

  private static Datatype ofNothing(boolean lowMarked, boolean highMarked, String name) {
    return new Datatype(
            Kind.NONE,
            false,
            new long[0],
            new long[0],
            0,
            0,
            lowMarked,
            highMarked,
            1,
            null,
            Elements.NONE,
            name)
        .asPredefined();
  }

  static Datatype nothing(String name) {
    Datatype type = ofNothing(false, false, name);
    type.freed = true;
    return type;
  }

  /** MPI.LB or MPI.UB. */
  static Datatype bound(boolean low, String name) {
    return ofNothing(low, !low, name);
  }

  /** A value and an index, as in MINLOC; both of one kind, or as a struct of C has them. */
  static Datatype pair(Kind value, Kind index, String name) {
    boolean mixed = value != index;
    long second = Math.max(value.bytes(), index.bytes());
    long extent = mixed ? 2 * second : 2L * value.bytes();
    boolean solid = second == value.bytes();
    return new Datatype(
            mixed ? Kind.BYTE : value,
            mixed,
            solid ? new long[1] : new long[] {0, second},
            solid
                ? new long[] {value.bytes() + index.bytes()}
                : new long[] {value.bytes(), index.bytes()},
            0,
            extent,
            false,
            false,
            (int) second,
            new Kind[] {value, index},
            Elements.of(List.of(Elements.basic(value.bytes()), Elements.basic(index.bytes())), 1),
            name)
        .asPredefined();
  }

  /** A real and an imaginary part. */
  static Datatype complex(Kind part, String name) {
    Datatype two = createContiguous(2, basic(part, name));
    two.name = name;
    two.complex = true;
    return two.asPredefined();
  }

  // ------------------------------------------------------------------ for this package

  Kind kind() {
    return kind;
  }

  boolean isObject() {
    return kind == Kind.OBJECT;
  }

  boolean isMixed() {
    return mixed;
  }

  boolean isComplex() {
    return complex;
  }

  Elements elements() {
    return elements;
  }

  Kind[] pair() {
    return pair;
  }

  /** Bytes of an item that are sent. */
  long bytes() {
    return size;
  }

  long extent() {
    return ub - lb;
  }

  int alignment() {
    return Math.min(align, ALIGN_MOST);
  }

  long[] displacements() {
    return at;
  }

  long[] lengths() {
    return length;
  }

  /** Whether count items lie side by side without holes, from displacement at[0] on. */
  boolean isSolid(long count) {
    return at.length == 1 && (count <= 1 || length[0] == ub - lb);
  }

  Datatype require() {
    if (freed) {
      throw MPIException.of(MPI.ERR_TYPE, "the datatype was freed, or is MPI.DATATYPE_NULL");
    }
    return this;
  }

  /** How long {@link #describe} is. */
  int descriptionBytes() {
    return Integer.BYTES * 4 + Long.BYTES * 2 * (1 + at.length);
  }

  /** For another rank: where its data is and what it is; not what it was made of. */
  void describe(ByteBuffer to) {
    int ofPair = pair == null ? -1 : pair[0].ordinal() << 8 | pair[1].ordinal();
    to.putInt(kind.ordinal()).putInt((mixed ? 1 : 0) | (complex ? 2 : 0));
    to.putInt(ofPair).putInt(at.length).putLong(lb).putLong(ub);
    for (int i = 0; i < at.length; i++) {
      to.putLong(at[i]).putLong(length[i]);
    }
  }

  /** What another rank has described. */
  static Datatype described(ByteBuffer from) {
    Kind[] kinds = Kind.values();
    Kind kind = kinds[from.getInt()];
    int flags = from.getInt();
    int ofPair = from.getInt();
    Kind[] pair = ofPair < 0 ? null : new Kind[] {kinds[ofPair >> 8], kinds[ofPair & 0xff]};
    long[] at = new long[from.getInt()];
    long[] length = new long[at.length];
    long lb = from.getLong();
    long ub = from.getLong();
    for (int i = 0; i < at.length; i++) {
      at[i] = from.getLong();
      length[i] = from.getLong();
    }
    boolean mixed = (flags & 1) != 0;
    Datatype made =
        new Datatype(kind, mixed, at, length, lb, ub, true, true, 1, pair, Elements.NONE, "");
    made.complex = (flags & 2) != 0;
    return made;
  }

  // ------------------------------------------------------------------ composing

  /** Puts types together. */
  private static final class Builder {
    private final List<long[]> blocks = new ArrayList<>();
    private final List<Elements> elements = new ArrayList<>();
    private Elements repeated;
    private long times;
    private Kind kind = Kind.NONE;
    private Kind ofNothing = Kind.NONE;
    private boolean mixed;
    private boolean complex = true;
    private int align = 1;
    private long low = Long.MAX_VALUE;
    private long high = Long.MIN_VALUE;
    private boolean lowMarked;
    private boolean highMarked;

    void add(Datatype type, long at, long count) {
      Datatype unused = Checks.type(type);
      if (count < 0) {
        throw MPIException.of(MPI.ERR_COUNT, "a block of " + count + " items");
      }
      if (ofNothing == Kind.NONE) {
        ofNothing = type.kind;
      }
      if (count == 0) {
        return;
      }
      if (type.at.length > 0) {
        element(type.elements, count);
        complex &= type.complex;
        if (kind == Kind.NONE) {
          kind = type.kind;
          mixed = type.mixed;
        } else if (kind != type.kind || mixed != type.mixed) {
          if (kind == Kind.OBJECT || type.kind == Kind.OBJECT) {
            throw MPIException.of(MPI.ERR_TYPE, "objects and other elements in one datatype");
          }
          kind = Kind.BYTE;
          mixed = true;
        }
      }
      align = Math.max(align, type.align);
      long extent = type.extent();
      bound(type, at);
      bound(type, Math.addExact(at, Math.multiplyExact(count - 1, extent)));
      if (type.isSolid(count)) {
        block(Math.addExact(at, type.at[0]), Math.multiplyExact(count, type.length[0]));
        return;
      }
      for (long i = 0; i < count; i++) {
        long from = Math.addExact(at, Math.multiplyExact(i, extent));
        for (int j = 0; j < type.at.length; j++) {
          block(Math.addExact(from, type.at[j]), type.length[j]);
        }
      }
    }

    private void element(Elements each, long count) {
      if (each == repeated) {
        times += count;
        elements.removeLast();
      } else {
        repeated = each;
        times = count;
      }
      elements.add(Elements.of(List.of(each), times));
    }

    /** Bounds that were set by hand, here or below, outdo all others. */
    private void bound(Datatype type, long at) {
      boolean marker = type.at.length == 0;
      long from = Math.addExact(at, type.lb);
      long to = Math.addExact(at, type.ub);
      if (marker ? type.lowMarked : type.lowMarked || !lowMarked) {
        low = lowMarked == type.lowMarked ? Math.min(low, from) : from;
        lowMarked = type.lowMarked;
      }
      if (marker ? type.highMarked : type.highMarked || !highMarked) {
        high = highMarked == type.highMarked ? Math.max(high, to) : to;
        highMarked = type.highMarked;
      }
    }

    private void block(long from, long bytes) {
      if (bytes == 0) {
        return;
      }
      long unused = Math.addExact(from, bytes);
      if (!blocks.isEmpty()) {
        long[] last = blocks.getLast();
        if (last[0] + last[1] == from) {
          last[1] += bytes;
          return;
        }
      }
      blocks.add(new long[] {from, bytes});
    }

    Datatype build(boolean padded) {
      long from = low == Long.MAX_VALUE ? 0 : low;
      long to = high == Long.MIN_VALUE ? from : high;
      long extent = Math.subtractExact(to, from);
      if (padded && !highMarked) {
        long over = Math.floorMod(extent, (long) Math.min(align, ALIGN_MOST));
        to = Math.addExact(to, over == 0 ? 0 : Math.min(align, ALIGN_MOST) - over);
      }
      Datatype made =
          new Datatype(
              kind == Kind.NONE ? ofNothing : kind,
              mixed,
              blocks.stream().mapToLong(block -> block[0]).toArray(),
              blocks.stream().mapToLong(block -> block[1]).toArray(),
              from,
              to,
              lowMarked,
              highMarked,
              align,
              null,
              Elements.of(elements, 1),
              "");
      made.complex = complex && !blocks.isEmpty();
      return made;
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw MPIException.of(MPI.ERR_ARG, what);
    }
  }

  /** Puts types together; what goes beyond the numbers that there are is told. */
  private static Datatype composed(boolean padded, Consumer<Builder> how) {
    try {
      Builder builder = new Builder();
      how.accept(builder);
      return builder.build(padded);
    } catch (ArithmeticException e) {
      throw MPIException.of(
          MPI.ERR_ARG, "the datatype has more bytes, or goes further, than can be counted");
    }
  }

  private static Datatype strided(int count, int blockLength, int stride, long unit, Datatype old) {
    return composed(
        false,
        builder -> {
          long each = Math.multiplyExact(stride, unit);
          for (int i = 0; i < Checks.count(count); i++) {
            builder.add(old, Math.multiplyExact(i, each), blockLength);
          }
        });
  }

  private static Datatype indexed(int[] lengths, int[] displacements, long unit, Datatype old) {
    Checks.array(lengths, "block lengths");
    check(
        lengths.length == Checks.array(displacements, "displacements").length,
        "arrays of different lengths");
    return composed(
        false,
        builder -> {
          for (int i = 0; i < lengths.length; i++) {
            builder.add(old, Math.multiplyExact(displacements[i], unit), lengths[i]);
          }
        });
  }

  /** Items side by side. */
  public static Datatype createContiguous(int count, Datatype oldType) {
    return composed(false, builder -> builder.add(oldType, 0, Checks.count(count)));
  }

  /** {@link #createContiguous}. */
  public static Datatype Contiguous(int count, Datatype oldtype) {
    return createContiguous(count, oldtype);
  }

  /** Blocks at equal distances, which count items. */
  public static Datatype createVector(int count, int blockLength, int stride, Datatype oldType) {
    return strided(count, blockLength, stride, Checks.type(oldType).extent(), oldType);
  }

  /** {@link #createVector}. */
  public static Datatype Vector(int count, int blocklength, int stride, Datatype oldtype) {
    return createVector(count, blocklength, stride, oldtype);
  }

  /** Blocks at equal distances, which count bytes. */
  public static Datatype createHVector(int count, int blockLength, int stride, Datatype oldType) {
    return strided(count, blockLength, stride, 1, oldType);
  }

  /** Blocks at equal distances, which count elements of the array. */
  public static Datatype Hvector(int count, int blocklength, int stride, Datatype oldtype) {
    return strided(count, blocklength, stride, Checks.type(oldtype).kind.bytes(), oldtype);
  }

  /** Blocks at displacements that count items. */
  public static Datatype createIndexed(int[] blockLengths, int[] displacements, Datatype oldType) {
    return indexed(blockLengths, displacements, Checks.type(oldType).extent(), oldType);
  }

  /** {@link #createIndexed}. */
  public static Datatype Indexed(
      int[] array_of_blocklengths, int[] array_of_displacements, Datatype oldtype) {
    return createIndexed(array_of_blocklengths, array_of_displacements, oldtype);
  }

  /** Blocks at displacements that count bytes. */
  public static Datatype createHIndexed(int[] blockLengths, int[] displacements, Datatype oldType) {
    return indexed(blockLengths, displacements, 1, oldType);
  }

  /** Blocks at displacements that count elements of the array. */
  public static Datatype Hindexed(
      int[] array_of_blocklengths, int[] array_of_displacements, Datatype oldtype) {
    int unit = Checks.type(oldtype).kind.bytes();
    return indexed(array_of_blocklengths, array_of_displacements, unit, oldtype);
  }

  /** Blocks of different types, at displacements that count bytes. */
  public static Datatype createStruct(int[] blockLengths, int[] displacements, Datatype[] types) {
    return struct(blockLengths, displacements, types, 1, true);
  }

  /** Blocks of different types of the same elements, at displacements that count these. */
  public static Datatype Struct(
      int[] array_of_blocklengths, int[] array_of_displacements, Datatype[] array_of_types) {
    long unit = 1;
    for (Datatype type : Checks.array(array_of_types, "datatypes")) {
      if (Checks.type(type).kind != Kind.NONE) {
        unit = type.kind.bytes();
      }
    }
    Datatype type =
        struct(array_of_blocklengths, array_of_displacements, array_of_types, unit, false);
    check(!type.mixed, "the types of a struct are of different elements");
    return type;
  }

  private static Datatype struct(
      int[] lengths, int[] displacements, Datatype[] types, long unit, boolean padded) {
    Checks.array(lengths, "block lengths");
    check(
        lengths.length == Checks.array(displacements, "displacements").length
            && lengths.length == Checks.array(types, "datatypes").length,
        "arrays of different lengths");
    return composed(
        padded,
        builder -> {
          for (int i = 0; i < lengths.length; i++) {
            builder.add(types[i], Math.multiplyExact(displacements[i], unit), lengths[i]);
          }
        });
  }

  /** The same with other bounds, in bytes. */
  public static Datatype createResized(Datatype oldType, int lb, int extent) {
    Datatype old = Checks.type(oldType);
    Datatype made =
        new Datatype(
            old.kind,
            old.mixed,
            old.at,
            old.length,
            lb,
            (long) lb + extent,
            true,
            true,
            old.align,
            old.pair,
            old.elements,
            "");
    made.complex = old.complex;
    return made;
  }

  // ------------------------------------------------------------------ what it is

  private static int narrow(long value) {
    if (value != (int) value) {
      throw MPIException.of(
          MPI.ERR_ARG, value + " is no int: the datatype is of 2 GiB or more, or begins far away");
    }
    return (int) value;
  }

  /** The lower bound, in bytes. */
  public int getLb() {
    return narrow(require().lb);
  }

  /** From the lower to the upper bound, in bytes. */
  public int getExtent() {
    return narrow(require().extent());
  }

  long trueLow() {
    long low = at.length == 0 ? 0 : Long.MAX_VALUE;
    for (long each : at) {
      low = Math.min(low, each);
    }
    return low;
  }

  /** Where the first byte is. */
  public int getTrueLb() {
    return narrow(require().trueLow());
  }

  long trueHigh() {
    long high = trueLow();
    for (int i = 0; i < at.length; i++) {
      high = Math.max(high, at[i] + length[i]);
    }
    return high;
  }

  /** From the first to the last byte. */
  public int getTrueExtent() {
    return narrow(require().trueHigh() - trueLow());
  }

  /** How many bytes of an item are sent. */
  public int getSize() {
    return narrow(require().size);
  }

  /** The lower bound, in elements. */
  public int Lb() {
    return narrow(require().lb / kind.bytes());
  }

  /** The upper bound, in elements. */
  public int Ub() {
    return narrow(require().ub / kind.bytes());
  }

  /** From the lower to the upper bound, in elements. */
  public int Extent() {
    return narrow(require().extent() / kind.bytes());
  }

  /** How many elements of an item are sent. */
  public int Size() {
    return narrow(require().size / kind.bytes());
  }

  /** How many bytes of an item are sent. */
  public int getByteSize() {
    return getSize();
  }

  /** Nothing needs to be prepared here; the type is to be committed all the same. */
  public void commit() {
    Datatype unused = require();
  }

  /** {@link #commit}. */
  public void Commit() {
    commit();
  }

  @Override
  public void free() {
    if (predefined) {
      throw MPIException.of(MPI.ERR_TYPE, "MPI." + name + " cannot be freed");
    }
    freed = true;
  }

  /** {@link #free}. */
  public void Free() {
    free();
  }

  /** Whether it was freed, or is {@code MPI.DATATYPE_NULL}. */
  public boolean isNull() {
    return freed;
  }

  @Override
  @SuppressWarnings("MethodSuper") // a copy of its own
  public Datatype clone() {
    return dup();
  }

  /** A copy, with its attributes. */
  public Datatype dup() {
    Datatype old = require();
    Datatype copy =
        new Datatype(
            kind, mixed, at, length, lb, ub, lowMarked, highMarked, align, pair, elements, "");
    copy.complex = complex;
    old.attributes.copyTo(copy.attributes);
    return copy;
  }

  // ------------------------------------------------------------------ names and attributes

  /** Names it. */
  public void setName(String name) {
    require().name = Comm.checkName(name);
  }

  /** Its name. */
  public String getName() {
    return name;
  }

  /** A new key for attributes. */
  public static int createKeyval() {
    return Attributes.createKey();
  }

  /** Gives a key up. */
  public static void freeKeyval(int keyval) {
    Attributes.freeKey(keyval);
  }

  /** Attaches a value. */
  public void setAttr(int keyval, Object value) {
    require().attributes.set(keyval, value);
  }

  /** A value that was attached, null if none was. */
  public Object getAttr(int keyval) {
    return require().attributes.get(keyval);
  }

  /** Takes a value away. */
  public void deleteAttr(int keyval) {
    require().attributes.delete(keyval);
  }

  @Override
  public String toString() {
    return name.isEmpty() ? "a datatype of " + size + " bytes" : name;
  }
}
