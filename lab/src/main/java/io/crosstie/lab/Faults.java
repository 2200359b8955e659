// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.ToolException;
import java.util.ArrayList;
import java.util.List;

/** The kinds of faults that the lab knows. */
public final class Faults {
  private static final long MS = 1_000_000;
  private static final long HANG_NS = 950 * MS;
  private static final Fault.Act NOTHING = injector -> {};

  private static final List<Fault> ALL =
      List.of(
          new Fault(
              "none",
              "nothing, to see what this machine does by itself",
              false,
              false,
              false,
              400 * MS,
              NOTHING,
              NOTHING,
              NOTHING),
          cut(
              "interface-down-sender",
              "the sender's interface is set down",
              in -> in.senderLink("down"),
              in -> in.senderLink("up")),
          cut(
              "interface-down-receiver",
              "the receiver's interface is set down",
              in -> in.receiverLink("down"),
              in -> in.receiverLink("up")),
          cut(
              "black-hole-forward",
              "packets to the receiver vanish",
              in -> in.blackHole(true, false),
              in -> in.endBlackHole(true, false)),
          cut(
              "black-hole-backward",
              "packets to the sender vanish",
              in -> in.blackHole(false, true),
              in -> in.endBlackHole(false, true)),
          cut(
              "black-hole-both",
              "packets in both directions vanish",
              in -> in.blackHole(true, true),
              in -> in.endBlackHole(true, true)),
          cut(
              "address-removed-sender",
              "the sender's address is removed and added again",
              in -> in.address(true, "del"),
              in -> in.address(true, "add")),
          cut(
              "address-removed-receiver",
              "the receiver's address is removed and added again",
              in -> in.address(false, "del"),
              in -> in.address(false, "add")),
          hung("driver-hung-sender", "the sender's thread for the rail stands still", true),
          hung("driver-hung-receiver", "the receiver's thread for the rail stands still", false),
          new Fault(
              "flapping",
              "the interface goes down and up every 50 to 500 ms for three seconds",
              true,
              false,
              false,
              0,
              NOTHING,
              in -> in.flap(3_000 * MS),
              NOTHING),
          nuisance(
              "loss",
              "1 to 30 % of the datagrams are lost",
              in ->
                  in.filter(
                      true, "numgen random mod 100 < " + in.turn(1, 2, 5, 10, 20, 30) + " drop"),
              in -> in.endFilter(true)),
          nuisance(
              "loss-of-batches",
              "1 to 30 % of the batches of datagrams are lost",
              in ->
                  in.filter(
                      false, "numgen random mod 100 < " + in.turn(1, 2, 5, 10, 20, 30) + " drop"),
              in -> in.endFilter(false)),
          nuisance(
              "bursts",
              "8 of every 400 datagrams on end are lost",
              in -> in.filter(true, "numgen inc mod 400 < 8 drop"),
              in -> in.endFilter(true)),
          nuisance(
              "corruption",
              "a byte of 1 % of the datagrams is overwritten, in the header or behind it",
              in ->
                  in.filter(
                      true,
                      "numgen random mod 1000 < 5 @th,160,8 set 0x5a",
                      "numgen random mod 1000 < 5 @th,4000,8 set 0xa5"),
              in -> in.endFilter(true)),
          nuisance(
              "repeats",
              "5 % of the datagrams come twice",
              in -> in.repeat(5),
              Injector::endRepeat),
          nuisance(
              "reordering",
              "a random tenth of the datagrams takes a slower way",
              Injector::reorder,
              Injector::endReorder),
          nuisance(
              "rate-collapse",
              "the rail carries a tenth of its rate",
              Injector::collapse,
              Injector::endCollapse),
          nuisance(
              "mtu-shrunk",
              "the MTU goes from 1500 to 1300, at the sender and the receiver by turns",
              in -> in.shrinkMtu(1300),
              in -> in.mtu(1500)),
          pause(
              "stopped-sender",
              "SIGSTOP of the sender for three seconds",
              3_000 * MS,
              NOTHING,
              in -> in.signal(true, "STOP"),
              in -> in.signal(true, "CONT")),
          pause(
              "stopped-receiver",
              "SIGSTOP of the receiver for three seconds",
              3_000 * MS,
              NOTHING,
              in -> in.signal(false, "STOP"),
              in -> in.signal(false, "CONT")),
          pause(
              "collection-sender",
              "a garbage collection of a second in the sender",
              0,
              in -> in.ballast(true),
              in -> in.collect(true),
              NOTHING),
          pause(
              "collection-receiver",
              "a garbage collection of a second in the receiver",
              0,
              in -> in.ballast(false),
              in -> in.collect(false),
              NOTHING),
          pause(
              "all-rails-down",
              "all interfaces are down for ten seconds",
              10_000 * MS,
              NOTHING,
              in -> in.allLinks("down"),
              in -> in.allLinks("up")));

  private Faults() {}

  private static Fault cut(String kind, String what, Fault.Act strike, Fault.Act heal) {
    return new Fault(kind, what, true, false, false, 400 * MS, NOTHING, strike, heal);
  }

  /** The rail is to be back before this is over, for its thread is given up. */
  private static Fault hung(String kind, String what, boolean ofSender) {
    return new Fault(
        kind,
        what,
        true,
        false,
        true,
        HANG_NS,
        NOTHING,
        in -> in.hang(ofSender),
        Injector::endHang);
  }

  private static Fault nuisance(String kind, String what, Fault.Act strike, Fault.Act heal) {
    return new Fault(kind, what, false, false, false, 500 * MS, NOTHING, strike, heal);
  }

  private static Fault pause(
      String kind, String what, long holdNs, Fault.Act prepare, Fault.Act strike, Fault.Act heal) {
    return new Fault(kind, what, false, true, false, holdNs, prepare, strike, heal);
  }

  /** Lines for a person: a kind and what it does. */
  public static List<String> describe() {
    return ALL.stream()
        .map(
            fault ->
                "%-26s%s%s"
                    .formatted(
                        fault.kind(), fault.what(), fault.needsThread() ? " (--thread=own)" : ""))
        .toList();
  }

  /**
   * The kinds of these names; all that can be made if there are none.
   *
   * @throws ToolException for a name that is not known, or a kind that cannot be made
   */
  static List<Fault> named(List<String> names, boolean ownThreads) {
    if (names.isEmpty()) {
      return ALL.stream().filter(fault -> ownThreads || !fault.needsThread()).toList();
    }
    List<Fault> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          ALL.stream()
              .filter(fault -> fault.kind().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new ToolException(
                          ToolException.USAGE,
                          "no fault is called \""
                              + name
                              + "\"; there are "
                              + String.join(", ", names()))));
    }
    for (Fault fault : chosen) {
      if (fault.needsThread() && !ownThreads) {
        throw new ToolException(
            ToolException.USAGE,
            fault.kind() + " stops the thread of a rail; give the rails threads: --thread=own");
      }
    }
    return chosen;
  }

  private static List<String> names() {
    return ALL.stream().map(Fault::kind).toList();
  }
}
