// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.RankEndedException;
import io.crosstie.ranks.World;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What {@link RunIT} has started as ranks; the first word says what they do. */
final class RankProgram {
  private RankProgram() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "ring" -> ring();
      case "exit" -> exit(Integer.parseInt(args[1]));
      case "end" -> end();
      case "wait" -> await();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  /** A number goes round, and each adds to it; a long message follows it. */
  private static void ring() throws Exception {
    try (World world = World.join()) {
      Communicator all = world.communicator();
      int size = all.size();
      int next = (all.rank() + 1) % size;
      int before = (all.rank() + size - 1) % size;
      long[] number = new long[100_000];
      if (all.rank() == 0) {
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        number[0] = Long.parseLong(in.readLine());
        all.send(number, next, 1);
        all.recv(number, before, 1);
      } else {
        int unused = System.in.read(); // the end
        all.recv(number, before, 1);
        number[0] += all.rank();
        all.send(number, next, 1);
      }
      System.out.println(
          "rank "
              + all.rank()
              + " of "
              + size
              + " has "
              + number[0]
              + " in "
              + Path.of("").toAbsolutePath().getFileName()
              + " with "
              + System.getenv("GIVEN")
              + " on "
              + Runtime.getRuntime().availableProcessors());
    }
  }

  /** Rank 1 ends badly, and all others wait for it. */
  private static void exit(int status) {
    try (World world = World.join()) {
      Communicator all = world.communicator();
      int[] got = new int[1];
      if (all.rank() == 1) {
        all.recv(got, 0, 1);
        Runtime.getRuntime().halt(status);
      }
      if (all.rank() == 0) {
        all.send(got, 1, 1);
      }
      all.recv(got, 1, 2);
    } catch (RankEndedException e) {
      System.out.println("told of rank " + e.rank() + ": " + e.getMessage());
    }
  }

  /** Rank 1 does not leave: its main method ends. */
  private static void end() {
    World world = World.join();
    if (world.rank() == 0) {
      try {
        world.communicator().recv(new int[1], 1, 1);
      } catch (RankEndedException e) {
        System.out.println("told of rank " + e.rank());
      }
    }
    if (world.rank() != 1) {
      world.close();
    }
  }

  /** Each tells its process, and waits for what never comes. */
  private static void await() {
    try (World world = World.join()) {
      System.out.println("process " + ProcessHandle.current().pid());
      world.communicator().recv(new int[1], world.rank(), 1);
    }
  }
}
