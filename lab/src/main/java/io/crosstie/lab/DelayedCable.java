// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.testkit.process.ToolException;
import io.crosstie.transport.linux.Libc;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * A long cable between two hosts: a TUN interface on either, and a thread for each direction that
 * takes every packet in and lets it out after the time that it takes. Nothing is lost as long as no
 * more is under way than {@value #MOST_PACKETS} packets or {@value #MOST_BYTES} bytes, and nothing
 * is reordered unless that is asked for: then some packets are held back at the far end until as
 * many others have passed them, or none has come for a while.
 *
 * <p>Where the kernel knows how (Linux 6.2), the interfaces segment what they are given, as the
 * other rails and most NICs do, for UDP as for TCP, and the cable carries it whole: otherwise it
 * takes more of the machine's processors than those who send through it, and they are what is to be
 * measured.
 */
final class DelayedCable implements AutoCloseable {
  private static final Path DEVICE = Path.of("/dev/net/tun");
  private static final int MOST_PACKETS = 32768;
  private static final int MOST_BYTES = 32 << 20;
  private static final int LONGEST = 66 << 10; // 64 KiB, and headers
  private static final long LOOK_NS = 20_000_000;

  private static final int READ_WRITE = 2;
  private static final int NONBLOCK = 0x800;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int NEW_NET = 0x4000_0000;
  private static final long SET_INTERFACE = 0x4004_54caL; // TUNSETIFF
  private static final long SET_OFFLOAD = 0x4004_54d0L; // TUNSETOFFLOAD
  private static final short WITH_OFFLOAD_HEADER = 0x5001; // IFF_TUN, IFF_NO_PI, IFF_VNET_HDR
  private static final long OFFLOAD = 0x67; // TUN_F_CSUM, _TSO4, _TSO6, _USO4, _USO6
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
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle SETNS =
      NativeCalls.handle("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  /** What nothing overtakes is let out so much later. */
  private static final long HELD_NS = 200_000_000;

  private final RailPlan.Disorder disorder;
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
  DelayedCable(String a, String b, String device, long delayNs, RailPlan.Disorder disorder) {
    this.disorder = disorder;
    if (!Files.exists(DEVICE)) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
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
                  } catch (ToolException | IllegalStateException e) {
                    opened.completeExceptionally(e);
                  }
                });
    try {
      return opened.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof ToolException cause) {
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
          throw new ToolException(ToolException.ENVIRONMENT, "cannot enter the namespace " + host);
        }
      } finally {
        int unused = libc.close(space);
      }
      int fd = open(arena, DEVICE.toString(), READ_WRITE | NONBLOCK | CLOSE_ON_EXEC);
      MemorySegment request = arena.allocate(REQUEST_BYTES, 8);
      request.setString(0, device);
      request.set(JAVA_SHORT, NAME_BYTES, WITH_OFFLOAD_HEADER);
      if ((int) IOCTL.invokeExact(fd, SET_INTERFACE, request.address()) != 0) {
        int unused = libc.close(fd);
        throw new ToolException(
            ToolException.ENVIRONMENT, "cannot make a TUN interface in the namespace " + host);
      }
      int unused = (int) IOCTL.invokeExact(fd, SET_OFFLOAD, OFFLOAD); // all of it, or nothing
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
      throw new ToolException(ToolException.ENVIRONMENT, "cannot open " + path);
    }
    return fd;
  }

  private Thread carry(int from, int to, long delayNs, String name) {
    return Thread.ofPlatform().daemon().name(name).start(() -> carry(from, to, delayNs));
  }

  private void carry(int from, int to, long delayNs) {
    Libc libc = new Libc();
    try (Arena arena = Arena.ofConfined()) {
      UnderWay packets = new UnderWay(arena);
      HeldBack held = new HeldBack(disorder);
      Consumer<MemorySegment> end =
          packet -> {
            long unused = libc.write(to, packet, packet.byteSize());
          };
      MemorySegment poll = arena.allocate(8, 8);
      MemorySegment timeout = arena.allocate(16, 8);
      poll.set(JAVA_INT, 0, from);
      while (!stopping) {
        long waitNs =
            packets.isEmpty()
                ? LOOK_NS
                : Math.clamp(packets.firstDueNs() - System.nanoTime(), 0, LOOK_NS);
        held.release(end, System.nanoTime());
        poll.set(JAVA_SHORT, 4, packets.hasRoom() ? READABLE : 0);
        timeout.set(JAVA_LONG, 8, waitNs);
        int unused = libc.ppoll(poll, 1, timeout);
        while (packets.hasRoom()) {
          long length = libc.read(from, packets.room(), LONGEST);
          if (length <= 0) {
            break;
          }
          packets.add((int) length, System.nanoTime() + delayNs);
        }
        long now = System.nanoTime();
        while (!packets.isEmpty() && packets.firstDueNs() - now <= 0) {
          // An interface that is down takes nothing, as a cable that is not plugged in.
          if (!held.takes(packets.first(), now)) {
            long unused2 = libc.write(to, packets.first(), packets.firstLength());
            held.release(end, now);
          }
          packets.removeFirst();
        }
      }
    }
  }

  /** What others overtake. */
  private static final class HeldBack {
    private record Packet(MemorySegment bytes, long untilPassed, long untilNs) {}

    private final RailPlan.Disorder disorder;
    private final SplittableRandom random = new SplittableRandom(1);
    private final ArrayDeque<Packet> packets = new ArrayDeque<>();
    private long passed;

    HeldBack(RailPlan.Disorder disorder) {
      this.disorder = disorder;
    }

    /** Holds it back; if not, it passes now. */
    boolean takes(MemorySegment packet, long nowNs) {
      if (disorder.percent() > 0 && random.nextInt(100) < disorder.percent()) {
        MemorySegment copy = Arena.ofAuto().allocate(packet.byteSize(), 8).copyFrom(packet);
        packets.addLast(new Packet(copy, passed + disorder.by(), nowNs + HELD_NS));
        return true;
      }
      passed++;
      return false;
    }

    void release(Consumer<MemorySegment> to, long nowNs) {
      for (Packet first = packets.peekFirst();
          first != null && (passed >= first.untilPassed || nowNs - first.untilNs >= 0);
          first = packets.peekFirst()) {
        to.accept(first.bytes);
        packets.removeFirst();
      }
    }
  }

  /** What is in the cable, one behind the other in a ring. */
  private static final class UnderWay {
    private final MemorySegment ring;
    private final int[] starts = new int[MOST_PACKETS];
    private final int[] lengths = new int[MOST_PACKETS];
    private final long[] dueNs = new long[MOST_PACKETS];
    private long head;
    private long tail;
    private int end; // where the next one goes

    UnderWay(Arena arena) {
      ring = arena.allocate(MOST_BYTES, 64);
    }

    boolean isEmpty() {
      return head == tail;
    }

    /** Whether there is room for one of any length. */
    boolean hasRoom() {
      if (isEmpty()) {
        end = 0;
        return true;
      }
      int start = starts[slot(head)];
      if (end > start && MOST_BYTES - end < LONGEST) {
        if (start < LONGEST) {
          return false;
        }
        end = 0;
      }
      return tail - head < MOST_PACKETS && (end > start || start - end >= LONGEST);
    }

    /** Where the next one may be put. */
    MemorySegment room() {
      return ring.asSlice(end, LONGEST);
    }

    /** It was. */
    void add(int length, long due) {
      int slot = slot(tail++);
      starts[slot] = end;
      lengths[slot] = length;
      dueNs[slot] = due;
      end += length;
    }

    MemorySegment first() {
      return ring.asSlice(starts[slot(head)], firstLength());
    }

    int firstLength() {
      return lengths[slot(head)];
    }

    long firstDueNs() {
      return dueNs[slot(head)];
    }

    void removeFirst() {
      head++;
    }

    private static int slot(long number) {
      return (int) (number % MOST_PACKETS);
    }
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
