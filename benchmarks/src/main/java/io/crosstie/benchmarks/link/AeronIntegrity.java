// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.aeron.ReservedValueSupplier;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.aeron.protocol.DataHeaderFlyweight;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * CRC-32C over each of Aeron's fragments, in the place that Aeron keeps for it: the frame's
 * reserved value. Both sides sum the payload where it lies in the term; nothing is copied for it.
 *
 * <p>One for each way, since it keeps a view of the log it saw last.
 */
final class AeronIntegrity implements ReservedValueSupplier {
  private final CRC32C crc = new CRC32C();
  private @Nullable ByteBuffer lastMapped;
  private ByteBuffer view = ByteBuffer.allocate(0);

  @Override
  public long get(DirectBuffer termBuffer, int termOffset, int frameLength) {
    return sum(
        termBuffer,
        termOffset + DataHeaderFlyweight.HEADER_LENGTH,
        frameLength - DataHeaderFlyweight.HEADER_LENGTH);
  }

  /** The handler, for fragments that are what was sent. */
  FragmentHandler checking(FragmentHandler handler) {
    return (buffer, offset, length, header) -> {
      check(buffer, offset, length, header);
      handler.onFragment(buffer, offset, length, header);
    };
  }

  private void check(DirectBuffer buffer, int offset, int length, Header header) {
    if (header.reservedValue() != sum(buffer, offset, length)) {
      throw new LinkException("a fragment at " + header.position() + " has a wrong checksum");
    }
  }

  /** A log's terms are parts of one mapping, and there is one log for each way. */
  @SuppressWarnings("ReferenceEquality") // this very mapping
  private long sum(DirectBuffer term, int offset, int length) {
    ByteBuffer mapped = term.byteBuffer();
    if (mapped == null) {
      throw new LinkException("Aeron's terms are not mapped");
    }
    if (mapped != lastMapped) {
      lastMapped = mapped;
      view = mapped.duplicate();
    }
    int at = term.wrapAdjustment() + offset;
    crc.reset();
    crc.update(view.limit(at + length).position(at));
    return crc.getValue();
  }
}
