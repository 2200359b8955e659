// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A graph that all ranks know. */
record GraphTopology(int[] index, int[] edges) {
  static GraphTopology of(int[] index, int[] edges, int size) {
    int before = 0;
    for (int each : Checks.array(index, "the index")) {
      if (each < before) {
        throw MPIException.of(MPI.ERR_ARG, "the index of a graph does not rise");
      }
      before = each;
    }
    if (index.length > size) {
      throw MPIException.of(
          MPI.ERR_TOPOLOGY, index.length + " nodes have no room in " + size + " ranks");
    }
    if (Checks.array(edges, "edges").length < before) {
      throw MPIException.of(MPI.ERR_ARG, "the index names " + before + " edges");
    }
    for (int edge : edges) {
      if (edge < 0 || edge >= index.length) {
        throw MPIException.of(MPI.ERR_ARG, "an edge to " + edge + ", which is no node");
      }
    }
    return new GraphTopology(index.clone(), edges.clone());
  }

  int[] neighbours(int rank) {
    if (rank < 0 || rank >= index.length) {
      throw MPIException.of(MPI.ERR_RANK, "rank " + rank + " is no node of the graph");
    }
    return Arrays.copyOfRange(edges, rank == 0 ? 0 : index[rank - 1], index[rank]);
  }

  GraphParms parms() {
    return new GraphParms(index.clone(), edges.clone());
  }

  /** The edges from and to this rank, of those that all ranks name together. All ranks call it. */
  static DistGraphNeighbors gather(
      Intracomm comm, int[] sources, int[] degrees, int[] destinations, int[] weights) {
    int size = comm.getSize();
    MPIException failure = fault(size, sources, degrees, destinations, weights);
    int mine = failure == null ? Arrays.stream(degrees).limit(sources.length).sum() : 0;
    int[] triples = new int[3 * mine];
    int at = 0;
    for (int i = 0; failure == null && i < sources.length; i++) {
      for (int j = 0; j < degrees[i]; j++, at++) {
        triples[3 * at] = sources[i];
        triples[3 * at + 1] = destinations[at];
        triples[3 * at + 2] = weights == null ? 0 : weights[at];
      }
    }
    int[] counts = new int[size];
    counts[comm.getRank()] = failure == null ? 3 * mine : -1;
    comm.allGather(counts, 1, MPI.INT);
    if (failure != null) {
      throw failure;
    }
    for (int i = 0; i < size; i++) {
      if (counts[i] < 0) {
        throw MPIException.of(MPI.ERR_ARG, "rank " + i + " has named no graph: see its error");
      }
    }
    int[] displs = new int[size];
    for (int i = 1; i < size; i++) {
      displs[i] = displs[i - 1] + counts[i - 1];
    }
    int[] all = new int[displs[size - 1] + counts[size - 1]];
    comm.allGatherv(triples, 3 * mine, MPI.INT, all, counts, displs, MPI.INT);
    List<int[]> in = new ArrayList<>();
    List<int[]> out = new ArrayList<>();
    for (int i = 0; i < all.length; i += 3) {
      if (all[i + 1] == comm.getRank()) {
        in.add(new int[] {all[i], all[i + 2]});
      }
      if (all[i] == comm.getRank()) {
        out.add(new int[] {all[i + 1], all[i + 2]});
      }
    }
    return new DistGraphNeighbors(
        column(in, 0), column(in, 1), column(out, 0), column(out, 1), weights != null);
  }

  /** The edges from and to this rank, which names them itself. All ranks call it. */
  static DistGraphNeighbors adjacent(
      Intracomm comm,
      int[] sources,
      int[] sourceWeights,
      int[] destinations,
      int[] destWeights,
      boolean weighted) {
    int size = comm.getSize();
    MPIException failure = fault(size, sources, sourceWeights, weighted);
    if (failure == null) {
      failure = fault(size, destinations, destWeights, weighted);
    }
    boolean[] good = new boolean[size];
    good[comm.getRank()] = failure == null;
    comm.allGather(good, 1, MPI.BOOLEAN); // nobody waits for one that has named nothing
    if (failure != null) {
      throw failure;
    }
    for (int i = 0; i < size; i++) {
      if (!good[i]) {
        throw MPIException.of(MPI.ERR_ARG, "rank " + i + " has named no edges: see its error");
      }
    }
    return new DistGraphNeighbors(
        sources.clone(),
        weighted ? sourceWeights.clone() : new int[sources.length],
        destinations.clone(),
        weighted ? destWeights.clone() : new int[destinations.length],
        weighted);
  }

  private static MPIException fault(int size, int[] others, int[] weights, boolean weighted) {
    if (others == null || (weighted && weights == null)) {
      return MPIException.of(MPI.ERR_ARG, "sources, destinations or their weights are null");
    }
    if (weighted && weights.length < others.length) {
      return MPIException.of(
          MPI.ERR_ARG, others.length + " edges, and " + weights.length + " weights");
    }
    for (int other : others) {
      if ((other < 0 || other >= size) && other != MPI.PROC_NULL) {
        return MPIException.of(
            MPI.ERR_ARG, "an edge from or to " + other + ", which is no rank of " + size);
      }
    }
    return null;
  }

  private static MPIException fault(
      int size, int[] sources, int[] degrees, int[] destinations, int[] weights) {
    if (sources == null || degrees == null || destinations == null) {
      return MPIException.of(MPI.ERR_ARG, "sources, degrees or destinations are null");
    }
    if (degrees.length < sources.length) {
      return MPIException.of(
          MPI.ERR_ARG, sources.length + " sources, and " + degrees.length + " degrees");
    }
    long edges = 0;
    for (int i = 0; i < sources.length; i++) {
      if (degrees[i] < 0 || sources[i] < 0 || sources[i] >= size) {
        return MPIException.of(
            MPI.ERR_ARG, "source " + sources[i] + " of degree " + degrees[i] + " of " + size);
      }
      edges += degrees[i];
    }
    if (edges > destinations.length || (weights != null && edges > weights.length)) {
      return MPIException.of(
          MPI.ERR_ARG, edges + " edges by their degrees, and fewer destinations or weights");
    }
    for (int i = 0; i < edges; i++) {
      if (destinations[i] < 0 || destinations[i] >= size) {
        return MPIException.of(
            MPI.ERR_ARG, "an edge to " + destinations[i] + ", which is no rank of " + size);
      }
    }
    return null;
  }

  private static int[] column(List<int[]> rows, int which) {
    return rows.stream().mapToInt(row -> row[which]).toArray();
  }
}
