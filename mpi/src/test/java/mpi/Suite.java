// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.WorldConfig;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The suite as the ranks of one job, each a process: what the tests of this package run as threads,
 * chapter by chapter, again and again until a time is over: {@code Suite SECONDS}. Files are made
 * in the folder of {@code -Dmpi.test.folder}. A rank that finds a fault ends with 1.
 */
public final class Suite {
  /** What some ranks do together; a method that each of them calls. */
  private record Chapter(String name, Class<?> bodies, String method) {}

  private Suite() {}

  /** Those that are made for so many ranks, in the order of the standard. */
  private static List<Chapter> chapters(int ranks) throws ReflectiveOperationException {
    List<Chapter> all = new ArrayList<>();
    all.add(new Chapter("3, 4: messages and datatypes", PointToPointTest.class, "all"));
    all.add(new Chapter("5, 6, 7: collective operations", CollectivesTest.class, "all"));
    if (ranks >= 2) {
      all.add(new Chapter("6: intercommunicators", IntercommTest.class, "all"));
    }
    all.add(new Chapter("11: windows", WinTest.class, "all"));
    all.add(new Chapter("13: files", FileTest.class, "all"));
    if (ranks == 2) {
      all.add(new Chapter("habits", HabitsTest.class, "all"));
    }
    if (ranks == 3) {
      all.add(new Chapter("3: modes and requests", RequestsTest.class, "all"));
      for (String edge :
          EdgesTest.class
              .getDeclaredMethod("edge", String.class)
              .getAnnotation(ValueSource.class)
              .strings()) {
        all.add(new Chapter("edges: " + edge, EdgesTest.class, edge));
      }
    }
    return all;
  }

  /** For how many seconds; each chapter is run once at least. */
  public static void main(String[] args) throws ReflectiveOperationException {
    MPI.configure(
        new WorldConfig(),
        code -> {
          throw new AssertionError("abort " + code);
        });
    String[] own = MPI.Init(args);
    long endNs = System.nanoTime() + Long.parseLong(own[0]) * 1_000_000_000;
    Intracomm between = MPI.COMM_WORLD.dup();
    List<Chapter> chapters = chapters(between.getSize());
    boolean[] again = {true};
    int rounds = 0;
    while (again[0]) {
      for (Chapter chapter : chapters) {
        run(chapter);
      }
      rounds++;
      again[0] = System.nanoTime() < endNs;
      between.bcast(again, 1, MPI.BOOLEAN, 0);
    }
    if (between.getRank() == 0) {
      System.out.println(chapters.size() + " chapters with " + between.getSize() + " ranks: right");
      System.err.println(rounds + " rounds");
    }
    MPI.Finalize();
  }

  private static void run(Chapter chapter) throws ReflectiveOperationException {
    MPI.COMM_WORLD.setErrhandler(Errhandler.THROWN); // as before the one before
    try {
      chapter.bodies().getDeclaredMethod(chapter.method()).invoke(null);
    } catch (InvocationTargetException e) {
      System.err.println("rank " + MPI.COMM_WORLD.getRank() + ", chapter " + chapter.name() + ":");
      e.getCause().printStackTrace();
      System.exit(1);
    }
  }
}
