// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The two calls that the bare limits consist of; -1 for any error. Memory goes as its address, so
 * that not even a slice is made; whoever calls keeps its arena open.
 */
final class Native {
  private static final MethodHandle SEND = call("send");
  private static final MethodHandle RECV = call("recv");
  private static final int DONT_WAIT = 0x40;

  private Native() {}

  private static MethodHandle call(String name) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find(name).orElseThrow(),
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
  }

  static long send(int fd, MemorySegment memory, long offset, long length) {
    try {
      return (long) SEND.invokeExact(fd, memory.address() + offset, length, DONT_WAIT);
    } catch (Throwable t) {
      throw new LinkException("send: " + t, t);
    }
  }

  static long receive(int fd, MemorySegment memory) {
    try {
      return (long) RECV.invokeExact(fd, memory.address(), memory.byteSize(), DONT_WAIT);
    } catch (Throwable t) {
      throw new LinkException("recv: " + t, t);
    }
  }
}
