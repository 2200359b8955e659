// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.MatchedMessage;
import io.crosstie.ranks.Received;
import io.crosstie.ranks.RequestCancelledException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Messages of objects: an envelope that is matched as any message is, with as much of the
 * serialized objects as has room in it; the rest comes by itself, under a number that the envelope
 * names, on a communicator that programs cannot reach.
 */
final class ObjectMessages {
  /** Numbers of rests are below; above are tags of messages that make communicators. */
  static final int FIRST_GROUP_TAG = 1 << 29;

  /** Of collective operations. */
  static final int FIRST_OTHER_TAG = 1 << 30;

  private static final int MAGIC = 0x4d504f31;
  private static final int HEADER = 16;
  private static final int INLINE = 4096 - HEADER;

  /** In place of the number of objects: the sender has failed, with the class that follows. */
  private static final int FAILED = -1;

  private ObjectMessages() {}

  /** What is sent: the envelope, and what does not fit in; null if all does. */
  record Written(byte[] envelope, byte[] rest, int number) {
    long bytes() {
      return envelope.length + (rest == null ? 0L : rest.length);
    }
  }

  static Written write(Part part, int number) {
    Object[] objects = part.objects();
    byte[] bytes = ObjectCodec.write(objects);
    int in = bytes.length <= INLINE ? bytes.length : 0;
    byte[] envelope =
        ByteBuffer.allocate(HEADER + in)
            .putInt(MAGIC)
            .putInt(objects.length)
            .putInt(bytes.length)
            .putInt(number)
            .put(bytes, 0, in)
            .array();
    return new Written(envelope, in == bytes.length ? null : bytes, number);
  }

  /**
   * To ranks that wait for objects: this one has failed in the operation that they call together.
   */
  static Written told(MPIException why) {
    byte[] envelope =
        ByteBuffer.allocate(HEADER)
            .putInt(MAGIC)
            .putInt(FAILED)
            .putInt(why.getErrorClass())
            .putInt(0)
            .array();
    return new Written(envelope, null, 0);
  }

  /** What those ranks make of it. */
  static MPIException failedThere(int rank, int errorClass) {
    return MPIException.of(
        errorClass, "rank " + rank + " has failed in this operation, and sends nothing");
  }

  static Transfer send(
      Written written,
      Communicator envelopes,
      Communicator rests,
      int dest,
      int tag,
      boolean synchronous) {
    Data data = Data.of(written.envelope());
    Transfer envelope =
        Transfer.message(
            synchronous ? envelopes.issend(data, dest, tag) : envelopes.isend(data, dest, tag),
            null);
    if (written.rest() == null) {
      return envelope;
    }
    return Transfer.all(
        List.of(
            envelope,
            Transfer.message(rests.isend(Data.of(written.rest()), dest, written.number()), null)));
  }

  static Transfer receive(
      Part part, Communicator envelopes, Communicator rests, int source, int tag) {
    part.verify();
    byte[] memory = new byte[HEADER + INLINE];
    return new Receive(part, rests, memory, envelopes.irecv(Data.of(memory), source, tag));
  }

  static Transfer receive(Part part, Communicator rests, MatchedMessage message) {
    byte[] memory = new byte[HEADER + INLINE];
    return new Receive(part, rests, memory, message.irecv(Data.of(memory)));
  }

  /** A receive. */
  private static final class Receive extends Transfer {
    private final Part part;
    private final Communicator rests;
    private final byte[] memory;
    private final io.crosstie.ranks.Request envelope;
    private Received received;
    private byte[] body;
    private int from;
    private int length;
    private int count;
    private io.crosstie.ranks.Request rest;
    private RuntimeException failure;

    Receive(Part part, Communicator rests, byte[] memory, io.crosstie.ranks.Request envelope) {
      this.part = part;
      this.rests = rests;
      this.memory = memory;
      this.envelope = envelope;
      Progress.open(this);
    }

    @Override
    synchronized boolean advance() {
      if (received == null && failure == null && envelope.isDone()) {
        try {
          open();
        } catch (Throwable e) { // no room for what is announced
          failure = failure(e);
        }
      }
      boolean over = failure != null || (received != null && (rest == null || rest.isDone()));
      if (over) {
        Progress.close(this);
      }
      return over;
    }

    private void open() {
      Received came = envelope.result();
      try {
        open(came);
      } catch (Throwable e) {
        throw MPIException.of(e).about(came.source(), came.tag());
      }
      received = came;
    }

    private void open(Received came) {
      ByteBuffer in = ByteBuffer.wrap(memory);
      if (came.bytes() < HEADER || in.getInt() != MAGIC) {
        throw MPIException.of(
            MPI.ERR_TYPE, "a receive of MPI.OBJECT has matched a message of other elements");
      }
      count = in.getInt();
      length = in.getInt();
      int number = in.getInt();
      if (count == FAILED) {
        throw failedThere(came.source(), length);
      }
      if (length <= INLINE) {
        body = memory;
        from = HEADER;
      } else {
        body = new byte[length];
        rest = rests.irecv(Data.of(body), came.source(), number);
      }
    }

    @Override
    synchronized void pending(List<io.crosstie.ranks.Request> into) {
      // an envelope that is done, too: what follows it has to be begun before anybody sleeps
      if (failure == null && (received == null || (rest != null && !rest.isDone()))) {
        into.add(rest == null ? envelope : rest);
      }
    }

    @Override
    synchronized Status finish() {
      if (failure instanceof RequestCancelledException) {
        return Status.cancelled();
      }
      if (failure != null) {
        throw failure;
      }
      try {
        store();
      } catch (RuntimeException e) { // what the rest says of itself is not the program's tag
        throw MPIException.of(e).about(received.source(), received.tag());
      }
      return Status.ofObjects(received, count);
    }

    private void store() {
      if (rest != null) {
        Received unused = rest.result();
      }
      if (count > part.bytes()) {
        throw MPIException.of(
            MPI.ERR_TRUNCATE, count + " objects came, and there is room for " + part.bytes());
      }
      part.store(ObjectCodec.read(body, from, length, count));
    }

    @Override
    boolean cancel() {
      return envelope.cancel();
    }
  }
}
