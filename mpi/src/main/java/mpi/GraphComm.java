// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A communicator whose ranks are the nodes of a graph, in the dialect of Open MPI. */
public final class GraphComm extends Intracomm {
  private final GraphTopology graph;
  private final DistGraphNeighbors distributed;

  GraphComm(GraphTopology graph, DistGraphNeighbors distributed) {
    this.graph = graph;
    this.distributed = distributed;
  }

  @Override
  public GraphComm clone() {
    return dup();
  }

  @Override
  public GraphComm dup() {
    return dupInto(new GraphComm(graph, distributed));
  }

  @Override
  public GraphComm iDup() {
    return CommCreation.begin(this, new GraphComm(graph, distributed));
  }

  @Override
  public GraphComm dupWithInfo(Info info) {
    return (GraphComm) super.dupWithInfo(info);
  }

  @Override
  int topology() {
    return graph == null ? MPI.DIST_GRAPH : MPI.GRAPH;
  }

  @Override
  int[][] neighbours() {
    if (graph == null) {
      return new int[][] {distributed.sources(), distributed.destinations()};
    }
    int[] all = graph.neighbours(getRank());
    return new int[][] {all, all};
  }

  private GraphTopology graph() {
    if (graph == null) {
      throw MPIException.of(
          MPI.ERR_TOPOLOGY, "the graph is distributed; each rank knows its own edges alone");
    }
    return graph;
  }

  /** The whole graph. */
  public GraphParms getDims() {
    return guard(() -> graph().parms());
  }

  /** The neighbours of a rank. */
  public int[] getNeighbors(int rank) {
    return guard(() -> graph().neighbours(rank));
  }

  /** The neighbours of this rank in a distributed graph. */
  public DistGraphNeighbors getDistGraphNeighbors() {
    return guard(
        () -> {
          if (distributed == null) {
            throw MPIException.of(MPI.ERR_TOPOLOGY, "the graph is not distributed");
          }
          return distributed;
        });
  }

  /** The rank that this one would have in another graph, or MPI.UNDEFINED. */
  public int map(int[] index, int[] edges) {
    return guard(
        () ->
            getRank() < GraphTopology.of(index, edges, getSize()).index().length
                ? getRank()
                : MPI.UNDEFINED);
  }
}
