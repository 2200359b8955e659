// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;

/**
 * What the sender's rails count, summed, at one time.
 *
 * @param packets sent
 * @param payload bytes sent for the first time
 * @param again bytes sent again
 * @param lost packets taken for lost, for whatever reason
 * @param spurious those of them that were acknowledged after all
 * @param failovers changes to DOWN, but for those from PROBING
 */
record RailCounts(
    long packets, long payload, long again, long lost, long spurious, long failovers) {
  private static final List<String> LOST =
      List.of(
          "LOST_BY_THRESHOLD",
          "LOST_BY_TIME",
          "LOST_BY_TIMEOUT",
          "LOST_BY_NACK",
          "REINJECTED",
          "LOST_BY_RAIL_DOWN");

  /** From the answer to "counters"; zeros for a subject that counts nothing of the kind. */
  static RailCounts of(JsonObject counters) {
    if (!counters.has("rails")) {
      long again = counters.has("RetransSegs") ? counters.get("RetransSegs").getAsLong() : 0;
      long out = counters.has("OutSegs") ? counters.get("OutSegs").getAsLong() : 0;
      return new RailCounts(out, 0, 0, again, 0, 0);
    }
    long lost = 0;
    for (String name : LOST) {
      lost += sum(counters, name);
    }
    return new RailCounts(
        sum(counters, "PACKETS_OUT"),
        sum(counters, "PAYLOAD_FIRST_OUT"),
        sum(counters, "PAYLOAD_AGAIN_OUT"),
        lost,
        sum(counters, "SPURIOUS"),
        sum(counters, "FAILOVERS"));
  }

  private static long sum(JsonObject counters, String name) {
    long sum = 0;
    for (JsonElement rail : counters.getAsJsonArray("rails")) {
      sum += rail.getAsJsonObject().get(name).getAsLong();
    }
    return sum;
  }

  RailCounts minus(RailCounts before) {
    return new RailCounts(
        packets - before.packets,
        payload - before.payload,
        again - before.again,
        lost - before.lost,
        spurious - before.spurious,
        failovers - before.failovers);
  }

  /** Share of the packets sent that were sent again for nothing. */
  double spuriousShare() {
    return packets == 0 ? 0 : (double) spurious / packets;
  }

  /** Share of payload that was sent again; of segments, for TCP. */
  double retransmittedShare() {
    return payload > 0
        ? (double) again / (payload + again)
        : packets == 0 ? 0 : (double) lost / packets;
  }
}
