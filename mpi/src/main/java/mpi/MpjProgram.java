// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/**
 * Starts a program that counts on the three words which MPJ Express puts before its own, and which
 * {@code MPI.Init} takes away: the rank, a file that here is none, and the device. {@code mpjrun.sh
 * --mpj-args} starts it: {@code MpjProgram DEVICE CLASS WORD...}.
 */
final class MpjProgram {
  /** How many words are put before those of the program. */
  static final int WORDS = 3;

  private static final String NO_FILE = "-";

  private MpjProgram() {}

  public static void main(String[] args) throws Throwable {
    String[] words = new String[args.length - 2 + WORDS];
    words[0] = System.getenv().getOrDefault("CROSSTIE_RANK", "0");
    words[1] = NO_FILE;
    words[2] = args[0];
    System.arraycopy(args, 2, words, WORDS, args.length - 2);
    MPI.takeAway(WORDS);
    Method main;
    try {
      main = Class.forName(args[1]).getDeclaredMethod("main", String[].class);
    } catch (ClassNotFoundException | NoSuchMethodException e) {
      throw new IllegalArgumentException(
          "there is no class \"" + args[1] + "\" with a method main(String[])", e);
    }
    if (!Modifier.isStatic(main.getModifiers())) {
      throw new IllegalArgumentException("main of " + args[1] + " is not static");
    }
    main.setAccessible(true);
    try {
      main.invoke(null, (Object) words);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
