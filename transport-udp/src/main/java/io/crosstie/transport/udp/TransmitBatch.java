// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_BYTES;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_LEVEL;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_TYPE;
import static io.crosstie.transport.linux.SocketAbi.IOVEC_BYTES;
import static io.crosstie.transport.linux.SocketAbi.MMSGHDR_BYTES;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_CONTROL;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_CONTROLLEN;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_IOV;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_IOVLEN;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_NAME;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_NAMELEN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.Rail;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The transmit memory of a port, shared by all of its rails, and the kernel's description of what
 * lies in it.
 *
 * <p>Packets lie one behind the other. Those that follow each other to one address and have one
 * length (the last may be shorter) form a <em>group</em>, which is one message with segmentation
 * offload; without it a group is one packet. Groups leave in order, several per system call.
 *
 * <pre>
 *   memory   | p0 | p1 | p2 |p3| p4      | p5      |
 *   groups   |  group 0        | group 1           |      one mmsghdr, iovec, address and control message each
 * </pre>
 *
 * <p>It is small on purpose: what the core writes is still in the cache when the kernel copies it.
 */
final class TransmitBatch {
  /** Room for packets, in bytes: one largest packet, or one full segmentation batch. */
  static final int CAPACITY_BYTES = 64 << 10;

  /** Most groups in a batch. */
  static final int MAX_GROUPS = 64;

  private static final int ALIGNMENT = 64;

  /** The first control message: header, 16-bit segment size, padding. */
  private static final int SEGMENT_BYTES = CMSGHDR_BYTES + 8;

  private final int maxGroupBytes;
  private final MemorySegment memory;
  private final MemorySegment headers;
  private final MemorySegment iovecs;
  private final MemorySegment names;
  private final MemorySegment controls;

  /**
   * A slice of {@link #headers} from each header to the end, made once: passing one allocates
   * nothing.
   */
  private final MemorySegment[] headersFrom = new MemorySegment[MAX_GROUPS];

  private final @Nullable Rail[] rails = new @Nullable Rail[MAX_GROUPS];
  private final int[] offsets = new int[MAX_GROUPS];
  private final int[] lengths = new int[MAX_GROUPS];
  private final int[] segments = new int[MAX_GROUPS];
  private final int[] counts = new int[MAX_GROUPS];

  private final boolean connected;

  /** Room for the control messages of a group; the second, if there is one, says where from. */
  private final int controlBytes;

  /** Length of each group's control message that says from which address it leaves, or 0. */
  private final int[] sources = new int[MAX_GROUPS];

  /** The groups not yet sent are {@code first} to {@code end - 1}. */
  private int first;

  private int end;

  /** Where the next packet goes. */
  private int tail;

  /** 1 without segmentation offload. */
  private int maxSegments = 1;

  /**
   * Allocates.
   *
   * @param maxGroupBytes most bytes in one message, in bytes
   * @param connected whether the socket knows where everything goes, so that no address is given
   * @param wildcard whether the socket has all addresses of this host, so that a packet may have to
   *     say from which one it leaves
   */
  TransmitBatch(Arena arena, int family, int maxGroupBytes, boolean connected, boolean wildcard) {
    this.maxGroupBytes = maxGroupBytes;
    this.connected = connected;
    controlBytes = wildcard ? SEGMENT_BYTES + PacketInfo.CONTROL_BYTES : SEGMENT_BYTES;
    memory = arena.allocate(CAPACITY_BYTES, 4096);
    headers = arena.allocate((long) MAX_GROUPS * MMSGHDR_BYTES, ALIGNMENT);
    iovecs = arena.allocate((long) MAX_GROUPS * IOVEC_BYTES, ALIGNMENT);
    names = arena.allocate((long) MAX_GROUPS * SockAddr.SLOT_BYTES, ALIGNMENT);
    controls = arena.allocate((long) MAX_GROUPS * controlBytes, ALIGNMENT);
    for (int i = 0; i < MAX_GROUPS; i++) {
      long header = (long) i * MMSGHDR_BYTES;
      long control = (long) i * controlBytes;
      headersFrom[i] = headers.asSlice(header);
      if (!connected) {
        headers.set(
            JAVA_LONG, header + MSGHDR_NAME, names.address() + (long) i * SockAddr.SLOT_BYTES);
        headers.set(JAVA_INT, header + MSGHDR_NAMELEN, SockAddr.length(family));
      }
      headers.set(JAVA_LONG, header + MSGHDR_IOV, iovecs.address() + (long) i * IOVEC_BYTES);
      headers.set(JAVA_LONG, header + MSGHDR_IOVLEN, 1L);
      headers.set(JAVA_LONG, header + MSGHDR_CONTROL, controls.address() + control);
      controls.set(JAVA_LONG, control, (long) CMSGHDR_BYTES + 2);
      controls.set(JAVA_INT, control + CMSGHDR_LEVEL, SocketAbi.SOL_UDP);
      controls.set(JAVA_INT, control + CMSGHDR_TYPE, SocketAbi.UDP_SEGMENT);
    }
  }

  MemorySegment memory() {
    return memory;
  }

  void setSegmentation(boolean on) {
    maxSegments = on ? SocketAbi.UDP_MAX_SEGMENTS : 1;
  }

  boolean segmentation() {
    return maxSegments > 1;
  }

  boolean isEmpty() {
    return first == end;
  }

  /** Whether one more packet of that length fits. */
  boolean hasRoom(int length) {
    return end < MAX_GROUPS && tail + length <= CAPACITY_BYTES;
  }

  /** Where the next packet will lie; only if {@link #hasRoom}. */
  int tail() {
    return tail;
  }

  /**
   * Adds the packet that was written at {@link #tail()}.
   *
   * @param from which of this host's addresses it leaves from, the same for all packets of a rail;
   *     null to leave that to the system
   */
  void add(@Nullable Rail rail, SockAddr address, @Nullable PacketInfo from, int length) {
    int last = end - 1;
    if (last >= first && joins(last, rail, length)) {
      lengths[last] += length;
      counts[last]++;
    } else {
      rails[end] = rail;
      offsets[end] = tail;
      lengths[end] = length;
      segments[end] = length;
      counts[end] = 1;
      address.write(names, (long) end * SockAddr.SLOT_BYTES);
      if (controlBytes > SEGMENT_BYTES) {
        long control = (long) end * controlBytes + SEGMENT_BYTES;
        sources[end] = from == null ? 0 : from.write(controls, control);
      }
      end++;
    }
    tail += length;
  }

  /** A group takes packets until one is shorter than its first. */
  @SuppressWarnings("ReferenceEquality") // a rail is its own identity
  private boolean joins(int group, @Nullable Rail rail, int length) {
    return rails[group] == rail
        && length <= segments[group]
        && counts[group] < maxSegments
        && lengths[group] == counts[group] * segments[group]
        && lengths[group] + length <= maxGroupBytes;
  }

  int firstGroup() {
    return first;
  }

  int groups() {
    return end - first;
  }

  @Nullable Rail rail(int group) {
    return rails[group];
  }

  /** Packets in the group. */
  int packets(int group) {
    return counts[group];
  }

  /** Bytes in the group. */
  int bytes(int group) {
    return lengths[group];
  }

  /** Whether there is one packet and nothing else, and the socket knows where it goes. */
  boolean isPlain() {
    return connected && end - first == 1 && counts[first] == 1;
  }

  /** Address of the group's first packet. */
  long address(int group) {
    return memory.address() + offsets[group];
  }

  /** Length, in bytes, of the group's first packet. */
  int firstPacketBytes(int group) {
    return Math.min(segments[group], lengths[group]);
  }

  /** The array of mmsghdr from a group on, its first element a msghdr. */
  MemorySegment headers(int group) {
    return headersFrom[group];
  }

  /** Fills in the headers of all groups. */
  void describeAll() {
    for (int i = first; i < end; i++) {
      describe(i, lengths[i], counts[i] > 1 ? SEGMENT_BYTES : 0);
    }
  }

  /** Fills in the header of a group as if it consisted of its first packet. */
  void describeFirstPacket(int group) {
    describe(group, firstPacketBytes(group), 0);
  }

  private void describe(int group, int length, int segmentBytes) {
    long iovec = (long) group * IOVEC_BYTES;
    iovecs.set(JAVA_LONG, iovec, memory.address() + offsets[group]);
    iovecs.set(JAVA_LONG, iovec + 8, (long) length);
    long control = (long) group * controlBytes;
    controls.set(JAVA_SHORT, control + CMSGHDR_BYTES, (short) segments[group]);
    long header = (long) group * MMSGHDR_BYTES;
    int controlLength = segmentBytes;
    if (controlBytes > SEGMENT_BYTES) {
      controlLength += sources[group];
      long begin = control + SEGMENT_BYTES - segmentBytes; // the first is left out, or neither
      headers.set(JAVA_LONG, header + MSGHDR_CONTROL, controls.address() + begin);
    }
    headers.set(JAVA_LONG, header + MSGHDR_CONTROLLEN, (long) controlLength);
  }

  /** Takes the first packet off a group. */
  void dropFirstPacket(int group) {
    int length = firstPacketBytes(group);
    offsets[group] += length;
    lengths[group] -= length;
    counts[group]--;
  }

  /** Forgets the first groups; when none is left the memory is free again. */
  void dropGroups(int number) {
    for (int i = 0; i < number; i++) {
      rails[first++] = null;
    }
    if (first == end) {
      first = 0;
      end = 0;
      tail = 0;
    }
  }

  /** Forgets everything: the socket is gone. */
  void clear() {
    dropGroups(groups());
  }
}
