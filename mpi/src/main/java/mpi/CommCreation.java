// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.World;
import java.util.ArrayList;
import java.util.List;

/**
 * Communicators that are made without a word of ranks that are not to be in them, or in the
 * background: one rank takes the numbers and tells the others; then each opens them by itself.
 */
final class CommCreation {
  /** What one communicator needs: for the program's messages, and for those behind them. */
  static final int NUMBERS = 2;

  private CommCreation() {}

  /** Puts new numbers into an array. */
  static void number(int[] into, int at) {
    for (int i = 0; i < NUMBERS; i++) {
      into[at + i] = MPI.world().newNumber();
    }
  }

  /** A communicator of those ranks of the world. */
  static <T extends Comm> T open(T made, int[] told, int at, int[] members) {
    World world = MPI.world();
    made.open(world.communicator(told[at], members), world.communicator(told[at + 1], members), "");
    return made;
  }

  /** Begins a copy. */
  static <T extends Comm> T begin(Comm of, T made) {
    return of.guard(
        () -> {
          int[] told = new int[NUMBERS];
          if (of.rank == 0) {
            number(told, 0);
          }
          Transfer telling = of.bcastTransfer(Part.of(told, 0, NUMBERS, MPI.INT), 0);
          made.inherit(of, true);
          made.makeBy(of, andOpen(telling, () -> open(made, told, 0, of.members())));
          return made;
        });
  }

  /** One of the same ranks, with nothing of what is attached to it. All ranks call it. */
  static Intracomm fresh(Comm of) {
    int[] told = new int[NUMBERS];
    if (of.rank == 0) {
      number(told, 0);
    }
    await(of.bcastTransfer(Part.of(told, 0, NUMBERS, MPI.INT), 0));
    return open(new Intracomm(), told, 0, of.members());
  }

  /** A step of this rank alone behind others: whoever waits for anything takes it. */
  static Transfer andOpen(Transfer telling, Runnable step) {
    return Transfer.inTurn(
        telling,
        () -> {
          step.run();
          return Transfer.over(Status.empty());
        });
  }

  /** Waits for what has no request. */
  static void await(Transfer transfer) {
    Progress.await(transfer);
    Status unused = transfer.finish();
  }

  /** Messages of the library's own under a program's tag; they meet no other ones. */
  static int tag(int tag) {
    return ObjectMessages.FIRST_GROUP_TAG
        | (Comm.checkTag(tag) & (ObjectMessages.FIRST_GROUP_TAG - 1));
  }

  /** One of some ranks, which call this alone; null for one that is not in the group. */
  static Intracomm ofGroup(Intracomm of, Group group, int tag) {
    Communicator messages = of.inner();
    int with = tag(tag);
    int[] members = Checks.group(group).members().clone();
    Group all = of.getGroup();
    int[] ranks = new int[members.length];
    for (int i = 0; i < ranks.length; i++) {
      ranks[i] = all.rankOf(members[i]);
      if (ranks[i] == MPI.UNDEFINED) {
        throw MPIException.of(MPI.ERR_GROUP, "the group has ranks of other communicators");
      }
    }
    Intracomm made = new Intracomm();
    int place = group.getRank();
    if (place == MPI.UNDEFINED) {
      return made;
    }
    int[] told = new int[NUMBERS];
    List<Transfer> telling = new ArrayList<>();
    if (place == 0) {
      number(told, 0);
      for (int i = 1; i < ranks.length; i++) {
        telling.add(Transfer.message(messages.isend(Data.of(told), ranks[i], with), null));
      }
    } else {
      telling.add(
          Transfer.message(
              messages.irecv(Data.of(told), ranks[0], with), Part.of(told, 0, NUMBERS, MPI.INT)));
    }
    await(Transfer.all(telling));
    made.inherit(of, false);
    return open(made, told, 0, members);
  }
}
