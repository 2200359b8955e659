// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A shared library of the system's, or the C library itself, for calls that are made once in a
 * while: for those of the hot path there is {@link Libc}. All functions are called by its one shape
 * (six longs and a long; see {@link LibcHandles}), so integers and pointers are what they may take.
 * One thread at a time.
 */
public final class NativeLibrary {
  private static final long LONGEST_TEXT = 1 << 20;

  private final SymbolLookup symbols;
  private final Map<String, MethodHandle> functions = new HashMap<>();

  private NativeLibrary(SymbolLookup symbols) {
    this.symbols = symbols;
  }

  /**
   * The C library.
   *
   * @return null if native calls cannot be made ({@link Libc#whyUnavailable()})
   */
  public static @Nullable NativeLibrary c() {
    return Libc.whyUnavailable() == null
        ? new NativeLibrary(Linker.nativeLinker().defaultLookup())
        : null;
  }

  /**
   * Loads a library, which stays loaded.
   *
   * @param name as the dynamic linker finds it, or a path
   * @return null if there is none, or native calls cannot be made
   */
  @SuppressWarnings("restricted") // that is what this is for
  public static @Nullable NativeLibrary find(String name) {
    if (Libc.whyUnavailable() != null) {
      return null;
    }
    try {
      return new NativeLibrary(SymbolLookup.libraryLookup(name, Arena.global()));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether it has that function. */
  public boolean has(String function) {
    return symbols.find(function).isPresent();
  }

  /**
   * Calls a function.
   *
   * @param arguments at most six integers or addresses
   * @return what it returns; of an int the lower half counts
   * @throws UnsatisfiedLinkError if there is no such function
   */
  public long call(String function, long... arguments) {
    long[] all = new long[6];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    try {
      return (long) handle(function).invokeExact(all[0], all[1], all[2], all[3], all[4], all[5]);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(function, t);
    }
  }

  private MethodHandle handle(String function) {
    return functions.computeIfAbsent(
        function,
        name ->
            LibcHandles.plain(
                symbols
                    .find(name)
                    .orElseThrow(() -> new UnsatisfiedLinkError("no function " + name))));
  }

  /** The memory at an address that a function has given; whoever asks knows how long it is. */
  @SuppressWarnings("restricted")
  public static MemorySegment memory(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** The string that ends with a zero byte at an address; "" at address 0. */
  public static String text(long address) {
    return address == 0 ? "" : memory(address, LONGEST_TEXT).getString(0);
  }
}
