/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Crosstie authors
 *
 * Heat in a square plate by MPI: the same as io.crosstie.examples.mpi.Heat, so that only the library
 * differs.
 *   mpi-heat N STEPS SECONDS
 * Rank 0 tells on the way how far it is ("at STEPS"), and in the end whether the result is the serial
 * one.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UP 1
#define DOWN 2
#define CHECK_EVERY 10

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int begin(int n, int size, int rank) { return 1 + (int)((long)(n - 2) * rank / size); }

/* Rows from .. to - 1 of the plate. */
static double *plate(int n, int from, int to) {
  double *rows = malloc(sizeof(double) * (size_t)n * (size_t)(to - from));
  if (!rows) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int y = from; y < to; y++)
    for (int x = 0; x < n; x++)
      rows[(size_t)(y - from) * n + x] = y == 0 ? 100 : (y * 31 + x * 17) % 50;
  return rows;
}

/* All rows but the first and the last. */
static void step(int n, int count, const double *rows, double *next) {
  for (int y = 1; y < count - 1; y++) {
    const double *above = rows + (size_t)(y - 1) * n, *here = above + n, *below = here + n;
    double *to = next + (size_t)y * n;
    for (int x = 1; x < n - 1; x++)
      to[x] = here[x] + 0.2 * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
  }
}

static void swap(double **one, double **other) {
  double *t = *one;
  *one = *other;
  *other = t;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) return 2;
  int n = atoi(argv[1]), least = atoi(argv[2]), rank, size;
  int64_t end = now() + atoll(argv[3]) * 1000000000, told = now();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int from = begin(n, size, rank), to = begin(n, size, rank + 1), count = to - from + 2;
  int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  double *rows = plate(n, from - 1, to + 1), *next = plate(n, from - 1, to + 1);
  int steps = 0;
  for (int more = 1; more;) {
    for (int i = 0; i < CHECK_EVERY; i++) {
      MPI_Request all[4];
      MPI_Irecv(rows, n, MPI_DOUBLE, up, DOWN, MPI_COMM_WORLD, all);
      MPI_Irecv(rows + (size_t)(count - 1) * n, n, MPI_DOUBLE, down, UP, MPI_COMM_WORLD, all + 1);
      MPI_Isend(rows + n, n, MPI_DOUBLE, up, UP, MPI_COMM_WORLD, all + 2);
      MPI_Isend(rows + (size_t)(count - 2) * n, n, MPI_DOUBLE, down, DOWN, MPI_COMM_WORLD, all + 3);
      MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
      step(n, count, rows, next);
      swap(&rows, &next);
    }
    steps += CHECK_EVERY;
    if (rank == 0 && now() - told > 50000000) {
      told = now();
      printf("at %d\n", steps);
      fflush(stdout);
    }
    more = steps < least || now() < end;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  int *counts = malloc(sizeof(int) * (size_t)size), *places = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; i++) {
    places[i] = (begin(n, size, i) - 1) * n;
    counts[i] = (begin(n, size, i + 1) - 1) * n - places[i];
  }
  double *result = malloc(sizeof(double) * (size_t)n * (size_t)n);
  MPI_Gatherv(rows + n, counts[rank], MPI_DOUBLE, result, counts, places, MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
  int right = 1;
  if (rank == 0) {
    double *serial = plate(n, 0, n), *other = plate(n, 0, n);
    for (int i = 0; i < steps; i++) {
      step(n, n, serial, other);
      swap(&serial, &other);
    }
    right = !memcmp(serial + n, result, sizeof(double) * (size_t)n * (size_t)(n - 2));
    printf("heat with %d ranks, %d steps: %s\n", size, steps, right ? "right" : "wrong");
    fflush(stdout);
  }
  MPI_Finalize();
  return !right;
}
