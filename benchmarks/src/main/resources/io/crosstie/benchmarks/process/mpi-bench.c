/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Crosstie authors
 *
 * Round trips or a one-way stream between two ranks, for as long as it is told:
 *   mpi-bench rtt|stream SIZE WARM_UP_NS MEASURE_NS VERIFY
 * A round trip ends with a message of which the first byte says whether to go on. A stream goes in
 * windows of non-blocking calls, each answered by one byte.
 *
 * If it does not verify, messages lie ready, one for each place of the window, and the receiver sums
 * the 64-bit words of each and compares, as the other subjects' receivers do. SIZE is a multiple of 8.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WINDOW 64
#define MAX_WINDOW_BYTES (64L << 20)
#define BUCKETS 2000000 /* of 10 ns; what is longer is kept one by one */

static int64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fill(unsigned char *at, int size, int64_t number) {
  for (int i = 1; i < size; i++) at[i] = (unsigned char)(number * 31 + i * 7);
}

static void check(const unsigned char *at, int size, int64_t number) {
  for (int i = 1; i < size; i++) {
    if (at[i] != (unsigned char)(number * 31 + i * 7)) {
      fprintf(stderr, "byte %d of message %ld is wrong\n", i, (long)number);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

/* What is ready: every word tells its message and where it stands. */
static void prepare(unsigned char *at, int size, uint64_t number) {
  for (int i = 0; i < size / 8; i++) {
    uint64_t word = (number << 24 | (uint64_t)i) * 0x9E3779B97F4A7C15u;
    memcpy(at + 8L * i, &word, 8);
  }
}

static uint64_t sum(const unsigned char *at, int size) {
  uint64_t all = 0, word;
  for (int i = 0; i < size / 8; i++) {
    memcpy(&word, at + 8L * i, 8);
    all += word;
  }
  return all;
}

static void compare(const unsigned char *at, int size, uint64_t expected) {
  uint64_t found = sum(at, size);
  if (found != expected) {
    fprintf(stderr, "a message sums to %lx instead of %lx\n", (long)found, (long)expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void rtt(int rank, int size, int64_t warm, int64_t measure, int verify) {
  unsigned char *buffer = calloc(1, size);
  prepare(buffer, size, 0);
  buffer[0] = 0;
  uint64_t expected = sum(buffer, size); /* and what the first byte adds */
  uint32_t *counts = calloc(BUCKETS, sizeof *counts);
  int64_t begin = now(CLOCK_MONOTONIC), n = 0;
  for (int more = 1; more; n++) {
    if (rank == 1) {
      MPI_Recv(buffer, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (verify) check(buffer, size, n);
      more = buffer[0];
      MPI_Send(buffer, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
      continue;
    }
    int64_t t = now(CLOCK_MONOTONIC);
    more = t - begin < warm + measure;
    buffer[0] = (unsigned char)more;
    if (verify) fill(buffer, size, n);
    MPI_Send(buffer, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(buffer, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!verify) compare(buffer, size, expected + (uint64_t)more);
    int64_t took = now(CLOCK_MONOTONIC) - t;
    if (verify) check(buffer, size, n);
    if (t - begin < warm) continue;
    if (took / 10 < BUCKETS) counts[took / 10]++;
    else printf("sample %ld 1\n", (long)took);
  }
  if (rank == 0)
    for (int i = 0; i < BUCKETS; i++)
      if (counts[i]) printf("sample %ld %u\n", i * 10L + 5, counts[i]);
}

static void stream(int rank, int size, int64_t warm, int64_t measure, int verify) {
  int window = (int)(MAX_WINDOW_BYTES / size);
  if (window > WINDOW) window = WINDOW;
  if (window < 2) window = 2;
  unsigned char *buffer = calloc(window, size);
  MPI_Request requests[WINDOW];
  uint64_t expected[WINDOW];
  for (int i = 0; i < window; i++) {
    unsigned char *at = buffer + (size_t)i * size;
    prepare(at, size, i);
    expected[i] = sum(at, size);
    if (rank == 1) memset(at, 0, size);
  }
  int64_t begin = now(CLOCK_MONOTONIC), from = 0, cpu = 0, n = 0, before = 0;
  unsigned char more = 1;
  while (more) {
    for (int i = 0; i < window; i++) {
      unsigned char *at = buffer + (size_t)i * size;
      if (rank == 0 && verify) fill(at, size, n + i);
      if (rank == 0) MPI_Isend(at, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, requests + i);
      else MPI_Irecv(at, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, requests + i);
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (rank == 1 && verify)
      for (int i = 0; i < window; i++) check(buffer + (size_t)i * size, size, n + i);
    if (rank == 1 && !verify)
      for (int i = 0; i < window; i++) compare(buffer + (size_t)i * size, size, expected[i]);
    n += window;
    if (rank == 1) {
      int64_t t = now(CLOCK_MONOTONIC);
      if (!from && t - begin >= warm) {
        from = t;
        before = n;
        cpu = now(CLOCK_PROCESS_CPUTIME_ID);
      }
      more = !from || t - from < measure || n == before;
      MPI_Send(&more, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
      if (!more)
        printf("flow %ld %ld %ld %ld\n", (long)((n - before) * size), (long)(n - before),
               (long)(t - from), (long)(2 * (now(CLOCK_PROCESS_CPUTIME_ID) - cpu)));
    } else {
      MPI_Recv(&more, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 6) return 2;
  int size = atoi(argv[2]), verify = atoi(argv[5]);
  int64_t warm = atoll(argv[3]), measure = atoll(argv[4]);
  if (strcmp(argv[1], "rtt") == 0) rtt(rank, size, warm, measure, verify);
  else stream(rank, size, warm, measure, verify);
  MPI_Finalize();
  return 0;
}
