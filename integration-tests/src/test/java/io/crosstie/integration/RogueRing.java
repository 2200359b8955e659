// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.shm.ShmDriver;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One that has a segment in common with its victim, and writes into that what it likes. */
final class RogueRing extends RoguePeer implements PortHandler {
  private final RailPort port;
  private final RailAddress victim;
  private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
  private @Nullable Rail rail;

  RogueRing(String name, Path folder, RailAddress victim, SplittableRandom random)
      throws RailException {
    super(name, random);
    this.victim = victim;
    this.port =
        new ShmDriver()
            .open(
                RailUri.parse("shm:" + folder), new PortContext(name, 1, random.nextLong()), this);
  }

  /** Another segment in place of the last one. */
  void renew() {
    Rail before = rail;
    rail = null;
    if (before != null) {
      before.close();
    }
    Await.until(
        () -> {
          try {
            rail = port.connect(victim);
          } catch (RailException e) {
            poll();
          }
          return rail != null;
        },
        () -> "a segment with " + victim);
  }

  boolean isOpen() {
    Rail current = rail;
    return current != null && current.isOpen();
  }

  /** Overwrites some words of the segment, often where a record was written last. */
  void scribble(SplittableRandom random, int words) {
    Rail current = rail;
    if (current == null || !current.isOpen()) {
      return;
    }
    MemorySegment memory = current.txMemory();
    long last = Math.max(0, current.claim(64));
    current.abort();
    for (int i = 0; i < words; i++) {
      long at =
          switch (random.nextInt(4)) {
            case 0 -> random.nextLong(memory.byteSize() / 8) * 8;
            case 1 -> random.nextLong(512) * 8; // positions and flags
            default -> Math.clamp(last - 128 + 8L * random.nextInt(64), 0, memory.byteSize() - 8);
          };
      long value =
          random.nextBoolean()
              ? HostilePackets.EXTREMES[random.nextInt(HostilePackets.EXTREMES.length)]
              : random.nextLong();
      memory.set(JAVA_LONG, at & ~7L, value);
    }
  }

  @Override
  void send(byte[] packet, int length) {
    Rail current = rail;
    long at = current == null || length > current.maxPacketLength() ? -1 : current.claim(length);
    if (current != null && at >= 0) {
      MemorySegment.copy(packet, 0, current.txMemory(), JAVA_BYTE, at, length);
      current.commit(length);
      current.flush();
    }
    poll();
  }

  private void poll() {
    int unused = port.poll(System.nanoTime(), 64);
  }

  @Override
  int receive(byte[] into) {
    poll();
    byte[] next = arrived.poll();
    if (next == null) {
      return 0;
    }
    System.arraycopy(next, 0, into, 0, next.length);
    return next.length;
  }

  @Override
  public void onPacket(RailPort from, MemorySegment memory, long offset, int length, long source) {
    arrived.add(memory.asSlice(offset, length).toArray(JAVA_BYTE));
  }

  @Override
  public void onLinkEvent(RailPort from, @Nullable Rail of, LinkEvent event, int errno) {}

  @Override
  public void close() {
    port.close();
  }
}
