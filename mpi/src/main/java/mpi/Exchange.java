// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The messages of a collective operation that is made of them, or of one of its steps. By what they
 * go is taken when the operation begins, in the order of the calls, and is still there when the
 * communicator has been freed meanwhile.
 *
 * <p>What one rank cannot send, since an object is not to be serialized or an operation has failed,
 * is told to those that wait for it in place of the data: they fail, too, and nobody waits for
 * ever.
 */
final class Exchange {
  private final Comm of;
  private final Communicator messages;
  private final int tag;

  /** Whether fewer bytes than are waited for say that their sender has failed. */
  private final boolean whole;

  Exchange(Comm of, Communicator messages, int tag) {
    this(of, messages, tag, false);
  }

  private Exchange(Comm of, Communicator messages, int tag, boolean whole) {
    this.of = of;
    this.messages = messages;
    this.tag = tag;
    this.whole = whole;
  }

  /**
   * For data that is no objects, and whose length all know. In place of an empty part goes a byte,
   * since nothing at all is what a rank sends that has failed.
   */
  Exchange whole() {
    return new Exchange(of, messages, tag, true);
  }

  /** One message to and from each rank that has a part here. */
  Transfer run(Part[] outs, Part[] ins) {
    return run(outs, ins, null);
  }

  /**
   * The same.
   *
   * @param failure what was to be sent is not there: the others are told, and it is thrown in the
   *     end; null if all is well
   */
  Transfer run(Part[] outs, Part[] ins, RuntimeException failure) {
    Messages all = new Messages(failure);
    int peers = of.peers();
    for (int i = 0; i < peers; i++) {
      if (ins[i] != null) {
        all.receive(ins[i], i, tag);
      }
    }
    for (int step = 0; step < peers; step++) {
      int to = (of.rank + step) % peers;
      if (outs[to] != null) {
        all.send(outs[to], to, tag);
      }
    }
    return all.begin();
  }

  /** One message to and from each neighbour. */
  Transfer withNeighbours(Function<Integer, Part> outs, Function<Integer, Part> ins) {
    Messages all = new Messages(null);
    int[][] neighbours = of.neighbours();
    for (int i = 0; i < neighbours[0].length; i++) {
      if (neighbours[0][i] != MPI.PROC_NULL) {
        all.receive(ins.apply(i), neighbours[0][i], tag | of.ownSlot(i));
      }
    }
    for (int i = 0; i < neighbours[1].length; i++) {
      if (neighbours[1][i] != MPI.PROC_NULL) {
        all.send(outs.apply(i), neighbours[1][i], tag | of.slot(i));
      }
    }
    return all.begin();
  }

  /** Those of one step: looked at one by one, and begun together, or none. */
  private final class Messages {
    private final List<Supplier<Transfer>> all = new ArrayList<>();

    /** What goes to several ranks is serialized once. */
    private final IdentityHashMap<Part, ObjectMessages.Written> written = new IdentityHashMap<>();

    /** Why nothing of this rank's is sent; null if it is. */
    private final RuntimeException before;

    /** What is thrown in the end. */
    private RuntimeException failure;

    Messages(RuntimeException before) {
      this.before = before;
      this.failure = before;
    }

    void receive(Part part, int from, int with) {
      if (part.isObject()) {
        part.verify();
        all.add(() -> ObjectMessages.receive(part, messages, messages, from, with));
        return;
      }
      Data data = isMarked(part) ? mark() : part.in();
      all.add(
          () -> {
            io.crosstie.ranks.Request request = messages.irecv(data, from, with);
            return whole ? Transfer.whole(request, part) : Transfer.message(request, part);
          });
    }

    void send(Part part, int to, int with) {
      if (part.isObject()) {
        part.verify(); // what does not fit is told before anything is sent
        ObjectMessages.Written bytes = written.computeIfAbsent(part, this::write);
        all.add(() -> ObjectMessages.send(bytes, messages, messages, to, with, false));
        return;
      }
      Data data = before != null ? Data.none() : isMarked(part) ? mark() : part.out();
      all.add(() -> Transfer.message(messages.isend(data, to, with), null));
    }

    private boolean isMarked(Part part) {
      return whole && part.bytes() == 0;
    }

    private static Data mark() {
      return Data.of(new byte[1]);
    }

    private ObjectMessages.Written write(Part part) {
      RuntimeException why = before;
      if (why == null) {
        try {
          return ObjectMessages.write(part, of.nextNumber());
        } catch (Throwable e) { // whatever the program's own objects do
          why = Transfer.failure(e);
          failure = failure == null ? why : failure;
        }
      }
      return ObjectMessages.told(MPIException.of(why));
    }

    Transfer begin() {
      if (failure != null) {
        all.addFirst(() -> Transfer.failed(failure));
      }
      return Transfer.all(Transfer.begin(all));
    }
  }
}
