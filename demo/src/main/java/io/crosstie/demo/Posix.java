// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The few calls of the C library that take a rail away under a process. They share nothing with the
 * library's own: the saboteur stands outside. Linux and macOS.
 */
@SuppressWarnings("restricted") // native access is the point
final class Posix {
  private static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");
  private static final int SOL_SOCKET = LINUX ? 1 : 0xFFFF;
  private static final int SO_TYPE = LINUX ? 3 : 0x1008;
  private static final int SO_ATTACH_FILTER = 26;
  private static final int SO_DETACH_FILTER = 27;
  private static final int SOCK_DGRAM = 2;
  private static final int AF_UNIX = 1;
  private static final int AF_INET = 2;
  private static final int AF_INET6 = LINUX ? 10 : 30;
  private static final int O_RDWR = 2;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
  private static final int MREMAP_MAYMOVE_FIXED = 3;
  private static final int NAME_BYTES = 128;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO =
      STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle OPEN =
      call("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle CLOSE =
      call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle DUP2 =
      call("dup2", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle SOCKET =
      call("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle BIND =
      call("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle GETSOCKNAME =
      call("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle GETPEERNAME =
      call("getpeername", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle GETSOCKOPT =
      call(
          "getsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle SETSOCKOPT =
      call(
          "setsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle MMAP =
      call(
          "mmap",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));

  private Posix() {}

  /** Fails if native access is denied to this process. */
  static void load() {}

  /** Whether sockets can be made deaf by a filter and mappings replaced. */
  static boolean isLinux() {
    return LINUX;
  }

  /** Whether a descriptor is a datagram socket. */
  static boolean isDatagramSocket(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      MemorySegment length = arena.allocateFrom(JAVA_INT, 4);
      return (int) GETSOCKOPT.invokeExact(state(arena), fd, SOL_SOCKET, SO_TYPE, value, length) == 0
          && value.get(JAVA_INT, 0) == SOCK_DGRAM;
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** The address a socket is bound to, or null if the descriptor is none or has none. */
  static @Nullable SocketAddress localAddress(int fd) {
    return address(GETSOCKNAME, fd);
  }

  /** The address a socket is connected to, or null. */
  static @Nullable SocketAddress remoteAddress(int fd) {
    return address(GETPEERNAME, fd);
  }

  private static @Nullable SocketAddress address(MethodHandle call, int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(NAME_BYTES, 8);
      MemorySegment length = arena.allocateFrom(JAVA_INT, NAME_BYTES);
      if ((int) call.invokeExact(state(arena), fd, name, length) != 0) {
        return null;
      }
      return decode(name.asSlice(0, Math.min(NAME_BYTES, length.get(JAVA_INT, 0))));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  private static @Nullable SocketAddress decode(MemorySegment name) throws UnknownHostException {
    if (name.byteSize() < 2) {
      return null;
    }
    int family = LINUX ? name.get(JAVA_SHORT, 0) : name.get(JAVA_BYTE, 1);
    if (family == AF_UNIX) {
      byte[] path = name.asSlice(2).toArray(JAVA_BYTE);
      int end = 0;
      while (end < path.length && path[end] != 0) {
        end++;
      }
      return UnixDomainSocketAddress.of(new String(path, 0, end, StandardCharsets.UTF_8));
    }
    ByteBuffer bytes = name.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
    int port = bytes.capacity() < 8 ? 0 : Short.toUnsignedInt(bytes.getShort(2));
    if (family == AF_INET && bytes.capacity() >= 8) {
      return new InetSocketAddress(InetAddress.getByAddress(part(bytes, 4, 4)), port);
    }
    if (family == AF_INET6 && bytes.capacity() >= 24) {
      return new InetSocketAddress(InetAddress.getByAddress(part(bytes, 8, 16)), port);
    }
    return null;
  }

  private static byte[] part(ByteBuffer bytes, int offset, int length) {
    byte[] part = new byte[length];
    bytes.get(offset, part);
    return part;
  }

  /** Attaches a classic BPF program that drops all that comes. Linux. */
  static void attachDropAll(int fd) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment program = arena.allocate(8, 8);
      program.set(JAVA_SHORT, 0, (short) 0x06); // BPF_RET | BPF_K, with k = 0: keep no byte
      MemorySegment filter = arena.allocate(16, 8);
      filter.set(JAVA_SHORT, 0, (short) 1);
      filter.set(ADDRESS, 8, program);
      MemorySegment state = state(arena);
      check(
          "setsockopt(SO_ATTACH_FILTER)",
          (int) SETSOCKOPT.invokeExact(state, fd, SOL_SOCKET, SO_ATTACH_FILTER, filter, 16),
          state);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** Takes the filter away, if there is one. */
  static void detachFilter(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment dummy = arena.allocate(JAVA_INT);
      int unused =
          (int) SETSOCKOPT.invokeExact(state(arena), fd, SOL_SOCKET, SO_DETACH_FILTER, dummy, 4);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Puts /dev/null in a descriptor's place, in one step: what it was is closed. */
  static void replaceByNull(int fd) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = state(arena);
      int nothing = (int) OPEN.invokeExact(state, arena.allocateFrom("/dev/null"), O_RDWR);
      check("open(/dev/null)", nothing, state);
      try {
        check("dup2", (int) DUP2.invokeExact(state, nothing, fd), state);
      } finally {
        close(nothing);
      }
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** A UDP socket bound to an address, IPv4 only; null if somebody else has the address. */
  static @Nullable Integer occupy(InetSocketAddress address) {
    if (!(address.getAddress() instanceof Inet4Address host)) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = state(arena);
      int fd = (int) SOCKET.invokeExact(state, AF_INET, SOCK_DGRAM, 0);
      if (fd < 0) {
        return null;
      }
      MemorySegment name = arena.allocate(16, 8);
      if (LINUX) {
        name.set(JAVA_SHORT, 0, (short) AF_INET);
      } else {
        name.set(JAVA_BYTE, 0, (byte) 16);
        name.set(JAVA_BYTE, 1, (byte) AF_INET);
      }
      ByteBuffer bytes = name.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
      bytes.putShort(2, (short) address.getPort()).put(4, host.getAddress());
      if ((int) BIND.invokeExact(state, fd, name, 16) != 0) {
        close(fd);
        return null;
      }
      return fd;
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Closes a descriptor of our own. */
  static void close(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      int unused = (int) CLOSE.invokeExact(state(arena), fd);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * Puts private memory with the same contents in a mapping's place, in one step: from then on what
   * is written there stays in this process, and nothing comes in. Linux.
   */
  static void makePrivate(long address, long length) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = state(arena);
      MemorySegment copy =
          (MemorySegment)
              MMAP.invokeExact(
                  state,
                  MemorySegment.NULL,
                  length,
                  PROT_READ_WRITE,
                  MAP_PRIVATE_ANONYMOUS,
                  -1,
                  0L);
      check("mmap", copy.address() == -1 ? -1 : 0, state);
      MemorySegment.copy(
          MemorySegment.ofAddress(address).reinterpret(length),
          0,
          copy.reinterpret(length),
          0,
          length);
      MemorySegment moved =
          (MemorySegment)
              Remap.MREMAP.invokeExact(
                  state,
                  copy,
                  length,
                  length,
                  MREMAP_MAYMOVE_FIXED,
                  MemorySegment.ofAddress(address));
      check("mremap", moved.address() == -1 ? -1 : 0, state);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** Apart: macOS has no such call. */
  private static final class Remap {
    static final MethodHandle MREMAP =
        call(
            "mremap",
            FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS),
            Linker.Option.firstVariadicArg(4));
  }

  private static MemorySegment state(Arena arena) {
    return arena.allocate(STATE);
  }

  private static void check(String what, int result, MemorySegment state) throws IOException {
    if (result < 0) {
      throw new IOException(what + " failed with errno " + state.get(JAVA_INT, ERRNO));
    }
  }

  private static IOException rethrow(Throwable t) {
    return t instanceof IOException e ? e : new IOException(unexpected(t));
  }

  private static RuntimeException unexpected(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }

  private static MethodHandle call(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker.Option[] all = java.util.Arrays.copyOf(options, options.length + 1);
    all[options.length] = Linker.Option.captureCallState("errno");
    return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), descriptor, all);
  }
}
