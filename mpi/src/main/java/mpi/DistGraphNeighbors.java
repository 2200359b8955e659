// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** The neighbours of this process in a distributed graph. */
public final class DistGraphNeighbors {
  private final int[] sources;
  private final int[] sourceWeights;
  private final int[] destinations;
  private final int[] destWeights;
  private final boolean weighted;

  DistGraphNeighbors(
      int[] sources, int[] sourceWeights, int[] destinations, int[] destWeights, boolean weighted) {
    this.sources = sources;
    this.sourceWeights = sourceWeights;
    this.destinations = destinations;
    this.destWeights = destWeights;
    this.weighted = weighted;
  }

  /** How many edges lead here. */
  public int getInDegree() {
    return sources.length;
  }

  /** How many edges lead away. */
  public int getOutDegree() {
    return destinations.length;
  }

  /** Whether edges have weights. */
  public boolean isWeighted() {
    return weighted;
  }

  /** Where an edge comes from. */
  public int getSource(int i) {
    return sources[i];
  }

  /** Its weight. */
  public int getSourceWeight(int i) {
    return sourceWeights[i];
  }

  /** Where an edge leads. */
  public int getDestination(int i) {
    return destinations[i];
  }

  /** Its weight. */
  public int getDestinationWeight(int i) {
    return destWeights[i];
  }

  int[] sources() {
    return sources;
  }

  int[] destinations() {
    return destinations;
  }
}
