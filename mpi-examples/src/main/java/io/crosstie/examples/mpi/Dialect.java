// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.mpi;

/**
 * What the benchmarks do by MPI, in one of its dialects. All memory has 64-bit words, and is used
 * from its first one on: an array, or a buffer where the dialect has these.
 */
interface Dialect {
  int rank();

  int size();

  void send(Object memory, int words, int to, int tag);

  void receive(Object memory, int words, int from, int tag);

  /** One message in each memory, all under way at once; returns when they are complete. */
  void sendAll(Object[] memories, int words, int to, int tag);

  void receiveAll(Object[] memories, int words, int from, int tag);

  void barrier();

  void broadcast(Object memory, int words, int root);

  /** The sum of each word. */
  void sum(Object in, Object out, int words);

  /** So many words for each rank. */
  void exchange(Object in, Object out, int words);
}
