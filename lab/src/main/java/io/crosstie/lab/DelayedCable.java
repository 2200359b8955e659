// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.linux.Libc;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A long cable between two hosts: a TUN interface on either, and a thread for each direction that
 * takes every packet in and lets it out after the time that it takes. Nothing is reordered, and
 * nothing is lost as long as no more is under way than {@value #MOST_PACKETS} packets.
 */
final class DelayedCable implements AutoCloseable {
  private static final Path DEVICE = Path.of("/dev/net/tun");
  private static final int MOST_PACKETS = 8192;
  private static final int MOST_BYTES = 2048;
  private static final long LOOK_NS = 20_000_000;

  private static final int READ_WRITE = 2;
  private static final int NONBLOCK = 0x800;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int NEW_NET = 0x4000_0000;
  private static final long SET_INTERFACE = 0x4004_54caL; // TUNSETIFF
  private static final short WITHOUT_HEADERS = 0x1001; // IFF_TUN, IFF_NO_PI
  private static final int REQUEST_BYTES = 40;
  private static final int NAME_BYTES = 16;
  private static final short READABLE = 1;

  private static final MethodHandle OPEN =
      NativeCalls.handle(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle IOCTL =
      NativeCalls.handle(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle SETNS =
      NativeCalls.handle("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  private final int fdA;
  private final int fdB;
  private final Thread there;
  private final Thread back;
  private volatile boolean stopping;

  /**
   * Lays one.
   *
   * @param a name of one host
   * @param b name of the other
   * @param device name of the interface on both
   * @param delayNs how long a packet takes from one end to the other
   */
  DelayedCable(String a, String b, String device, long delayNs) {
    if (!Files.exists(DEVICE)) {
      throw new LabException(
          LabException.ENVIRONMENT,
          "long cables are made of TUN interfaces, and there is no " + DEVICE + "; leave --delays");
    }
    fdA = onHost(a, device);
    boolean built = false;
    try {
      fdB = onHost(b, device);
      built = true;
    } finally {
      if (!built) {
        int unused = new Libc().close(fdA);
      }
    }
    there = carry(fdA, fdB, delayNs, "lab-" + device + "-there");
    back = carry(fdB, fdA, delayNs, "lab-" + device + "-back");
  }

  /** Opens the interface in a thread that goes to the host and ends there. */
  private static int onHost(String host, String device) {
    CompletableFuture<Integer> opened = new CompletableFuture<>();
    Thread unused =
        Thread.ofPlatform()
            .daemon()
            .name("lab-" + host)
            .start(
                () -> {
                  try {
                    opened.complete(open(host, device));
                  } catch (LabException | IllegalStateException e) {
                    opened.completeExceptionally(e);
                  }
                });
    try {
      return opened.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof LabException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private static int open(String host, String device) {
    Libc libc = new Libc();
    try (Arena arena = Arena.ofConfined()) {
      int space = open(arena, "/run/netns/" + host, CLOSE_ON_EXEC);
      try {
        if ((int) SETNS.invokeExact(space, NEW_NET) != 0) {
          throw new LabException(LabException.ENVIRONMENT, "cannot enter the namespace " + host);
        }
      } finally {
        int unused = libc.close(space);
      }
      int fd = open(arena, DEVICE.toString(), READ_WRITE | NONBLOCK | CLOSE_ON_EXEC);
      MemorySegment request = arena.allocate(REQUEST_BYTES, 8);
      request.setString(0, device);
      request.set(JAVA_SHORT, NAME_BYTES, WITHOUT_HEADERS);
      if ((int) IOCTL.invokeExact(fd, SET_INTERFACE, request) != 0) {
        int unused = libc.close(fd);
        throw new LabException(
            LabException.ENVIRONMENT, "cannot make a TUN interface in the namespace " + host);
      }
      return fd;
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private static int open(Arena arena, String path, int flags) throws Throwable {
    int fd = (int) OPEN.invokeExact(arena.allocateFrom(path), flags);
    if (fd < 0) {
      throw new LabException(LabException.ENVIRONMENT, "cannot open " + path);
    }
    return fd;
  }

  private Thread carry(int from, int to, long delayNs, String name) {
    return Thread.ofPlatform().daemon().name(name).start(() -> carry(from, to, delayNs));
  }

  private void carry(int from, int to, long delayNs) {
    Libc libc = new Libc();
    int[] lengths = new int[MOST_PACKETS];
    long[] dueNs = new long[MOST_PACKETS];
    long head = 0;
    long tail = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packets = arena.allocate((long) MOST_PACKETS * MOST_BYTES, 64);
      MemorySegment poll = arena.allocate(8, 8);
      MemorySegment timeout = arena.allocate(16, 8);
      poll.set(JAVA_INT, 0, from);
      while (!stopping) {
        long now = System.nanoTime();
        long waitNs = head == tail ? LOOK_NS : Math.clamp(dueNs[slot(head)] - now, 0, LOOK_NS);
        poll.set(JAVA_SHORT, 4, tail - head < MOST_PACKETS ? READABLE : 0);
        timeout.set(JAVA_LONG, 8, waitNs);
        int unused = libc.ppoll(poll, 1, timeout);
        for (; tail - head < MOST_PACKETS; tail++) {
          long length = libc.read(from, at(packets, tail), MOST_BYTES);
          if (length <= 0) {
            break;
          }
          lengths[slot(tail)] = (int) length;
          dueNs[slot(tail)] = System.nanoTime() + delayNs;
        }
        now = System.nanoTime();
        for (; head < tail && dueNs[slot(head)] - now <= 0; head++) {
          // An interface that is down takes nothing, as a cable that is not plugged in.
          long unused2 = libc.write(to, at(packets, head), lengths[slot(head)]);
        }
      }
    }
  }

  private static int slot(long number) {
    return (int) (number % MOST_PACKETS);
  }

  private static MemorySegment at(MemorySegment packets, long number) {
    return packets.asSlice((long) slot(number) * MOST_BYTES, MOST_BYTES);
  }

  /** Takes it away, with both interfaces. */
  @Override
  public void close() {
    stopping = true;
    boolean interrupted = false;
    for (Thread thread : new Thread[] {there, back}) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    Libc libc = new Libc();
    int unused = libc.close(fdA);
    unused = libc.close(fdB);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
