// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R1")
class SentPacketsTest {
  /** A rail that keeps their order acknowledges by position: the same as one by one. */
  @Test
  void aPositionSettlesAllBelow() {
    Random random = new Random(9);
    SentPackets byOne = new SentPackets();
    SentPackets byPosition = new SentPackets();
    for (int round = 0; round < 2000; round++) {
      for (int i = random.nextInt(20); i > 0; i--) {
        for (SentPackets sent : List.of(byOne, byPosition)) {
          long n = sent.add(100 + round, round, round + 5, 0, false, 1, 2, 3);
          sent.addItem(n % 7 == 0 ? SentItem.ACK : SentItem.EAGER, null, n, 0, 1);
        }
        if (random.nextInt(10) == 0) {
          long lost = byOne.lowestOutstanding();
          byOne.markLost(lost);
          byPosition.markLost(lost);
        }
      }
      long until = byOne.lowestOutstanding() + random.nextInt(12);
      long bytes = 0;
      List<Long> notes = new ArrayList<>();
      for (long n = byOne.lowestOutstanding(); n < Math.min(until, byOne.nextNumber()); n++) {
        if (byOne.state(n) == SentPackets.OUTSTANDING) {
          bytes += byOne.bytes(n);
          assertEquals(1, byOne.markAcked(n, n));
          if (byOne.hasNotes(n)) {
            notes.add(n);
          }
        }
      }
      List<Long> noted = new ArrayList<>();
      assertEquals(bytes, byPosition.markAllAcked(until, noted::add));
      assertEquals(notes, noted);
      assertEquals(byOne.outstanding(), byPosition.outstanding());
      assertEquals(byOne.lowestOutstanding(), byPosition.lowestOutstanding());
      assertEquals(byOne.state(until - 1), byPosition.state(until - 1));
    }
  }

  /** Where none was lost and none has notes they are settled as a run: the same again. */
  @Test
  void aPositionSettlesAWholeRun() {
    Random random = new Random(10);
    SentPackets byOne = new SentPackets();
    SentPackets byPosition = new SentPackets();
    for (int round = 0; round < 2000; round++) {
      int most = round % 500 == 0 ? 300 : 20; // the rings grow now and then
      for (int i = random.nextInt(most); i > 0; i--) {
        int following = random.nextInt(3);
        for (SentPackets sent : List.of(byOne, byPosition)) {
          long n = sent.add(100 + i, round, round + 5, 0, false, 1, 2, 3);
          sent.addItem(SentItem.FRAGMENT, null, n, 0, 1);
          for (int k = 0; k < following; k++) {
            sent.addNext();
          }
        }
      }
      if (random.nextInt(20) == 0 && byOne.outstanding() > 0) {
        byOne.setRequeued(byOne.lowestOutstanding());
        byPosition.setRequeued(byPosition.lowestOutstanding());
      }
      long first = byOne.lowestOutstanding();
      long until = first + random.nextInt(40);
      long end = Math.min(until, byOne.nextNumber());
      long bytes = 0;
      for (long n = first; n < end; n++) {
        bytes += byOne.bytes(n);
        assertEquals(1, byOne.markAcked(n, n));
      }
      assertEquals(
          bytes, byPosition.markAllAcked(until, n -> fail("packet " + n + " has no notes")));
      assertEquals(byOne.outstanding(), byPosition.outstanding());
      assertEquals(byOne.lowestOutstanding(), byPosition.lowestOutstanding());
      for (long n = first; n < byOne.nextNumber(); n++) {
        assertEquals(byOne.state(n), byPosition.state(n));
        assertEquals(byOne.isRequeued(n), byPosition.isRequeued(n));
      }
    }
  }

  @Test
  void agreesWithASimpleModelThroughGrowth() {
    Random random = new Random(3);
    SentPackets sent = new SentPackets();
    TreeMap<Long, Integer> model = new TreeMap<>();
    for (int step = 0; step < 50_000; step++) {
      int what = random.nextInt(10);
      if (what < 5 && sent.hasRoom()) {
        long n = sent.nextNumber();
        assertEquals(n, sent.add(step, step, step + 5, 0, false, 1, 2, 3));
        int items = random.nextInt(SentPackets.MAX_ITEMS + 1);
        for (int i = 0; i < items; i++) {
          sent.addItem(SentItem.FRAGMENT, null, n, i, step);
        }
        model.put(n, step);
      } else if (what == 5) {
        sent.skip();
      } else if (!model.isEmpty()) {
        long pick =
            random.nextInt(4) == 0
                ? model.firstKey()
                : model.floorKey(model.firstKey() + random.nextInt(1000));
        if (random.nextBoolean()) {
          assertEquals(1, sent.markAcked(pick, pick));
          assertTrue(sent.isAcked(pick));
        } else {
          sent.markLost(pick);
          assertEquals(SentPackets.LOST, sent.state(pick));
        }
        model.remove(pick);
      }
      assertEquals(model.size(), sent.outstanding());
      assertEquals(
          model.isEmpty() ? sent.nextNumber() : model.firstKey(), sent.lowestOutstanding());
    }
    model.forEach(
        (n, step) -> {
          assertEquals(SentPackets.OUTSTANDING, sent.state(n));
          assertEquals((int) step, sent.bytes(n));
          for (int i = 0; i < sent.itemCount(n); i++) {
            assertEquals((long) n, sent.itemFirst(n, i));
            assertEquals(i, sent.itemOffset(n, i));
          }
        });
    assertFalse(sent.isAcked(sent.nextNumber()));
  }

  @Test
  @Tag("R24")
  void theSpanIsBounded() {
    SentPackets sent = new SentPackets();
    sent.add(1, 0, 0, 0, false, 0, 0, 0);
    while (sent.hasRoom()) {
      long next = sent.add(1, 0, 0, 0, false, 0, 0, 0);
      assertEquals(1, sent.markAcked(next, next));
    }
    assertEquals(SentPackets.MAX_SPAN, sent.nextNumber());
    sent.markLost(0);
    assertTrue(sent.hasRoom());
  }

  @Test
  void packetsOfARunShareARecordAndHaveTheirOwnFate() {
    Random random = new Random(5);
    SentPackets sent = new SentPackets();
    TreeMap<Long, long[]> model = new TreeMap<>(); // record's size, offset
    for (int step = 1; step < 20_000; step++) {
      if (random.nextInt(3) > 0 && sent.nextNumber() - sent.lowestOutstanding() < 5000) {
        long first = sent.add(step, step, step, 0, false, step, 0, 0);
        sent.addItem(SentItem.FRAGMENT, null, step, 7, 100);
        model.put(first, new long[] {step, 7});
        for (int i = random.nextInt(60); i > 0; i--) {
          long n = sent.addNext();
          model.put(n, new long[] {step, 7 + 100 * (n - first)});
        }
      } else if (!model.isEmpty()) {
        ackSome(sent, model, random);
      }
      assertEquals(model.size(), sent.outstanding());
      assertEquals(
          model.isEmpty() ? sent.nextNumber() : model.firstKey(), sent.lowestOutstanding());
    }
    assertFalse(model.isEmpty());
    model.forEach(
        (n, of) -> {
          assertEquals(SentPackets.OUTSTANDING, sent.state(n));
          assertEquals((int) of[0], sent.bytes(n));
          assertEquals(of[0], sent.itemFirst(n, 0));
          assertEquals(of[1], sent.itemOffset(n, 0));
          assertEquals(100, sent.itemLength(n, 0));
        });
  }

  /** Loses one packet, or acknowledges a range as far as one record goes. */
  private static void ackSome(SentPackets sent, NavigableMap<Long, long[]> model, Random random) {
    long pick = model.floorKey(model.firstKey() + random.nextInt(100));
    if (random.nextInt(5) == 0) {
      sent.markLost(pick);
      model.remove(pick);
      return;
    }
    long last = Math.min(pick + random.nextInt(80), sent.nextNumber() - 1);
    long record = model.get(pick)[0];
    int expected = 0;
    while (pick + expected <= last
        && model.containsKey(pick + expected)
        && model.get(pick + expected)[0] == record) {
      model.remove(pick + expected);
      expected++;
    }
    assertEquals(expected, sent.markAcked(pick, last));
    assertTrue(sent.isAcked(pick));
  }

  @Test
  void whatIsKnownOfAJudgedPacketEndsWhenItsPlaceIsTaken() {
    SentPackets sent = new SentPackets();
    long first = sent.add(1, 0, 0, 0, false, 0, 0, 0);
    sent.markLost(first);
    int more = 0;
    while (sent.state(first) == SentPackets.LOST) {
      long next = sent.add(1, 0, 0, 0, false, 0, 0, 0);
      assertEquals(1, sent.markAcked(next, next));
      more++;
    }
    assertEquals(SentPackets.UNKNOWN, sent.state(first));
    assertEquals(64, more);
  }
}
