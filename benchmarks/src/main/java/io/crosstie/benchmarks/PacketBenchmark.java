// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelLimits;
import io.crosstie.reliability.channel.FragmentVerdict;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.MessageLengths;
import io.crosstie.reliability.channel.PacketBytes;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PacketValidator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What one packet with one message costs without any I/O: written, judged, and taken in. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH sets the fields
public class PacketBenchmark {
  private static final int MAX_PACKET = 65_507;
  private static final int EAGER_BYTES = 1 << 16;
  private static final int BUFFER_BYTES = 4 << 20;
  private static final long MAX_MESSAGE_BYTES = 1L << 30;

  /** As much as an endpoint copies out of a packet at first; this one's header is shorter. */
  private static final int HEADER_BYTES = 256;

  private static final long CONNECTION_ID = 0x1234_5678_9abcL;

  /** Bytes of the message: one that fits a cache line, a full datagram, a full jumbo datagram. */
  @Param({"8", "1400", "8900", "60000"})
  public int size;

  private Arena arena;
  private BufferPool pool;
  private NodeMemory memory;
  private Checksum checksum;
  private ChannelCore sender;
  private ChannelCore receiver;
  private MemorySegment message;
  private MemorySegment packet;
  private int packetLength;
  private long packetNumber;
  private long nextReceived = 1;
  private final byte[] header = new byte[PacketHeader.MAX_HEADER_LENGTH];
  private final PacketAssembler assembler = new PacketAssembler();
  private final PacketBytes bytes = new PacketBytes();
  private final PacketValidator validator = new PacketValidator();
  private final MessageHandler handler =
      (segment, offset, length, sequence) -> MessageHandler.Action.CONTINUE;
  private final MessageLengths lengths =
      index -> EagerFrame.messageLength(header, PacketHeader.LENGTH, index);

  /** Makes two channels, and a packet of the first for the second. */
  @Setup(Level.Trial)
  public void setUp() {
    arena = Arena.ofShared();
    pool = new BufferPool(0);
    memory = new NodeMemory(1L << 28, pool);
    checksum = Checksum.of(ChecksumKind.CRC32C);
    message = arena.allocate(size, 64);
    packet = arena.allocate(MAX_PACKET, 64);
    sender = channel();
    receiver = channel();
    if (sender.offer(message, 0, size) != 1) {
      throw new IllegalStateException("the first message was not taken");
    }
    packetLength = encode();
    validate(); // decode reads the header copied there
  }

  private ChannelCore channel() {
    ChannelLimits limits =
        new ChannelLimits(
            MAX_MESSAGE_BYTES,
            EAGER_BYTES,
            BUFFER_BYTES,
            BUFFER_BYTES,
            BUFFER_BYTES,
            MAX_MESSAGE_BYTES);
    ChannelCore channel = new ChannelCore(1, Priority.NORMAL, limits, memory.share());
    channel.engine().connect(Long.MAX_VALUE / 2, MAX_MESSAGE_BYTES);
    channel.engine().sender().setUse(0);
    return channel;
  }

  /** Gives the memory back. */
  @TearDown(Level.Trial)
  public void tearDown() {
    sender.engine().terminate(-1);
    receiver.engine().terminate(-1);
    pool.close();
    arena.close();
  }

  /** A message out of the send log into a packet, with both checksums. */
  @Benchmark
  public int encode() {
    assembler.begin(MAX_PACKET, 0, CONNECTION_ID, ++packetNumber);
    if (!assembler.eager(sender.engine(), 1, size, 0)) {
      throw new IllegalStateException("the message does not fit");
    }
    return assembler.finish(packet, 0, checksum, null);
  }

  /** The packet's header, copied out and judged. */
  @Benchmark
  public int validate() {
    int copied = Math.min(packetLength, HEADER_BYTES);
    MemorySegment.copy(packet, JAVA_BYTE, 0, header, 0, copied);
    int result = validator.validate(header, 0, copied, packetLength, MAX_MESSAGE_BYTES);
    if (result < 0) {
      throw new IllegalStateException("refused: " + result);
    }
    return result;
  }

  /** The packet's message, checked, copied, delivered, and its memory released. */
  @Benchmark
  public int decode() {
    return decode(validatedHeaderLength());
  }

  /** All three. */
  @Benchmark
  public int encodeValidateDecode() {
    packetLength = encode();
    return decode(validate());
  }

  private int validatedHeaderLength() {
    return packetLength - size;
  }

  private int decode(int headerLength) {
    ChannelEngine engine = receiver.engine();
    bytes.of(header, Math.min(packetLength, HEADER_BYTES), packet, 0);
    int verdict =
        engine
            .received()
            .onEager(
                nextReceived++, // the same bytes come as the next message each time
                1,
                lengths,
                size,
                EagerFrame.checksum(header, PacketHeader.LENGTH),
                checksum,
                bytes.at(headerLength));
    if (verdict != FragmentVerdict.ACCEPTED || receiver.poll(handler, 1) != 1) {
      throw new IllegalStateException("not delivered, verdict " + verdict);
    }
    boolean released = engine.received().release();
    return released ? verdict : 0;
  }
}
