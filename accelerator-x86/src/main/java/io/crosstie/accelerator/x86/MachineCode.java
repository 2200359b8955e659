// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

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
  static MethodHandle function(byte[] code, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    MethodHandle mmap =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("mmap"),
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    MethodHandle mprotect =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("mprotect"),
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    try {
      long address =
          (long)
              mmap.invokeExact(
                  0L, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
      if (address == -1) {
        throw new UnsupportedOperationException("the system gives no page for machine code");
      }
      MemorySegment page = MemorySegment.ofAddress(address).reinterpret(PAGE_BYTES);
      MemorySegment.copy(code, 0, page, JAVA_BYTE, 0, code.length);
      // never writable and executable at once; where a hardened system refuses, a page is lost
      if ((int) mprotect.invokeExact(address, PAGE_BYTES, PROT_READ | PROT_EXEC) != 0) {
        throw new UnsupportedOperationException("the system permits no executable pages");
      }
      return linker.downcallHandle(page, descriptor, Linker.Option.critical(false));
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
