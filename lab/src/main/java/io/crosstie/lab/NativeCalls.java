// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Functions of the C library. */
final class NativeCalls {
  private static final Linker LINKER = Linker.nativeLinker();

  private NativeCalls() {}

  @SuppressWarnings("restricted") // native access is what this is about
  static MethodHandle handle(String name, FunctionDescriptor type, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
  }
}
