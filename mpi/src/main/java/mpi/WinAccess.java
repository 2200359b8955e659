// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What two ranks say to each other at the end of an epoch. The origin sends batches: how long one
 * is, descriptions of some accesses with their data where that is short, and the data of the others
 * one by one; one of no length is the last. The target answers with long data one by one, and at
 * the end of a batch with all that is short. One batch is under way at a time, and at the target
 * the data of one access.
 */
final class WinAccess {
  private static final int TO_TARGET = 0;
  private static final int TO_ORIGIN = 1;

  /** Descriptions in one batch, and short answers, unless those of a single access are longer. */
  private static final int BATCH = 1 << 16;

  private final Communicator messages;
  private final int other;

  private WinAccess(Communicator messages, int other) {
    this.messages = messages;
    this.other = other;
  }

  private Transfer send(Data data, int tag) {
    return Transfer.message(messages.isend(data, other, tag), null);
  }

  private Transfer receive(Part part, int tag) {
    return Transfer.message(messages.irecv(part.in(), other, tag), part);
  }

  private static Part bytes(byte[] memory) {
    return Part.of(memory, 0, memory.length, MPI.BYTE);
  }

  // ------------------------------------------------------------------ at the origin

  /** Begins to have another rank do what it is asked for. */
  static Transfer run(Communicator messages, int target, List<WinOp> ops) {
    WinAccess access = new WinAccess(messages, target);
    int[] at = {0};
    boolean[] ended = {false};
    return Sequence.of(
        () -> {
          if (ended[0]) {
            return null;
          }
          int from = at[0];
          int bytes = 0;
          int answers = 0;
          while (at[0] < ops.size()) {
            WinOp next = ops.get(at[0]);
            if (bytes > 0 && bytes + answers + next.length() + next.shortAnswer() > BATCH) {
              break;
            }
            bytes += next.length();
            answers += next.shortAnswer();
            at[0]++;
          }
          ended[0] = bytes == 0;
          return access.batch(ops.subList(from, at[0]), bytes, answers);
        });
  }

  private Transfer batch(List<WinOp> ops, int bytes, int answers) {
    byte[] length = ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array();
    ByteBuffer batch = ByteBuffer.allocate(bytes);
    ops.forEach(op -> op.write(batch)); // what may fail comes before anything is sent
    List<Transfer> all = new ArrayList<>();
    try {
      begin(all, ops, length, batch.array(), answers);
    } catch (RuntimeException e) {
      Transfer.abandon(all);
      throw e;
    }
    return Transfer.all(all);
  }

  private void begin(
      List<Transfer> all, List<WinOp> ops, byte[] length, byte[] batch, int answers) {
    all.add(send(Data.of(length), TO_TARGET));
    if (batch.length > 0) {
      all.add(send(Data.of(batch), TO_TARGET));
    }
    for (WinOp op : ops) {
      if (!op.isInline()) {
        all.add(send(op.out().out(), TO_TARGET));
      }
      if (op.kind().replies() && op.shortAnswer() == 0) {
        all.add(receive(op.in(), TO_ORIGIN));
      }
    }
    if (answers > 0) {
      byte[] came = new byte[answers];
      all.add(Transfer.inTurn(receive(bytes(came), TO_ORIGIN), () -> spread(ops, came)));
    }
  }

  /** Brings short answers where they belong. */
  private static Transfer spread(List<WinOp> ops, byte[] came) {
    long at = 0;
    for (WinOp op : ops) {
      int length = op.shortAnswer();
      if (length > 0) {
        op.in().unpack(MemorySegment.ofArray(came).asSlice(at, length), length);
        at += length;
      }
    }
    return Transfer.over(Status.empty());
  }

  // ------------------------------------------------------------------ at the target

  /** What is accessed, and whose monitor makes each access one that no other one sees half of. */
  record Memory(Buffer base) {}

  /** Begins to do what another rank asks for. */
  static Transfer serve(Communicator messages, int origin, Memory memory) {
    Target target = new Target(new WinAccess(messages, origin), memory);
    return Sequence.of(target::next);
  }

  /** One origin's accesses. */
  private static final class Target {
    private final WinAccess access;
    private final Memory memory;
    private byte[] length;
    private byte[] batch;
    private ByteBuffer ops;

    /** Short answers of the batch. */
    private final ByteArrayOutputStream answers = new ByteArrayOutputStream();

    Target(WinAccess access, Memory memory) {
      this.access = access;
      this.memory = memory;
    }

    Transfer next() {
      if (ops != null && ops.hasRemaining()) {
        return one(WinOp.read(ops));
      }
      if (answers.size() > 0) {
        byte[] all = answers.toByteArray();
        answers.reset();
        return access.send(Data.of(all), TO_ORIGIN);
      }
      if (batch != null) {
        ByteBuffer came = ByteBuffer.wrap(batch);
        batch = null;
        ops = came;
        return next();
      }
      if (length == null) {
        length = new byte[Integer.BYTES];
        return access.receive(bytes(length), TO_TARGET);
      }
      int bytes = ByteBuffer.wrap(length).getInt();
      length = null;
      if (bytes == 0) {
        return null;
      }
      batch = new byte[bytes];
      return access.receive(bytes(batch), TO_TARGET);
    }

    private Part there(WinOp op) {
      return Part.of(memory.base(), 0, op.count(), op.type()).behind(op.at());
    }

    private Transfer one(WinOp op) {
      Part there = there(op);
      if (op.kind() == WinOp.Kind.GET && op.shortAnswer() == 0) {
        return access.send(there.out(), TO_ORIGIN);
      }
      if (op.isInline()) {
        byte[] data = new byte[Math.toIntExact(op.sentBytes())];
        ops.get(data);
        return applied(op, there, MemorySegment.ofArray(data));
      }
      if (op.kind() == WinOp.Kind.PUT) {
        return access.receive(there, TO_TARGET);
      }
      MemorySegment data = Part.allocate(op.sentBytes());
      Transfer coming =
          Transfer.message(access.messages.irecv(Data.of(data), access.other, TO_TARGET), null);
      return Transfer.inTurn(coming, () -> applied(op, there, data));
    }

    /** Does it, and answers. */
    private Transfer applied(WinOp op, Part there, MemorySegment data) {
      MemorySegment before;
      synchronized (memory) {
        before = op.kind().replies() ? there.pack() : null;
        apply(op, there, data);
      }
      if (before == null) {
        return Transfer.over(Status.empty());
      }
      if (op.shortAnswer() == 0) {
        return access.send(Data.of(before), TO_ORIGIN);
      }
      byte[] bytes = before.toArray(ValueLayout.JAVA_BYTE);
      answers.write(bytes, 0, bytes.length);
      return Transfer.over(Status.empty());
    }

    private static void apply(WinOp op, Part there, MemorySegment data) {
      long bytes = op.bytes();
      if (op.kind() == WinOp.Kind.COMPARE_AND_SWAP) {
        if (there.pack().mismatch(data.asSlice(0, bytes)) < 0) {
          there.unpack(data.asSlice(bytes), bytes);
        }
      } else if (op.kind() == WinOp.Kind.PUT || op.op() == MPI.REPLACE) {
        there.unpack(data, bytes);
      } else if (op.op() != MPI.NO_OP && bytes > 0) {
        Data with = there.inOut();
        op.op().operation(op.type()).apply(Data.of(data, with.type()), with);
        there.done(bytes);
      }
    }
  }
}
