// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rank's connection to the {@link Introducer}, and in rank 0 perhaps that one itself. */
public final class IntroducerClient implements WireUp {
  private static final int CONNECT_TIMEOUT_MS = 5_000;
  private static final int ANSWER_TIMEOUT_MS = 30_000;
  private static final Duration BETWEEN_TRIES = Duration.ofMillis(200);
  private static final Duration LAST_PATIENCE = Duration.ofSeconds(2);
  private static final int MOST_WAITING = 1 << 17;

  private final Job job;
  private final HostPort at;
  private @Nullable Introducer own;
  private @Nullable LineSocket line;
  private @Nullable Thread listening;
  private volatile boolean leaving;

  /** Nothing is done yet. */
  public IntroducerClient(Job job) {
    this.job = job;
    HostPort introducer = job.introducer();
    if (introducer == null) {
      throw new LaunchException("a job without an introducer has one rank");
    }
    this.at = introducer;
  }

  @Override
  public void start(List<String> addresses, Listener listener) {
    if (!job.hosted() && job.rank() == 0) {
      own =
          Introducer.open(
              job.key(),
              job.size(),
              new InetSocketAddress(at.host(), at.port()),
              job.joinTimeout());
    }
    boolean complete = false;
    try {
      LineSocket opened = connect();
      line = opened;
      String where = ProcessHandle.current().pid() + " " + hostName();
      opened.send(
          String.join(
              " ",
              Introducer.HELLO,
              job.key(),
              Integer.toString(job.rank()),
              Integer.toString(job.size()),
              where));
      String answer = opened.read(ANSWER_TIMEOUT_MS);
      if (answer == null || !answer.equals("OK")) {
        throw new LaunchException(
            "rank "
                + job.rank()
                + " is not let in by "
                + at
                + ": "
                + (answer == null
                    ? "the connection was closed"
                    : answer.replaceFirst("^ERR ", "")));
      }
      opened.send("AT " + String.join(" ", addresses));
      listening =
          Thread.ofPlatform()
              .daemon()
              .name("crosstie-wireup")
              .start(() -> listen(opened, listener));
      complete = true;
    } catch (IOException e) {
      throw new LaunchException(
          "rank " + job.rank() + " is not introduced by " + at + ": " + e.getMessage(), e);
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** Tries until the time is up: the introducer may start later than this rank. */
  private LineSocket connect() {
    long endNs = System.nanoTime() + job.joinTimeout().toNanos();
    while (true) {
      String why;
      Socket socket = new Socket();
      boolean complete = false;
      try {
        // looked up anew each time: a name server may learn the name late
        InetSocketAddress address = new InetSocketAddress(at.host(), at.port());
        if (address.isUnresolved()) {
          throw new IOException("nobody knows the host name \"" + at.host() + "\"");
        }
        socket.connect(address, CONNECT_TIMEOUT_MS);
        LineSocket opened = new LineSocket(socket, MOST_WAITING);
        complete = true;
        return opened;
      } catch (IOException e) {
        why = String.valueOf(e.getMessage());
      } finally {
        if (!complete) {
          closeQuietly(socket);
        }
      }
      if (System.nanoTime() - endNs > 0) {
        throw new LaunchException(
            "rank "
                + job.rank()
                + " does not reach "
                + at
                + ", where ranks are introduced, within "
                + job.joinTimeout().toSeconds()
                + " s: "
                + why
                + "; see that rank 0 runs there, and compare "
                + Job.INTRODUCER);
      }
      try {
        Thread.sleep(BETWEEN_TRIES);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LaunchException("interrupted before rank " + job.rank() + " had joined", e);
      }
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it was never used
    }
  }

  private void listen(LineSocket from, Listener listener) {
    String why = "its connection was closed";
    try {
      for (String said = from.read(0); said != null; said = from.read(0)) {
        String[] words = said.split(" ", 3);
        int rank = words.length > 1 ? Integer.parseInt(words[1]) : -1;
        String rest = words.length > 2 ? words[2] : "";
        if (rank < 0 || rank >= job.size()) {
          continue;
        }
        switch (words[0]) {
          case "AT" -> listener.onAddresses(rank, List.of(rest.split(" ")));
          case "DEAD" -> listener.onEnd(rank, false, rest);
          case "LEFT" -> listener.onEnd(rank, true, rest);
          default -> throw new IOException("it said \"" + said + "\"");
        }
      }
    } catch (IOException | NumberFormatException e) {
      why = String.valueOf(e.getMessage());
    }
    if (!leaving) {
      listener.onSilence("the introducer at " + at + " is gone: " + why);
    }
  }

  private void send(String text) {
    LineSocket to = line;
    if (to != null) {
      to.send(text);
    }
  }

  @Override
  public void fetch(int rank) {
    send("GET " + rank);
  }

  @Override
  public void declareDead(int rank, String why) {
    send("DEAD " + rank + " " + why.replace('\n', ' '));
  }

  @Override
  public void leave() {
    leaving = true;
    send("BYE");
  }

  @Override
  public void close() {
    boolean inOrder = leaving;
    leaving = true;
    LineSocket to = line;
    if (to != null) {
      Thread until = listening;
      if (inOrder && until != null) {
        to.finish();
        try {
          boolean unused = until.join(LAST_PATIENCE); // the farewell has arrived
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      to.close();
    }
    Introducer introducer = own;
    if (introducer != null) {
      if (inOrder) {
        introducer.awaitEnds(LAST_PATIENCE); // who asks for addresses late still gets them
      }
      introducer.close();
    }
  }
}
