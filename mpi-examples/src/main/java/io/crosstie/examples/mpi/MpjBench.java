// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.mpi;

import java.nio.LongBuffer;
import mpi.MPI;
import mpi.Request;

/**
 * The benchmarks as a program for mpiJava and MPJ Express, with arrays. It calls nothing but what
 * MPJ Express has, and so it runs on that, too.
 */
public final class MpjBench implements Dialect {
  private MpjBench() {}

  /** The words of {@link BenchLoops}. */
  public static void main(String[] args) {
    String[] own = MPI.Init(args);
    BenchLoops.run(new MpjBench(), LongBuffer::allocate, own);
    MPI.Finalize();
  }

  @Override
  public int rank() {
    return MPI.COMM_WORLD.Rank();
  }

  @Override
  public int size() {
    return MPI.COMM_WORLD.Size();
  }

  @Override
  public void send(Object memory, int words, int to, int tag) {
    MPI.COMM_WORLD.Send(memory, 0, words, MPI.LONG, to, tag);
  }

  @Override
  public void receive(Object memory, int words, int from, int tag) {
    Object unused = MPI.COMM_WORLD.Recv(memory, 0, words, MPI.LONG, from, tag);
  }

  @Override
  public void sendAll(Object[] memories, int words, int to, int tag) {
    Request[] requests = new Request[memories.length];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = MPI.COMM_WORLD.Isend(memories[i], 0, words, MPI.LONG, to, tag);
    }
    Object unused = Request.Waitall(requests);
  }

  @Override
  public void receiveAll(Object[] memories, int words, int from, int tag) {
    Request[] requests = new Request[memories.length];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = MPI.COMM_WORLD.Irecv(memories[i], 0, words, MPI.LONG, from, tag);
    }
    Object unused = Request.Waitall(requests);
  }

  @Override
  public void barrier() {
    MPI.COMM_WORLD.Barrier();
  }

  @Override
  public void broadcast(Object memory, int words, int root) {
    MPI.COMM_WORLD.Bcast(memory, 0, words, MPI.LONG, root);
  }

  @Override
  public void sum(Object in, Object out, int words) {
    MPI.COMM_WORLD.Allreduce(in, 0, out, 0, words, MPI.LONG, MPI.SUM);
  }

  @Override
  public void exchange(Object in, Object out, int words) {
    MPI.COMM_WORLD.Alltoall(in, 0, words, MPI.LONG, out, 0, words, MPI.LONG);
  }
}
