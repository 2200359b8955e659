// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static java.util.Objects.requireNonNull;

import mpi.Comm;
import mpi.Errhandler;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * The last rank tells its process and sleeps until it is killed. All others wait for it, each in
 * its own way, and tell what became of that: {@code MpiSurvivors return|fatal}.
 */
final class MpiSurvivors {
  /** Says that its sender has left {@code dup}, in which a death would be told, too. */
  private static final int READY = 9;

  private MpiSurvivors() {}

  private static String outcome(Runnable what) {
    try {
      what.run();
      return "nothing";
    } catch (MPIException e) {
      return e.getErrorClass() == MPI.ERR_PROC_FAILED ? "ERR_PROC_FAILED" : e.toString();
    }
  }

  public static void main(String[] args) throws InterruptedException {
    String[] own = MPI.Init(args);
    Errhandler handler = own[0].equals("fatal") ? MPI.ERRORS_ARE_FATAL : MPI.ERRORS_RETURN;
    Comm world = MPI.COMM_WORLD;
    world.setErrhandler(handler);
    int rank = world.getRank();
    int victim = world.getSize() - 1;
    Comm copy = MPI.COMM_WORLD.dup();
    int[] data = new int[100_000];
    if (rank == victim) {
      for (int other = 0; other < victim; other++) {
        world.recv(data, 1, MPI.INT, other, READY);
      }
      System.out.println("process " + ProcessHandle.current().pid());
      Thread.sleep(Long.MAX_VALUE);
    }
    // posted while the victim lives: later it would be for those that are left
    Request fromAny = rank == 2 ? world.iRecv(data, 1, MPI.INT, MPI.ANY_SOURCE, 3) : null;
    world.send(new int[1], 1, MPI.INT, victim, READY);
    String first =
        switch (rank) {
          case 0 -> outcome(() -> world.recv(data, 1, MPI.INT, victim, 1));
          case 1 -> outcome(() -> world.sSend(data, data.length, MPI.INT, victim, 2));
          case 2 -> outcome(requireNonNull(fromAny)::waitFor);
          case 3 -> outcome(() -> world.allReduce(data, 10, MPI.INT, MPI.SUM));
          default -> outcome(() -> copy.iBarrier().waitFor());
        };
    // none waits for one that waits for the dead
    String second = outcome(() -> copy.bcast(data, data.length, MPI.INT, victim));
    String third = outcome(world::barrier);
    System.out.println("rank " + rank + ": " + first + ", " + second + ", " + third);
    MPI.Finalize();
  }
}
