// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.reliability.fault.PlantedFault;
import java.util.Locale;

/** A fault put into the core on purpose, to see that it is found. */
public enum Plant {
  /** None: the core as it is shipped. */
  NONE,
  /** Payloads have no checksum. */
  NO_CRC,
  /** What hangs on a silent rail is not sent again on others. */
  NO_REINJECTION,
  /** Between an engine and a port's thread a packet takes the length of the one before. */
  STALE_LENGTH,
  /** There a packet's room is given back before it was handed on. */
  EARLY_RELEASE,
  /** What is stored into a ring by streaming may be seen before it is there. */
  STREAM_UNFENCED,
  /** A rank does not tell that the turn of what went before its turn has come. */
  RANK_TURN_FORGOTTEN,
  /** A rank does not say that a message goes before its turn. */
  RANK_EARLY_UNMARKED,
  /** A rank does not ask for what its receives wait for. */
  RANK_WANT_LOST,
  /** A rank does not tell that a message cannot be read. */
  RANK_UNREADABLE_UNTOLD,
  /** {@link PlantedFault#NO_NUMBER}. */
  NO_NUMBER,
  /** {@link PlantedFault#INLINE_IN_OFFER_NOT_NOTED}. */
  INLINE_IN_OFFER_NOT_NOTED,
  /** {@link PlantedFault#INLINE_IN_CYCLE_NOT_NOTED}. */
  INLINE_IN_CYCLE_NOT_NOTED,
  /** {@link PlantedFault#PREDICTED_UNCHECKED}. */
  PREDICTED_UNCHECKED,
  /** {@link PlantedFault#NO_DUPLICATE_FILTER}. */
  NO_DUPLICATE_FILTER,
  /** {@link PlantedFault#WHOLES_MISPLACED}. */
  WHOLES_MISPLACED,
  /** {@link PlantedFault#EAGER_PART_COUNTED_TWICE}. */
  EAGER_PART_COUNTED_TWICE,
  /** {@link PlantedFault#GRANTED_TWICE}. */
  GRANTED_TWICE,
  /** {@link PlantedFault#OVERLAP_MISPLACED}. */
  OVERLAP_MISPLACED,
  /** {@link PlantedFault#SUMMED_AT_SOURCE}. */
  SUMMED_AT_SOURCE,
  /** {@link PlantedFault#PULL_FAILURE_UNTOLD}. */
  PULL_FAILURE_UNTOLD,
  /** {@link PlantedFault#RUN_FORGOTTEN}. */
  RUN_FORGOTTEN,
  /** {@link PlantedFault#GAPS_ACKNOWLEDGED}. */
  GAPS_ACKNOWLEDGED,
  /** {@link PlantedFault#POSITION_TOO_FAR}. */
  POSITION_TOO_FAR,
  /** {@link PlantedFault#WHOLE_NOT_AGAIN}. */
  WHOLE_NOT_AGAIN,
  /** {@link PlantedFault#FRAGMENT_NOT_AGAIN}. */
  FRAGMENT_NOT_AGAIN,
  /** {@link PlantedFault#REVOKED_NOT_AGAIN}. */
  REVOKED_NOT_AGAIN,
  /** {@link PlantedFault#NOT_CUT_AGAIN}. */
  NOT_CUT_AGAIN,
  /** {@link PlantedFault#REFUSED_IS_ACKNOWLEDGED}. */
  REFUSED_IS_ACKNOWLEDGED,
  /** {@link PlantedFault#NACK_BEHIND_POSITION_IGNORED}. */
  NACK_BEHIND_POSITION_IGNORED,
  /** {@link PlantedFault#NO_SAFETY_NET}. */
  NO_SAFETY_NET,
  /** {@link PlantedFault#FORMER_USE_TAKEN}. */
  FORMER_USE_TAKEN,
  /** {@link PlantedFault#COPIES_WITHOUT_END}. */
  COPIES_WITHOUT_END,
  /** {@link PlantedFault#LENT_UNTIL_SENT}. */
  LENT_UNTIL_SENT,
  /** {@link PlantedFault#PLACED_AGAIN}. */
  PLACED_AGAIN,
  /** {@link PlantedFault#PLACED_GAP_MISPLACED}. */
  PLACED_GAP_MISPLACED,
  /** {@link PlantedFault#PLACED_UNCHECKED}. */
  PLACED_UNCHECKED,
  /** {@link PlantedFault#NOTIFIED_EARLY}. */
  NOTIFIED_EARLY,
  /** {@link PlantedFault#CLOSED_IS_OPEN}. */
  CLOSED_IS_OPEN,
  /** {@link PlantedFault#REFUSED_IS_ACCEPTED}. */
  REFUSED_IS_ACCEPTED,
  /** {@link PlantedFault#REFUSAL_NOT_AGAIN}. */
  REFUSAL_NOT_AGAIN,
  /** {@link PlantedFault#FLUSHED_EARLY}. */
  FLUSHED_EARLY,
  /** {@link PlantedFault#ATOMIC_TWICE}. */
  ATOMIC_TWICE,
  /** {@link PlantedFault#ANSWERED_EARLY}. */
  ANSWERED_EARLY,
  /** {@link PlantedFault#GOT_AFTER_CLOSE}. */
  GOT_AFTER_CLOSE,
  /** {@link PlantedFault#PLACED_NOT_AGAIN}. */
  PLACED_NOT_AGAIN,
  /** {@link PlantedFault#DATAGRAM_TWICE}. */
  DATAGRAM_TWICE,
  /** {@link PlantedFault#DATAGRAM_RESENT}. */
  DATAGRAM_RESENT,
  /** {@link PlantedFault#CLAIM_STAYS_OPEN}. */
  CLAIM_STAYS_OPEN;

  /** Its name on the command line. */
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it shows where there are ranks only. */
  boolean isOfRanks() {
    return switch (this) {
      case RANK_TURN_FORGOTTEN, RANK_EARLY_UNMARKED, RANK_WANT_LOST, RANK_UNREADABLE_UNTOLD -> true;
      default -> false;
    };
  }

  /** What is put into an endpoint. */
  PlantedFault core() {
    return switch (this) {
      case NONE,
          NO_CRC,
          NO_REINJECTION,
          STALE_LENGTH,
          EARLY_RELEASE,
          STREAM_UNFENCED,
          RANK_TURN_FORGOTTEN,
          RANK_EARLY_UNMARKED,
          RANK_WANT_LOST,
          RANK_UNREADABLE_UNTOLD ->
          PlantedFault.NONE;
      default -> PlantedFault.valueOf(name());
    };
  }

  /**
   * Finds one by that name.
   *
   * @throws IllegalArgumentException naming those that exist
   */
  public static Plant of(String option) {
    StringBuilder known = new StringBuilder();
    for (Plant plant : values()) {
      if (plant.option().equals(option)) {
        return plant;
      }
      known.append(known.isEmpty() ? "" : ", ").append(plant.option());
    }
    throw new IllegalArgumentException("unknown fault \"" + option + "\"; known are " + known);
  }
}
