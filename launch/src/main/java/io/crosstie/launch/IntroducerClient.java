// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A rank's connection to the {@link Introducer}, and in rank 0 perhaps that one itself. If it is
 * cut, another one takes its place, by whatever address works, and nobody else comes to know.
 */
final class IntroducerClient implements WireUp {
  private static final int FIRST_TIMEOUT_MS = 1_000;
  private static final int CONNECT_TIMEOUT_MS = 5_000;
  private static final int ANSWER_TIMEOUT_MS = 30_000;
  private static final Duration BETWEEN_TRIES = Duration.ofMillis(200);

  /** Tries to come back for so long, or longer where somebody takes the connection at least. */
  private static final Duration RETURN_PATIENCE = Duration.ofSeconds(30);

  private static final Duration LAST_PATIENCE = Duration.ofSeconds(2);
  private static final int MOST_WAITING = 1 << 17;
  private static final String STANDS_STILL = "it does not answer";

  private final int number = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
  private final String host = hostName(); // the name server may be out when it comes back
  private final Job job;
  private final @Nullable Introducer own;
  private final Resolver resolver = new Resolver();
  private @Nullable LineSocket line; // guarded by this, as what follows
  private final List<String> told = new ArrayList<>();
  private final Set<Integer> asked = new LinkedHashSet<>();
  private final Map<Integer, String> dead = new LinkedHashMap<>();
  private boolean left;
  private @Nullable Thread listening;
  private volatile boolean leaving;
  private volatile boolean closed;

  /** Where the introducer is, as far as that is known without asking a name server. */
  private final Set<InetSocketAddress> places = new LinkedHashSet<>(); // of who joins, then listens

  /** A connection to the introducer, and what that has told. */
  private record Joined(LineSocket line, Placement placement, List<String> places) {}

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
    if (current() != null) {
      throw new IllegalStateException("rank " + job.rank() + " has joined before");
    }
    boolean complete = false;
    try {
      Joined joined = connect();
      for (HostPort at : own == null ? job.introducers() : List.of(own.address())) {
        learn(at);
      }
      joined.places().forEach(at -> learn(HostPort.parse("what the introducer has told", at)));
      synchronized (this) {
        line = joined.line();
      }
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
    LineSocket opened = current();
    if (opened == null) {
      throw new IllegalStateException("rank " + job.rank() + " has not joined");
    }
    boolean complete = false;
    try {
      if (own != null) {
        own.expectAll(job.joinTimeout());
      }
      synchronized (this) {
        told.add("TERMS " + terms);
        told.add("AT " + String.join(" ", addresses));
        told.forEach(opened::send);
      }
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

  private void learn(HostPort at) {
    try {
      boolean unused =
          places.add(new InetSocketAddress(InetAddress.ofLiteral(at.host()), at.port()));
    } catch (IllegalArgumentException e) {
      // a name: its address was found when this rank joined
    }
  }

  private synchronized @Nullable LineSocket current() {
    return line;
  }

  /**
   * By that and its process the introducer knows it when it comes again; of another process of the
   * same number, in a container, say, it is another one.
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
            InetSocketAddress place = new InetSocketAddress(address, at.port());
            boolean unused = places.add(place);
            Joined joined = introduce(Introducer.HELLO, place, timeoutMs, endNs, tried);
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

  private static String text(InetSocketAddress at) {
    return new HostPort(at.getAddress().getHostAddress(), at.getPort()).toString();
  }

  /**
   * Connects, and is let in.
   *
   * @param hello whether it comes for the first time
   * @return null if this is not the place, which is noted then
   */
  private @Nullable Joined introduce(
      String hello, InetSocketAddress at, int timeoutMs, long endNs, Map<String, String> tried) {
    boolean isBack = hello.equals(Introducer.BACK);
    boolean choice = own == null && (isBack || job.introducers().size() > 1);
    // this process answers itself, however long it waits for a processor
    long untilNs = own == null ? endNs : System.nanoTime() + ANSWER_TIMEOUT_MS * 1_000_000L;
    String place = text(at);
    Socket socket = new Socket();
    LineSocket opened = null;
    boolean complete = false;
    try {
      socket.connect(at, within(endNs, timeoutMs));
      opened = new LineSocket(socket, MOST_WAITING, Introducer.BEAT, Thread.ofPlatform().daemon());
      opened.send(
          String.join(
              " ",
              hello,
              job.key(),
              Integer.toString(job.rank()),
              Integer.toString(job.size()),
              Long.toString(ProcessHandle.current().pid()),
              Integer.toString(number),
              host));
      int answerMs = choice ? CONNECT_TIMEOUT_MS : ANSWER_TIMEOUT_MS;
      List<String> hosts = new ArrayList<>();
      List<String> others = List.of();
      String answer = opened.read(within(untilNs, answerMs));
      while (answer != null && answer.startsWith(Introducer.HOSTS) && hosts.size() < job.size()) {
        hosts.add(answer.substring(Introducer.HOSTS.length()));
        answer = opened.read(within(untilNs, answerMs));
      }
      if (answer != null && answer.startsWith(Introducer.PLACES)) {
        others = List.of(answer.substring(Introducer.PLACES.length()).split(" "));
        answer = opened.read(within(untilNs, answerMs));
      }
      if (answer != null && answer.equals(Introducer.LET_IN)) {
        Joined joined = new Joined(opened, Placement.parse(hosts, job.size()), others);
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
    } catch (SocketTimeoutException e) {
      String why = opened == null ? String.valueOf(e.getMessage()) : STANDS_STILL;
      String unused = tried.put(place, why);
    } catch (IOException | IllegalArgumentException e) {
      String unused = tried.put(place, String.valueOf(e.getMessage()));
    } finally {
      if (!complete) {
        if (opened != null) {
          opened.abort(); // an end might be taken for this rank's
        } else {
          closeQuietly(socket);
        }
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

  private void listen(LineSocket first, Listener listener) {
    String why = null;
    for (LineSocket from = first; why == null; ) {
      try {
        why = hear(from, listener);
      } catch (ProtocolException | NumberFormatException e) {
        why = String.valueOf(e.getMessage());
      } catch (IOException e) {
        LineSocket again = comeBack(from);
        if (again == null) {
          why = e.getMessage() + ", and no address of it answers";
        } else {
          from = again;
        }
      }
    }
    if (!leaving) {
      listener.onSilence(
          "the introducer at " + HostPort.list(job.introducers()) + " is gone: " + why);
    }
  }

  /**
   * Takes in what comes.
   *
   * @return why nothing comes any more
   * @throws IOException if the connection was cut
   */
  private String hear(LineSocket from, Listener listener) throws IOException {
    for (String said = from.read(0); said != null; said = from.read(0)) {
      String[] words = said.split(" ", 3);
      int rank = words.length > 1 ? Integer.parseInt(words[1]) : -1;
      String rest = words.length > 2 ? words[2] : "";
      if (rank < 0 || rank >= job.size()) {
        continue;
      }
      switch (words[0]) {
        case "AT" -> {
          isKnown(rank);
          listener.onAddresses(rank, List.of(rest.split(" ")));
        }
        case "TELL" -> answer(from, listener, rest);
        case "DEAD", "LEFT" -> {
          isKnown(rank);
          listener.onEnd(rank, words[0].equals("LEFT"), rest);
        }
        default -> throw new ProtocolException("it said \"" + said + "\"");
      }
    }
    return "its connection was closed";
  }

  private synchronized void isKnown(int rank) {
    boolean unused = asked.remove(rank);
  }

  /**
   * A connection was cut: another one takes its place. Whoever takes it but does not answer yet is
   * waited for: it stands still for a while, perhaps.
   *
   * @return null if there is none in time, or this rank ends
   */
  private @Nullable LineSocket comeBack(LineSocket cut) {
    cut.abort();
    List<InetSocketAddress> order = new ArrayList<>(places);
    order.sort(Comparator.comparing(place -> place.equals(cut.remote()))); // that one last
    Map<String, String> tried = new LinkedHashMap<>();
    long endNs = System.nanoTime() + RETURN_PATIENCE.toNanos();
    while (!closed && System.nanoTime() - endNs < 0) {
      for (InetSocketAddress place : order) {
        try {
          Joined joined = introduce(Introducer.BACK, place, FIRST_TIMEOUT_MS, endNs, tried);
          if (joined != null) {
            return sayAgain(joined.line());
          }
        } catch (LaunchException e) {
          return null; // it is another one by now
        }
        if (STANDS_STILL.equals(tried.get(text(place)))) {
          endNs = System.nanoTime() + RETURN_PATIENCE.toNanos();
        }
      }
      try { // never in step with a network that comes and goes
        Thread.sleep(ThreadLocalRandom.current().nextLong(2 * BETWEEN_TRIES.toMillis()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    return null;
  }

  /** What was on its way when the connection was cut may be lost; nothing of it harms twice. */
  private synchronized @Nullable LineSocket sayAgain(LineSocket opened) {
    if (closed) {
      opened.close();
      return null;
    }
    line = opened;
    told.forEach(opened::send);
    asked.forEach(rank -> opened.send("GET " + rank));
    dead.forEach((rank, why) -> opened.send(dead(rank, why)));
    if (left) {
      opened.send("BYE");
    }
    return opened;
  }

  private static String dead(int rank, String why) {
    return "DEAD " + rank + " " + why.replace('\n', ' ');
  }

  private static void answer(LineSocket to, Listener listener, String question) throws IOException {
    try {
      for (String one : listener.onQuestion(Question.valueOf(question))) {
        to.send("STATE " + one.replace('\n', ' '));
      }
    } catch (IllegalArgumentException e) { // of another release
      throw new ProtocolException("nobody knows the question \"" + question + "\"");
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
  public synchronized void fetch(int rank) {
    boolean unused = asked.add(rank);
    send("GET " + rank);
  }

  @Override
  public synchronized void declareDead(int rank, String why) {
    String unused = dead.putIfAbsent(rank, why);
    send(dead(rank, why));
  }

  @Override
  public synchronized void leave() {
    left = true;
    leaving = true;
    send("BYE");
  }

  @Override
  public void close() {
    boolean inOrder = leaving;
    leaving = true;
    Thread until = listening;
    LineSocket last = current();
    if (last != null && inOrder && until != null) {
      last.finish();
      try {
        if (!AwakeTime.join(until, LAST_PATIENCE)) {
          last.abort(); // the farewell has not arrived: it goes another way
          boolean unused = AwakeTime.join(until, LAST_PATIENCE);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    synchronized (this) {
      closed = true;
      if (line != null) {
        line.close();
      }
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
