// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.MinimumRtt;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.multirail.schedule.PrimaryBackup;
import io.crosstie.multirail.schedule.WeightedRoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  private static final class Rails implements PathScheduler.RailsView {
    final long[] rate;
    final long[] rtt;
    final long[] flight;
    final boolean[] usable;
    final boolean[] room;
    final int[] weight;

    Rails(int n) {
      rate = new long[n];
      rtt = new long[n];
      flight = new long[n];
      usable = new boolean[n];
      room = new boolean[n];
      weight = new int[n];
      for (int i = 0; i < n; i++) {
        rate[i] = 100_000_000L;
        rtt[i] = 100_000;
        usable[i] = true;
        room[i] = true;
        weight[i] = 1;
      }
    }

    @Override
    public int count() {
      return rate.length;
    }

    @Override
    public boolean usable(int rail) {
      return usable[rail];
    }

    @Override
    public boolean canSendNow(int rail) {
      return room[rail];
    }

    @Override
    public long waitNs(int rail, long nowNs) {
      return room[rail] ? 0 : rtt[rail];
    }

    @Override
    public long rate(int rail) {
      return rate[rail];
    }

    @Override
    public long flightBytes(int rail) {
      return flight[rail];
    }

    @Override
    public long rttNs(int rail) {
      return rtt[rail];
    }

    @Override
    public int weight(int rail) {
      return weight[rail];
    }
  }

  @Test
  @Tag("R17")
  void aSmallMessageTakesTheQuickRailAndWaitsForItRatherThanTrailOnASlowOne() {
    Rails rails = new Rails(2);
    rails.rtt[1] = 50_000_000;
    rails.rate[1] = 1_000_000;
    EstimatedCompletion ect = new EstimatedCompletion();
    assertEquals(0, ect.select(rails, 64, 64, -1, 0));
    rails.room[0] = false;
    assertEquals(PathScheduler.WAIT, ect.select(rails, 64, 64, -1, 0));
    assertEquals(1, ect.select(rails, 1400, 1L << 30, -1, 0), "a huge backlog uses both");
  }

  @Test
  @Tag("R17")
  @Tag("R26")
  void aLargeMessageIsStripedInProportionToTheRates() {
    Rails rails = new Rails(2);
    rails.rate[0] = 300_000_000L;
    EstimatedCompletion ect = new EstimatedCompletion();
    int[] packets = new int[2];
    for (int i = 0; i < 4000; i++) {
      int rail = ect.select(rails, 1400, 1 << 26, -1, 0);
      packets[rail]++;
      rails.flight[rail] += 1400;
    }
    assertEquals(3.0, (double) packets[0] / packets[1], 0.1);
  }

  @Test
  void aRailToAvoidIsTakenOnlyIfThereIsNoOther() {
    Rails rails = new Rails(2);
    for (PathScheduler s : new PathScheduler[] {new EstimatedCompletion(), new MinimumRtt()}) {
      assertEquals(1, s.select(rails, 64, 64, 0, 0));
      rails.usable[1] = false;
      assertEquals(0, s.select(rails, 64, 64, 0, 0));
      rails.usable[1] = true;
    }
  }

  @Test
  void weightsAreKeptWithinFivePoints() {
    Rails rails = new Rails(3);
    rails.weight[0] = 5;
    rails.weight[1] = 3;
    rails.weight[2] = 2;
    WeightedRoundRobin s = new WeightedRoundRobin();
    long[] sent = new long[3];
    for (int i = 0; i < 10_000; i++) {
      int size = 100 + i * 37 % 1300;
      int rail = s.select(rails, size, size, -1, 0);
      s.onSent(rail, size);
      sent[rail] += size;
    }
    double total = sent[0] + sent[1] + sent[2];
    assertEquals(0.5, sent[0] / total, 0.05);
    assertEquals(0.3, sent[1] / total, 0.05);
    assertEquals(0.2, sent[2] / total, 0.05);
    rails.usable[0] = false;
    for (int i = 0; i < 1000; i++) {
      s.onSent(s.select(rails, 1000, 1000, -1, 0), 1000);
    }
    rails.usable[0] = true;
    int first = 0;
    for (int i = 0; i < 100; i++) {
      int rail = s.select(rails, 1000, 1000, -1, 0);
      s.onSent(rail, 1000);
      first += rail == 0 ? 1 : 0;
    }
    assertTrue(first < 60, "a rail that was away makes up for its absence: " + first);
  }

  @Test
  void primaryAndBackupKeepToThePrimary() {
    Rails rails = new Rails(3);
    rails.weight[1] = 9;
    PrimaryBackup s = new PrimaryBackup();
    assertEquals(1, s.select(rails, 1, 1, -1, 0));
    rails.room[1] = false;
    assertEquals(PathScheduler.WAIT, s.select(rails, 1, 1, -1, 0));
    rails.usable[1] = false;
    assertEquals(0, s.select(rails, 1, 1, -1, 0));
  }
}
