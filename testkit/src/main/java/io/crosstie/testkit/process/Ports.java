// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Ports that somebody has to name before anybody opens them. They are none of those that the kernel
 * gives away, so that no other socket takes one meanwhile; each is given once in a process, and two
 * processes look at different ones. Where a port can be asked for after it was opened with number
 * 0, that is better.
 */
public final class Ports {
  /** Linux gives away ports from 32768 on. */
  private static final int FIRST = 10_000;

  private static final int COUNT = 20_000;

  /** Each process begins elsewhere. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 101 % COUNT));

  private Ports() {}

  /** One that nobody uses, neither for UDP nor for TCP. */
  public static int free() {
    return inARow(1);
  }

  /** So many of them. */
  public static int[] free(int count) {
    return IntStream.generate(Ports::free).limit(count).toArray();
  }

  /**
   * The first of so many that follow one another.
   *
   * @throws ToolException if none are free, or no socket can be opened
   */
  public static int inARow(int count) {
    for (int looked = 0; looked < COUNT; looked += count) {
      int first = FIRST + Math.floorMod(NEXT.getAndAdd(count), COUNT);
      if (IntStream.range(first, first + count).allMatch(Ports::isFree)) {
        return first;
      }
    }
    throw new ToolException(
        ToolException.ENVIRONMENT,
        "no port from "
            + FIRST
            + " to "
            + (FIRST + COUNT - 1)
            + " can be opened for UDP and TCP; see how many files a process may have open"
            + " (ulimit -n)");
  }

  private static boolean isFree(int port) {
    try (DatagramSocket udp = new DatagramSocket(port);
        ServerSocket tcp = new ServerSocket(port)) {
      return udp.isBound() && tcp.isBound();
    } catch (IOException e) {
      return false; // somebody else's
    }
  }
}
