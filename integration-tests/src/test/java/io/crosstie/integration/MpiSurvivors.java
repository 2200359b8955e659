// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import mpi.Comm;
import mpi.Errhandler;
import mpi.MPI;
import mpi.MPIException;

/**
 * The last rank tells its process and sleeps until it is killed. All others wait for it, each in
 * its own way, and tell what became of that: {@code MpiSurvivors return|fatal}.
 */
final class MpiSurvivors {
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
    if (rank == victim) {
      System.out.println("process " + ProcessHandle.current().pid());
      Thread.sleep(Long.MAX_VALUE);
    }
    int[] data = new int[100_000];
    String first =
        switch (rank) {
          case 0 -> outcome(() -> world.recv(data, 1, MPI.INT, victim, 1));
          case 1 -> outcome(() -> world.sSend(data, data.length, MPI.INT, victim, 2));
          case 2 -> outcome(() -> world.recv(data, 1, MPI.INT, MPI.ANY_SOURCE, 3));
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
