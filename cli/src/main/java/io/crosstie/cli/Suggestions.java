// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What somebody may have meant who mistyped a command or an option. */
final class Suggestions {
  private static final int MOST_CHANGES = 2;

  private Suggestions() {}

  /** What is wrong, in words for a person, and what there is that is spelt much the same. */
  static String explain(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()) {
      return String.valueOf(e.getMessage()).replaceAll(" is not an? (int|long)\\b", " is no number")
          + ";";
    }
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    String word = unmatched.getUnmatched().getFirst();
    boolean option = word.startsWith("-");
    String what = option ? "option" : spec.subcommands().isEmpty() ? "word" : "command";
    List<String> alike = option ? alike(word, options(spec)) : alike(word, commands(spec));
    return "there is no "
        + what
        + " \""
        + word
        + "\""
        + (alike.isEmpty() ? ";" : "; did you mean " + String.join(" or ", alike) + "?");
  }

  private static Stream<String> options(CommandSpec spec) {
    return spec.options().stream().flatMap(option -> Stream.of(option.names()));
  }

  private static Stream<String> commands(CommandSpec spec) {
    return spec.subcommands().values().stream().map(CommandLine::getCommandName).distinct();
  }

  private static List<String> alike(String word, Stream<String> known) {
    List<String> alike = new ArrayList<>();
    known
        .filter(one -> changes(word, one) <= Math.min(MOST_CHANGES, one.length() / 2))
        .forEach(alike::add);
    return alike;
  }

  /** Letters to add, drop, replace or exchange with the next one (Damerau, Levenshtein). */
  static int changes(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      d[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      d[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        boolean exchanged =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (exchanged) {
          d[i][j] = Math.min(d[i][j], 1 + d[i - 2][j - 2]);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
