// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A graph: the neighbours of node i are edges[index[i - 1]] to edges[index[i] - 1]. */
public class GraphParms {
  /** How many edges the nodes up to each have together. */
  public int[] index;

  /** The other ends of the edges. */
  public int[] edges;

  /** An empty graph. */
  public GraphParms() {
    this(new int[0], new int[0]);
  }

  GraphParms(int[] index, int[] edges) {
    this.index = index;
    this.edges = edges;
  }

  /** How many nodes there are. */
  public int getIndexCount() {
    return index.length;
  }

  /** How many edges the nodes up to this one have together. */
  public int getIndex(int i) {
    return index[i];
  }

  /** How many edges there are. */
  public int getEdgeCount() {
    return edges.length;
  }

  /** The other end of an edge. */
  public int getEdge(int i) {
    return edges[i];
  }
}
