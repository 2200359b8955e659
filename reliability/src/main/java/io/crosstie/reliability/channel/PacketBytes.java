// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.MemoryFaults;
import java.lang.foreign.MemorySegment;

/**
 * A fragment whose bytes are in the packet at hand. Used again for every packet.
 *
 * <p>The first bytes of a packet were copied to private memory already, since there its header is
 * judged. What lies among them, as all of a small packet does, is taken from there: each further
 * access to a rail's memory would cost as much as the whole message.
 */
public final class PacketBytes implements FragmentSource {
  private byte[] copied = {};
  private int copiedBytes;
  private MemorySegment memory = MemorySegment.NULL;

  /** It is a file, which the peer may truncate: what was copied out of it may be nothing. */
  private boolean canFault;

  private long base;
  private int offset;

  /**
   * Points it to a packet.
   *
   * @param privateCopy of its first bytes
   * @param copiedLength how many of them
   * @param packetMemory where the port has it
   * @param packetOffset of its first byte there
   * @throws InternalError if the copy was made from a file that was truncated
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // see RunQueue
  public void of(
      byte[] privateCopy, int copiedLength, MemorySegment packetMemory, long packetOffset) {
    if (copied != privateCopy) {
      copied = privateCopy;
    }
    if (memory != packetMemory) {
      memory = packetMemory;
      canFault = packetMemory.isMapped();
    }
    if (canFault) {
      MemoryFaults.raise();
    }
    copiedBytes = copiedLength;
    base = packetOffset;
  }

  /** Points it to a fragment, by where it begins in the packet. */
  public PacketBytes at(int offsetInPacket) {
    offset = offsetInPacket;
    return this;
  }

  @Override
  public long copy(MemorySegment into, long at, int length, Checksum algorithm) {
    if (length <= copiedBytes - offset) {
      int sum = algorithm.compute(copied, offset, length);
      MemorySegment.copy(copied, offset, into, JAVA_BYTE, at, length);
      return Integer.toUnsignedLong(sum);
    }
    int sum = algorithm.copy(memory, base + offset, into, at, length);
    if (canFault) {
      MemoryFaults.raise(); // before it counts as received
    }
    return Integer.toUnsignedLong(sum);
  }
}
