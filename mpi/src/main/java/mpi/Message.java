// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.MatchedMessage;
import java.nio.Buffer;
import java.util.Optional;

/** A message that a probe has found and taken: nobody else receives it. */
public final class Message {
  private Comm comm;
  private MatchedMessage matched;
  private boolean none;

  /** None so far. */
  public Message() {}

  /** Whether there is no message. */
  public boolean isNull() {
    return matched == null && !none;
  }

  /** Whether it is the one from MPI.PROC_NULL, which is empty. */
  public boolean isNoProc() {
    return none;
  }

  /** Waits for a message, and takes it. */
  public Status mProbe(int source, int tag, Comm of) {
    return take(source, tag, of, true);
  }

  /** Takes a message if there is one, else returns null. */
  public Status imProbe(int source, int tag, Comm of) {
    return take(source, tag, of, false);
  }

  private Status take(int source, int tag, Comm of, boolean wait) {
    comm = Checks.comm(of);
    none = source == MPI.PROC_NULL;
    matched = null;
    if (none) {
      return Status.noProcess();
    }
    return of.guard(
        () -> {
          Optional<MatchedMessage> found = of.mprobe(source, tag, wait);
          matched = found.orElse(null);
          return matched == null ? null : Status.of(matched.found());
        });
  }

  private Transfer receive(Object buf, int count, Datatype type) {
    Part part = Part.untyped(buf, count, type);
    if (none) {
      none = false;
      return Transfer.over(Status.noProcess());
    }
    MatchedMessage message = matched;
    if (message == null) {
      throw MPIException.of(MPI.ERR_REQUEST, "there is no message; a probe takes one first");
    }
    if (part.isObject()) {
      Communicator rests = comm.inner();
      part.verify();
      matched = null;
      return ObjectMessages.receive(part, rests, message);
    }
    Data memory = part.in(); // a buffer that does not fit leaves the message where it is
    matched = null;
    return Transfer.message(message.irecv(memory), part);
  }

  private Comm comm() {
    return comm == null ? MPI.COMM_WORLD : comm;
  }

  /** Receives it. */
  public Status mRecv(Object buf, int count, Datatype type) {
    return imRecvAny(buf, count, type).waitStatus();
  }

  /** Begins to receive it. */
  public Request imRecv(Buffer buf, int count, Datatype type) {
    return imRecvAny(buf, count, type);
  }

  private Request imRecvAny(Object buf, int count, Datatype type) {
    return new Request(comm(), comm().guard(() -> receive(buf, count, type)));
  }
}
