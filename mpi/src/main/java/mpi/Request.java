// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Something that was begun. It keeps its buffer until it is complete, and becomes inactive when it
 * was waited for, or tested with success.
 */
public class Request implements Freeable {
  private Comm comm;
  private Transfer transfer;
  private boolean settled;
  private Status result;
  private MPIException failure;

  Request(Comm comm, Transfer transfer) {
    this.comm = comm;
    this.transfer = Transfer.held(comm, transfer);
  }

  /** Begins again: of a persistent request. */
  final void begin(Transfer next) {
    transfer = Transfer.held(comm, next);
    settled = false;
    result = null;
    failure = null;
  }

  final boolean isActive() {
    return transfer != null;
  }

  private boolean advance() {
    return settled || transfer.advance();
  }

  /** It is over: what came of it; only once. */
  private void settle() {
    if (!settled) {
      settled = true;
      try {
        result = transfer.finish();
      } catch (RuntimeException e) {
        failure = MPIException.of(e);
      }
    }
  }

  private Status take() {
    settle();
    transfer = null;
    if (failure != null) {
      throw comm.raise(failure);
    }
    return result;
  }

  // ------------------------------------------------------------------ one

  /** Waits for it. */
  public final Status waitStatus() {
    if (!isActive()) {
      return Status.empty();
    }
    if (!settled) {
      try {
        Progress.await(transfer);
      } catch (RuntimeException e) { // the node has failed, or the world was closed meanwhile
        throw comm.raise(MPIException.of(e));
      }
    }
    return take();
  }

  /** {@link #waitStatus}. */
  public Status Wait() {
    return waitStatus();
  }

  /** Waits for it. */
  public final void waitFor() {
    Status unused = waitStatus();
  }

  /** Its status if it is complete, else null. */
  public final Status testStatus() {
    if (!isActive()) {
      return Status.empty();
    }
    return isOver() ? take() : null;
  }

  private boolean isOver() {
    if (advance()) {
      return true;
    }
    try {
      Progress.drive(List.of(transfer));
    } catch (RuntimeException e) {
      throw comm.raise(MPIException.of(e));
    }
    return advance();
  }

  /** {@link #testStatus}. */
  public Status Test() {
    return testStatus();
  }

  /** Whether it is complete. */
  public final boolean test() {
    return testStatus() != null;
  }

  /** Its status if it is complete, else null; it stays active. */
  public final Status getStatus() {
    if (!isActive()) {
      return Status.empty();
    }
    if (!isOver()) {
      return null;
    }
    settle();
    if (failure != null) {
      throw comm.raise(failure);
    }
    return result;
  }

  /** Takes it back if nothing has happened for it; its status says whether it was. */
  public final void cancel() {
    if (isActive()) {
      boolean unused = transfer.cancel();
    }
  }

  /** {@link #cancel}. */
  public void Cancel() {
    cancel();
  }

  /** Gives it up; what is under way comes to its end. */
  @Override
  public void free() {
    if (isActive()) {
      if (!settled) {
        Progress.orphan(transfer);
      }
      transfer = null;
    }
  }

  /** {@link #free}. */
  public void Free() {
    free();
  }

  /** Whether there is nothing to wait for. */
  public boolean isNull() {
    return !isActive();
  }

  /** {@link #isNull}. */
  public boolean Is_null() {
    return isNull();
  }

  // ------------------------------------------------------------------ several

  private static List<Transfer> transfers(Request[] requests) {
    List<Transfer> all = new ArrayList<>(requests.length);
    for (Request request : requests) {
      if (request != null && request.isActive() && !request.settled) {
        all.add(request.transfer);
      }
    }
    return all;
  }

  private static Request[] given(Request[] requests) {
    return Checks.given(requests, MPI.ERR_REQUEST, "the array of requests");
  }

  private static boolean anyActive(Request[] requests) {
    for (Request request : given(requests)) {
      if (request != null && request.isActive()) {
        return true;
      }
    }
    return false;
  }

  private static int firstOver(Request[] requests) {
    for (int i = 0; i < requests.length; i++) {
      if (requests[i] != null && requests[i].isActive() && requests[i].advance()) {
        return i;
      }
    }
    return -1;
  }

  /** Brings those that are active on; the error handler of the first is told if that cannot be. */
  private static void step(Request[] requests, Consumer<List<Transfer>> how) {
    try {
      how.accept(transfers(requests));
    } catch (RuntimeException e) {
      for (Request request : requests) {
        if (request != null && request.isActive()) {
          throw request.comm.raise(MPIException.of(e));
        }
      }
      throw MPIException.of(e);
    }
  }

  private static int any(Request[] requests, boolean wait) {
    int index = firstOver(requests);
    if (index < 0 && !wait) {
      step(requests, Progress::drive);
      index = firstOver(requests);
    }
    while (index < 0 && wait) {
      step(requests, Progress::awaitStep);
      index = firstOver(requests);
    }
    return index;
  }

  /** Waits for one of them; its index is in the status, MPI.UNDEFINED if none is active. */
  public static Status waitAnyStatus(Request[] requests) {
    if (!anyActive(requests)) {
      return Status.empty();
    }
    int index = any(requests, true);
    return requests[index].take().at(index);
  }

  /** {@link #waitAnyStatus}. */
  public static Status Waitany(Request[] requests) {
    return waitAnyStatus(requests);
  }

  /** Waits for one of them; its index, MPI.UNDEFINED if none is active. */
  public static int waitAny(Request[] requests) {
    return waitAnyStatus(requests).index;
  }

  /** The status of one that is complete; null if none is, and an empty one if none is active. */
  public static Status testAnyStatus(Request[] requests) {
    if (!anyActive(requests)) {
      return Status.empty();
    }
    int index = any(requests, false);
    return index < 0 ? null : requests[index].take().at(index);
  }

  /** {@link #testAnyStatus}. */
  public static Status Testany(Request[] requests) {
    return testAnyStatus(requests);
  }

  /** The index of one that is complete, MPI.UNDEFINED if none is. */
  public static int testAny(Request[] requests) {
    Status status = testAnyStatus(requests);
    return status == null ? MPI.UNDEFINED : status.index;
  }

  private static boolean allOver(Request[] requests) {
    for (Request request : given(requests)) {
      if (request != null && request.isActive() && !request.advance()) {
        return false;
      }
    }
    return true;
  }

  private static Status[] takeAll(Request[] requests) {
    Status[] all = new Status[requests.length];
    MPIException first = null;
    Comm of = null;
    for (int i = 0; i < all.length; i++) {
      Request request = requests[i];
      if (request == null || !request.isActive()) {
        all[i] = Status.empty().at(i);
        continue;
      }
      request.settle();
      request.transfer = null;
      if (request.failure == null) {
        all[i] = request.result.at(i);
      } else {
        all[i] = Status.failed(request.failure).at(i);
        if (first == null) {
          first = request.failure;
          of = request.comm;
        }
      }
    }
    if (first != null) {
      MPIException told =
          new InStatus("one or more of the requests have failed: " + first.getMessage(), all);
      told.initCause(first);
      throw of.raise(told);
    }
    return all;
  }

  /** What went wrong with which of several. */
  static final class InStatus extends MPIException {
    private static final long serialVersionUID = 1L;
    private final transient Status[] statuses;

    InStatus(String message, Status[] statuses) {
      super(MPI.ERR_IN_STATUS, MPI.ERR_IN_STATUS, message);
      this.statuses = statuses;
    }

    @Override
    public Status[] getStatuses() {
      return statuses.clone();
    }
  }

  /** Waits for all of them. */
  public static Status[] waitAllStatus(Request[] requests) {
    while (!allOver(requests)) {
      step(requests, all -> Progress.awaitStep(all.stream().filter(of -> !of.advance()).toList()));
    }
    return takeAll(requests);
  }

  /** {@link #waitAllStatus}. */
  public static Status[] Waitall(Request[] requests) {
    return waitAllStatus(requests);
  }

  /** Waits for all of them. */
  public static void waitAll(Request[] requests) {
    Status[] unused = waitAllStatus(requests);
  }

  /** The statuses if all are complete, else null. */
  public static Status[] testAllStatus(Request[] requests) {
    if (!allOver(requests)) {
      step(requests, Progress::drive);
      if (!allOver(requests)) {
        return null;
      }
    }
    return takeAll(requests);
  }

  /** {@link #testAllStatus}. */
  public static Status[] Testall(Request[] requests) {
    return testAllStatus(requests);
  }

  /** Whether all are complete. */
  public static boolean testAll(Request[] requests) {
    return testAllStatus(requests) != null;
  }

  private static Status[] some(Request[] requests, boolean wait) {
    if (!anyActive(requests)) {
      return null;
    }
    int unused = any(requests, wait);
    List<Status> some = new ArrayList<>();
    MPIException first = null;
    Comm of = null;
    for (int i = 0; i < requests.length; i++) {
      Request request = requests[i];
      if (request != null && request.isActive() && request.advance()) {
        request.settle();
        request.transfer = null;
        if (request.failure == null) {
          some.add(request.result.at(i));
        } else {
          some.add(Status.failed(request.failure).at(i));
          first = first == null ? request.failure : first;
          of = of == null ? request.comm : of;
        }
      }
    }
    Status[] all = some.toArray(new Status[0]);
    if (first != null) {
      MPIException told = new InStatus("some requests have failed: " + first.getMessage(), all);
      told.initCause(first);
      throw of.raise(told);
    }
    return all;
  }

  private static int[] indices(Status[] some) {
    if (some == null) {
      return null;
    }
    int[] indices = new int[some.length];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = some[i].index;
    }
    return indices;
  }

  /** Waits for one or more; null if none is active. */
  public static Status[] waitSomeStatus(Request[] requests) {
    return some(requests, true);
  }

  /** {@link #waitSomeStatus}. */
  public static Status[] Waitsome(Request[] requests) {
    return some(requests, true);
  }

  /** Waits for one or more; their indices, null if none is active. */
  public static int[] waitSome(Request[] requests) {
    return indices(some(requests, true));
  }

  /** Those that are complete, perhaps none; null if none is active. */
  public static Status[] testSomeStatus(Request[] requests) {
    return some(requests, false);
  }

  /** {@link #testSomeStatus}. */
  public static Status[] Testsome(Request[] requests) {
    return some(requests, false);
  }

  /** The indices of those that are complete, perhaps none; null if none is active. */
  public static int[] testSome(Request[] requests) {
    return indices(some(requests, false));
  }
}
