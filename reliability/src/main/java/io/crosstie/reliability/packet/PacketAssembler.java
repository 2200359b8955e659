// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.packet;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.checksum.MemoryFaults;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.EagerLengths;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.loss.SentItem;
import io.crosstie.reliability.loss.SentPackets;
import io.crosstie.reliability.wire.DatagramFrame;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PaddingFrame;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.reliability.wire.ReferenceFrame;
import io.crosstie.transport.PayloadWriter;
import io.crosstie.transport.Rail;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Assembles every DATA packet, from the claim to the commit: frames first, in private memory, then
 * {@link #finish} copies header and payload into what was claimed of the rail's transmit memory,
 * the payload checksummed in the same pass.
 *
 * <p>Call order: {@link #begin}, or {@link #next} for more of the same message; any number of
 * frames while {@link #room()} allows; {@link #finish}; {@link #commit}; or {@link #abort} at any
 * time. What was put in can be read back as items for {@link SentPackets}, until the next packet
 * begins. What a rail's driver throws is passed on. One instance per engine; nothing is allocated.
 */
public final class PacketAssembler {
  private static final int MAX_FRAMES = SentPackets.MAX_ITEMS;

  /** A packet up to this length is assembled as a whole in private memory. */
  private static final int SMALL_PACKET = 1 << 10;

  /** So much lent memory is copied at a time: half of a first-level cache. */
  private static final int LENT_BLOCK = 16 << 10;

  private final Checksum headerChecksum = Checksum.of(ChecksumKind.CRC32C);
  private final byte[] header = new byte[PacketHeader.MAX_HEADER_LENGTH];

  private @Nullable Rail rail;

  /** Where the packet begins in the rail's memory. */
  private long claim;

  private int limit;
  private int headerLength;
  private int payloadLength;
  private boolean eliciting;

  private int items;
  private final byte[] kind = new byte[MAX_FRAMES];
  private final @Nullable ChannelEngine[] channel = new ChannelEngine[MAX_FRAMES];
  private final long[] first = new long[MAX_FRAMES];
  private final long[] offset = new long[MAX_FRAMES];
  private final int[] length = new int[MAX_FRAMES];
  private final int[] frameAt = new int[MAX_FRAMES];
  private final EagerLengths lengths = new EagerLengths();
  private int openWhole = -1;
  private int datagrams;
  private MemorySegment datagramMemory = MemorySegment.NULL;
  private long payloadBytes;
  private int referencedBytes;
  private int transmissions;
  private @Nullable ChannelEngine failedChannel;
  private long failedSequence;
  private String failure = "";

  /** Lent memory passes through here on its way to the rail, and is in the cache when it leaves. */
  private final MemorySegment lentBlock = Arena.ofAuto().allocate(LENT_BLOCK, 64);

  /** Something of this packet was read from lent memory. */
  private boolean anyLent;

  /**
   * Claims room on a rail, and begins a packet of at most so many bytes.
   *
   * @param number the rail's, for the header
   * @return 0 or more, or what {@link Rail#claim} says that is less
   */
  public long begin(Rail on, int packetLimit, int number, long connectionId, long packetNumber) {
    long at = on.claim(packetLimit);
    if (at < 0) {
      return at;
    }
    rail = on;
    claim = at;
    begin(packetLimit, number, connectionId, packetNumber);
    return at;
  }

  /** Begins a packet that is written to other memory than a rail's. */
  public void begin(int packetLimit, int number, long connectionId, long packetNumber) {
    limit = packetLimit;
    headerLength =
        PacketHeader.begin(header, 0, PacketHeader.DATA, number, connectionId, packetNumber);
    payloadLength = 0;
    eliciting = false;
    items = 0;
    datagrams = 0;
    openWhole = -1;
    payloadBytes = 0;
    referencedBytes = 0;
    transmissions = 0;
  }

  /**
   * Claims room for the packet that follows one with a fragment and nothing else, and puts in as
   * many of the bytes behind.
   *
   * @return as {@link #begin}
   */
  public long next(long packetNumber) {
    long at = claimed().claim(limit);
    if (at < 0) {
      return at;
    }
    claim = at;
    offset[0] += length[0];
    PacketHeader.setPacketNumber(header, 0, packetNumber);
    FragmentFrame.setOffset(header, frameAt[0], offset[0]);
    return at;
  }

  private Rail claimed() {
    Rail on = rail;
    if (on == null) {
      throw new IllegalStateException("no packet has begun");
    }
    return on;
  }

  /** The packet is not to leave: gives the claim back. */
  public void abort() {
    claimed().abort();
  }

  /** Sends the packet that was finished; it may have left when this throws. */
  public void commit() {
    claimed().commit(headerLength + payloadLength);
  }

  /** Where the next frame goes in {@link #header()}. */
  public int at() {
    return headerLength;
  }

  /** The private header memory. */
  public byte[] header() {
    return header;
  }

  /** Bytes left in the packet, for a frame and its payload together. */
  public int room() {
    return limit - headerLength - payloadLength;
  }

  /** Bytes left for frames. */
  public int frameRoom() {
    return Math.min(room(), PacketHeader.MAX_HEADER_LENGTH - headerLength);
  }

  /** Whether another item can be noted. */
  public boolean hasItemRoom() {
    return items < MAX_FRAMES;
  }

  /** Whether nothing but the header is in. */
  public boolean isEmpty() {
    return headerLength == PacketHeader.LENGTH;
  }

  /** Whether the packet asks for an acknowledgement. */
  public boolean isEliciting() {
    return eliciting;
  }

  /** Payload bytes of messages in it. */
  public long payloadBytes() {
    return payloadBytes;
  }

  /** How often the most repeated of its fragments left before. */
  public int transmissions() {
    return transmissions;
  }

  /** Takes in a frame that was written at {@link #at()}. */
  public void added(int frameLength, boolean asksForAck) {
    headerLength += frameLength;
    eliciting |= asksForAck;
    openWhole = -1;
  }

  /** Notes an item that needs to be repeated if the packet is lost. */
  @SuppressWarnings("ReferenceEquality") // this very channel
  public void item(
      byte itemKind,
      @Nullable ChannelEngine of,
      long firstValue,
      long offsetValue,
      int lengthValue) {
    int i = items++;
    kind[i] = itemKind;
    if (channel[i] != of) {
      channel[i] = of; // mostly the same as in the packet before; see RunQueue
    }
    first[i] = firstValue;
    offset[i] = offsetValue;
    length[i] = lengthValue;
    frameAt[i] = -1;
  }

  /**
   * Adds a whole message, to the open frame if it continues it.
   *
   * @return false if it does not fit
   */
  public boolean eager(ChannelEngine of, long seq, int messageLength, int transmitted) {
    if (openWhole >= 0 && mayContinue(of, seq, messageLength)) {
      int frame = frameAt[openWhole];
      int count = length[openWhole];
      long firstLength = of.sent().length(first[openWhole]);
      if (firstLength <= EagerFrame.MAX_SHARED_LENGTH) {
        int grown = EagerFrame.length(count + 1) - EagerFrame.length(count);
        if (grown + messageLength > room() || grown > frameRoom()) {
          return false;
        }
        headerLength += EagerFrame.append(header, frame, messageLength);
        length[openWhole]++;
        tookPayload(messageLength, transmitted);
        return true;
      }
    }
    int size = EagerFrame.length(1);
    if (!hasItemRoom() || size + messageLength > room() || size > frameRoom()) {
      return false;
    }
    int itsHeader = of.sent().headerLength(seq);
    EagerFrame.encode(
        header, headerLength, itsHeader, of.number(), of.sender().onWire(seq), messageLength, 0);
    addedData(SentItem.EAGER, of, seq, 0, 1, size);
    tookPayload(messageLength, transmitted);
    openWhole = items - 1;
    return true;
  }

  private boolean mayContinue(ChannelEngine of, long seq, int messageLength) {
    return channel[openWhole] == of
        && first[openWhole] + length[openWhole] == seq
        && length[openWhole] < 0xffff
        && of.sent().headerLength(seq) == 0
        && EagerFrame.headerLength(header, frameAt[openWhole], 0) == 0
        && messageLength <= EagerFrame.MAX_SHARED_LENGTH;
  }

  /**
   * Adds messages that are due on a channel, each whole, as many as fit.
   *
   * @param longest message that may leave eagerly
   * @return how many; they are taken from the channel
   */
  public int eagers(ChannelEngine of, int longest) {
    int size = of.sender().nextEager(longest);
    if (size < 0 || !eager(of, of.sender().nextSequence(), size, 0)) {
      return 0;
    }
    of.sender().takeEager(size);
    if (size > EagerFrame.MAX_SHARED_LENGTH || !of.sender().hasMore()) {
      return 1;
    }
    int frame = frameAt[openWhole];
    if (length[openWhole] == 1 && EagerFrame.headerLength(header, frame, 0) > 0) {
      return 1; // one with a header has a frame of its own
    }
    EagerLengths more = lengths;
    more.open(header, frame, length[openWhole], room(), frameRoom());
    int taken = of.sender().takeEagers(more, Math.min(longest, EagerFrame.MAX_SHARED_LENGTH));
    if (taken > 0) {
      EagerFrame.appended(header, frame, more.count(), more.bytes());
      headerLength += more.frameBytes();
      length[openWhole] = more.count();
      tookPayload(more.bytes(), 0);
    }
    return 1 + taken;
  }

  /**
   * Adds a fragment, as much of it as fits.
   *
   * @return bytes taken, 0 if none fit
   */
  public int fragment(ChannelEngine of, long seq, long from, long wanted, int transmitted) {
    int size = FragmentFrame.LENGTH;
    int fits = (int) Math.min(wanted, room() - size);
    if (!hasItemRoom() || fits <= 0 || size > frameRoom()) {
      return 0;
    }
    long number = of.sender().onWire(seq);
    long whole = of.sent().length(seq);
    FragmentFrame.encode(header, headerLength, 0, of.number(), number, fits, 0, from, whole);
    FragmentFrame.setHeaderLength(header, headerLength, of.sent().headerLength(seq));
    addedData(SentItem.FRAGMENT, of, seq, from, fits, size);
    tookPayload(fits, transmitted);
    return fits;
  }

  /**
   * Adds a fragment by reference: the receiver reads it where it lies.
   *
   * @return bytes taken, 0 if there is no room for another frame
   */
  public int reference(ChannelEngine of, long seq, long from, int wanted, int transmitted) {
    int size = ReferenceFrame.LENGTH;
    if (!hasItemRoom() || size > frameRoom()) {
      return 0;
    }
    long number = of.sender().onWire(seq);
    ReferenceFrame.encode(
        header, headerLength, of.number(), number, wanted, from, of.sent().length(seq));
    FragmentFrame.setHeaderLength(header, headerLength, of.sent().headerLength(seq));
    addedData(SentItem.FRAGMENT, of, seq, from, wanted, size);
    referencedBytes += wanted;
    tookMessageBytes(wanted, transmitted);
    return wanted;
  }

  /**
   * Adds a part of a placed message, as much of it as fits; its header is never cut.
   *
   * @return bytes taken, 0 if none fit
   */
  public int placed(ChannelEngine of, long seq, long from, long wanted, int transmitted) {
    int size = PlacedFrame.LENGTH;
    int fits = (int) Math.min(wanted, room() - size);
    Put put = of.sent().placed(seq);
    int whole = from == 0 ? Math.max(1, put.headerLength()) : 1;
    if (!hasItemRoom() || fits < whole || size > frameRoom()) {
      return 0;
    }
    PlacedFrame.encode(
        header,
        headerLength,
        put.headerLength(),
        of.number(),
        of.sender().onWire(seq),
        fits,
        0,
        from,
        of.sent().length(seq),
        put.key(),
        put.target());
    PlacedFrame.setKind(header, headerLength, put.kind());
    addedData(SentItem.FRAGMENT, of, seq, from, fits, size);
    tookPayload(fits, transmitted);
    return fits;
  }

  /**
   * Adds a datagram.
   *
   * @param memory where its bytes lie until the packet has left, the same for all in a packet
   * @param from the first of them, which is the header's if it has one
   * @param itsHeader length of the header
   * @param bytes of both
   * @return false if it does not fit
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // see RunQueue
  public boolean datagram(MemorySegment memory, long from, int itsHeader, int bytes) {
    int size = DatagramFrame.LENGTH;
    if (!hasItemRoom() || size + bytes > room() || size > frameRoom()) {
      return false;
    }
    if (datagramMemory != memory) {
      datagramMemory = memory;
    }
    int i = items;
    item(SentItem.DATAGRAM, null, 0, from, bytes);
    frameAt[i] = headerLength;
    added(DatagramFrame.encode(header, headerLength, itsHeader, bytes, 0), true);
    datagrams++;
    tookPayload(bytes, 0);
    return true;
  }

  /** How many datagrams are in. */
  public int datagrams() {
    return datagrams;
  }

  /** A frame with message bytes was written at {@link #at()}. */
  private void addedData(
      byte itemKind, ChannelEngine of, long seq, long from, int lengthOrCount, int frameLength) {
    int i = items;
    item(itemKind, of, seq, from, lengthOrCount);
    frameAt[i] = headerLength;
    added(frameLength, true);
  }

  /** Bytes that the receiver has to read elsewhere than in the packet. */
  public int referencedBytes() {
    return referencedBytes;
  }

  /** Pads the packet to the given length, to probe what the path carries. */
  public void padTo(int packetLength) {
    int padding = packetLength - headerLength - payloadLength - PaddingFrame.LENGTH;
    if (padding >= 0) {
      PaddingFrame.encode(header, headerLength, padding);
      headerLength += PaddingFrame.LENGTH;
      payloadLength += padding;
      openWhole = -1;
    }
  }

  private void tookPayload(int bytes, int transmitted) {
    payloadLength += bytes;
    tookMessageBytes(bytes, transmitted);
  }

  private void tookMessageBytes(int bytes, int transmitted) {
    payloadBytes += bytes;
    transmissions = Math.max(transmissions, transmitted);
  }

  /**
   * Writes the packet where it was claimed.
   *
   * @param isShared whether another process can change or truncate that memory: then the rail
   *     writes payload, and checksums are taken from the source
   */
  public int finish(Checksum checksum, boolean isShared) {
    Rail on = claimed();
    return finish(on.txMemory(), claim, checksum, isShared ? on : null);
  }

  /**
   * Writes the packet.
   *
   * @param memory the rail's transmit memory
   * @param base offset of the packet in it
   * @param checksum algorithm for payloads
   * @param shared writes payload to {@code memory} where another process can change or truncate it:
   *     then checksums are taken from the source; null elsewhere
   * @return the packet's length, or -1 if the memory of a lent message could not be read ({@link
   *     #failedChannel()})
   * @throws InternalError if {@code memory} could not be written, being a file that was truncated
   */
  public int finish(
      MemorySegment memory, long base, Checksum checksum, @Nullable PayloadWriter shared) {
    boolean small = headerLength + payloadLength <= SMALL_PACKET;
    anyLent = false;
    failedChannel = null;
    try {
      int at = headerLength;
      for (int i = 0; i < items; i++) {
        if (frameAt[i] >= 0) {
          at = finishFrame(i, at, small, memory, base, checksum, shared);
          if (at < 0) {
            return -1;
          }
        }
      }
      if (anyLent) {
        MemoryFaults.raise(); // before anything of it is sent
      }
    } catch (InternalError e) { // a mapping was truncated: the application's, or the rail's
      if (anyLent && anyUnreadable()) {
        return -1;
      }
      throw e;
    }
    PacketHeader.seal(header, 0, headerLength, headerChecksum);
    int copied = small ? headerLength + payloadLength : headerLength;
    MemorySegment.copy(header, 0, memory, JAVA_BYTE, base, copied);
    return headerLength + payloadLength;
  }

  /**
   * Writes the payload of a frame with message bytes, and puts its checksum into the frame.
   *
   * @param at where the payload begins in the packet
   * @return where it ends, or -1 if it could not be read
   */
  private int finishFrame(
      int i,
      int at,
      boolean small,
      MemorySegment memory,
      long base,
      Checksum checksum,
      @Nullable PayloadWriter shared) {
    ChannelEngine of = channel[i];
    if (of == null) {
      return finishDatagram(i, at, small, memory, base, checksum, shared);
    }
    int type = Frames.type(header, frameAt[i]);
    if (type >= Frames.REFERENCE) {
      return type == Frames.PLACED
          ? finishPlaced(i, of, at, small, memory, base, checksum, shared)
          : refer(i, of, checksum) ? at : -1;
    }
    boolean isWhole = kind[i] == SentItem.EAGER;
    long end = isWhole ? first[i] + length[i] : first[i] + 1;
    boolean isRow =
        isWhole && of.sent().isRow(first[i], end - 1, EagerFrame.payloadLength(header, frameAt[i]));
    int next = at;
    long state = small ? 0 : checksum.begin();
    for (long seq = first[i]; seq < end; seq++) {
      long from = of.sent().offset(seq) + offset[i];
      long bytes = length[i];
      if (isWhole) { // many small messages are one piece
        if (isRow) {
          seq = end - 1;
        } else if (seq < end - 1) {
          seq = of.sent().lastInRow(seq, end - 1);
        }
        bytes = of.sent().offset(seq) + of.sent().length(seq) - from;
      }
      MemorySegment source = of.sent().source(seq);
      if (!of.sent().isLent(seq)) {
        if (small) {
          MemorySegment.copy(source, JAVA_BYTE, from, header, next, (int) bytes);
        } else {
          state = write(checksum, state, source, from, memory, base + next, bytes, shared);
        }
      } else if (small) {
        if (!read(of, seq, source, from, header, next, (int) bytes)) {
          return -1;
        }
      } else {
        for (long done = 0; done < bytes; done += LENT_BLOCK) {
          int n = (int) Math.min(LENT_BLOCK, bytes - done);
          if (!read(of, seq, source, from + done, n)) {
            return -1;
          }
          long to = base + next + done;
          state = write(checksum, state, lentBlock, 0, memory, to, n, shared);
        }
      }
      next += (int) bytes;
    }
    int sum = small ? checksum.compute(header, at, next - at) : checksum.finish(state);
    if (isWhole) {
      EagerFrame.setChecksum(header, frameAt[i], sum);
    } else {
      FragmentFrame.setChecksum(header, frameAt[i], sum);
    }
    return next;
  }

  /** The same of a part of a placed message: its header, which lies apart, then what is lent. */
  private int finishPlaced(
      int i,
      ChannelEngine of,
      int at,
      boolean small,
      MemorySegment memory,
      long base,
      Checksum checksum,
      @Nullable PayloadWriter shared) {
    long seq = first[i];
    Put put = of.sent().placed(seq);
    if (!put.isReadable()) {
      failed(of, seq, "the region that it is read from was closed");
      return -1;
    }
    int next = at;
    int skipped = offset[i] == 0 ? put.headerLength() : 0;
    long state = small ? 0 : checksum.begin();
    if (skipped > 0) {
      if (small) {
        System.arraycopy(put.header(), 0, header, next, skipped);
      } else {
        MemorySegment.copy(put.header(), 0, lentBlock, JAVA_BYTE, 0, skipped);
        state = write(checksum, state, lentBlock, 0, memory, base + next, skipped, shared);
      }
      next += skipped;
    }
    long from = of.sent().offset(seq) + offset[i] + skipped;
    int bytes = length[i] - skipped;
    MemorySegment source = of.sent().source(seq);
    if (small) {
      if (bytes > 0 && !read(of, seq, source, from, header, next, bytes)) {
        return -1;
      }
    } else {
      for (int done = 0; done < bytes; done += LENT_BLOCK) {
        int n = Math.min(LENT_BLOCK, bytes - done);
        if (!read(of, seq, source, from + done, n)) {
          return -1;
        }
        state = write(checksum, state, lentBlock, 0, memory, base + next + done, n, shared);
      }
    }
    next += bytes;
    int sum = small ? checksum.compute(header, at, next - at) : checksum.finish(state);
    FragmentFrame.setChecksum(header, frameAt[i], sum);
    return next;
  }

  /** The same of a datagram. */
  private int finishDatagram(
      int i,
      int at,
      boolean small,
      MemorySegment memory,
      long base,
      Checksum checksum,
      @Nullable PayloadWriter shared) {
    int bytes = length[i];
    int sum;
    if (small) {
      MemorySegment.copy(datagramMemory, JAVA_BYTE, offset[i], header, at, bytes);
      sum = checksum.compute(header, at, bytes);
    } else {
      long state = checksum.begin();
      state = write(checksum, state, datagramMemory, offset[i], memory, base + at, bytes, shared);
      sum = checksum.finish(state);
    }
    DatagramFrame.setChecksum(header, frameAt[i], sum);
    return at + bytes;
  }

  /** Memory of our own goes into the rail's, copied and summed in one pass where that can be. */
  private static long write(
      Checksum checksum,
      long state,
      MemorySegment source,
      long from,
      MemorySegment memory,
      long to,
      long bytes,
      @Nullable PayloadWriter shared) {
    return shared != null
        ? shared.put(checksum, state, source, from, to, bytes)
        : checksum.updateCopy(state, source, from, memory, to, bytes);
  }

  /** Completes a reference: checksum and address. */
  private boolean refer(int i, ChannelEngine of, Checksum checksum) {
    long seq = first[i];
    long from = of.sent().offset(seq) + offset[i];
    MemorySegment source = of.sent().source(seq);
    int sum;
    if (!of.sent().isLent(seq)) {
      sum = checksum.compute(source, from, length[i]);
    } else if (checksum.kind() == ChecksumKind.NONE) { // which looks at nothing
      if (!read(of, seq, source, from, 1)) {
        return false;
      }
      sum = 0;
    } else {
      long state = checksum.begin();
      for (int done = 0; done < length[i]; done += LENT_BLOCK) {
        int n = Math.min(LENT_BLOCK, length[i] - done);
        if (!read(of, seq, source, from + done, n)) {
          return false;
        }
        state = checksum.update(state, lentBlock, 0, n);
      }
      sum = checksum.finish(state);
    }
    ReferenceFrame.complete(header, frameAt[i], sum, source.address() + from);
    return true;
  }

  // ---- lent memory: only the JVM's own copies touch it, for they survive what becomes of it ----

  /** Copies a piece of lent memory into {@link #lentBlock}; false if it cannot be read. */
  private boolean read(ChannelEngine of, long seq, MemorySegment source, long from, int bytes) {
    anyLent = true;
    try {
      MemorySegment.copy(source, JAVA_BYTE, from, lentBlock, JAVA_BYTE, 0, bytes);
      return true;
    } catch (RuntimeException e) {
      return fail(of, seq, e);
    }
  }

  /** The same into an array. */
  private boolean read(
      ChannelEngine of, long seq, MemorySegment source, long from, byte[] into, int at, int bytes) {
    anyLent = true;
    try {
      MemorySegment.copy(source, JAVA_BYTE, from, into, at, bytes);
      return true;
    } catch (RuntimeException e) {
      return fail(of, seq, e);
    }
  }

  private boolean fail(ChannelEngine of, long seq, Throwable why) {
    failed(
        of,
        seq,
        switch (why) {
          case IllegalStateException e -> "its memory was closed while the message was in flight";
          case WrongThreadException e ->
              "its memory belongs to one thread, and another has to read it; lend memory of"
                  + " Arena.ofShared()";
          case InternalError e ->
              "its memory can no longer be read; a file that was mapped has become shorter";
          default -> "its memory cannot be read: " + why;
        });
    return false;
  }

  private void failed(ChannelEngine of, long seq, String why) {
    failedChannel = of;
    failedSequence = seq;
    failure = why;
  }

  /**
   * Something in this packet faulted. Reads its lent messages once more, each by itself, and fails
   * the first that cannot be read.
   *
   * @return whether there was one
   */
  private boolean anyUnreadable() {
    for (int i = 0; i < items; i++) {
      ChannelEngine of = channel[i];
      if (of == null || frameAt[i] < 0) {
        continue;
      }
      boolean isWhole = kind[i] == SentItem.EAGER;
      long end = isWhole ? first[i] + length[i] : first[i] + 1;
      for (long seq = first[i]; seq < end; seq++) {
        int apart = of.isPlacement() && offset[i] == 0 ? of.sent().placed(seq).headerLength() : 0;
        long bytes = (isWhole ? of.sent().length(seq) : length[i]) - apart;
        if (of.sent().isLent(seq)
            && !isReadable(of, seq, of.sent().offset(seq) + offset[i] + apart, bytes)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isReadable(ChannelEngine of, long seq, long from, long bytes) {
    MemorySegment source = of.sent().source(seq);
    try {
      for (long done = 0; done < bytes; done += LENT_BLOCK) {
        int n = (int) Math.min(LENT_BLOCK, bytes - done);
        if (!read(of, seq, source, from + done, n)) {
          return false;
        }
        MemoryFaults.raise();
      }
      return true;
    } catch (InternalError e) {
      return fail(of, seq, e);
    }
  }

  /** Channel of the message that {@link #finish} could not read. */
  public @Nullable ChannelEngine failedChannel() {
    return failedChannel;
  }

  /** Its sequence. */
  public long failedSequence() {
    return failedSequence;
  }

  /** Why it could not be read. */
  public String failure() {
    return failure;
  }

  /** Hands the items to the record of the packet just added. */
  public void record(SentPackets sent) {
    for (int i = 0; i < items; i++) {
      sent.addItem(kind[i], channel[i], first[i], offset[i], length[i]);
    }
  }

  /** How many items are in. */
  public int itemCount() {
    return items;
  }

  /** Kind of an item. */
  public byte itemKind(int i) {
    return kind[i];
  }

  /** Channel of an item. */
  public @Nullable ChannelEngine itemChannel(int i) {
    return channel[i];
  }

  /** First message of an item. */
  public long itemFirst(int i) {
    return first[i];
  }

  /** Offset of an item. */
  public long itemOffset(int i) {
    return offset[i];
  }

  /** Length, or count, of an item. */
  public int itemLength(int i) {
    return length[i];
  }
}
