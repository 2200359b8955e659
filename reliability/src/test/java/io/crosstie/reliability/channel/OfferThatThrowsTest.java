// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.memory.PathBytes;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever makes an offer throw, the channel afterwards takes exactly as much as before. */
@Tag("R24")
class OfferThatThrowsTest {
  private static final int SMALL = 64 << 10;
  private static final long LOG = 1 << 18;
  private static final long LARGE = 4 << 20;
  private static final int LONGEST = 1 << 20;

  /** As short as what the log is divided into: so many fit, wherever the first one lies. */
  private static final int SHORTEST = 8;

  @TempDir private Path folder;

  private final Arena arena = Arena.ofShared();
  private MemorySegment closed;
  private MemorySegment foreign;
  private MemorySegment truncated;
  private final List<MemorySegment> good = new ArrayList<>();

  @BeforeEach
  void setUp() throws Exception {
    try (Arena dead = Arena.ofShared()) {
      closed = dead.allocate(LONGEST);
    }
    MemorySegment[] made = new MemorySegment[1];
    Thread other = new Thread(() -> made[0] = Arena.ofConfined().allocate(LONGEST));
    other.start();
    other.join();
    foreign = made[0];
    truncated = truncated(folder.resolve("source"), arena);
    good.add(arena.allocate(LONGEST));
    good.add(arena.allocate(LONGEST).asReadOnly());
    good.add(MemorySegment.ofArray(new byte[LONGEST]));
    good.add(MemorySegment.ofArray(new char[LONGEST / 2]));
    good.add(MemorySegment.ofArray(new short[LONGEST / 2]));
    good.add(MemorySegment.ofArray(new int[LONGEST / 4]));
    good.add(MemorySegment.ofArray(new float[LONGEST / 4]));
    good.add(MemorySegment.ofArray(new long[LONGEST / 8]));
    good.add(MemorySegment.ofArray(new double[LONGEST / 8]));
    good.add(MemorySegment.ofBuffer(ByteBuffer.allocateDirect(LONGEST)));
  }

  @AfterEach
  void tearDown() {
    arena.close();
  }

  private static MemorySegment truncated(Path file, Arena of) throws IOException {
    Files.write(file, new byte[LONGEST]);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, LONGEST, of);
      FileChannel unused = channel.truncate(0);
      return memory;
    }
  }

  private static SendQueue queue(boolean singleThreaded) {
    SendQueue q =
        new SendQueue(
            SMALL,
            LOG,
            LARGE,
            new MemoryBudget(1 << 30).account(),
            new MemoryBudget(1 << 30).account(),
            new PathBytes());
    if (singleThreaded) {
      q.setSingleThreaded();
    }
    int unused = takes(q, SHORTEST); // from here on its ring grows no more
    return q;
  }

  /** How many messages of one length the queue takes until it refuses one; then it is empty. */
  private static int takes(SendQueue q, int length) {
    MemorySegment message = MemorySegment.ofArray(new byte[length]);
    int n = 0;
    while (q.offer(message, 0, length) > 0) {
      n++;
    }
    drain(q);
    return n;
  }

  private static void drain(SendQueue q) {
    q.accepted(q.tail());
    int unused = q.reportCompletions(Integer.MAX_VALUE, null);
  }

  @Test
  void aChannelTakesAsMuchAsBefore() {
    for (long seed = 1; seed <= 12; seed++) {
      Random random = new Random(seed);
      SendQueue q = queue(random.nextBoolean());
      int[] lengths = {SHORTEST, LONGEST};
      int[] before = new int[lengths.length];
      for (int i = 0; i < lengths.length; i++) {
        before[i] = takes(q, lengths[i]);
      }
      int threw = 0;
      int accepted = 0;
      for (int step = 0; step < 400; step++) {
        int length = length(random);
        long tail = q.tail();
        if (random.nextInt(3) > 0) {
          threw += throwing(q, random, length, seed, step);
          assertEquals(tail, q.tail(), "an offer that threw left a message, seed " + seed);
        } else {
          accepted += q.offer(good.get(random.nextInt(good.size())), 0, length) > 0 ? 1 : 0;
          if (random.nextInt(4) == 0) {
            q.accepted(Math.min(q.tail(), q.accepted() + random.nextInt(4)));
          }
        }
        if (random.nextInt(20) == 0) {
          drain(q);
        }
      }
      assertTrue(threw > 100 && accepted > 20, threw + " threw, " + accepted + " accepted");
      drain(q);
      for (int i = 0; i < lengths.length; i++) {
        assertEquals(
            before[i], takes(q, lengths[i]), "of " + lengths[i] + " bytes, with seed " + seed);
      }
    }
  }

  private static int length(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> 1 + random.nextInt(16);
      case 1 -> 1 + random.nextInt(1000);
      case 2 -> 1 + random.nextInt(SMALL);
      default -> LONGEST / 2 + 1 + random.nextInt(LONGEST / 2 - 1); // buffers of one size
    };
  }

  /** One that cannot be read: 1 if that was found, 0 if there was no room anyway. */
  private int throwing(SendQueue q, Random random, int length, long seed, int step) {
    int kind = random.nextInt(5);
    try {
      long result =
          switch (kind) {
            case 0 -> q.offer(closed, 0, length);
            case 1 -> q.offer(foreign, LONGEST - length, length);
            case 2 -> q.offer(truncated, 0, length);
            case 3 -> q.offer(good.get(random.nextInt(good.size())), LONGEST - length + 1, length);
            default -> q.offer(MemorySegment.NULL, 0, length);
          };
      assertEquals(Status.BACK_PRESSURED, result, "kind " + kind + ", seed " + seed + ":" + step);
      return 0;
    } catch (IllegalStateException
        | WrongThreadException
        | IndexOutOfBoundsException
        | InternalError e) {
      return 1;
    }
  }

  /** Every other throws; each that does not is there as it was offered, in order. */
  @Test
  void whatIsAcceptedBetweenThemIsWhole() {
    for (long seed = 1; seed <= 8; seed++) {
      Random random = new Random(seed);
      SendQueue q = queue(true);
      long next = q.tail() + 1;
      for (int step = 0; step < 3000; step++) {
        int length = 1 + random.nextInt(step % 7 == 0 ? SMALL : 3000);
        int unused = throwing(q, random, length, seed, step);
        MemorySegment message = good.get(random.nextInt(good.size()));
        if (!message.isReadOnly()) {
          message.asSlice(0, length).fill((byte) next);
        }
        long seq = q.offer(message, 0, length);
        if (seq < 0) {
          for (long s = q.accepted() + 1; s <= q.tail(); s++) {
            assertFill(q, s);
          }
          drain(q);
          seq = q.offer(message, 0, length);
        }
        assertEquals(next++, seq, "seed " + seed);
      }
    }
  }

  private static void assertFill(SendQueue q, long seq) {
    MemorySegment m = q.source(seq).asSlice(q.offset(seq), q.length(seq));
    byte first = m.get(ValueLayout.JAVA_BYTE, 0);
    if (first != (byte) seq && first != 0) {
      fail("message " + seq + " begins with " + first);
    }
    for (long i = 0; i < m.byteSize(); i++) {
      assertEquals(first, m.get(ValueLayout.JAVA_BYTE, i));
    }
  }

  /** An offer that throws while the lock is taken would back-pressure all that follow. */
  @Test
  void theLockIsGivenBack() {
    SendQueue q = queue(false);
    assertThrows(IllegalStateException.class, () -> q.offer(closed, 0, 10));
    long next = q.tail() + 1;
    assertEquals(next, q.claim(8));
    q.endClaim(false);
    assertEquals(next, q.offer(good.get(0), 0, 10));
  }

  /** A claim that is given back takes nothing either, wherever the ring's end is. */
  @Test
  void anAbortedClaimTakesNothing() {
    SendQueue q = queue(true);
    int before = takes(q, SHORTEST);
    for (int i = 0; i < 1000; i++) {
      assertTrue(q.claim(1 + i * 61 % SMALL) > 0);
      q.endClaim(false);
      assertTrue(q.offer(good.get(0), 0, 1 + i % 5000) > 0);
      drain(q);
    }
    assertEquals(before, takes(q, SHORTEST));
  }

  /** Each is told once, whatever the one before it does, and none holds up what memory it had. */
  @Test
  void aCompletionThatThrowsHasBeenTold() {
    SendQueue q = queue(false);
    List<Long> told = new ArrayList<>();
    long first = q.tail() + 1;
    for (int i = 0; i < 6; i++) {
      long sent =
          q.send(
              good.get(0),
              0,
              100,
              (seq, error) -> {
                told.add(seq);
                if (seq % 2 == 0) {
                  throw new UnsupportedOperationException("the application's");
                }
              });
      assertEquals(first + i, sent);
    }
    q.accepted(q.tail());
    int threw = 0;
    for (int i = 0; i < 10; i++) {
      try {
        int unused = q.reportCompletions(10, null);
      } catch (UnsupportedOperationException e) {
        threw++;
      }
    }
    assertEquals(3, threw);
    assertEquals(List.of(first, first + 1, first + 2, first + 3, first + 4, first + 5), told);
    assertTrue(takes(q, SHORTEST) > 1000);
  }
}
