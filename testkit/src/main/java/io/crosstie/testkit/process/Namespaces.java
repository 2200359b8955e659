// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Two hosts, which are network namespaces, and cables between them, which go with them. Traffic of
 * tests and tools stays in 198.18.0.0/15.
 */
public final class Namespaces implements AutoCloseable {
  /** Where named namespaces are. */
  public static final Path FOLDER = Path.of("/run/netns");

  private final List<String> hosts;
  private boolean open = true;

  /**
   * Makes both, with nothing but a loopback interface. Nothing is left if that fails.
   *
   * @param name of both, without "-a" and "-b"; so that what a dead run has left can be told from
   *     what another one uses, the process's number is a part of it
   */
  public Namespaces(String name) {
    hosts = List.of(name + "-a", name + "-b");
    boolean built = false;
    try {
      for (String host : hosts) {
        String unused = Shell.run("ip", "netns", "add", host);
        unused = Shell.run("ip", "-n", host, "link", "set", "lo", "up");
      }
      built = true;
    } finally {
      if (!built) {
        close();
      }
    }
  }

  /** One host. */
  public String a() {
    return hosts.getFirst();
  }

  /** The other one. */
  public String b() {
    return hosts.getLast();
  }

  /** Words that run a command on a host. */
  public static List<String> on(String host) {
    return List.of("ip", "netns", "exec", host);
  }

  /**
   * Joins them by a cable: a pair of interfaces of one name.
   *
   * @param addresses of both ends, with the bits of their network
   */
  public void join(String device, String... addresses) {
    String unused =
        Shell.run(
            "ip", "link", "add", device, "netns", a(), "type", "veth", "peer", "name", device,
            "netns", b());
    for (int end = 0; end < hosts.size(); end++) {
      raise(hosts.get(end), device, addresses[end]);
    }
  }

  /** Gives an interface its address and sets it up. */
  public static void raise(String host, String device, String address) {
    String unused = Shell.run("ip", "-n", host, "addr", "add", address, "dev", device);
    unused = Shell.run("ip", "-n", host, "link", "set", device, "up");
  }

  /** Ends what runs on the hosts, and removes them. Idempotent; never throws. */
  @Override
  public synchronized void close() {
    if (open) {
      open = false;
      hosts.forEach(Namespaces::remove);
    }
  }

  /** Ends what runs on a host, and removes it, if it is there. */
  public static void remove(String host) {
    if (!Files.exists(FOLDER.resolve(host))) {
      return;
    }
    Shell.attempt("", "ip", "netns", "pids", host)
        .output()
        .lines()
        .filter(line -> line.chars().allMatch(Character::isDigit))
        .map(Long::valueOf)
        .flatMap(pid -> ProcessHandle.of(pid).stream())
        .forEach(ProcessHandle::destroyForcibly);
    Shell.Outcome outcome = Shell.attempt("", "ip", "netns", "delete", host);
    if (outcome.status() != 0) {
      System.err.println(
          "crosstie: the namespace "
              + host
              + " is left ("
              + outcome.output().strip()
              + "); remove it by: ip netns delete "
              + host);
    }
  }
}
