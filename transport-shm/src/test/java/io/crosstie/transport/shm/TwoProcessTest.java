// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.Rail;
import io.crosstie.transport.RailException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two real processes. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwoProcessTest {
  private static final int PACKETS = 5_000;

  @TempDir Path base;

  /** Polls by the real clock, and yields: there may be two cores only. */
  private static void await(String what, BooleanSupplier condition, End end) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      if (end.port.poll(System.nanoTime(), 64) == 0) {
        End.relax();
        if (System.nanoTime() - deadline > 0) {
          throw new AssertionError("never: " + what);
        }
      }
    }
  }

  /**
   * Sizes and bytes from a seed, many laps of a small ring, both ways; checked by a sum of our own.
   */
  @ParameterizedTest
  @CsvSource({"fd,fd,false", "nio,nio,false", "fd,nio,true", "nio,fd,true"})
  void everyByteComesBack(String parent, String child, boolean childConnects) throws Exception {
    try (End end = new End(base, "parent", "size=64KiB&sockets=" + parent)) {
      String options = "size=64KiB&sockets=" + child;
      String[] address =
          childConnects ? new String[] {end.port.localAddress().text()} : new String[0];
      try (Child.Handle other = Child.Handle.start(base, options, address)) {
        Rail rail;
        if (childConnects) {
          await("the child's packet", () -> end.received == 1, end);
          end.packets.clear();
          rail = end.accepted;
          assertEquals(other.address(), rail.remoteAddress());
        } else {
          assertNull(end.port.whyUnreachable(other.address()));
          rail = end.port.connect(other.address());
          await("accepted", () -> End.claimable(rail), end);
        }
        exchange(end, rail);
        rail.close();
        assertTrue(other.process().waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, other.process().exitValue());
      }
    }
    try (Stream<Path> left = Files.list(base)) {
      assertEquals(0, left.count());
    }
  }

  private static void exchange(End end, Rail rail) {
    SplittableRandom sizes = new SplittableRandom(77);
    SplittableRandom expectedSizes = new SplittableRandom(77);
    CRC32C sent = new CRC32C();
    CRC32C back = new CRC32C();
    int sentCount = 0;
    int backCount = 0;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    byte[] next = packet(sizes, rail);
    while (backCount < PACKETS) {
      while (sentCount < PACKETS && sentCount - backCount < 100 && rail.claim(next.length) >= 0) {
        rail.abort();
        End.send(rail, next);
        sent.update(next);
        sentCount++;
        next = packet(sizes, rail);
      }
      if (end.port.poll(System.nanoTime(), 64) == 0) {
        End.relax();
      }
      while (!end.packets.isEmpty()) {
        byte[] got = end.packets.remove();
        assertEquals(packet(expectedSizes, rail).length, got.length);
        back.update(got);
        backCount++;
      }
      assertTrue(System.nanoTime() - deadline < 0, "too slow: " + backCount);
    }
    assertEquals(sent.getValue(), back.getValue());
    await("all consumed", () -> rail.consumed() == PACKETS, end);
  }

  private static byte[] packet(SplittableRandom random, Rail rail) {
    byte[] packet =
        new byte[1 + random.nextInt(random.nextInt(4) == 0 ? rail.maxPacketLength() : 200)];
    random.nextBytes(packet);
    return packet;
  }

  /**
   * A child that is killed is noticed, the segment goes, and its folder is swept by whoever comes
   * next.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aKilledProcessIsNoticedAndSwept(boolean childConnects) throws Exception {
    try (End end = new End(base, "parent", "size=64KiB")) {
      String[] address =
          childConnects ? new String[] {end.port.localAddress().text()} : new String[0];
      Child.Handle other = Child.Handle.start(base, "size=64KiB", address);
      try (other) {
        Rail rail;
        if (childConnects) {
          await("the child's packet", () -> end.received == 1, end);
          rail = end.accepted;
        } else {
          rail = end.port.connect(other.address());
          await("accepted", () -> End.claimable(rail), end);
          End.send(rail, new byte[100]);
          await("echo", () -> end.received == 1, end);
        }
        assertTrue(rail.isOpen());
        other.kill();
        await("closed", () -> end.closedEvent(rail), end);
        assertEquals(Rail.CLOSED, rail.claim(8));
        rail.close();
      }
      Path left = ShmAddress.parse(other.address()).directory();
      assertTrue(Files.exists(left));
      assertThrows(RailException.class, () -> end.port.connect(other.address()));
      try (End next = new End(base, "next", "")) {
        assertFalse(Files.exists(left));
        assertTrue(Files.exists(next.directory()));
        assertTrue(Files.exists(end.directory()));
      }
    }
  }

  /**
   * A kill in the middle of a stream: what came is whole, and the sender's count never exceeds what
   * it sent.
   */
  @Test
  void aKillInTheMiddleOfAStream() throws Exception {
    try (End end = new End(base, "parent", "size=64KiB");
        Child.Handle other = Child.Handle.start(base, "size=64KiB")) {
      Rail rail = end.port.connect(other.address());
      await("accepted", () -> End.claimable(rail), end);
      long sent = 0;
      while (end.received < 1_000) {
        while (sent - end.received < 500 && rail.claim(1000) >= 0) {
          rail.commit(1000);
          sent++;
        }
        rail.flush();
        if (end.port.poll(System.nanoTime(), 64) == 0) {
          End.relax();
        }
        end.packets.clear();
      }
      other.kill();
      await("closed", () -> end.closedEvent(rail), end);
      assertTrue(rail.consumed() >= end.received && rail.consumed() <= sent);
      assertTrue(end.received <= sent);
    }
  }
}
