// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Faults in memory that is not ours: an application's mapping of a file that somebody truncates
 * while it is read.
 *
 * <p>The JVM guards accesses through segments against that, by copies as by words; what the signal
 * handler cannot do is to throw where it stands in compiled code. There the access returns, with
 * bytes that mean nothing, and an {@link InternalError} is thrown where the thread next looks for
 * such news, which may be in another method and after what was read has been used. {@link #raise}
 * is such a place: what was read before it returned, without an error, is what the memory held.
 *
 * <p>Intrinsics that read where the bytes lie (checksums of byte buffers) and machine code of our
 * own are not guarded, and a fault in them ends the process. So they never get such memory.
 */
public final class MemoryFaults {
  /**
   * How often {@link #raise} goes round. A loop that nobody can tell the end of looks for news each
   * time that it goes back, however it is compiled; if there are any, the frame goes on in the
   * interpreter, which throws before the method returns. That costs a nanosecond. A call of what is
   * not inlined does the same, at its return, and takes three more.
   */
  private static final VarHandle ROUNDS;

  static {
    try {
      ROUNDS = MethodHandles.lookup().findStaticVarHandle(MemoryFaults.class, "rounds", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** A compiler may take the first time out of the loop, so that it goes back once less. */
  @SuppressWarnings({"unused", "FieldMayBeFinal"}) // through ROUNDS; not constant
  private static int rounds = 3;

  private MemoryFaults() {}

  /**
   * Returns if nothing that this thread read or wrote before has faulted.
   *
   * @throws InternalError if an access faulted, and that was not thrown before
   */
  public static void raise() {
    int done = 0;
    while (done < (int) ROUNDS.getOpaque()) {
      done++;
    }
  }
}
