// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Functions of x86-64 machine code, for Linux, each in a page of its own that is made executable
 * when it can no longer be written. They are called without a change of the thread's state, so they
 * must end within microseconds.
 */
final class MachineCode {
  private static final long PAGE_BYTES = 4096;
  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;
  private static final int PROT_EXEC = 4;
  private static final int MAP_PRIVATE = 2;
  private static final int MAP_ANONYMOUS = 0x20;

  /**
   * The shape of all functions: one, since to link a shape takes the JDK some ten milliseconds of
   * processor time. Who has no use for an argument does not look at its register, and what nobody
   * returned nobody reads.
   */
  private static final FunctionDescriptor SHAPE =
      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT);

  /** The same for two system calls; that of the library's own, which is linked by then. */
  private static final FunctionDescriptor SYSTEM_CALL =
      FunctionDescriptor.of(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private MachineCode() {}

  /**
   * The bytes of one of {@link Loops}.
   *
   * @param code hexadecimal, in lines
   */
  static byte[] bytes(String code) {
    return HexFormat.of().parseHex(code.replace("\n", ""));
  }

  /**
   * A function.
   *
   * @param code below a page; begins with the entry, which is aligned to a page
   * @throws IllegalCallerException if native access is denied
   * @throws UnsupportedOperationException if the system gives no such page; the message says why
   */
  @SuppressWarnings("restricted") // the page stays for ever, and its length is known
  static MethodHandle function(byte[] code) {
    Linker linker = Linker.nativeLinker();
    MethodHandle mmap =
        linker.downcallHandle(linker.defaultLookup().findOrThrow("mmap"), SYSTEM_CALL);
    MethodHandle mprotect =
        linker.downcallHandle(linker.defaultLookup().findOrThrow("mprotect"), SYSTEM_CALL);
    try {
      long address =
          (long)
              mmap.invokeExact(
                  0L,
                  PAGE_BYTES,
                  (long) (PROT_READ | PROT_WRITE),
                  (long) (MAP_PRIVATE | MAP_ANONYMOUS),
                  -1L,
                  0L);
      if (address == -1) {
        throw new UnsupportedOperationException("the system gives no page for machine code");
      }
      MemorySegment page = MemorySegment.ofAddress(address).reinterpret(PAGE_BYTES);
      MemorySegment.copy(code, 0, page, JAVA_BYTE, 0, code.length);
      // never writable and executable at once; where a hardened system refuses, a page is lost
      long result =
          (long)
              mprotect.invokeExact(address, PAGE_BYTES, (long) (PROT_READ | PROT_EXEC), 0L, 0L, 0L);
      if ((int) result != 0) {
        throw new UnsupportedOperationException("the system permits no executable pages");
      }
      return linker.downcallHandle(page, SHAPE, Linker.Option.critical(false));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  /** Whether the processor has all of these features, by the names that Linux gives them. */
  static boolean processorHas(String... features) {
    try (BufferedReader lines = Files.newBufferedReader(Path.of("/proc/cpuinfo"))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("flags")) {
          return Arrays.asList(line.split("\\s+")).containsAll(List.of(features));
        }
      }
      return false;
    } catch (IOException | UncheckedIOException | SecurityException e) {
      return false;
    }
  }
}
