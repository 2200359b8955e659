// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A communicator whose ranks are the nodes of a graph, in the dialect of mpiJava. */
public final class Graphcomm extends Intracomm {
  private final GraphTopology graph;

  Graphcomm(GraphTopology graph) {
    this.graph = graph;
  }

  @Override
  public Graphcomm clone() {
    return dup();
  }

  @Override
  public Graphcomm dup() {
    return dupInto(new Graphcomm(graph));
  }

  @Override
  public Graphcomm iDup() {
    return CommCreation.begin(this, new Graphcomm(graph));
  }

  @Override
  public Graphcomm dupWithInfo(Info info) {
    return (Graphcomm) super.dupWithInfo(info);
  }

  @Override
  int topology() {
    return MPI.GRAPH;
  }

  @Override
  int[][] neighbours() {
    int[] all = graph.neighbours(getRank());
    return new int[][] {all, all};
  }

  /** The whole graph. */
  public GraphParms Get() {
    return guard(graph::parms);
  }

  /** The neighbours of a rank. */
  public int[] Neighbours(int rank) {
    return guard(() -> graph.neighbours(rank));
  }

  /** The rank that this one would have in another graph, or MPI.UNDEFINED. */
  public int Map(int[] index, int[] edges) {
    return guard(
        () ->
            getRank() < GraphTopology.of(index, edges, getSize()).index().length
                ? getRank()
                : MPI.UNDEFINED);
  }
}
