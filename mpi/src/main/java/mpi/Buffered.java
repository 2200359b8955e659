// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Messages that were copied, and leave by themselves; the program's buffer is their bound. */
final class Buffered {
  /** How long a message waits for room that those under way may leave. */
  private static final long PATIENCE_NS = 1_000_000_000;

  private static final Buffered INSTANCE = new Buffered(PATIENCE_NS);

  /** One that is under way. */
  private record Entry(Transfer transfer, long bytes) {}

  private final long patienceNs;
  private final List<Entry> entries = new ArrayList<>();
  private byte[] buffer;
  private long size = -1;
  private long used;

  /** Of the first message that was not sent, until somebody is told. */
  private RuntimeException failure;

  /** A bound of its own, with another patience. */
  Buffered(long patienceNs) {
    this.patienceNs = patienceNs;
  }

  static Buffered instance() {
    return INSTANCE;
  }

  synchronized void attach(byte[] array, long bytes) {
    if (size >= 0) {
      throw MPIException.of(MPI.ERR_BUFFER, "a buffer is attached already; detach it first");
    }
    buffer = array;
    size = bytes;
  }

  /** Waits until all have left; the buffer is detached also if one of them could not. */
  byte[] detach() {
    checkAttached();
    awaitAll();
    return takeBuffer();
  }

  private synchronized void checkAttached() {
    if (size < 0) {
      throw MPIException.of(MPI.ERR_BUFFER, "no buffer is attached");
    }
  }

  private synchronized byte[] takeBuffer() {
    checkAttached(); // another thread may have been first
    byte[] array = buffer;
    buffer = null;
    size = -1;
    RuntimeException lost = takeFailure();
    if (lost != null) {
      throw MPIException.of(lost);
    }
    return array;
  }

  /** Waits until all have left. Returns why the first one that could not did not; else null. */
  RuntimeException finish() {
    awaitAll();
    return takeFailure();
  }

  private synchronized RuntimeException takeFailure() {
    RuntimeException lost = failure;
    failure = null;
    return lost;
  }

  /** Without the lock: what is waited for may need another thread that sends buffered, too. */
  private void awaitAll() {
    for (Transfer next = pending(); next != null; next = pending()) {
      Progress.await(next);
    }
  }

  private synchronized Transfer pending() {
    reap();
    return entries.isEmpty() ? null : entries.getFirst().transfer();
  }

  private void reap() {
    for (Iterator<Entry> each = entries.iterator(); each.hasNext(); ) {
      Entry entry = each.next();
      if (entry.transfer().advance()) {
        each.remove();
        used -= entry.bytes();
        try {
          Status unused = entry.transfer().finish();
        } catch (RuntimeException e) {
          failure = failure == null ? e : failure;
        }
      }
    }
  }

  /**
   * Charges the buffer, before anything is copied. That a message was received may come to be known
   * here only behind the receiver's answer to it, so there may be room in a moment. Another thread
   * may have charged it for a message that it is about to send, which is not to be seen here yet.
   */
  void charge(long bytes) {
    long endNs = System.nanoTime() + patienceNs;
    while (!take(bytes)) {
      if (!hasRoomAtLast(bytes) || System.nanoTime() - endNs > 0) {
        throw noRoom(bytes);
      }
      Progress.drive(open()); // without the lock, as in awaitAll
      MPI.world().idle();
    }
  }

  private synchronized boolean take(long bytes) {
    reap();
    long all = bytes + MPI.BSEND_OVERHEAD;
    boolean fits = used + all <= size;
    used += fits ? all : 0;
    return fits;
  }

  /** Whether there is room once all that is under way has left. */
  private synchronized boolean hasRoomAtLast(long bytes) {
    return bytes + MPI.BSEND_OVERHEAD <= size;
  }

  private synchronized List<Transfer> open() {
    return entries.stream().map(Entry::transfer).toList();
  }

  private synchronized MPIException noRoom(long bytes) {
    return MPIException.of(
        MPI.ERR_BUFFER,
        "a buffered message of "
            + bytes
            + " bytes and "
            + MPI.BSEND_OVERHEAD
            + " more has no room: "
            + used
            + " of "
            + Math.max(size, 0)
            + " bytes are used; attach a larger buffer");
  }

  synchronized void sent(Transfer transfer, long bytes) {
    entries.add(new Entry(transfer, bytes + MPI.BSEND_OVERHEAD));
  }

  synchronized void giveBack(long bytes) {
    used -= bytes + MPI.BSEND_OVERHEAD;
  }
}
