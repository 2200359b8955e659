// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A struct as C lays it out: a class of the program's adds its fields in its constructor, and
 * reaches them by a class of data of its own.
 */
public abstract class Struct {
  /** So that it can be padded, and its length is an int all the same. */
  private static final int LONGEST = Integer.MAX_VALUE - 7;

  private final List<Datatype> types = new ArrayList<>();
  private final List<Integer> lengths = new ArrayList<>();
  private final List<Integer> offsets = new ArrayList<>();
  private int next;
  private int align = 1;
  private Datatype type;

  /** Without fields. */
  public Struct() {}

  /** From one struct to the next, in bytes. */
  public final int getExtent() {
    return getType().getExtent();
  }

  /** The datatype. */
  public final Datatype getType() {
    if (type == null) {
      type = makeType();
      type.commit();
    }
    return type;
  }

  Datatype makeType() {
    int[] howMany = lengths.stream().mapToInt(i -> i).toArray();
    int[] at = offsets.stream().mapToInt(i -> i).toArray();
    Datatype made = Datatype.createStruct(howMany, at, types.toArray(new Datatype[0]));
    int extent = Math.ceilDiv(next, align) * align;
    return made.getExtent() == extent && made.getLb() == 0
        ? made
        : Datatype.createResized(made, 0, extent);
  }

  /** A new object for the fields of one struct. */
  protected abstract Data newData();

  /** The first struct of a buffer. */
  public final <T extends Data> T getData(ByteBuffer buffer) {
    return getData(buffer, 0);
  }

  /** One of the structs of a buffer, whatever its position. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as the dialect has it
  public final <T extends Data> T getData(ByteBuffer buffer, int index) {
    Data data = newData();
    Checks.given(buffer, MPI.ERR_BUFFER, "the buffer");
    long at = (long) index * getExtent();
    if (at < 0 || at > buffer.capacity()) {
      throw MPIException.of(
          MPI.ERR_BUFFER, "struct " + index + " begins beyond a buffer of " + buffer.capacity());
    }
    data.on(buffer, (int) at);
    return (T) data;
  }

  /** The first struct of an array. */
  public final <T extends Data> T getData(byte[] array) {
    return getData(array, 0);
  }

  /** One of the structs of an array. */
  public final <T extends Data> T getData(byte[] array, int index) {
    return getData(ByteBuffer.wrap(Checks.given(array, MPI.ERR_BUFFER, "the array")), index);
  }

  private void open() {
    if (type != null) {
      throw MPIException.of(MPI.ERR_TYPE, "the struct is in use; add fields before");
    }
  }

  /** Where the next field is at the earliest, in bytes. */
  public final Struct setOffset(int offset) {
    open();
    if (offset < 0) {
      throw MPIException.of(MPI.ERR_ARG, "an offset of " + offset);
    }
    next = offset;
    return this;
  }

  private int add(Datatype of, int length) {
    open();
    int unit = Checks.type(of).alignment();
    align = Math.max(align, unit);
    int howMany = Checks.count(length);
    long at = Math.ceilDiv((long) next, unit) * unit;
    long end = at + (long) howMany * of.getExtent();
    if (end > LONGEST || end < 0) {
      throw MPIException.of(MPI.ERR_ARG, "the struct would have " + end + " bytes, 2 GiB or more");
    }
    types.add(of);
    lengths.add(howMany);
    offsets.add((int) at);
    next = (int) end;
    return (int) at;
  }

  /** A field of one byte; returns where it is. */
  public final int addByte() {
    return addByte(1);
  }

  /** A field of some; returns where it is. */
  public final int addByte(int length) {
    return add(MPI.BYTE, length);
  }

  /** A field of one char; returns where it is. */
  public final int addChar() {
    return addChar(1);
  }

  /** A field of some; returns where it is. */
  public final int addChar(int length) {
    return add(MPI.CHAR, length);
  }

  /** A field of one short; returns where it is. */
  public final int addShort() {
    return addShort(1);
  }

  /** A field of some; returns where it is. */
  public final int addShort(int length) {
    return add(MPI.SHORT, length);
  }

  /** A field of one int; returns where it is. */
  public final int addInt() {
    return addInt(1);
  }

  /** A field of some; returns where it is. */
  public final int addInt(int length) {
    return add(MPI.INT, length);
  }

  /** A field of one long; returns where it is. */
  public final int addLong() {
    return addLong(1);
  }

  /** A field of some; returns where it is. */
  public final int addLong(int length) {
    return add(MPI.LONG, length);
  }

  /** A field of one float; returns where it is. */
  public final int addFloat() {
    return addFloat(1);
  }

  /** A field of some; returns where it is. */
  public final int addFloat(int length) {
    return add(MPI.FLOAT, length);
  }

  /** A field of one double; returns where it is. */
  public final int addDouble() {
    return addDouble(1);
  }

  /** A field of some; returns where it is. */
  public final int addDouble(int length) {
    return add(MPI.DOUBLE, length);
  }

  /** A field that is a struct; returns where it is. */
  public final int addStruct(Struct struct) {
    return addStruct(struct, 1);
  }

  /** A field of some structs; returns where it is. */
  public final int addStruct(Struct struct, int length) {
    return add(Checks.given(struct, MPI.ERR_ARG, "the struct").getType(), length);
  }

  /** A field of any type; returns where it is. */
  public final int addData(Datatype of) {
    return addData(of, 1);
  }

  /** A field of some items of any type; returns where it is. */
  public final int addData(Datatype of, int length) {
    return add(of, length);
  }

  /** The fields of one struct. */
  public abstract static class Data {
    private ByteBuffer buffer;
    private int offset;

    /** Of none so far. */
    protected Data() {}

    final void on(ByteBuffer of, int at) {
      buffer = of.duplicate().order(ByteOrder.nativeOrder());
      buffer.clear();
      offset = at;
    }

    /** The bytes from this struct on. */
    public final ByteBuffer getBuffer() {
      return slice(offset);
    }

    private ByteBuffer slice(int at) {
      return buffer.slice(at, buffer.capacity() - at).order(ByteOrder.nativeOrder());
    }

    /** A field's value. */
    protected final byte getByte(int field) {
      return buffer.get(offset + field);
    }

    /** One of a field's values. */
    protected final byte getByte(int field, int index) {
      return buffer.get(offset + field + index * 1);
    }

    /** Sets a field. */
    protected final void putByte(int field, byte v) {
      ByteBuffer unused = buffer.put(offset + field, v);
    }

    /** Sets one of a field's values. */
    protected final void putByte(int field, int index, byte v) {
      ByteBuffer unused = buffer.put(offset + field + index * 1, v);
    }

    /** A field's value. */
    protected final char getChar(int field) {
      return buffer.getChar(offset + field);
    }

    /** One of a field's values. */
    protected final char getChar(int field, int index) {
      return buffer.getChar(offset + field + index * 2);
    }

    /** Sets a field. */
    protected final void putChar(int field, char v) {
      ByteBuffer unused = buffer.putChar(offset + field, v);
    }

    /** Sets one of a field's values. */
    protected final void putChar(int field, int index, char v) {
      ByteBuffer unused = buffer.putChar(offset + field + index * 2, v);
    }

    /** A field's value. */
    protected final short getShort(int field) {
      return buffer.getShort(offset + field);
    }

    /** One of a field's values. */
    protected final short getShort(int field, int index) {
      return buffer.getShort(offset + field + index * 2);
    }

    /** Sets a field. */
    protected final void putShort(int field, short v) {
      ByteBuffer unused = buffer.putShort(offset + field, v);
    }

    /** Sets one of a field's values. */
    protected final void putShort(int field, int index, short v) {
      ByteBuffer unused = buffer.putShort(offset + field + index * 2, v);
    }

    /** A field's value. */
    protected final int getInt(int field) {
      return buffer.getInt(offset + field);
    }

    /** One of a field's values. */
    protected final int getInt(int field, int index) {
      return buffer.getInt(offset + field + index * 4);
    }

    /** Sets a field. */
    protected final void putInt(int field, int v) {
      ByteBuffer unused = buffer.putInt(offset + field, v);
    }

    /** Sets one of a field's values. */
    protected final void putInt(int field, int index, int v) {
      ByteBuffer unused = buffer.putInt(offset + field + index * 4, v);
    }

    /** A field's value. */
    protected final long getLong(int field) {
      return buffer.getLong(offset + field);
    }

    /** One of a field's values. */
    protected final long getLong(int field, int index) {
      return buffer.getLong(offset + field + index * 8);
    }

    /** Sets a field. */
    protected final void putLong(int field, long v) {
      ByteBuffer unused = buffer.putLong(offset + field, v);
    }

    /** Sets one of a field's values. */
    protected final void putLong(int field, int index, long v) {
      ByteBuffer unused = buffer.putLong(offset + field + index * 8, v);
    }

    /** A field's value. */
    protected final float getFloat(int field) {
      return buffer.getFloat(offset + field);
    }

    /** One of a field's values. */
    protected final float getFloat(int field, int index) {
      return buffer.getFloat(offset + field + index * 4);
    }

    /** Sets a field. */
    protected final void putFloat(int field, float v) {
      ByteBuffer unused = buffer.putFloat(offset + field, v);
    }

    /** Sets one of a field's values. */
    protected final void putFloat(int field, int index, float v) {
      ByteBuffer unused = buffer.putFloat(offset + field + index * 4, v);
    }

    /** A field's value. */
    protected final double getDouble(int field) {
      return buffer.getDouble(offset + field);
    }

    /** One of a field's values. */
    protected final double getDouble(int field, int index) {
      return buffer.getDouble(offset + field + index * 8);
    }

    /** Sets a field. */
    protected final void putDouble(int field, double v) {
      ByteBuffer unused = buffer.putDouble(offset + field, v);
    }

    /** Sets one of a field's values. */
    protected final void putDouble(int field, int index, double v) {
      ByteBuffer unused = buffer.putDouble(offset + field + index * 8, v);
    }

    /** A field that is a struct. */
    protected final <S extends Struct, D extends Data> D getData(S struct, int field) {
      return getData(struct, field, 0);
    }

    /** One of a field's structs. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as the dialect has it
    protected final <S extends Struct, D extends Data> D getData(S struct, int field, int index) {
      Data data = struct.newData();
      data.on(buffer, offset + field + index * struct.getExtent());
      return (D) data;
    }

    /** The bytes from a field on. */
    protected final ByteBuffer getBuffer(Datatype of, int field) {
      return getBuffer(of, field, 0);
    }

    /** The bytes from one of a field's items on. */
    protected final ByteBuffer getBuffer(Datatype of, int field, int index) {
      return slice(offset + field + index * of.getExtent());
    }
  }
}
