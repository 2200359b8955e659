// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.testkit.process.Shell;
import io.crosstie.testkit.process.ToolException;
import org.jspecify.annotations.Nullable;

/**
 * What is done to the network interface of one rail, with the kernel's own tools and behind the
 * library's back. Thread safe.
 */
final class Faults {
  private static final String ALL_SEGMENTS = "65535";

  private final String table;
  private @Nullable Nic victim;
  private String fault = "";

  /** The interface that has rules in the filter. */
  private @Nullable Nic filtered;

  /**
   * @param rail number of the rail, which names the table of filter rules
   */
  Faults(int rail) {
    this.table = "crosstie_demo_" + rail;
  }

  /** Takes the interface down. */
  synchronized void cut(Nic nic) {
    begin(nic, "down");
    Shell.run("ip", "link", "set", "dev", nic.device(), "down");
    removeRules(nic);
  }

  /** Lets nothing through, in either direction, and tells nobody. */
  synchronized void blackHole(Nic nic) {
    begin(nic, "black hole");
    filter(nic, "drop");
    raise(nic);
  }

  /** Loses a share of the datagrams in both directions, each by chance. */
  synchronized void lose(Nic nic, int percent) {
    begin(nic, "loss " + percent + " %");
    // The rules see batches as they leave; one datagram each, or bursts would be lost.
    Shell.run("ip", "link", "set", "dev", nic.device(), "gso_max_segs", "1");
    filter(nic, "numgen random mod 100 < " + percent + " drop");
    raise(nic);
  }

  /**
   * From here on this fault is to be undone in place of the one before. Whoever begins one puts it
   * in force before the other goes: a moment without any would let through what the first held
   * back.
   */
  private void begin(Nic nic, String what) {
    if (nic.loopback()) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          nic.device() + " is the loopback interface; faults need a network of their own");
    }
    victim = nic;
    fault = what;
  }

  /** Below IP, so that no socket is told; for IP only, so that hardware addresses stay known. */
  private void filter(Nic nic, String rule) {
    // One transaction; the first line is for the second, which needs a table to delete.
    StringBuilder rules =
        new StringBuilder(
            "table netdev %1$s\ndelete table netdev %1$s\ntable netdev %1$s {\n".formatted(table));
    for (String hook : new String[] {"ingress", "egress"}) {
      rules
          .append("  chain ")
          .append(hook)
          .append(" {\n    type filter hook ")
          .append(hook)
          .append(" device \"")
          .append(nic.device())
          .append("\" priority 0;\n    meta protocol { ip, ip6 } ")
          .append(rule)
          .append("\n  }\n");
    }
    Shell.feed(rules.append("}\n").toString(), "nft", "-f", "-");
    filtered = nic;
  }

  /** Undoes what was done here or from outside: rules away, interface up. */
  synchronized void restore(Nic nic) {
    victim = null;
    fault = "";
    removeRules(nic);
    raise(nic);
  }

  /**
   * @param now the interface that the rail has now, perhaps another than the one with the rules
   */
  private void removeRules(Nic now) {
    Nic before = filtered;
    if (before == null) {
      return;
    }
    Shell.run("nft", "delete", "table", "netdev", table);
    filtered = null;
    if (before.index() == now.index()) {
      Shell.run("ip", "link", "set", "dev", now.device(), "gso_max_segs", ALL_SEGMENTS);
    }
  }

  private static void raise(Nic nic) {
    if (!nic.up()) {
      Shell.run("ip", "link", "set", "dev", nic.device(), "up");
    }
  }

  /** Undoes what was done here, as far as it can be, at the end. */
  synchronized void close() {
    Nic nic = victim;
    if (nic != null) {
      try {
        restore(new Nic(nic.device(), nic.index(), nic.address(), false, nic.loopback()));
      } catch (ToolException e) {
        System.err.println("crosstie: " + e.getMessage());
      }
    }
  }

  /**
   * What is being done to an interface.
   *
   * @param nic the one that is there now; another than the victim is sound
   */
  synchronized String fault(@Nullable Nic nic) {
    Nic hurt = victim;
    return hurt != null && nic != null && hurt.index() == nic.index() ? fault : "";
  }
}
