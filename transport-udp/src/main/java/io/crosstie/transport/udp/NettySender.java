// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.linux.Errno;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The transmit memory of a Netty port and what lies in it. At a flush every run of equal packets to
 * one rail becomes one message (segmented where that works), and the memory is free again when
 * Netty has reported all of them.
 *
 * <p>Netty wants a packet object, a slice and a promise per message: about 200 bytes of garbage,
 * for a run or a packet.
 */
final class NettySender {
  private static final int CAPACITY_BYTES = 64 << 10;
  private static final int MAX_PACKETS = 256;
  private static final int MAX_SEGMENTS = 64;

  private final Counters<PortCounter> counters;
  private final Owner owner;
  private final int maxRunBytes;
  private final MemorySegment memory =
      Arena.ofAuto().allocate(CAPACITY_BYTES, 4096); // collected: Netty may still hold slices
  private final ByteBuf buffer = Unpooled.wrappedBuffer(memory.asByteBuffer());
  private final @Nullable NettyUdpRail[] rails = new @Nullable NettyUdpRail[MAX_PACKETS];
  private final int[] offsets = new int[MAX_PACKETS];
  private final int[] lengths = new int[MAX_PACKETS];
  private final boolean[] again = new boolean[MAX_PACKETS];
  private boolean segmentation;
  private boolean anyAgain;
  private int count;
  private int tail;

  /** Messages handed to Netty and not reported yet. */
  private int outstanding;

  /** Packets added and neither sent nor failed yet. */
  private int unreported;

  /** Packets of this batch that were handed to Netty. */
  private int writtenUpTo;

  /** Grows when everything is dropped, so that late reports are known for what they are. */
  private int generation;

  /** What the port does about errors. */
  interface Owner {
    /** Messages could not be sent. */
    void onSendError(@Nullable NettyUdpRail rail, int packets, Throwable cause);

    /** Segmentation offload was given up. */
    void onSegmentationLost();
  }

  NettySender(Counters<PortCounter> counters, Owner owner, int maxRunBytes, boolean segmentation) {
    this.counters = counters;
    this.owner = owner;
    this.maxRunBytes = maxRunBytes;
    this.segmentation = segmentation;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Whether something was handed over that the kernel has not taken. */
  boolean isBlocked() {
    return outstanding > 0;
  }

  boolean hasRoom(int length) {
    return count < MAX_PACKETS && tail + length <= CAPACITY_BYTES;
  }

  int tail() {
    return tail;
  }

  void add(NettyUdpRail rail, int length) {
    rails[count] = rail;
    offsets[count] = tail;
    lengths[count] = length;
    count++;
    tail += length;
    unreported++;
  }

  /** Sends what was added, unless some of it is still on its way. */
  void flush(Channel channel) {
    if (count == 0) {
      return;
    }
    if (outstanding == 0) {
      writeRuns(channel);
    }
    channel.flush();
    if (outstanding == 0 && anyAgain) {
      anyAgain = false;
      for (int i = 0; i < count; i++) {
        if (again[i]) {
          again[i] = false;
          write(channel, i, 1);
        }
      }
      channel.flush();
    }
    releaseIfDone();
  }

  /** Forgets what has been reported; to be called after the loop ran. */
  void releaseIfDone() {
    if (outstanding == 0 && !anyAgain && writtenUpTo == count) {
      forget();
    }
  }

  private void writeRuns(Channel channel) {
    while (writtenUpTo < count) {
      int first = writtenUpTo;
      int end = first + 1;
      int bytes = lengths[first];
      while (segmentation && end < count && joins(first, end, bytes)) {
        bytes += lengths[end];
        end++;
      }
      writtenUpTo = end;
      write(channel, first, end - first);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a rail is its own identity
  private boolean joins(int first, int candidate, int bytes) {
    return rails[candidate] == rails[first]
        && lengths[candidate] <= lengths[first]
        && lengths[candidate - 1] == lengths[first]
        && candidate - first < MAX_SEGMENTS
        && bytes + lengths[candidate] <= maxRunBytes;
  }

  private void write(Channel channel, int first, int packets) {
    NettyUdpRail rail = rails[first];
    if (rail == null) {
      return;
    }
    int last = first + packets - 1;
    int bytes = offsets[last] + lengths[last] - offsets[first];
    ByteBuf content = buffer.retainedSlice(offsets[first], bytes);
    DatagramPacket message =
        packets == 1
            ? new DatagramPacket(content, rail.inetAddress())
            : new SegmentedDatagramPacket(content, lengths[first], rail.inetAddress());
    outstanding++;
    counters.increment(PortCounter.SEND_CALLS);
    var unused = channel.write(message, new Report(channel, first, packets, bytes));
  }

  /** Sends a copy of a small packet at once, beside the batch. */
  void reply(Channel channel, MemorySegment packet, long offset, int length, InetSocketAddress to) {
    ByteBuf copy = channel.alloc().directBuffer(length);
    MemorySegment.copy(
        packet, offset, MemorySegment.ofBuffer(copy.internalNioBuffer(0, length)), 0, length);
    copy.writerIndex(length);
    outstanding++;
    unreported++;
    var unused =
        channel.writeAndFlush(new DatagramPacket(copy, to), new Report(channel, -1, 1, length));
  }

  /** Drops everything: the channel is gone. */
  void dropAll() {
    generation++;
    counters.add(PortCounter.DROPPED_OUT, unreported);
    unreported = 0;
    outstanding = 0;
    anyAgain = false;
    Arrays.fill(again, false);
    forget();
  }

  private void forget() {
    Arrays.fill(rails, 0, count, null);
    count = 0;
    tail = 0;
    writtenUpTo = 0;
  }

  private void onSent(int packets, int bytes) {
    outstanding--;
    unreported -= packets;
    counters.add(PortCounter.PACKETS_OUT, packets);
    counters.add(PortCounter.BYTES_OUT, bytes);
  }

  private void onFailed(int first, int packets, Throwable cause) {
    outstanding--;
    int errno = UdpErrors.errno(cause);
    if (packets > 1 && isOffloadError(errno)) {
      if (segmentation && errno != Errno.EMSGSIZE) {
        segmentation = false;
        owner.onSegmentationLost();
      }
      Arrays.fill(again, first, first + packets, true);
      anyAgain = true;
      return;
    }
    unreported -= packets;
    owner.onSendError(first < 0 ? null : rails[first], packets, cause);
  }

  private static boolean isOffloadError(int errno) {
    return errno == Errno.EIO
        || errno == Errno.EINVAL
        || errno == Errno.EOPNOTSUPP
        || errno == Errno.ENOPROTOOPT
        || errno == Errno.EMSGSIZE;
  }

  /** How Netty reports one message. */
  private final class Report extends DefaultChannelPromise {
    private final int first;
    private final int packets;
    private final int bytes;
    private final int madeIn = generation;

    Report(Channel channel, int first, int packets, int bytes) {
      super(channel, channel.eventLoop());
      this.first = first;
      this.packets = packets;
      this.bytes = bytes;
    }

    @Override
    public boolean trySuccess(Void result) {
      boolean changed = super.trySuccess(null);
      if (changed && madeIn == generation) {
        onSent(packets, bytes);
      }
      return changed;
    }

    @Override
    public boolean tryFailure(Throwable cause) {
      boolean changed = super.tryFailure(cause);
      if (changed && madeIn == generation) {
        onFailed(first, packets, cause);
      }
      return changed;
    }
  }
}
