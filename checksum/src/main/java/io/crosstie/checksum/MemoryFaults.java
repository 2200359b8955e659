// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

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
   * A method that does nothing. Not final: what is not constant is not inlined, and a method that
   * returns to compiled code looks for news.
   */
  @SuppressWarnings({"FieldMayBeFinal", "ConstantField"})
  private static MethodHandle returning = returning();

  private MemoryFaults() {}

  private static MethodHandle returning() {
    try {
      return MethodHandles.lookup()
          .findStatic(MemoryFaults.class, "doNothing", MethodType.methodType(void.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("UnusedMethod") // by its name
  private static void doNothing() {}

  /**
   * Returns if nothing that this thread read or wrote before has faulted.
   *
   * @throws InternalError if an access faulted, and that was not thrown before
   */
  public static void raise() {
    try {
      returning.invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}
