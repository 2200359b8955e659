// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Finds out whether segmentation and receive offload do what they promise here, with a pair of
 * scratch sockets on the port's own address: three packets leave in one call and must arrive as
 * three, or merged with the right segment size. A kernel (or an imitation of one) that takes the
 * option and then sends something else is found out before it costs real packets. What a certain
 * NIC cannot do shows at run time, as an error.
 */
final class OffloadProbe {
  private static final int SEGMENT_BYTES = 600;
  private static final int LAST_BYTES = 300;
  private static final int TOTAL_BYTES = 2 * SEGMENT_BYTES + LAST_BYTES;
  private static final int SMALL_BUFFER = 64 << 10;
  private static final long WAIT_NS = 10_000_000L;

  /** Calls that look for packets before giving up; each waits up to {@link #WAIT_NS}. */
  private static final int MAX_LOOKS = 4;

  private OffloadProbe() {}

  /**
   * What may be used.
   *
   * @param gso segmentation offload when sending
   * @param gro receive offload
   */
  record Result(boolean gso, boolean gro) {}

  static Result run(Libc libc, UdpConfig config) {
    if (!config.gso() && !config.gro()) {
      return new Result(false, false);
    }
    InetAddress bound = config.bind().getAddress();
    InetAddress address = bound.isAnyLocalAddress() ? Interfaces.loopback(bound.getClass()) : bound;
    UdpConfig scratch =
        new UdpConfig(
            config.uri(),
            new InetSocketAddress(address, 0),
            null,
            0,
            SMALL_BUFFER,
            SMALL_BUFFER,
            true,
            true);
    LinuxSocket receiver = null;
    LinuxSocket sender = null;
    try (Arena arena = Arena.ofConfined()) {
      receiver = LinuxSocket.open(libc, scratch);
      sender = LinuxSocket.open(libc, scratch);
      Result result = new OffloadProbe.Pair(libc, arena, sender, receiver).test();
      return new Result(config.gso() && result.gso, config.gro() && result.gro);
    } catch (RailException e) {
      return new Result(false, false); // out of descriptors or the like: the port itself will tell
    } finally {
      if (receiver != null) {
        receiver.close();
      }
      if (sender != null) {
        sender.close();
      }
    }
  }

  /** The two scratch sockets. */
  private static final class Pair {
    private final Libc libc;
    private final LinuxSocket sender;
    private final LinuxSocket receiver;
    private final TransmitBatch batch;
    private final ReceiveRing ring;
    private final SockAddr target;
    private final MemorySegment pollfd;
    private final MemorySegment timeout;

    Pair(Libc libc, Arena arena, LinuxSocket sender, LinuxSocket receiver) {
      this.libc = libc;
      this.sender = sender;
      this.receiver = receiver;
      batch = new TransmitBatch(arena, sender.family(), TransmitBatch.CAPACITY_BYTES, false, false);
      ring = new ReceiveRing(arena, libc, receiver.family(), false);
      target = SockAddr.of(receiver.bound());
      pollfd = arena.allocate(SocketAbi.POLLFD_BYTES, 8);
      timeout = arena.allocate(16, 8);
    }

    Result test() {
      boolean hasGro = libc.setOption(receiver.fd(), SocketAbi.SOL_UDP, SocketAbi.UDP_GRO, 1) == 0;
      boolean hasGso =
          libc.setOption(sender.fd(), SocketAbi.SOL_UDP, SocketAbi.UDP_SEGMENT, 0) == 0;
      if (!hasGso) {
        // without segmented packets there is nothing to show merging with; real GRO came later than
        // GSO
        return new Result(false, false);
      }
      if (!isReachable()) {
        // loopback is down, as in a fresh network namespace: nothing can be shown, and run time
        // must tell
        return new Result(true, hasGro);
      }
      fill(true);
      int sent = send();
      if (sent < 0) {
        return new Result(false, false);
      }
      return arrived(hasGro);
    }

    /** Whether a plain packet arrives. */
    private boolean isReachable() {
      fill(false);
      return send() >= 0 && await() && ring.tryReceive(receiver.fd(), 1) == 1;
    }

    private void fill(boolean segmented) {
      batch.setSegmentation(segmented);
      int packets = segmented ? 3 : 1;
      for (int i = 0; i < packets; i++) {
        int length = i == 2 ? LAST_BYTES : SEGMENT_BYTES;
        batch.memory().asSlice(batch.tail(), length).fill((byte) (i + 1));
        batch.add(null, target, null, length);
      }
    }

    private int send() {
      batch.describeAll();
      int groups = batch.groups();
      int result = libc.sendmmsg(sender.fd(), batch.headers(0), groups, SocketAbi.MSG_DONTWAIT);
      batch.clear();
      return result == groups ? result : -Errno.EIO;
    }

    private boolean await() {
      pollfd.set(ValueLayout.JAVA_INT, 0, receiver.fd());
      pollfd.set(ValueLayout.JAVA_SHORT, SocketAbi.POLLFD_EVENTS, SocketAbi.POLLIN);
      timeout.set(JAVA_LONG, 8, WAIT_NS);
      return libc.ppoll(pollfd, 1, timeout) > 0;
    }

    private Result arrived(boolean hasGro) {
      int packets = 0;
      int bytes = 0;
      boolean merged = false;
      for (int look = 0; look < MAX_LOOKS && bytes < TOTAL_BYTES && await(); look++) {
        if (ring.tryReceive(receiver.fd(), 1) != 1) {
          break;
        }
        int segment = ring.segment(0);
        int length = ring.length(0);
        merged |= segment == SEGMENT_BYTES;
        int step = segment > 0 ? segment : length;
        for (int at = 0; at < length && step > 0; at += step) {
          int packetBytes = Math.min(step, length - at);
          if (!isPacket(packets, ring.offset(0) + at, packetBytes)) {
            return new Result(false, false);
          }
          packets++;
          bytes += packetBytes;
        }
      }
      boolean whole = packets == 3 && bytes == TOTAL_BYTES;
      return new Result(whole, whole && merged && hasGro);
    }

    private boolean isPacket(int index, long offset, int length) {
      if (index > 2 || length != (index == 2 ? LAST_BYTES : SEGMENT_BYTES)) {
        return false;
      }
      for (int i = 0; i < length; i++) {
        if (ring.memory().get(JAVA_BYTE, offset + i) != index + 1) {
          return false;
        }
      }
      return true;
    }
  }
}
