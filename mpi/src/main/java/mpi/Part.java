// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Data;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;

/**
 * The memory of a message: some items of a type in an array or a buffer. Items without holes are
 * lent as they lie; all others are packed into memory of their own, and unpacked from it.
 */
final class Part {
  private static final int SHORT = 4096;
  private static final Part NOTHING = new Part(null, 0, 0, null);

  private final Object buf;

  /** Where item 0 has its displacement 0, in bytes. */
  private final long origin;

  private final long count;
  private final Datatype type;
  private MemorySegment packed;

  private Part(Object buf, long origin, long count, Datatype type) {
    this.buf = buf;
    this.origin = origin;
    this.count = count;
    this.type = type;
  }

  static Part nothing() {
    return NOTHING;
  }

  /**
   * Items of a buffer.
   *
   * @param offset where they begin, in elements of the array
   */
  static Part of(Object buf, long offset, long count, Datatype type) {
    Datatype unused = Checks.type(type);
    if (count < 0) {
      throw MPIException.of(MPI.ERR_COUNT, "a count of " + count);
    }
    Object memory = buf instanceof mpjbuf.Buffer packed ? packed.getBytes() : buf;
    if (count > 0) {
      check(memory, type);
    }
    return lasting(memory, offset, count, type);
  }

  /**
   * For Open MPI's dialect, which sends any array as items of any type, in the order of its bytes:
   * the memory of an array of other elements than the type has, else the buffer itself.
   */
  static Object untyped(Object buf, Datatype type) {
    boolean isOther =
        buf != null
            && type != null
            && !type.isObject()
            && buf.getClass().isArray()
            && !type.kind().fits(buf.getClass());
    return isOther && buf.getClass().getComponentType().isPrimitive() && !(buf instanceof boolean[])
        ? memory(buf)
        : buf;
  }

  /** The same, from its beginning on. */
  static Part untyped(Object buf, long count, Datatype type) {
    return of(untyped(buf, type), 0, count, type);
  }

  /** The same, of a type that was looked at before and may have been freed since. */
  static Part lasting(Object buf, long offset, long count, Datatype type) {
    return new Part(buf, Math.multiplyExact(offset, (long) type.kind().bytes()), count, type);
  }

  /** The same items again, for another operation. */
  Part again() {
    return new Part(buf, origin, count, type);
  }

  /** Other items of the same buffer: from so many items on. */
  Part at(long items, long howMany) {
    return new Part(buf, origin + Math.multiplyExact(items, type.extent()), howMany, type);
  }

  /** The same items further on, by so many bytes. */
  Part behind(long bytes) {
    return new Part(buf, origin + bytes, count, type);
  }

  private static void check(Object buf, Datatype type) {
    if (buf == null) {
      throw MPIException.of(MPI.ERR_BUFFER, "the buffer is null");
    }
    if (buf instanceof Buffer || buf instanceof MemorySegment) {
      if (type.isObject()) {
        throw MPIException.of(MPI.ERR_TYPE, "objects are sent from arrays");
      }
      return;
    }
    Class<?> of = buf.getClass();
    if (!of.isArray()) {
      throw MPIException.of(
          MPI.ERR_BUFFER, "a buffer is an array or a java.nio.Buffer, and no " + of.getName());
    }
    if (type.kind() == Kind.NONE) {
      return; // nothing is read or written
    }
    if (!type.kind().fits(of) && !(of == byte[].class && !type.isObject())) {
      throw MPIException.of(
          MPI.ERR_TYPE, "an array of " + of.getComponentType().getName() + ", and MPI." + type);
    }
  }

  Datatype type() {
    return type;
  }

  long count() {
    return count;
  }

  boolean isObject() {
    return type != null && type.isObject();
  }

  long bytes() {
    return count == 0 ? 0 : Math.multiplyExact(count, type.bytes());
  }

  // ------------------------------------------------------------------ memory

  private static MemorySegment memory(Object buf) {
    return switch (buf) {
      case byte[] array -> MemorySegment.ofArray(array);
      case int[] array -> MemorySegment.ofArray(array);
      case double[] array -> MemorySegment.ofArray(array);
      case long[] array -> MemorySegment.ofArray(array);
      case float[] array -> MemorySegment.ofArray(array);
      case char[] array -> MemorySegment.ofArray(array);
      case short[] array -> MemorySegment.ofArray(array);
      case Buffer buffer -> MemorySegment.ofBuffer(buffer.duplicate().clear()); // its position: no
      case MemorySegment segment -> segment;
      default -> throw MPIException.of(MPI.ERR_BUFFER, "no buffer: " + buf.getClass().getName());
    };
  }

  private boolean isDirect() {
    return type.isSolid(count) && !(buf instanceof boolean[]);
  }

  private MemorySegment direct() {
    return memory(buf).asSlice(origin + type.displacements()[0], bytes());
  }

  static MemorySegment allocate(long bytes) {
    return bytes <= SHORT
        ? MemorySegment.ofArray(new byte[(int) bytes])
        : Arena.ofAuto().allocate(bytes, Long.BYTES);
  }

  /** Nothing, but of this type: ranks that reduce compare types. */
  private Data empty() {
    return type == null ? Data.none() : data(MemorySegment.ofArray(new byte[0]));
  }

  /** What is to be sent. */
  Data out() {
    if (bytes() == 0) {
      return empty();
    }
    return data(isDirect() ? direct() : pack());
  }

  /** Memory to receive into; {@link #done} brings it where it belongs. */
  Data in() {
    if (bytes() == 0) {
      return empty();
    }
    if (isDirect()) {
      checkWritable();
      return data(direct());
    }
    if (packed == null) {
      verifyWritable();
      packed = allocate(bytes());
    }
    return data(packed);
  }

  /** Memory that holds what there is, and takes the result. */
  Data inOut() {
    if (bytes() > 0 && !isDirect() && packed == null) {
      packed = pack();
    }
    return in();
  }

  private Data data(MemorySegment segment) {
    return type.isMixed() ? Data.of(segment) : Data.of(segment, type.kind().elements());
  }

  /** All of it is in the buffer; else nothing is to be received. */
  void verify() {
    if (bytes() == 0) {
      return;
    }
    if (isDirect() && !isObject()) {
      MemorySegment unused = direct();
    } else {
      walk((in, out, bytes) -> {}, bytes());
    }
  }

  /** The same, and it can be written. */
  void verifyWritable() {
    verify();
    if (bytes() > 0) {
      checkWritable();
    }
  }

  private void checkWritable() {
    if ((buf instanceof Buffer buffer && buffer.isReadOnly())
        || (buf instanceof MemorySegment segment && segment.isReadOnly())) {
      throw MPIException.of(MPI.ERR_BUFFER, "what comes goes into a buffer that is read-only");
    }
  }

  /** Some of the bytes that are sent, from so many on: as many as there is room for. */
  void copyOut(long from, MemorySegment to) {
    if (isDirect()) {
      MemorySegment.copy(direct(), from, to, 0, to.byteSize());
    } else if (buf instanceof boolean[] array) {
      walk(
          (in, out, bytes) -> {
            for (long i = 0; i < bytes; i++) {
              to.set(ValueLayout.JAVA_BYTE, out + i, (byte) (array[(int) (in + i)] ? 1 : 0));
            }
          },
          from,
          to.byteSize());
    } else {
      MemorySegment all = memory(buf);
      walk((in, out, bytes) -> MemorySegment.copy(all, in, to, out, bytes), from, to.byteSize());
    }
  }

  /** Brings some bytes of those that are received, from so many on, into the buffer. */
  void copyIn(long from, MemorySegment came) {
    if (isDirect()) {
      MemorySegment.copy(came, 0, direct(), from, came.byteSize());
    } else if (buf instanceof boolean[] array) {
      walk(
          (in, out, bytes) -> {
            for (long i = 0; i < bytes; i++) {
              array[(int) (in + i)] = came.get(ValueLayout.JAVA_BYTE, out + i) != 0;
            }
          },
          from,
          came.byteSize());
    } else {
      MemorySegment to = memory(buf);
      walk((in, out, bytes) -> MemorySegment.copy(came, out, to, in, bytes), from, came.byteSize());
    }
  }

  /** A copy of what is there, without holes. */
  MemorySegment pack() {
    MemorySegment to = allocate(bytes());
    if (buf instanceof boolean[] array) {
      walk(
          (in, out, bytes) -> {
            for (long i = 0; i < bytes; i++) {
              to.set(ValueLayout.JAVA_BYTE, out + i, (byte) (array[(int) (in + i)] ? 1 : 0));
            }
          },
          bytes());
    } else if (bytes() > 0) {
      MemorySegment from = memory(buf);
      walk((in, out, bytes) -> MemorySegment.copy(from, in, to, out, bytes), bytes());
    }
    return to;
  }

  /** Brings packed bytes into the buffer; whole or not, holes stay as they are. */
  void unpack(MemorySegment from, long howMany) {
    if (buf instanceof boolean[] array) {
      walk(
          (in, out, bytes) -> {
            for (long i = 0; i < bytes; i++) {
              array[(int) (in + i)] = from.get(ValueLayout.JAVA_BYTE, out + i) != 0;
            }
          },
          howMany);
    } else if (howMany > 0) {
      MemorySegment to = memory(buf);
      walk((in, out, bytes) -> MemorySegment.copy(from, out, to, in, bytes), howMany);
    }
  }

  /** So many bytes were received. */
  void done(long bytes) {
    if (packed != null) {
      unpack(packed, Math.min(bytes, bytes()));
    }
  }

  /** One block after the other. */
  private interface Step {
    void block(long in, long out, long bytes);
  }

  private void walk(Step step, long howMany) {
    walk(step, 0, howMany);
  }

  /** So many bytes, behind so many others. */
  private void walk(Step step, long from, long howMany) {
    long end = size();
    long[] at = type.displacements();
    long[] lengths = type.lengths();
    long out = 0;
    long skip = from == 0 ? 0 : from % type.bytes();
    for (long item = from == 0 ? 0 : from / type.bytes(); item < count && out < howMany; item++) {
      long base = origin + item * type.extent();
      for (int i = 0; i < at.length && out < howMany; i++) {
        if (skip >= lengths[i]) {
          skip -= lengths[i];
          continue;
        }
        long in = base + at[i] + skip;
        long bytes = Math.min(lengths[i] - skip, howMany - out);
        skip = 0;
        if (in < 0 || in + bytes > end) {
          throw new IndexOutOfBoundsException("bytes " + in + " to " + (in + bytes) + " of " + end);
        }
        step.block(in, out, bytes);
        out += bytes;
      }
    }
  }

  private long size() {
    return switch (buf) {
      case boolean[] array -> array.length;
      case Object[] array -> array.length;
      case null -> 0;
      default -> memory(buf).byteSize();
    };
  }

  // ------------------------------------------------------------------ objects

  /** The objects of the items, in order. */
  Object[] objects() {
    Object[] all = new Object[Math.toIntExact(bytes())];
    Object[] array = (Object[]) buf;
    walk(
        (in, out, howMany) -> System.arraycopy(array, (int) in, all, (int) out, (int) howMany),
        all.length);
    return all;
  }

  /** Puts objects where those of the items are. */
  void store(Object[] objects) {
    if (objects.length == 0) {
      return;
    }
    Object[] array = (Object[]) buf;
    try {
      walk(
          (in, out, howMany) ->
              System.arraycopy(objects, (int) out, array, (int) in, (int) howMany),
          objects.length);
    } catch (ArrayStoreException e) {
      throw MPIException.of(
          MPI.ERR_TYPE,
          "what came does not fit into an array of "
              + array.getClass().getComponentType().getName()
              + ": "
              + e.getMessage());
    }
  }
}
