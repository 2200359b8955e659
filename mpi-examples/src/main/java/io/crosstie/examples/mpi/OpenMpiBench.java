// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.mpi;

import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/** The benchmarks as a program for Open MPI's Java bindings, with arrays or direct buffers. */
public final class OpenMpiBench implements Dialect {
  private final Intracomm world = MPI.COMM_WORLD;

  private OpenMpiBench() {}

  /** The words of {@link BenchLoops}. */
  public static void main(String[] args) {
    String[] own = MPI.Init(args);
    BenchLoops.run(new OpenMpiBench(), MPI::newLongBuffer, own);
    MPI.Finalize();
  }

  @Override
  public int rank() {
    return world.getRank();
  }

  @Override
  public int size() {
    return world.getSize();
  }

  @Override
  public void send(Object memory, int words, int to, int tag) {
    world.send(memory, words, MPI.LONG, to, tag);
  }

  @Override
  public void receive(Object memory, int words, int from, int tag) {
    Object unused = world.recv(memory, words, MPI.LONG, from, tag);
  }

  @Override
  public void sendAll(Object[] memories, int words, int to, int tag) {
    Request[] requests = new Request[memories.length];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = world.iSend(memories[i], words, MPI.LONG, to, tag);
    }
    Request.waitAll(requests);
  }

  @Override
  public void receiveAll(Object[] memories, int words, int from, int tag) {
    Request[] requests = new Request[memories.length];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = world.iRecv(memories[i], words, MPI.LONG, from, tag);
    }
    Request.waitAll(requests);
  }

  @Override
  public void barrier() {
    world.barrier();
  }

  @Override
  public void broadcast(Object memory, int words, int root) {
    world.bcast(memory, words, MPI.LONG, root);
  }

  @Override
  public void sum(Object in, Object out, int words) {
    world.allReduce(in, out, words, MPI.LONG, MPI.SUM);
  }

  @Override
  public void exchange(Object in, Object out, int words) {
    world.allToAll(in, words, MPI.LONG, out, words, MPI.LONG);
  }
}
