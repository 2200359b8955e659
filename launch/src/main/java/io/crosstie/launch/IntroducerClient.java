// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A rank's connection to the {@link Introducer}, and in rank 0 perhaps that one itself. */
final class IntroducerClient implements WireUp {
  private static final int FIRST_TIMEOUT_MS = 1_000;
  private static final int CONNECT_TIMEOUT_MS = 5_000;
  private static final int ANSWER_TIMEOUT_MS = 30_000;
  private static final Duration BETWEEN_TRIES = Duration.ofMillis(200);
  private static final Duration LAST_PATIENCE = Duration.ofSeconds(2);
  private static final int MOST_WAITING = 1 << 17;

  private static final AtomicInteger CLIENTS = new AtomicInteger();

  private final int number = CLIENTS.incrementAndGet();
  private final Job job;
  private final @Nullable Introducer own;
  private final Resolver resolver = new Resolver();
  private @Nullable LineSocket line;
  private @Nullable Thread listening;
  private volatile boolean leaving;

  /** A connection to the introducer, and what that has told. */
  private record Joined(LineSocket line, Placement placement) {}

  /**
   * Nothing is done yet.
   *
   * @param own where this rank is introduced, if it introduces; closed with this
   */
  IntroducerClient(Job job, @Nullable Introducer own) {
    this.job = job;
    this.own = own;
    if (job.introducers().isEmpty()) {
      throw new LaunchException("a job without an introducer has one rank");
    }
  }

  @Override
  public Placement join() {
    if (line != null) {
      throw new IllegalStateException("rank " + job.rank() + " has joined before");
    }
    boolean complete = false;
    try {
      Joined joined = connect();
      line = joined.line();
      complete = true;
      return joined.placement();
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  @Override
  public void start(String terms, List<String> addresses, Listener listener) {
    LineSocket opened = line;
    if (opened == null) {
      throw new IllegalStateException("rank " + job.rank() + " has not joined");
    }
    boolean complete = false;
    try {
      if (own != null) {
        own.expectAll(job.joinTimeout());
      }
      opened.send("TERMS " + terms);
      opened.send("AT " + String.join(" ", addresses));
      listening =
          Thread.ofPlatform()
              .daemon()
              .name("crosstie-wireup")
              .start(() -> listen(opened, listener));
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /**
   * Which of this process's clients this is: by that the introducer knows it when it comes again.
   */
  int number() {
    return number;
  }

  /** How this host calls itself. */
  static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** Tries all places until the time is up: the introducer may start later than this rank. */
  private Joined connect() {
    Duration patience = job.joinTimeout();
    long endNs = System.nanoTime() + patience.toNanos();
    Map<String, String> tried = new LinkedHashMap<>();
    int timeoutMs = FIRST_TIMEOUT_MS;
    for (boolean first = true; ; first = false) {
      for (HostPort at : own == null ? job.introducers() : List.of(own.address())) {
        if (!first && System.nanoTime() - endNs > 0) {
          break; // each place is tried once
        }
        try {
          // looked up anew each time: a name may be known late, or have another address by now
          for (InetAddress address : resolver.find(at.host())) {
            Joined joined =
                introduce(new InetSocketAddress(address, at.port()), timeoutMs, endNs, tried);
            if (joined != null) {
              return joined;
            }
          }
        } catch (IOException e) {
          String unused = tried.put(at.toString(), String.valueOf(e.getMessage()));
        }
      }
      if (System.nanoTime() - endNs > 0) {
        List<String> all = new ArrayList<>();
        tried.forEach((where, why) -> all.add(where + " (" + why + ")"));
        throw new LaunchException(
            "rank "
                + job.rank()
                + " does not reach rank 0"
                + (job.placement().name(0).isEmpty() ? "" : " on " + job.placement().name(0))
                + ", where ranks are introduced, within "
                + patience.toSeconds()
                + " s; it has tried "
                + String.join(", ", all)
                + "; see that rank 0 runs there, that its host can be reached, and that "
                + Job.INTRODUCER
                + ", if it is set, is the same everywhere");
      }
      timeoutMs = Math.min(2 * timeoutMs, CONNECT_TIMEOUT_MS);
      try {
        Thread.sleep(BETWEEN_TRIES);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LaunchException("interrupted before rank " + job.rank() + " had joined", e);
      }
    }
  }

  /**
   * Connects, and is let in.
   *
   * @return null if this is not the place, which is noted then
   */
  private @Nullable Joined introduce(
      InetSocketAddress at, int timeoutMs, long endNs, Map<String, String> tried) {
    boolean choice = job.introducers().size() > 1;
    int connectMs = within(endNs, timeoutMs);
    String place = new HostPort(at.getAddress().getHostAddress(), at.getPort()).toString();
    Socket socket = new Socket();
    LineSocket opened = null;
    boolean complete = false;
    try {
      socket.connect(at, connectMs);
      opened = new LineSocket(socket, MOST_WAITING);
      opened.send(
          String.join(
              " ",
              Introducer.HELLO,
              job.key(),
              Integer.toString(job.rank()),
              Integer.toString(job.size()),
              Long.toString(ProcessHandle.current().pid()),
              Integer.toString(number),
              hostName()));
      int answerMs = choice ? CONNECT_TIMEOUT_MS : ANSWER_TIMEOUT_MS;
      List<String> hosts = new ArrayList<>();
      String answer = opened.read(within(endNs, answerMs));
      while (answer != null && answer.startsWith(Introducer.HOSTS) && hosts.size() < job.size()) {
        hosts.add(answer.substring(Introducer.HOSTS.length()));
        answer = opened.read(within(endNs, answerMs));
      }
      if (answer != null && answer.equals(Introducer.LET_IN)) {
        Joined joined = new Joined(opened, Placement.parse(hosts, job.size()));
        complete = true;
        return joined;
      }
      boolean refused = answer != null && answer.startsWith(Introducer.REFUSED);
      boolean other = answer != null && answer.startsWith(Introducer.OTHER_JOB);
      String why =
          answer == null
              ? "the connection was closed"
              : refused || other ? answer.substring(answer.indexOf(' ') + 1) : "is no introducer";
      if (refused || (other && !choice)) {
        throw new LaunchException("rank " + job.rank() + " is not let in by " + place + ": " + why);
      }
      String unused = tried.put(place, why);
    } catch (IOException | IllegalArgumentException e) {
      String unused = tried.put(place, String.valueOf(e.getMessage()));
    } finally {
      if (!complete) {
        closeQuietly(opened == null ? socket : opened);
      }
    }
    return null;
  }

  /** Not much longer than until the time is up. */
  private static int within(long endNs, int timeoutMs) {
    long leftMs = (endNs - System.nanoTime()) / 1_000_000;
    return (int) Math.min(timeoutMs, Math.max(FIRST_TIMEOUT_MS, leftMs));
  }

  private static void closeQuietly(Closeable socket) {
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
          case "TELL" -> answer(from, listener, rest);
          case "DEAD" -> listener.onEnd(rank, false, rest);
          case "LEFT" -> listener.onEnd(rank, true, rest);
          default -> throw new IOException("it said \"" + said + "\"");
        }
      }
    } catch (IOException | NumberFormatException e) {
      why = String.valueOf(e.getMessage());
    }
    if (!leaving) {
      listener.onSilence(
          "the introducer at " + HostPort.list(job.introducers()) + " is gone: " + why);
    }
  }

  private static void answer(LineSocket to, Listener listener, String question) throws IOException {
    try {
      for (String one : listener.onQuestion(Question.valueOf(question))) {
        to.send("STATE " + one.replace('\n', ' '));
      }
    } catch (IllegalArgumentException e) {
      throw new IOException("nobody knows the question \"" + question + "\"", e);
    }
    to.send("STATED");
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
