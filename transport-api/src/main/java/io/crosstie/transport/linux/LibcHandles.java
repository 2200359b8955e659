// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;

/**
 * The method handles behind {@link Libc}. Apart, so that a failure to make them (no native access,
 * another operating system) stays inside the initialisation of this class. They are constants: only
 * then does the compiler inline the call and allocate nothing.
 */
final class LibcHandles {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup SYMBOLS = LINKER.defaultLookup();

  static final long ERRNO_OFFSET =
      Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  static final MethodHandle SOCKET = call("socket", ints(3));
  static final MethodHandle BIND =
      call("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  static final MethodHandle CONNECT =
      call("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  static final MethodHandle LISTEN = call("listen", ints(2));
  static final MethodHandle ACCEPT4 =
      call("accept4", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  static final MethodHandle CLOSE = call("close", ints(1));
  static final MethodHandle DUP3 = call("dup3", ints(3));
  static final MethodHandle SHUTDOWN = call("shutdown", ints(2));
  static final MethodHandle GETSOCKNAME =
      call("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  static final MethodHandle SETSOCKOPT =
      call(
          "setsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  static final MethodHandle GETSOCKOPT =
      call(
          "getsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  static final MethodHandle SENDMSG =
      call("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
  static final MethodHandle RECVMSG =
      call("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
  static final MethodHandle SENDMMSG =
      call("sendmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  // The same without errno; see Libc.
  // These four take microseconds and never block, being for non-blocking sockets: they do without
  // the change of the thread's state, which costs as much as a small message's protocol.
  static final MethodHandle TRY_SEND =
      plain(
          "send",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),
          Linker.Option.critical(false));
  static final MethodHandle TRY_RECV =
      plain(
          "recv",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),
          Linker.Option.critical(false));
  static final MethodHandle TRY_SENDMSG =
      plain(
          "sendmsg",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.critical(false));
  static final MethodHandle TRY_RECVMSG =
      plain(
          "recvmsg",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.critical(false));
  static final MethodHandle TRY_SENDMMSG =
      plain("sendmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  static final MethodHandle TRY_RECVMMSG =
      plain(
          "recvmmsg",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  static final MethodHandle TRY_GETSOCKOPT =
      plain(
          "getsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  static final MethodHandle TRY_PPOLL =
      plain("ppoll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
  static final MethodHandle TRY_READ =
      plain("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));

  static final MethodHandle PPOLL =
      call("ppoll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
  static final MethodHandle EPOLL_CREATE1 = call("epoll_create1", ints(1));
  static final MethodHandle EPOLL_CTL =
      call("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
  static final MethodHandle EVENTFD = call("eventfd", ints(2));
  static final MethodHandle EVENTFD_WRITE =
      call("eventfd_write", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  static final MethodHandle READ =
      call("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  static final MethodHandle WRITE =
      call("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  static final MethodHandle FCNTL = call("fcntl", ints(3), Linker.Option.firstVariadicArg(2));
  static final MethodHandle TRY_PROCESS_VM_READV =
      plain(
          "process_vm_readv",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG));

  static final MethodHandle MEMFD_CREATE =
      call("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  static final MethodHandle FALLOCATE =
      call("fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  static final MethodHandle FTRUNCATE =
      call("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  static final MethodHandle LSEEK =
      call("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  static final MethodHandle MMAP =
      call(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  static final MethodHandle MADVISE =
      call("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
  static final MethodHandle MUNMAP =
      plain("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  private LibcHandles() {}

  /** Initialises this class. */
  static void load() {}

  /** What mmap(2) gave, as a segment that is unmapped with its arena. */
  @SuppressWarnings("restricted") // the length is that of the mapping
  static MemorySegment mapped(long address, long bytes, Arena arena) {
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, arena, memory -> unmap(memory.address(), bytes));
  }

  /** munmap(2); that of what was mapped cannot fail. */
  static void unmap(long address, long bytes) {
    try {
      int unused = (int) MUNMAP.invokeExact(address, bytes);
    } catch (Throwable t) {
      throw new IllegalStateException("munmap", t);
    }
  }

  private static FunctionDescriptor ints(int parameters) {
    MemoryLayout[] layouts = new MemoryLayout[parameters];
    java.util.Arrays.fill(layouts, JAVA_INT);
    return FunctionDescriptor.of(JAVA_INT, layouts);
  }

  private static MethodHandle call(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker.Option[] all = java.util.Arrays.copyOf(options, options.length + 1);
    all[options.length] = Linker.Option.captureCallState("errno");
    return plain(name, descriptor, all);
  }

  @SuppressWarnings("restricted") // this is the one place that needs native access
  private static MethodHandle plain(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    var symbol =
        SYMBOLS
            .find(name)
            .orElseThrow(() -> new NoSuchElementException("the C library has no " + name));
    return LINKER.downcallHandle(symbol, descriptor, options);
  }
}
