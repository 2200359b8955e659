// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.ranks;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Received;
import io.crosstie.ranks.World;

/**
 * Counts primes: {@code MasterAndWorkers [TASKS]}. Rank 0 gives each of the others a task, and
 * another one to whoever has done its own, so that quick ones do more of them. In the end it
 * compares what all tasks have come to with what it comes to by itself.
 */
public final class MasterAndWorkers {
  private static final int TASK = 1;
  private static final int RESULT = 2;
  private static final int END = 3;
  private static final int NUMBERS = 10_000;

  private MasterAndWorkers() {}

  /** How many of the numbers of a task are primes. */
  private static int primes(int task) {
    int count = 0;
    for (int number = task * NUMBERS; number < (task + 1) * NUMBERS; number++) {
      boolean prime = number > 1;
      for (int divisor = 2; prime && divisor * divisor <= number; divisor++) {
        prime = number % divisor != 0;
      }
      count += prime ? 1 : 0;
    }
    return count;
  }

  private static void work(Communicator all) {
    int[] task = new int[1];
    while (all.recv(Data.of(task), 0, Communicator.ANY_TAG).tag() == TASK) {
      all.send(new int[] {task[0], primes(task[0])}, 0, RESULT);
    }
  }

  /** The numbers of primes by task. */
  private static int[] giveOut(Communicator all, int tasks) {
    int[] found = new int[tasks];
    int next = 0;
    int working = 0;
    for (int rank = 1; rank < all.size() && next < tasks; rank++) {
      all.send(new int[] {next++}, rank, TASK);
      working++;
    }
    int[] result = new int[2];
    while (working > 0) {
      Received from = all.recv(result, Communicator.ANY_SOURCE, RESULT);
      found[result[0]] = result[1];
      if (next < tasks) {
        all.send(new int[] {next++}, from.source(), TASK);
      } else {
        working--;
      }
    }
    for (int rank = 1; rank < all.size(); rank++) {
      all.send(new int[] {0}, rank, END);
    }
    return found;
  }

  /** Whether the result is that of one process, as rank 0 finds it; in other ranks true. */
  public static boolean isRight(World world, int tasks) {
    Communicator all = world.communicator();
    if (all.rank() != 0) {
      work(all);
      return true;
    }
    int[] found = all.size() > 1 ? giveOut(all, tasks) : new int[tasks];
    boolean right = true;
    for (int task = 0; task < tasks; task++) {
      right &= all.size() == 1 || found[task] == primes(task);
    }
    return right;
  }

  /** How many tasks (100). */
  public static void main(String[] args) {
    int tasks = args.length > 0 ? Integer.parseInt(args[0]) : 100;
    Example.run("primes by " + tasks + " tasks", world -> isRight(world, tasks));
  }
}
