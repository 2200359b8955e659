// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelLimits;
import io.crosstie.reliability.channel.ChannelSender;
import io.crosstie.reliability.channel.FragmentVerdict;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.PacketBytes;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PacketValidator;
import io.crosstie.transport.PayloadWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PacketAssemblerTest {
  private static final ChannelLimits LIMITS =
      new ChannelLimits(1 << 20, 64 << 10, 1 << 20, 1 << 20, 1 << 20, 1 << 20);

  private final NodeMemory.Share pool = new NodeMemory(1 << 24, new BufferPool(1 << 22)).share();
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);

  @Test
  void whatIsBuiltValidatesAndArrives() {
    Random random = new Random(11);
    ChannelCore from = new ChannelCore(3, Priority.NORMAL, LIMITS, pool);
    ChannelCore to = new ChannelCore(3, Priority.NORMAL, LIMITS, pool);
    from.engine().connect(1 << 20, 1 << 20);
    from.engine().sender().setUse(0);
    to.engine().connect(1 << 20, 1 << 20);
    to.engine().sender().setUse(0);
    PacketAssembler assembler = new PacketAssembler();
    PacketValidator validator = new PacketValidator();
    MemorySegment packet = Arena.ofAuto().allocate(1408);
    MemorySegment message = Arena.ofAuto().allocate(5000);
    PayloadWriter writer =
        (sum, state, source, offset, at, bytes) ->
            sum.updateShared(state, source, offset, packet, at, bytes, null);
    long[] delivered = {0};
    for (int n = 0; n < 3000; n++) {
      int length = random.nextInt(50) == 0 ? 2000 + random.nextInt(3000) : random.nextInt(120);
      for (int i = 0; i < length; i++) {
        message.set(ValueLayout.JAVA_BYTE, i, (byte) (n + i));
      }
      assertTrue(from.offer(message, 0, length) > 0);
      if (random.nextInt(20) != 0) {
        continue;
      }
      while (from.engine().sender().sendState() == ChannelSender.READY) {
        assembler.begin(1408, 1, 99, n);
        fill(assembler, from.engine());
        int size = assembler.finish(packet, 0, crc, random.nextBoolean() ? writer : null);
        byte[] header = packet.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
        int head = validator.validate(header, 0, size, size, 1 << 20);
        assertTrue(head > 0, "refused for reason " + head);
        take(header, head, packet, to.engine());
      }
      assertEquals(from.offeredSequence(), to.receivedSequence());
      to.poll(
          (segment, offset, bytes, seq) -> {
            for (int i = 0; i < bytes; i++) {
              assertEquals(
                  (byte) (seq - 1 + i),
                  segment.get(ValueLayout.JAVA_BYTE, offset + i),
                  "message " + seq);
            }
            assertEquals(++delivered[0], seq);
            return MessageHandler.Action.CONTINUE;
          },
          Integer.MAX_VALUE);
      to.engine().received().release();
      ChannelEngine e = to.engine();
      assertEquals(
          1,
          from.engine()
              .sender()
              .onPeerState(
                  e.received().accepted(), e.received().consumed(), e.received().creditLimit()));
    }
    assertTrue(delivered[0] > 2000);
  }

  private static void fill(PacketAssembler b, ChannelEngine channel) {
    while (channel.sender().sendState() == ChannelSender.READY) {
      long seq = channel.sender().nextSequence();
      long length = channel.sender().nextLength();
      if (channel.sender().nextOffset() == 0 && length < 1300) {
        if (b.eagers(channel, 1299) == 0) {
          return;
        }
      } else {
        int took =
            b.fragment(
                channel,
                seq,
                channel.sender().nextOffset(),
                length - channel.sender().nextOffset(),
                0);
        if (took == 0) {
          return;
        }
        channel.sender().takeBytes(took);
      }
    }
  }

  private void take(byte[] header, int head, MemorySegment packet, ChannelEngine to) {
    int payload = head;
    PacketBytes bytes = new PacketBytes();
    bytes.of(header, head, packet, 0);
    for (int f = PacketHeader.LENGTH; f < head; f += Frames.length(header, f)) {
      int frame = f;
      int length = Frames.payloadLength(header, f);
      int verdict =
          Frames.type(header, f) == Frames.EAGER
              ? to.received()
                  .onEager(
                      EagerFrame.firstMessage(header, f),
                      EagerFrame.count(header, f),
                      i -> EagerFrame.messageLength(header, frame, i),
                      length,
                      EagerFrame.checksum(header, f),
                      crc,
                      bytes.at(payload))
              : to.received()
                  .onFragment(
                      FragmentFrame.messageNumber(header, f),
                      FragmentFrame.messageLength(header, f),
                      FragmentFrame.offset(header, f),
                      length,
                      FragmentFrame.checksum(header, f),
                      crc,
                      bytes.at(payload));
      assertEquals(FragmentVerdict.ACCEPTED, verdict);
      payload += length;
    }
  }

  @Test
  void aLentMessageWhoseArenaWasClosedFailsAlone() {
    ChannelCore core = new ChannelCore(3, Priority.NORMAL, LIMITS, pool);
    core.engine().connect(1 << 20, 1 << 20);
    core.engine().sender().setUse(0);
    Arena arena = Arena.ofShared();
    String[] error = {null};
    core.send(arena.allocate(100), 0, 100, (seq, why) -> error[0] = why);
    arena.close();
    PacketAssembler b = new PacketAssembler();
    b.begin(1408, 0, 5, 0);
    fill(b, core.engine());
    assertEquals(-1, b.finish(Arena.ofAuto().allocate(1408), 0, crc, null));
    ChannelEngine failed = b.failedChannel();
    assertNotNull(failed);
    failed.sender().fail(b.failedSequence(), "closed");
    assertTrue(failed.sender().isAbortDue());
    assertEquals(1, failed.sender().takeFailure());
    assertEquals(1, failed.sender().onPeerState(1, 1, 1 << 20));
    assertEquals(1, core.reportCompletions(10));
    assertEquals("closed", error[0]);
  }
}
