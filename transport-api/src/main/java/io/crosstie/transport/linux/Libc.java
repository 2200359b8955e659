// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.crosstie.checksum.Checksum;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Linux system calls through the C library. Every method returns what the call returns, or
 * <em>minus errno</em> if it failed.
 *
 * <p>To hand out errno the JDK makes a slice of 40 bytes per call, which the compiler mostly, but
 * not always, removes. So the calls of the hot path have a sibling, {@code try…}, that returns -1
 * whatever went wrong and never allocates; after a failure that matters, make the call again by the
 * method that tells why.
 *
 * <p>An instance owns the memory into which errno is captured, so that it belongs to one thread at
 * a time: each port or poller has its own. Segments passed in must be native; a closed arena is
 * detected and thrown as usual.
 */
public final class Libc {
  private static final @Nullable String WHY_UNAVAILABLE = probe();

  private final MemorySegment state;
  private final MemorySegment scratch;
  private final MemorySegment optionValue;

  /**
   * Takes a few bytes of native memory, which the garbage collector gives back.
   *
   * @throws IllegalStateException if {@link #whyUnavailable()} is not null
   */
  public Libc() {
    if (WHY_UNAVAILABLE != null) {
      throw new IllegalStateException(WHY_UNAVAILABLE);
    }
    Arena arena = Arena.ofAuto();
    state = arena.allocate(Linker.Option.captureStateLayout());
    scratch = arena.allocate(16, 8);
    optionValue = arena.allocate(4, 4);
  }

  /**
   * Why native calls cannot be made in this process, as a sentence that names the remedy, or null
   * if they can.
   */
  public static @Nullable String whyUnavailable() {
    return WHY_UNAVAILABLE;
  }

  private static @Nullable String probe() {
    String os = System.getProperty("os.name", "");
    String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    if (!os.equals("Linux") || !(machine.equals("amd64") || machine.equals("aarch64"))) {
      return "native socket calls are made on Linux (x86-64, aarch64) only, and this is "
          + os
          + " ("
          + machine
          + ")";
    }
    try {
      LibcHandles.load();
      return null;
    } catch (ExceptionInInitializerError e) {
      Throwable cause = e.getCause();
      if (cause instanceof IllegalCallerException) {
        Module module = Libc.class.getModule();
        String who =
            module.isNamed()
                ? module.getName() + "," + Checksum.class.getModule().getName()
                : "ALL-UNNAMED";
        return "native access is denied to Crosstie (--illegal-native-access=deny); allow it with"
            + " the JVM option --enable-native-access="
            + who;
      }
      return "the C library cannot be called: " + cause;
    } catch (LinkageError e) {
      return "the C library cannot be called: " + e;
    }
  }

  /** socket(2): a descriptor. */
  public int socket(int family, int type, int protocol) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.SOCKET.invokeExact(
                      state, (long) family, (long) type, (long) protocol, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** bind(2) to a socket address whose length is that of the segment. */
  public int bind(int fd, MemorySegment address) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.BIND.invokeExact(
                      state, (long) fd, address(address), address.byteSize(), 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(address);
    }
  }

  /** connect(2) to a socket address whose length is that of the segment. */
  public int connect(int fd, MemorySegment address) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.CONNECT.invokeExact(
                      state, (long) fd, address(address), address.byteSize(), 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(address);
    }
  }

  /** listen(2). */
  public int listen(int fd, int backlog) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.LISTEN.invokeExact(state, (long) fd, (long) backlog, 0L, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** accept4(2) without asking for the peer's address: a descriptor. */
  public int accept(int fd, int flags) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.ACCEPT4.invokeExact(state, (long) fd, 0L, 0L, (long) flags, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** close(2). Never to be repeated, not even after EINTR. */
  public int close(int fd) {
    try {
      return result(
          (int) (long) LibcHandles.CLOSE.invokeExact(state, (long) fd, 0L, 0L, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** shutdown(2): 0 receiving, 1 sending, 2 both. */
  public int shutdown(int fd, int how) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.SHUTDOWN.invokeExact(state, (long) fd, (long) how, 0L, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** getsockname(2): length of the address, in bytes, that was written to the segment. */
  public int getsockname(int fd, MemorySegment address) {
    try {
      scratch.set(JAVA_INT, 0, (int) address.byteSize());
      int result =
          result(
              (int)
                  (long)
                      LibcHandles.GETSOCKNAME.invokeExact(
                          state, (long) fd, address(address), scratch.address(), 0L, 0L, 0L));
      return result < 0 ? result : scratch.get(JAVA_INT, 0);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(address);
    }
  }

  /** setsockopt(2) with an int. */
  public int setOption(int fd, int level, int option, int value) {
    scratch.set(JAVA_INT, 0, value);
    return setOption(fd, level, option, scratch, 4);
  }

  /** setsockopt(2) with a structure. */
  public int setOption(int fd, int level, int option, MemorySegment value, int length) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.SETSOCKOPT.invokeExact(
                      state,
                      (long) fd,
                      (long) level,
                      (long) option,
                      address(value),
                      (long) length,
                      0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(value);
    }
  }

  /** getsockopt(2) of an option that is a non-negative int. */
  public int getOption(int fd, int level, int option) {
    int result = getOption(fd, level, option, optionValue);
    return result < 0 ? result : optionValue.get(JAVA_INT, 0);
  }

  /** getsockopt(2) of a structure: its length, in bytes, as written to the segment. */
  public int getOption(int fd, int level, int option, MemorySegment value) {
    try {
      scratch.set(JAVA_INT, 0, (int) value.byteSize());
      int result =
          result(
              (int)
                  (long)
                      LibcHandles.GETSOCKOPT.invokeExact(
                          state,
                          (long) fd,
                          (long) level,
                          (long) option,
                          address(value),
                          scratch.address(),
                          0L));
      return result < 0 ? result : scratch.get(JAVA_INT, 0);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(value);
    }
  }

  /** sendmsg(2) of a msghdr: bytes sent. */
  public long sendmsg(int fd, MemorySegment message, int flags) {
    try {
      return result(
          (long)
              LibcHandles.SENDMSG.invokeExact(
                  state, (long) fd, address(message), (long) flags, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(message);
    }
  }

  /** recvmsg(2) into a msghdr: bytes received. */
  public long recvmsg(int fd, MemorySegment message, int flags) {
    try {
      return result(
          (long)
              LibcHandles.RECVMSG.invokeExact(
                  state, (long) fd, address(message), (long) flags, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(message);
    }
  }

  /**
   * sendmmsg(2) of an array of mmsghdr: number of messages sent; an error is returned only if the
   * first one failed.
   */
  public int sendmmsg(int fd, MemorySegment messages, int count, int flags) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.SENDMMSG.invokeExact(
                      state, (long) fd, address(messages), (long) count, (long) flags, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(messages);
    }
  }

  /**
   * ppoll(2) over an array of pollfd with a timespec ({@link MemorySegment#NULL}: for ever): number
   * of entries that are ready.
   */
  public int ppoll(MemorySegment pollfds, int count, MemorySegment timeout) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.PPOLL.invokeExact(
                      state, address(pollfds), (long) count, address(timeout), 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(pollfds);
      Reference.reachabilityFence(timeout);
    }
  }

  /**
   * A new epoll descriptor that watches one descriptor for {@link SocketAbi#POLLIN} or {@link
   * SocketAbi#POLLOUT} (which EPOLLIN and EPOLLOUT equal). It is itself readable while the event
   * holds, so that a {@link io.crosstie.transport.Poller} that watches for reading can wait for
   * writing. The caller closes it.
   */
  public int epollFor(int fd, int events) {
    try {
      int epoll =
          result(
              (int)
                  (long)
                      LibcHandles.EPOLL_CREATE1.invokeExact(
                          state, (long) SocketAbi.SOCK_CLOEXEC, 0L, 0L, 0L, 0L, 0L));
      if (epoll < 0) {
        return epoll;
      }
      scratch.set(
          JAVA_INT, 0, events); // the rest of the structure is ours to choose and is never read
      int result =
          result(
              (int)
                  (long)
                      LibcHandles.EPOLL_CTL.invokeExact(
                          state, (long) epoll, 1L, (long) fd, scratch.address(), 0L, 0L));
      if (result < 0) {
        int unused = close(epoll);
        return result;
      }
      return epoll;
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** dup3(2): makes a descriptor mean another file; what it meant before is closed. */
  public int dup3(int oldFd, int newFd, int flags) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.DUP3.invokeExact(
                      state, (long) oldFd, (long) newFd, (long) flags, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** eventfd(2): a descriptor. */
  public int eventfd(int initialValue, int flags) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.EVENTFD.invokeExact(
                      state, (long) initialValue, (long) flags, 0L, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Adds to an eventfd. */
  public int eventfdWrite(int fd, long value) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.EVENTFD_WRITE.invokeExact(state, (long) fd, value, 0L, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** read(2): bytes read, 0 at the end. */
  public long read(int fd, MemorySegment memory, long length) {
    try {
      return result(
          (long)
              LibcHandles.READ.invokeExact(state, (long) fd, address(memory), length, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(memory);
    }
  }

  /** write(2): bytes written. */
  public long write(int fd, MemorySegment memory, long length) {
    try {
      return result(
          (long)
              LibcHandles.WRITE.invokeExact(state, (long) fd, address(memory), length, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(memory);
    }
  }

  /** fcntl(2) with an int argument. */
  public int fcntl(int fd, int command, int argument) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.FCNTL.invokeExact(
                      state, (long) fd, (long) command, (long) argument, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * memfd_create(2): a descriptor of memory without a name in any file system, that can be sealed.
   *
   * @param name for people who look at /proc; at most 249 bytes, ended by a zero byte
   */
  public int memfdCreate(MemorySegment name, int flags) {
    try {
      return result(
          (int)
              (long)
                  LibcHandles.MEMFD_CREATE.invokeExact(
                      state, address(name), (long) flags, 0L, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(name);
    }
  }

  /** fallocate(2) from the beginning: makes the file that long, with all of its space reserved. */
  public int fallocate(int fd, long bytes) {
    try {
      return result(
          (int) (long) LibcHandles.FALLOCATE.invokeExact(state, (long) fd, 0L, 0L, bytes, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** ftruncate(2). */
  public int ftruncate(int fd, long bytes) {
    try {
      return result(
          (int) (long) LibcHandles.FTRUNCATE.invokeExact(state, (long) fd, bytes, 0L, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Length of a file, in bytes, by lseek(2), which moves its position to its end. */
  public long fileBytes(int fd) {
    try {
      return result(
          (long)
              LibcHandles.LSEEK.invokeExact(
                  state, (long) fd, 0L, (long) MemoryAbi.SEEK_END, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * mmap(2): an address, or minus errno.
   *
   * @param fd -1 for anonymous memory
   */
  public long mmap(long bytes, int protection, int flags, int fd) {
    try {
      return result(
          (long)
              LibcHandles.MMAP.invokeExact(
                  state, 0L, bytes, (long) protection, (long) flags, (long) fd, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * What {@link #mmap} gave, as a segment that is unmapped when its arena is closed.
   *
   * @param address above 0
   * @param bytes as given to {@link #mmap}
   */
  public MemorySegment mapped(long address, long bytes, Arena arena) {
    return LibcHandles.mapped(address, bytes, arena);
  }

  /**
   * madvise(2) of a part of a mapping.
   *
   * @param offset multiple of the page size
   */
  public int madvise(MemorySegment mapping, long offset, long bytes, int advice) {
    MemorySegment part = mapping.asSlice(offset, bytes);
    try {
      return result(
          (int)
              (long)
                  LibcHandles.MADVISE.invokeExact(
                      state, part.address(), bytes, (long) advice, 0L, 0L, 0L));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * send(2) on a connected socket: bytes sent, or -1 for any error. Allocates nothing.
   *
   * @param address of memory that stays reachable during the call
   */
  public long trySend(int fd, long address, long length, int flags) {
    try {
      return (long) LibcHandles.TRY_SEND.invokeExact((long) fd, address, length, (long) flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * recv(2): bytes received, or -1 for any error. Allocates nothing.
   *
   * @param address of memory that stays reachable during the call
   */
  public long tryRecv(int fd, long address, long length, int flags) {
    try {
      return (long) LibcHandles.TRY_RECV.invokeExact((long) fd, address, length, (long) flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** As {@link #sendmsg}, but -1 for any error. Allocates nothing. */
  public long trySendmsg(int fd, MemorySegment message, int flags) {
    try {
      return (long)
          LibcHandles.TRY_SENDMSG.invokeExact((long) fd, address(message), (long) flags, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(message);
    }
  }

  /** As {@link #recvmsg}, but -1 for any error. Allocates nothing. */
  public long tryRecvmsg(int fd, MemorySegment message, int flags) {
    try {
      return (long)
          LibcHandles.TRY_RECVMSG.invokeExact((long) fd, address(message), (long) flags, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(message);
    }
  }

  /** As {@link #sendmmsg}, but -1 for any error. Allocates nothing. */
  public int trySendmmsg(int fd, MemorySegment messages, int count, int flags) {
    try {
      return (int)
          (long)
              LibcHandles.TRY_SENDMMSG.invokeExact(
                  (long) fd, address(messages), (long) count, (long) flags, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(messages);
    }
  }

  /**
   * recvmmsg(2) into an array of mmsghdr, without time-out: number of messages received, or -1 for
   * any error. Allocates nothing.
   */
  public int tryRecvmmsg(int fd, MemorySegment messages, int count, int flags) {
    try {
      return (int)
          (long)
              LibcHandles.TRY_RECVMMSG.invokeExact(
                  (long) fd, address(messages), (long) count, (long) flags, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(messages);
    }
  }

  /**
   * The error that a socket has to tell, as a positive errno, which is over by that; 0 if there is
   * none, or -1 if the descriptor is no socket. Allocates nothing.
   */
  public int tryTakeError(int fd) {
    scratch.set(JAVA_INT, 0, 4);
    try {
      int result =
          (int)
              (long)
                  LibcHandles.TRY_GETSOCKOPT.invokeExact(
                      (long) fd,
                      (long) SocketAbi.SOL_SOCKET,
                      (long) SocketAbi.SO_ERROR,
                      optionValue.address(),
                      scratch.address(),
                      0L);
      return result < 0 ? -1 : optionValue.get(JAVA_INT, 0);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** As {@link #ppoll}, but -1 for any error. Allocates nothing. */
  public int tryPpoll(MemorySegment pollfds, int count, MemorySegment timeout) {
    try {
      return (int)
          (long)
              LibcHandles.TRY_PPOLL.invokeExact(
                  address(pollfds), (long) count, address(timeout), 0L, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(pollfds);
      Reference.reachabilityFence(timeout);
    }
  }

  /** As {@link #read}, but -1 for any error. Allocates nothing. */
  public long tryRead(int fd, MemorySegment memory, long length) {
    try {
      return (long)
          LibcHandles.TRY_READ.invokeExact((long) fd, address(memory), length, 0L, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(memory);
    }
  }

  /**
   * process_vm_readv(2): bytes copied from another process, or -1 for any error. Allocates nothing.
   */
  public long tryProcessVmReadv(
      int pid, MemorySegment localIov, long localCount, MemorySegment remoteIov, long remoteCount) {
    try {
      return (long)
          LibcHandles.TRY_PROCESS_VM_READV.invokeExact(
              (long) pid, address(localIov), localCount, address(remoteIov), remoteCount, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(localIov);
      Reference.reachabilityFence(remoteIov);
    }
  }

  /**
   * Where a segment is, whose user holds it until the call is over.
   *
   * @throws IllegalStateException if its arena is closed
   * @throws IllegalArgumentException if it is on the heap
   */
  private static long address(MemorySegment segment) {
    if (!segment.isNative()) {
      throw new IllegalArgumentException("heap segment, where a native one is needed: " + segment);
    }
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("Already closed");
    }
    return segment.address();
  }

  private int result(int value) {
    return value >= 0 ? value : -state.get(JAVA_INT, LibcHandles.ERRNO_OFFSET);
  }

  private long result(long value) {
    return value >= 0 ? value : -state.get(JAVA_INT, LibcHandles.ERRNO_OFFSET);
  }

  /**
   * A down-call declares Throwable; what is thrown is what a closed arena or a heap segment causes.
   */
  private static RuntimeException unexpected(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
