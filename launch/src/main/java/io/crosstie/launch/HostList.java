// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Slurm's short form of many host names: {@code n[1-3,07],gpu[1-2]x,m5}. */
final class HostList {
  private static final int MOST = Job.MAX_SIZE;

  private final String what;
  private final String text;
  private final List<String> names = new ArrayList<>();

  private HostList(String what, String text) {
    this.what = what;
    this.text = text;
  }

  /**
   * All names, in order.
   *
   * @param what it is, for the message
   */
  static List<String> expand(String what, String text) {
    HostList list = new HostList(what, text);
    int begin = 0;
    int depth = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ',';
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ',' && (depth == 0 || i == text.length())) {
        list.add("", text.substring(begin, i));
        begin = i + 1;
      }
    }
    return list.names;
  }

  private LaunchException bad() {
    return new LaunchException(what + " is \"" + text + "\", which is no list of hosts");
  }

  /** Adds all names that begin so and go on in that form. */
  private void add(String begin, String form) {
    int open = form.indexOf('[');
    int close = form.indexOf(']', Math.max(0, open));
    if (open < 0) {
      if ((begin + form).isEmpty() || form.indexOf(']') >= 0 || names.size() == MOST) {
        throw bad();
      }
      names.add(begin + form);
      return;
    }
    if (close < 0) {
      throw bad();
    }
    String rest = form.substring(close + 1);
    for (String range : form.substring(open + 1, close).split(",", -1)) {
      String[] ends = range.split("-", 2);
      Integer from = number(ends[0]);
      Integer to = number(ends[ends.length - 1]);
      if (from == null || to == null || to < from || to - from >= MOST) {
        throw bad();
      }
      for (int i = from; i <= to; i++) {
        String digits = Integer.toString(i);
        String zeros = "0".repeat(Math.max(0, ends[0].length() - digits.length()));
        add(begin + form.substring(0, open) + zeros + digits, rest);
      }
    }
  }

  private static @Nullable Integer number(String digits) {
    try {
      return digits.isEmpty() ? null : Integer.valueOf(digits);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
