// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * What PMI and PMIx are used for: rank 0 opens a port and tells all others where, by one word, with
 * a key that it has just drawn. Everything else goes by that port, so that addresses are told when
 * they are needed and the ends of ranks are heard of.
 */
final class Exchange {
  /** A launcher's board, where rank 0 pins a word up and the others read it. */
  interface Board {
    /** Rank 0: others can read it when this returns, or soon. */
    void publish(String word) throws Way.Blocked;

    /** All others: the word of rank 0, once it is there. */
    String read() throws Way.Blocked;
  }

  private Exchange() {}

  /**
   * Finds the job by a board. Rank 0 introduces where it is told to ({@link Job#INTRODUCER}), or at
   * a free port. Others are expected from when its {@link IntroducerClient} starts: with PMI-1 they
   * come together, which may take them as long as that.
   *
   * @param launcher for a person
   * @param localSize how many ranks share this host, 0 if that is not known
   * @param placement where each rank is, as far as this one knows; that of rank 0 counts
   */
  static Membership by(
      Board board,
      String launcher,
      int rank,
      int size,
      int localSize,
      Placement placement,
      Environment environment)
      throws Way.Blocked {
    if (size == 1) {
      return alone(launcher);
    }
    int sharing = environment.localSize(localSize);
    boolean local = sharing == size;
    Placement where = environment.placement(size, placement);
    if (rank > 0) {
      Places places = Places.parse(board.read());
      Job job =
          new Job(
              rank,
              size,
              places.key(),
              places.at(),
              false,
              sharing,
              where,
              environment.joinTimeout(),
              launcher);
      return new Membership(job, new IntroducerClient(job, null));
    }
    String key = environment.key(Places.freshKey());
    HostPort told = environment.introducer();
    InetSocketAddress place =
        told == null ? Places.binding(local, 0) : new InetSocketAddress(told.host(), told.port());
    Introducer own = Introducer.open(key, size, place, where);
    boolean complete = false;
    try {
      List<HostPort> at =
          told == null ? Places.ofThisHost(local, own.address().port()) : List.of(told);
      board.publish(new Places(key, at).word());
      Job job =
          new Job(0, size, key, at, false, sharing, where, environment.joinTimeout(), launcher);
      Membership membership = new Membership(job, new IntroducerClient(job, own));
      complete = true;
      return membership;
    } finally {
      if (!complete) {
        own.close();
      }
    }
  }

  /** A launcher that has started one process. */
  static Membership alone(String launcher) {
    Job none = Job.alone();
    return Ways.of(
        new Job(
            0, 1, none.key(), List.of(), false, 1, none.placement(), none.joinTimeout(), launcher));
  }
}
