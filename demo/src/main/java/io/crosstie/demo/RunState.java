// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.demo.Report.RailStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the controller knows of the run, from the reports of both processes. One thread. */
final class RunState {
  static final String ACTIVE = "ACTIVE";

  private final List<String> rails;
  private final Map<String, String> senderStates = new HashMap<>();
  private final Map<String, Long> leftActiveUs = new HashMap<>();
  private final Map<String, Long> carryingUs = new HashMap<>();
  private final Pauses pauses = new Pauses();

  private Report.@Nullable Status sender;
  private Report.@Nullable Status receiver;
  private Report.@Nullable Sent sent;
  private long receivedAtUs;
  private int cutsMade;
  private Report.@Nullable Judged judged;

  RunState(List<String> rails) {
    this.rails = List.copyOf(rails);
  }

  void take(boolean fromSender, Report report) {
    switch (report) {
      case Report.Status status when fromSender -> {
        sender = status;
        status.rails().forEach(rail -> senderStates.put(rail.name(), rail.state()));
      }
      case Report.Status status -> {
        receiver = status;
        status.pauses().forEach(pause -> pauses.add(pause[0], pause[1]));
      }
      case Report.RailChanged changed when fromSender -> railChanged(changed);
      case Report.Carrying carrying when fromSender ->
          carryingUs.put(carrying.rail(), carrying.timeUs());
      case Report.CutMade _ -> cutsMade++;
      case Report.Sent all -> sent = all;
      case Report.Received all -> receivedAtUs = all.timeUs();
      case Report.Judged all -> judged = all;
      default -> {}
    }
  }

  private void railChanged(Report.RailChanged changed) {
    senderStates.put(changed.rail(), changed.to());
    if (!changed.to().equals(ACTIVE)) {
      carryingUs.remove(changed.rail());
    }
    if (changed.from().equals(ACTIVE)) {
      leftActiveUs.put(changed.rail(), changed.timeUs());
    }
  }

  List<String> rails() {
    return rails;
  }

  /** The rail's state as the sender sees it. */
  String senderState(String rail) {
    return senderStates.getOrDefault(rail, "-");
  }

  boolean isActive(String rail) {
    return senderState(rail).equals(ACTIVE);
  }

  boolean allActive() {
    return rails.stream().allMatch(this::isActive);
  }

  /** When the sender's rail last ceased to be ACTIVE; 0 if never. */
  long leftActiveUs(String rail) {
    return leftActiveUs.getOrDefault(rail, 0L);
  }

  /**
   * Since when the rail has carried payload in its present time as an ACTIVE one; 0 if it does not.
   */
  long carryingUs(String rail) {
    return carryingUs.getOrDefault(rail, 0L);
  }

  boolean allCarrying() {
    return rails.stream().allMatch(rail -> carryingUs(rail) > 0);
  }

  Pauses pauses() {
    return pauses;
  }

  Report.@Nullable Status sender() {
    return sender;
  }

  Report.@Nullable Status receiver() {
    return receiver;
  }

  long bytesDelivered() {
    return receiver == null ? 0 : receiver.bytes();
  }

  long bytesOffered() {
    return sender == null ? 0 : sender.bytes();
  }

  /** Time of the last report of the receiver, on the clock of all. */
  long receiverTimeUs() {
    return receiver == null ? 0 : receiver.timeUs();
  }

  /** What the sender says it sent, when it has ended. */
  Report.@Nullable Sent sent() {
    return sent;
  }

  /** When the last message was delivered; 0 if it was not. */
  long receivedAtUs() {
    return receivedAtUs;
  }

  /** How often a process has said that it cut a rail. */
  int cutsMade() {
    return cutsMade;
  }

  Report.@Nullable Judged judged() {
    return judged;
  }

  /** A rail's counters at the sender or at the receiver; empty if it is not there. */
  Map<String, Long> counters(boolean atSender, String rail) {
    Report.Status status = atSender ? sender : receiver;
    if (status != null) {
      for (RailStatus of : status.rails()) {
        if (of.name().equals(rail)) {
          return of.counters();
        }
      }
    }
    return Map.of();
  }
}
