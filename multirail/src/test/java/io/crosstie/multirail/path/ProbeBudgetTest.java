// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.congestion.RateController;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.transport.RailAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Strangers are spared, whoever names them, and nobody waits for what others name. */
@Tag("R23")
class ProbeBudgetTest {
  private static final long MS = 1_000_000;

  private final ProbeBudget budget = new ProbeBudget();

  private static RailPath path(String remote) {
    RailPath path =
        new RailPath(
            0,
            new RailLink(0, "local", 1),
            new RateController(125_000_000L, RailPath.BASE_PACKET),
            new SlipClock(2 * MS, MS / 2, () -> 0),
            MS,
            PlantedFault.NONE,
            0);
    path.link().leadTo(new RailAddress(remote));
    return path;
  }

  /** How many of ever so many probes leave in time. */
  private int leave(RateLimiter ofPeer, String remote, int asked, long nowNs, long withinNs) {
    int left = 0;
    for (int i = 0; i < asked; i++) {
      RailPath path = path(remote);
      budget.reserve(path, ofPeer, nowNs);
      if (path.probing().turnNs() <= nowNs + withinNs) {
        path.probing().onProbe(false, nowNs);
        left++;
      } else {
        path.probing().giveBack();
      }
    }
    return left;
  }

  @Test
  void aStrangerGetsThreeASecondWhoeverNamesItAndByWhicheverPort() {
    int left = 0;
    for (int peer = 0; peer < 50; peer++) {
      RateLimiter ofPeer = ProbeBudget.ofPeer();
      left += leave(ofPeer, "udp://198.18.0.9:" + (7000 + peer), 40, 0, 1000 * MS);
    }
    int most = ProbeBudget.UNPROVEN_BURST + ProbeBudget.UNPROVEN_PER_SECOND;
    int leaves = left;
    assertTrue(left <= most, () -> leaves + " in one second");
    assertTrue(left >= ProbeBudget.UNPROVEN_BURST, () -> leaves + " in one second");
  }

  @Test
  void whatOnePeerNamesKeepsNoOtherWaiting() {
    int unused = leave(ProbeBudget.ofPeer(), "udp://198.18.0.9:7000", 1000, 0, 60_000 * MS);
    assertEquals(1, leave(ProbeBudget.ofPeer(), "udp://198.18.0.10:7000", 1, 0, 0));
    budget.onAnswer(new RailAddress("udp://198.18.0.11:7000"));
    for (int peer = 0; peer < 100; peer++) {
      assertEquals(1, leave(ProbeBudget.ofPeer(), "udp://198.18.0.11:" + peer, 1, 0, 0));
    }
  }

  @Test
  void onePeerHasABoundWhateverItNames() {
    RateLimiter ofPeer = ProbeBudget.ofPeer();
    int left = 0;
    for (int host = 0; host < 250; host++) {
      left += leave(ofPeer, "udp://198.18.1." + host + ":7000", 10, 0, 1000 * MS);
    }
    int leaves = left;
    assertTrue(left < 100, () -> leaves + " in one second");
  }

  @Test
  void whatWasSetAsideForARailThatIsGoneIsGivenBack() {
    RateLimiter ofPeer = ProbeBudget.ofPeer();
    for (int i = 0; i < 1000; i++) {
      RailPath path = path("udp://198.18.0.9:7000");
      budget.reserve(path, ofPeer, 0);
      path.probing().giveBack();
      path.probing().giveBack(); // once only
    }
    assertEquals(ProbeBudget.UNPROVEN_BURST, leave(ofPeer, "udp://198.18.0.9:7000", 20, 0, 0));
  }

  /** Naming ever so many hosts does not make one forgotten that was probed just now. */
  @Test
  void hostsThatAreRememberedAreBoundedAndNoneIsForgottenTooSoon() {
    assertEquals(8, leave(ProbeBudget.ofPeer(), "udp://198.18.0.9:7000", 20, 0, 0));
    int overflow = 0;
    for (int i = 1; i < 4 * ProbeBudget.MAX_HOSTS; i++) {
      String host = "udp://198.19." + i / 250 + "." + i % 250 + ":7000";
      int left = leave(ProbeBudget.ofPeer(), host, 1, 0, 0);
      overflow += i < ProbeBudget.MAX_HOSTS ? 0 : left;
    }
    assertEquals(0, leave(ProbeBudget.ofPeer(), "udp://198.18.0.9:7001", 20, 0, 0));
    assertEquals(ProbeBudget.UNPROVEN_BURST, overflow, "of all that are not remembered");
  }

  @Test
  void anAddressIsItsHostWithAnotherPort() {
    assertEquals("udp://[fd00::1]", ProbeBudget.host(new RailAddress("udp://[fd00::1]:7400")));
    assertEquals("udp://198.18.0.1", ProbeBudget.host(new RailAddress("udp://198.18.0.1:1")));
    assertEquals("mem://left", ProbeBudget.host(new RailAddress("mem://left")));
  }
}
