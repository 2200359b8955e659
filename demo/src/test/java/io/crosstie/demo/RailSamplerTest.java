// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.messaging.Counters;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RailSamplerTest {
  private final List<Report> reports = new ArrayList<>();
  private final RailSampler sampler =
      new RailSampler(List.of(RailSpec.udp("udp1", "127.0.0.1", 7, Map.of())), reports::add);

  /** Equal to others of the same rail, as the library's are. */
  private record Fixed(int id, long value) implements Counters<RailCounter> {
    @Override
    public boolean equals(Object other) {
      return other instanceof Fixed fixed && fixed.id == id;
    }

    @Override
    public int hashCode() {
      return id;
    }

    @Override
    public Class<RailCounter> type() {
      return RailCounter.class;
    }

    @Override
    public long get(RailCounter counter) {
      return value;
    }
  }

  private static RailInfo rail(int id, RailState state, long count) {
    return new RailInfo(id, "", "udp", state, "udp://127.0.0.1:7", "", new Fixed(id, count));
  }

  private String state() {
    return sampler.statuses().getFirst().state();
  }

  /** It was shown as REMOVED, as if it had been there. */
  @Test
  void railThatIsStillToComeIsNotRemoved() {
    sampler.sample(List.of(), 1);
    assertEquals("UNVALIDATED", state());
    assertEquals(List.of(), reports);
    sampler.sample(List.of(rail(1, RailState.ACTIVE, 0)), 2);
    assertEquals(List.of(new Report.RailChanged(2, "udp1", "UNVALIDATED", "ACTIVE")), reports);
    sampler.sample(List.of(), 3);
    assertEquals("REMOVED", state());
  }

  /** The library replaces a rail by a new one under the same configuration. */
  @Test
  void railsOfOneConfigurationCountAsOne() {
    sampler.sample(List.of(rail(1, RailState.ACTIVE, 5)), 1);
    sampler.sample(List.of(rail(1, RailState.ACTIVE, 6)), 2);
    sampler.sample(List.of(rail(2, RailState.ACTIVE, 10)), 3);
    Map<String, Long> counters = sampler.statuses().getFirst().counters();
    assertEquals(16, counters.get("PACKETS_OUT"));
    assertEquals(10, counters.get("SRTT_NS"), "a gauge is the present one's");
    assertEquals("udp1", sampler.nameOf(1, List.of()));
    assertEquals("rail 9", sampler.nameOf(9, List.of()));
  }

  /** The demo's first line named a rail by its number. */
  @Test
  void anEventBeforeTheFirstLookHasTheRailsName() {
    assertEquals("udp1", sampler.nameOf(0, List.of(rail(0, RailState.ACTIVE, 0))));
  }
}
