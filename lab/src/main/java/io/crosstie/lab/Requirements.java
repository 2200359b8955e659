// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.Shell;
import io.crosstie.testkit.process.ToolException;
import io.crosstie.transport.linux.Libc;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the lab needs of the machine. */
public final class Requirements {
  private static final List<List<String>> TOOLS =
      List.of(List.of("ip", "-V"), List.of("tc", "-V"), List.of("nft", "--version"));

  private Requirements() {}

  /** One line on what is missing and how to get it, or null if the lab can be built. */
  public static synchronized @Nullable String missing() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return "the lab is made of Linux network namespaces, and this is "
          + System.getProperty("os.name");
    }
    List<String> tools = new ArrayList<>();
    for (List<String> tool : TOOLS) {
      if (Shell.attempt("", tool.toArray(String[]::new)).status() != 0) {
        tools.add(tool.getFirst());
      }
    }
    if (!tools.isEmpty()) {
      // Who is not root often has no /sbin on the path, where these tools are.
      return isRoot()
          ? "the lab needs "
              + String.join(", ", tools)
              + "; install them, for example by: apt install iproute2 nftables"
          : "the lab makes network namespaces, which needs root; run it as root: sudo ./crosstie"
              + " lab ...";
    }
    String native0 = Libc.whyUnavailable();
    if (native0 != null) {
      return native0;
    }
    String probe = "crosstie-lab-" + ProcessHandle.current().pid() + "-probe-a";
    Shell.Outcome outcome = Shell.attempt("", "ip", "netns", "add", probe);
    if (outcome.status() != 0) {
      return "the lab makes network namespaces, which needs root (\""
          + outcome.output().strip()
          + "\"); run it as root: sudo ./crosstie lab ...";
    }
    outcome = Shell.attempt("", "ip", "netns", "delete", probe);
    return outcome.status() == 0 ? null : outcome.output().strip();
  }

  private static boolean isRoot() {
    return Shell.attempt("", "id", "-u").output().strip().equals("0");
  }

  static void check() {
    String missing = missing();
    if (missing != null) {
      throw new ToolException(ToolException.ENVIRONMENT, missing);
    }
  }
}
