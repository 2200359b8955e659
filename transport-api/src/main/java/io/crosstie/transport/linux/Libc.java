// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.crosstie.checksum.Checksum;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
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
      return result((int) LibcHandles.SOCKET.invokeExact(state, family, type, protocol));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** bind(2) to a socket address whose length is that of the segment. */
  public int bind(int fd, MemorySegment address) {
    try {
      return result(
          (int) LibcHandles.BIND.invokeExact(state, fd, address, (int) address.byteSize()));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** connect(2) to a socket address whose length is that of the segment. */
  public int connect(int fd, MemorySegment address) {
    try {
      return result(
          (int) LibcHandles.CONNECT.invokeExact(state, fd, address, (int) address.byteSize()));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** listen(2). */
  public int listen(int fd, int backlog) {
    try {
      return result((int) LibcHandles.LISTEN.invokeExact(state, fd, backlog));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** accept4(2) without asking for the peer's address: a descriptor. */
  public int accept(int fd, int flags) {
    try {
      return result(
          (int)
              LibcHandles.ACCEPT4.invokeExact(
                  state, fd, MemorySegment.NULL, MemorySegment.NULL, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** close(2). Never to be repeated, not even after EINTR. */
  public int close(int fd) {
    try {
      return result((int) LibcHandles.CLOSE.invokeExact(state, fd));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** shutdown(2): 0 receiving, 1 sending, 2 both. */
  public int shutdown(int fd, int how) {
    try {
      return result((int) LibcHandles.SHUTDOWN.invokeExact(state, fd, how));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** getsockname(2): length of the address, in bytes, that was written to the segment. */
  public int getsockname(int fd, MemorySegment address) {
    try {
      scratch.set(JAVA_INT, 0, (int) address.byteSize());
      int result = result((int) LibcHandles.GETSOCKNAME.invokeExact(state, fd, address, scratch));
      return result < 0 ? result : scratch.get(JAVA_INT, 0);
    } catch (Throwable t) {
      throw unexpected(t);
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
          (int) LibcHandles.SETSOCKOPT.invokeExact(state, fd, level, option, value, length));
    } catch (Throwable t) {
      throw unexpected(t);
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
              (int) LibcHandles.GETSOCKOPT.invokeExact(state, fd, level, option, value, scratch));
      return result < 0 ? result : scratch.get(JAVA_INT, 0);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** sendmsg(2) of a msghdr: bytes sent. */
  public long sendmsg(int fd, MemorySegment message, int flags) {
    try {
      return result((long) LibcHandles.SENDMSG.invokeExact(state, fd, message, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** recvmsg(2) into a msghdr: bytes received. */
  public long recvmsg(int fd, MemorySegment message, int flags) {
    try {
      return result((long) LibcHandles.RECVMSG.invokeExact(state, fd, message, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * sendmmsg(2) of an array of mmsghdr: number of messages sent; an error is returned only if the
   * first one failed.
   */
  public int sendmmsg(int fd, MemorySegment messages, int count, int flags) {
    try {
      return result((int) LibcHandles.SENDMMSG.invokeExact(state, fd, messages, count, flags));
    } catch (Throwable t) {
      throw unexpected(t);
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
              LibcHandles.PPOLL.invokeExact(
                  state, pollfds, (long) count, timeout, MemorySegment.NULL));
    } catch (Throwable t) {
      throw unexpected(t);
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
          result((int) LibcHandles.EPOLL_CREATE1.invokeExact(state, SocketAbi.SOCK_CLOEXEC));
      if (epoll < 0) {
        return epoll;
      }
      scratch.set(
          JAVA_INT, 0, events); // the rest of the structure is ours to choose and is never read
      int result = result((int) LibcHandles.EPOLL_CTL.invokeExact(state, epoll, 1, fd, scratch));
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
      return result((int) LibcHandles.DUP3.invokeExact(state, oldFd, newFd, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** eventfd(2): a descriptor. */
  public int eventfd(int initialValue, int flags) {
    try {
      return result((int) LibcHandles.EVENTFD.invokeExact(state, initialValue, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Adds to an eventfd. */
  public int eventfdWrite(int fd, long value) {
    try {
      return result((int) LibcHandles.EVENTFD_WRITE.invokeExact(state, fd, value));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** read(2): bytes read, 0 at the end. */
  public long read(int fd, MemorySegment memory, long length) {
    try {
      return result((long) LibcHandles.READ.invokeExact(state, fd, memory, length));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** write(2): bytes written. */
  public long write(int fd, MemorySegment memory, long length) {
    try {
      return result((long) LibcHandles.WRITE.invokeExact(state, fd, memory, length));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** fcntl(2) with an int argument. */
  public int fcntl(int fd, int command, int argument) {
    try {
      return result((int) LibcHandles.FCNTL.invokeExact(state, fd, command, argument));
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
      return result((int) LibcHandles.MEMFD_CREATE.invokeExact(state, name, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** fallocate(2) from the beginning: makes the file that long, with all of its space reserved. */
  public int fallocate(int fd, long bytes) {
    try {
      return result((int) LibcHandles.FALLOCATE.invokeExact(state, fd, 0, 0L, bytes));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** ftruncate(2). */
  public int ftruncate(int fd, long bytes) {
    try {
      return result((int) LibcHandles.FTRUNCATE.invokeExact(state, fd, bytes));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Length of a file, in bytes, by lseek(2), which moves its position to its end. */
  public long fileBytes(int fd) {
    try {
      return result((long) LibcHandles.LSEEK.invokeExact(state, fd, 0L, MemoryAbi.SEEK_END));
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
          (long) LibcHandles.MMAP.invokeExact(state, 0L, bytes, protection, flags, fd, 0L));
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
      return result((int) LibcHandles.MADVISE.invokeExact(state, part.address(), bytes, advice));
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
      return (long) LibcHandles.TRY_SEND.invokeExact(fd, address, length, flags);
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
      return (long) LibcHandles.TRY_RECV.invokeExact(fd, address, length, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** As {@link #sendmsg}, but -1 for any error. Allocates nothing. */
  public long trySendmsg(int fd, MemorySegment message, int flags) {
    try {
      return (long) LibcHandles.TRY_SENDMSG.invokeExact(fd, message, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** As {@link #recvmsg}, but -1 for any error. Allocates nothing. */
  public long tryRecvmsg(int fd, MemorySegment message, int flags) {
    try {
      return (long) LibcHandles.TRY_RECVMSG.invokeExact(fd, message, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** As {@link #sendmmsg}, but -1 for any error. Allocates nothing. */
  public int trySendmmsg(int fd, MemorySegment messages, int count, int flags) {
    try {
      return (int) LibcHandles.TRY_SENDMMSG.invokeExact(fd, messages, count, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * recvmmsg(2) into an array of mmsghdr, without time-out: number of messages received, or -1 for
   * any error. Allocates nothing.
   */
  public int tryRecvmmsg(int fd, MemorySegment messages, int count, int flags) {
    try {
      return (int)
          LibcHandles.TRY_RECVMMSG.invokeExact(fd, messages, count, flags, MemorySegment.NULL);
    } catch (Throwable t) {
      throw unexpected(t);
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
              LibcHandles.TRY_GETSOCKOPT.invokeExact(
                  fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_ERROR, optionValue, scratch);
      return result < 0 ? -1 : optionValue.get(JAVA_INT, 0);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** As {@link #ppoll}, but -1 for any error. Allocates nothing. */
  public int tryPpoll(MemorySegment pollfds, int count, MemorySegment timeout) {
    try {
      return (int)
          LibcHandles.TRY_PPOLL.invokeExact(pollfds, (long) count, timeout, MemorySegment.NULL);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** As {@link #read}, but -1 for any error. Allocates nothing. */
  public long tryRead(int fd, MemorySegment memory, long length) {
    try {
      return (long) LibcHandles.TRY_READ.invokeExact(fd, memory, length);
    } catch (Throwable t) {
      throw unexpected(t);
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
              pid, localIov, localCount, remoteIov, remoteCount, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  private int result(int value) {
    return value >= 0 ? value : -state.get(JAVA_INT, LibcHandles.ERRNO_OFFSET);
  }

  private long result(long value) {
    return value >= 0 ? value : -state.get(JAVA_INT, LibcHandles.ERRNO_OFFSET);
  }

  /**
   * A down-call declares Throwable, but throws only what a closed arena or a heap segment causes.
   */
  private static RuntimeException unexpected(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
