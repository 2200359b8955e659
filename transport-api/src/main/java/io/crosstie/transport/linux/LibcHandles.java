// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.NoSuchElementException;

/**
 * The method handles behind {@link Libc}. Apart, so that a failure to make them (no native access,
 * another operating system) stays inside the initialisation of this class. They are constants: only
 * then does the compiler inline the call and allocate nothing.
 *
 * <p>To link one shape of call takes the JDK some ten milliseconds of processor time, and there
 * were thirty of them; so all calls have one of three. Every argument is a long: where the function
 * takes an int it reads the lower half of the register, arguments beyond its own it does not look
 * at, and of a result that is an int the lower half counts. That is so by the calling conventions
 * of Linux on x86-64 and aarch64, for up to six integers or pointers, which go by registers; and
 * these two are where {@link Libc} makes calls at all.
 */
final class LibcHandles {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup SYMBOLS = LINKER.defaultLookup();

  static final long ERRNO_OFFSET =
      Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private static final FunctionDescriptor SIX = longs(6);
  private static final FunctionDescriptor FOUR = longs(4);
  private static final Linker.Option[] ERRNO = {Linker.Option.captureCallState("errno")};

  static final MethodHandle SOCKET = handle("socket", SIX, ERRNO);
  static final MethodHandle BIND = handle("bind", SIX, ERRNO);
  static final MethodHandle CONNECT = handle("connect", SIX, ERRNO);
  static final MethodHandle LISTEN = handle("listen", SIX, ERRNO);
  static final MethodHandle ACCEPT4 = handle("accept4", SIX, ERRNO);
  static final MethodHandle CLOSE = handle("close", SIX, ERRNO);
  static final MethodHandle DUP3 = handle("dup3", SIX, ERRNO);
  static final MethodHandle SHUTDOWN = handle("shutdown", SIX, ERRNO);
  static final MethodHandle GETSOCKNAME = handle("getsockname", SIX, ERRNO);
  static final MethodHandle SETSOCKOPT = handle("setsockopt", SIX, ERRNO);
  static final MethodHandle GETSOCKOPT = handle("getsockopt", SIX, ERRNO);
  static final MethodHandle SENDMSG = handle("sendmsg", SIX, ERRNO);
  static final MethodHandle RECVMSG = handle("recvmsg", SIX, ERRNO);
  static final MethodHandle SENDMMSG = handle("sendmmsg", SIX, ERRNO);
  static final MethodHandle PPOLL = handle("ppoll", SIX, ERRNO);
  static final MethodHandle EPOLL_CREATE1 = handle("epoll_create1", SIX, ERRNO);
  static final MethodHandle EPOLL_CTL = handle("epoll_ctl", SIX, ERRNO);
  static final MethodHandle EVENTFD = handle("eventfd", SIX, ERRNO);
  static final MethodHandle EVENTFD_WRITE = handle("eventfd_write", SIX, ERRNO);
  static final MethodHandle READ = handle("read", SIX, ERRNO);
  static final MethodHandle WRITE = handle("write", SIX, ERRNO);
  static final MethodHandle FCNTL = handle("fcntl", SIX, ERRNO);
  static final MethodHandle MEMFD_CREATE = handle("memfd_create", SIX, ERRNO);
  static final MethodHandle FALLOCATE = handle("fallocate", SIX, ERRNO);
  static final MethodHandle FTRUNCATE = handle("ftruncate", SIX, ERRNO);
  static final MethodHandle LSEEK = handle("lseek", SIX, ERRNO);
  static final MethodHandle MMAP = handle("mmap", SIX, ERRNO);
  static final MethodHandle MADVISE = handle("madvise", SIX, ERRNO);

  // The same without errno; see Libc.
  static final MethodHandle TRY_SENDMMSG = handle("sendmmsg", SIX);
  static final MethodHandle TRY_RECVMMSG = handle("recvmmsg", SIX);
  static final MethodHandle TRY_GETSOCKOPT = handle("getsockopt", SIX);
  static final MethodHandle TRY_PPOLL = handle("ppoll", SIX);
  static final MethodHandle TRY_READ = handle("read", SIX);
  static final MethodHandle TRY_PROCESS_VM_READV = handle("process_vm_readv", SIX);
  static final MethodHandle MUNMAP = handle("munmap", SIX);

  // These take microseconds and never block, being for non-blocking sockets: they do without the
  // change of the thread's state, which costs as much as a small message's protocol.
  static final MethodHandle TRY_SEND = handle("send", FOUR, Linker.Option.critical(false));
  static final MethodHandle TRY_RECV = handle("recv", FOUR, Linker.Option.critical(false));
  static final MethodHandle TRY_SENDMSG = handle("sendmsg", FOUR, Linker.Option.critical(false));
  static final MethodHandle TRY_RECVMSG = handle("recvmsg", FOUR, Linker.Option.critical(false));

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
      long unused = (long) MUNMAP.invokeExact(address, bytes, 0L, 0L, 0L, 0L);
    } catch (Throwable t) {
      throw new IllegalStateException("munmap", t);
    }
  }

  private static FunctionDescriptor longs(int parameters) {
    MemoryLayout[] layouts = new MemoryLayout[parameters];
    Arrays.fill(layouts, JAVA_LONG);
    return FunctionDescriptor.of(JAVA_LONG, layouts);
  }

  /** A function of another library. */
  @SuppressWarnings("restricted")
  static MethodHandle plain(MemorySegment symbol) {
    return LINKER.downcallHandle(symbol, SIX);
  }

  @SuppressWarnings("restricted") // this is the one place that needs native access
  private static MethodHandle handle(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    MemorySegment symbol =
        SYMBOLS
            .find(name)
            .orElseThrow(() -> new NoSuchElementException("the C library has no " + name));
    return LINKER.downcallHandle(symbol, descriptor, options);
  }
}
