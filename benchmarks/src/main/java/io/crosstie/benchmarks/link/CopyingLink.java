// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Another link whose reader wants each message in a slot of its own: its handler copies it there,
 * and reads it there. What {@link PutLink} is compared with.
 */
final class CopyingLink implements Link {
  private final Link link;
  private final int size;
  private final MemorySegment place;
  private final Sink copying = this::copy;
  private Sink sink = (memory, offset, length) -> {};
  private long next;

  /**
   * Over another one.
   *
   * @param link that hands over whole messages
   */
  CopyingLink(LinkSpec spec, Link link) {
    this.link = link;
    size = spec.size();
    place = Arena.ofAuto().allocate(spec.messages().byteSize(), 4096);
  }

  private void copy(MemorySegment memory, long offset, long length) {
    if (length != size) {
      throw new LinkException("a piece of " + length + " bytes came instead of a message");
    }
    MemorySegment.copy(memory, offset, place, next, length);
    sink.onData(place, next, length);
    next = next + length < place.byteSize() ? next + length : 0;
  }

  @Override
  public String address() {
    return link.address();
  }

  @Override
  public void connect(String peer) {
    link.connect(peer);
  }

  @Override
  public boolean isReady() {
    return link.isReady();
  }

  @Override
  public boolean send(long offset, int length) {
    return link.send(offset, length);
  }

  @Override
  public void progress() {
    link.progress();
  }

  @Override
  public int poll(Sink to) {
    sink = to;
    return link.poll(copying);
  }

  @Override
  public int echo() {
    return link.echo();
  }

  @Override
  public void idle() {
    link.idle();
  }

  @Override
  public boolean isAllAccepted() {
    return link.isAllAccepted();
  }

  @Override
  public String note() {
    return link.note();
  }

  @Override
  public void close() {
    link.close();
  }
}
