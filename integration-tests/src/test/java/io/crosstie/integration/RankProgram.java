// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.RankEndedException;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.World;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@link RunIT} has started as ranks; the first word says what they do. */
final class RankProgram {
  private RankProgram() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "ring" -> ring();
      case "exit" -> exit(Integer.parseInt(args[1]));
      case "hang" -> hang();
      case "sum" -> sum();
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

  /** Rank 1 ends badly, rank 2 does not leave, and rank 0 waits for both. */
  private static void exit(int status) {
    World world = World.join();
    Communicator all = world.communicator();
    int[] got = new int[1];
    if (all.rank() > 0) {
      all.recv(got, 0, 1);
      if (all.rank() == 1) {
        Runtime.getRuntime().halt(status);
      }
      return; // its threads are daemons
    }
    for (int other = 1; other <= 2; other++) {
      all.send(got, other, 1);
      try {
        all.recv(got, other, 2);
      } catch (RankEndedException e) {
        System.out.println("told of rank " + e.rank());
      }
    }
    world.close();
  }

  /** All add up one more than their number, and tell what network they are in. */
  private static void sum() throws IOException {
    try (World world = World.join()) {
      int[] number = {world.rank() + 1};
      world.communicator().allreduce(Data.of(number), Data.of(number), Reduction.SUM);
      System.out.println(
          "rank " + world.rank() + " talks to " + world.node().peers().size() + " others");
      System.out.println(
          "rank "
              + world.rank()
              + " of "
              + world.size()
              + " has "
              + number[0]
              + " in "
              + Files.readSymbolicLink(Path.of("/proc/self/ns/net"))
              + " by "
              + world.toString().replaceFirst(".*? \\(", "").replaceFirst("\\)$", ""));
      world.communicator().barrier();
    }
  }

  /** Both wait for what never comes. */
  private static void hang() throws IOException {
    try (World world = World.join()) {
      Communicator all = world.communicator();
      String allowed =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith("Cpus_allowed_list:"))
              .findFirst()
              .orElse("");
      System.out.println(
          "rank " + world.rank() + " waits on processor " + allowed.replaceAll(".*\\s", ""));
      if (all.rank() == 0) {
        all.recv(new int[1], 1, 5);
      } else {
        all.send(new int[1], 0, 6);
        all.send(new int[1_000_000], 0, 7);
      }
    }
  }
}
