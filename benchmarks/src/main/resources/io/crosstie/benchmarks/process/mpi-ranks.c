/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Crosstie authors
 *
 * What "crosstie bench ranks" and "bench collectives" measure, by MPI: the same cases, memory and
 * batches as RankWorker, so that only the library differs.
 *   mpi-ranks WARM_UP_NS MEASURE_NS CASE:SIZE...
 * Point to point is between ranks 0 and 1. Prints "figure CASE:SIZE VALUE": the median over batches,
 * in ns for a round trip or an operation, in bytes a second for a stream. SIZE is a multiple of 8 for
 * what has bytes; of posted and unexpected it is how many there are.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRIPS 16
#define WINDOW 64
#define MAX_WINDOW_BYTES (64L << 20)
#define LONG_BYTES (64L << 10)
#define TAG 7
#define TOKEN_TAG 8
#define FIRST_OTHER_TAG 1000

static int rank, ranks;
static int64_t warm, measure;
static double *samples;
static long count, room;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void add(double sample) {
  if (count == room) {
    room = room ? 2 * room : 4096;
    samples = realloc(samples, (size_t)room * sizeof *samples);
    if (!samples) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  samples[count++] = sample;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void tell(const char *name, long size) {
  qsort(samples, (size_t)count, sizeof *samples, ascending);
  printf("figure %s:%ld %.2f\n", name, size, count ? samples[count / 2] : 0.0);
  fflush(stdout);
  count = 0;
}

static unsigned char *memory(long bytes) {
  unsigned char *at = NULL;
  if (posix_memalign((void **)&at, 4096, (size_t)(bytes ? bytes : 8))) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(at, 0, (size_t)(bytes ? bytes : 8));
  return at;
}

/* Every word tells its message and where it stands. */
static void prepare(unsigned char *at, long size, uint64_t number) {
  for (long i = 0; i < size / 8; i++) {
    uint64_t word = (number << 24 | (uint64_t)i) * 0x9E3779B97F4A7C15u;
    memcpy(at + 8 * i, &word, 8);
  }
}

static uint64_t sum(const unsigned char *at, long size) {
  uint64_t all = 0, word;
  for (long i = 0; i < size / 8; i++) {
    memcpy(&word, at + 8 * i, 8);
    all += word;
  }
  return all;
}

static void check(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "%s came wrong\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* ---------------------------------------------------------------- point to point */

/* The first byte says whether to go on. */
static void round_trips(long size) {
  if (rank > 1) return;
  int other = 1 - rank;
  unsigned char *buffer = memory(size);
  prepare(buffer, size, 0);
  buffer[0] = 0;
  uint64_t expected = sum(buffer, size);
  if (rank == 1) {
    do {
      MPI_Recv(buffer, (int)size, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, (int)size, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
    } while (buffer[0]);
    free(buffer);
    return;
  }
  int64_t begin = now();
  for (int more = 1; more;) {
    int64_t from = now();
    more = from - begin < warm + measure;
    for (int i = 0; i < TRIPS; i++) {
      buffer[0] = (unsigned char)(more || i < TRIPS - 1);
      uint64_t flag = buffer[0];
      MPI_Send(buffer, (int)size, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
      MPI_Recv(buffer, (int)size, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check(sum(buffer, size) == expected + flag, "an echo");
    }
    if (from - begin >= warm) add((double)(now() - from) / TRIPS);
  }
  free(buffer);
}

static void stream(long size) {
  if (rank > 1) return;
  long window = MAX_WINDOW_BYTES / size;
  if (window > WINDOW) window = WINDOW;
  unsigned char *buffer = memory(window * size);
  MPI_Request requests[WINDOW];
  uint64_t expected[WINDOW];
  int64_t more = 1;
  for (long i = 0; i < window; i++) {
    prepare(buffer + i * size, size, (uint64_t)i);
    expected[i] = sum(buffer + i * size, size);
    if (rank == 1) memset(buffer + i * size, 0, (size_t)size);
  }
  int64_t begin = now(), from = begin;
  while (more) {
    for (long i = 0; i < window; i++) {
      unsigned char *at = buffer + i * size;
      if (rank == 0) MPI_Isend(at, (int)size, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, requests + i);
      else MPI_Irecv(at, (int)size, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, requests + i);
    }
    MPI_Waitall((int)window, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      MPI_Recv(&more, 8, MPI_BYTE, 1, TOKEN_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      continue;
    }
    for (long i = 0; i < window; i++) check(sum(buffer + i * size, size) == expected[i], "a message");
    int64_t t = now();
    if (from - begin >= warm) add((double)(window * size) * 1e9 / (double)(t - from));
    more = t - begin < warm + measure || count == 0;
    from = t;
    MPI_Send(&more, 8, MPI_BYTE, 0, TOKEN_TAG, MPI_COMM_WORLD);
  }
  free(buffer);
}

static void meet(void) {
  int64_t token = 0;
  MPI_Sendrecv_replace(&token, 8, MPI_BYTE, 1 - rank, TOKEN_TAG, 1 - rank, TOKEN_TAG, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
}

/* So many receives of other tags are posted before, or so many messages of other tags lie there. */
static void crowded(long others, int posted) {
  if (rank > 1) return;
  int other = 1 - rank;
  unsigned char *in = memory(8 * others), *out = memory(8 * others);
  MPI_Request *requests = malloc((size_t)(2 * others + 1) * sizeof *requests);
  for (long i = 0; i < others; i++) prepare(out + 8 * i, 8, (uint64_t)i);
  long n = 0;
  for (long i = 0; i < others; i++) {
    int tag = (int)(FIRST_OTHER_TAG + i);
    if (posted) MPI_Irecv(in + 8 * i, 8, MPI_BYTE, other, tag, MPI_COMM_WORLD, requests + n++);
    else MPI_Isend(out + 8 * i, 8, MPI_BYTE, other, tag, MPI_COMM_WORLD, requests + n++);
  }
  meet();
  round_trips(8);
  for (long i = 0; i < others; i++) {
    int tag = (int)(FIRST_OTHER_TAG + i);
    if (posted) MPI_Isend(out + 8 * i, 8, MPI_BYTE, other, tag, MPI_COMM_WORLD, requests + n++);
    else MPI_Irecv(in + 8 * i, 8, MPI_BYTE, other, tag, MPI_COMM_WORLD, requests + n++);
  }
  MPI_Waitall((int)n, requests, MPI_STATUSES_IGNORE);
  check(memcmp(in, out, (size_t)(8 * others)) == 0, "one of the others");
  free(in);
  free(out);
  free(requests);
}

/* ---------------------------------------------------------------- collective operations */

static unsigned char *in, *out;

/* The root goes round, so that each broadcast waits for the one before. */
static void operate(const char *what, long size, long turn) {
  if (!strcmp(what, "barrier")) MPI_Barrier(MPI_COMM_WORLD);
  else if (!strcmp(what, "bcast"))
    MPI_Bcast(in, (int)size, MPI_BYTE, (int)(turn % ranks), MPI_COMM_WORLD);
  else if (!strcmp(what, "allreduce"))
    MPI_Allreduce(in, out, (int)(size / 8), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  else if (!strcmp(what, "alltoall"))
    MPI_Alltoall(in, (int)size, MPI_BYTE, out, (int)size, MPI_BYTE, MPI_COMM_WORLD);
  else if (!strcmp(what, "allgather"))
    MPI_Allgather(in, (int)size, MPI_BYTE, out, (int)size, MPI_BYTE, MPI_COMM_WORLD);
  else check(0, what);
}

static int64_t word(int of, long i) { return (int64_t)of * 1000003 + i; }

static void fill_words(const char *what, long size) {
  int fills = strcmp(what, "bcast") || rank == 0;
  long words = size / 8 * (strcmp(what, "alltoall") ? 1 : ranks);
  int64_t *at = (int64_t *)in;
  for (long i = 0; i < words; i++) at[i] = fills ? word(rank, i) : -1;
}

static void check_words(const char *what, long size) {
  long words = size / 8;
  const int64_t *at = (const int64_t *)(strcmp(what, "bcast") ? out : in);
  for (long i = 0; i < words; i++) {
    if (!strcmp(what, "bcast")) check(at[i] == word(0, i), what);
    else if (!strcmp(what, "allreduce"))
      check(at[i] == word(0, i) * ranks + (int64_t)1000003 * ranks * (ranks - 1) / 2, what);
    else
      for (int r = 0; r < ranks; r++)
        check(at[r * words + i] == word(r, strcmp(what, "alltoall") ? i : rank * words + i), what);
  }
}

static void collective(const char *what, long size) {
  in = memory(size * ranks);
  out = memory(size * ranks);
  if (strcmp(what, "barrier")) fill_words(what, size);
  operate(what, size, 0);
  if (strcmp(what, "barrier")) check_words(what, size);
  int turns = size <= LONG_BYTES ? TRIPS : 2;
  int64_t begin = now(), more = 1;
  while (more) {
    int64_t from = now();
    for (int i = 0; i < turns; i++) operate(what, size, i);
    int64_t t = now();
    if (from - begin >= warm) add((double)(t - from) / turns);
    more = t - begin < warm + measure || count == 0;
    MPI_Bcast(&more, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  }
  free(in);
  free(out);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4) return 2;
  warm = atoll(argv[1]);
  measure = atoll(argv[2]);
  for (int i = 3; i < argc; i++) {
    char *colon = strchr(argv[i], ':');
    if (!colon) return 2;
    *colon = 0;
    long size = atol(colon + 1);
    int teller = 0;
    if (!strcmp(argv[i], "rtt")) round_trips(size);
    else if (!strcmp(argv[i], "posted")) crowded(size, 1);
    else if (!strcmp(argv[i], "unexpected")) crowded(size, 0);
    else if (!strcmp(argv[i], "stream")) {
      stream(size);
      teller = 1;
    } else collective(argv[i], size);
    if (rank == teller) tell(argv[i], size);
    count = 0;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
