// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * An access to another rank's window, from the call until the epoch ends: its buffers are the
 * program's until then.
 *
 * @param kind what is done
 * @param at where in the window, in bytes
 * @param count items there
 * @param type of the items there
 * @param op how what is sent and what is there combine; MPI.NO_OP where nothing is sent
 * @param out what is sent, null if nothing is
 * @param in what comes back, null if nothing does
 */
record WinOp(Kind kind, long at, long count, Datatype type, Op op, Part out, Part in) {
  /** What is done. */
  enum Kind {
    PUT,
    GET,
    ACCUMULATE,
    GET_ACCUMULATE,
    COMPARE_AND_SWAP;

    boolean replies() {
      return this == GET || this == GET_ACCUMULATE || this == COMPARE_AND_SWAP;
    }
  }

  /** Data up to that length travels with its description. */
  static final int INLINE = 2048;

  /** Those that one-sided calls may say, by their place here. */
  private static final List<Op> OPS =
      List.of(
          MPI.REPLACE,
          MPI.NO_OP,
          MPI.MAX,
          MPI.MIN,
          MPI.SUM,
          MPI.PROD,
          MPI.LAND,
          MPI.BAND,
          MPI.LOR,
          MPI.BOR,
          MPI.LXOR,
          MPI.BXOR,
          MPI.MAXLOC,
          MPI.MINLOC);

  private static final List<Kind> KINDS = List.of(Kind.values());

  /** Bytes of the items there. */
  long bytes() {
    return count == 0 ? 0 : Math.multiplyExact(count, type.bytes());
  }

  /** What is sent to the target: of a compare-and-swap both values. */
  long sentBytes() {
    return op == MPI.NO_OP ? 0 : kind == Kind.COMPARE_AND_SWAP ? 2 * bytes() : bytes();
  }

  /** How long an answer is that comes together with others; 0 if it is none, or by itself. */
  int shortAnswer() {
    return kind.replies() && bytes() <= INLINE ? (int) bytes() : 0;
  }

  boolean isInline() {
    return sentBytes() <= INLINE;
  }

  /** Whether a program may say it here. */
  static Op check(Op op, Datatype type) {
    Part unused = Part.of(null, 0, 0, type); // looks at the type
    if (op == null || !OPS.contains(op)) {
      throw MPIException.of(
          MPI.ERR_OP, "accumulate takes MPI's own operations, MPI.REPLACE and MPI.NO_OP: " + op);
    }
    if (op != MPI.REPLACE && op != MPI.NO_OP) {
      io.crosstie.ranks.Operation unusedToo = op.operation(type);
    }
    return op;
  }

  /** How long {@link #write} is. */
  int length() {
    return Integer.BYTES * 2
        + Long.BYTES * 2
        + type.descriptionBytes()
        + (isInline() ? Math.toIntExact(sentBytes()) : 0);
  }

  void write(ByteBuffer to) {
    to.putInt(kind.ordinal()).putInt(OPS.indexOf(op)).putLong(at).putLong(count);
    type.describe(to);
    if (isInline() && sentBytes() > 0) {
      to.put(out.pack().asByteBuffer());
    }
  }

  /** As the target sees it: without the origin's buffers. */
  static WinOp read(ByteBuffer from) {
    Kind kind = KINDS.get(from.getInt());
    Op op = OPS.get(from.getInt());
    long at = from.getLong();
    long count = from.getLong();
    return new WinOp(kind, at, count, Datatype.described(from), op, null, null);
  }
}
