// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

/**
 * One end of a connected, non-blocking Unix-domain stream socket: the doorbell of a segment. Its
 * end of file tells that the other process is gone.
 *
 * <p>The engine's thread only. No method throws for what the system says.
 */
abstract class LocalSocket {
  /** Result: nothing could be moved now. */
  static final int NOTHING = -1;

  /** Result: end of file, or the socket is of no use any more. */
  static final int GONE = -2;

  private boolean ready;

  /** Whether there may be something to read, as of the last {@link LocalSockets#select()}. */
  final boolean ready() {
    return ready;
  }

  final void ready(boolean ready) {
    this.ready = ready;
  }

  /**
   * Reads up to {@code max} bytes, at most {@value LocalSockets#BUFFER_BYTES}: their number, {@link
   * #NOTHING} or {@link #GONE}.
   */
  abstract int read(byte[] into, int offset, int max);

  /**
   * Writes, at most {@value LocalSockets#BUFFER_BYTES} bytes: how many were taken, {@link #NOTHING}
   * or {@link #GONE}.
   */
  abstract int write(byte[] from, int offset, int length);

  /**
   * As {@link #write(byte[], int, int)}, and hands a descriptor to the other side together with the
   * first byte.
   *
   * @throws UnsupportedOperationException where sockets are no descriptors themselves
   */
  int write(byte[] from, int offset, int length, int descriptor) {
    throw new UnsupportedOperationException("this socket hands over no descriptors");
  }

  /** Reads take a descriptor that comes along, from now on until it is taken. */
  void expectDescriptor() {}

  /** The descriptor that came along, which is the caller's from now on; -1 if none did. */
  int takeDescriptor() {
    return -1;
  }

  /**
   * The process at the other end, as the kernel tells; 0 if it does not, or if that process has no
   * id in this one's namespace.
   */
  int peerProcess() {
    return 0;
  }

  /** Whether this is still the socket that was made: nobody closed or replaced it under us. */
  abstract boolean intact();

  /** Idempotent. */
  abstract void close();
}
