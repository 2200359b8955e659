// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.function.Supplier;

/** A request that can be started again and again. */
public class Prequest extends Request {
  private final Comm of;
  private Supplier<Transfer> how;

  Prequest(Comm comm, Supplier<Transfer> how) {
    super(comm, null);
    this.of = comm;
    this.how = how;
  }

  /** Starts it. */
  public void start() {
    if (how == null) {
      throw of.raise(MPIException.of(MPI.ERR_REQUEST, "the request was freed"));
    }
    if (isActive()) {
      throw of.raise(
          MPIException.of(MPI.ERR_REQUEST, "the request is active; wait for it before it starts"));
    }
    begin(of.guard(how));
  }

  /** {@link #start}. */
  public void Start() {
    start();
  }

  /** Starts all of them. */
  public static void startAll(Prequest[] requests) {
    Checks.given(requests, MPI.ERR_REQUEST, "the array of requests");
    for (Prequest request : requests) {
      Checks.given(request, MPI.ERR_REQUEST, "a request");
    }
    for (Prequest request : requests) {
      request.start();
    }
  }

  /** {@link #startAll}. */
  public static void Startall(Prequest[] requests) {
    startAll(requests);
  }

  @Override
  public void free() {
    super.free();
    how = null;
  }

  /** Whether it was freed: an inactive one is there to be started. */
  @Override
  public boolean isNull() {
    return how == null;
  }
}
