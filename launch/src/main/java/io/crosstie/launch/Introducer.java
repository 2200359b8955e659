// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Introduces the ranks of a job to one another: in the launcher, or in rank 0. Each rank keeps one
 * TCP connection to it, says who it is and where it is to be found, and asks for others when it
 * needs them. Whoever's process ends its connection without a farewell is dead, and all are told;
 * who has not said yet where it is may come again, until nobody is waited for any more.
 *
 * <p>A connection that is cut is no death: it goes over one network, and that one may be out while
 * others work. The rank comes back, by whatever address works, says once more what it had said, and
 * is told what it has missed. Who does not come back in time is dead.
 *
 * <pre>
 * CROSSTIE1 key rank size pid n host  first, by a client of a process that has drawn the number n;
 *                                     the answer is OK, or ERR and a reason, or OTHER and a reason
 *                                     if the key is another one
 * CROSSTIE1-BACK the same             first, by one whose connection was cut
 * HOSTS host*ranks ...                in front of an OK, in several lines if there are many: which
 *                                     ranks share a host, if that is known
 * PLACES host:port ...                in front of an OK: where else the introducer can be reached
 * TERMS text                          what it is configured with, and all have to be
 * AT address ...                      where it is to be found
 * GET rank                            answered by AT rank address ..., once that is known
 * DEAD rank why                       somebody has found it dead; told to all, by the introducer too
 * LEFT rank why                       told to all
 * TELL rank question                  to a rank: a person asks what it does
 * STATE line                          answers, line by line, and ends by STATED
 * BYE                                 leaves
 *                                     (an empty line) is there, and has nothing to say
 * </pre>
 */
public final class Introducer implements Closeable {
  /** Introduces itself. */
  static final String HELLO = "CROSSTIE1";

  /** Introduces itself once more, after its connection was cut. */
  static final String BACK = HELLO + "-BACK";

  /** Of both ends: a connection is cut if 20 s long nothing comes, not even an empty line. */
  static final LineSocket.Beat BEAT = new LineSocket.Beat(5_000, 20_000);

  /**
   * A rank that does not come back within this time once its connection was cut is dead. It may not
   * have come to know of that before it has heard nothing for as long as a beat's silence, and then
   * it has its own patience.
   */
  static final Duration RETURN_PATIENCE = Duration.ofSeconds(60);

  private static final int MOST_PLACES = 64;

  /** The answer to a rank that is let in. */
  static final String LET_IN = "OK";

  /** Begins an answer to a rank of this job that is not let in. */
  static final String REFUSED = "ERR ";

  /** Begins an answer to a rank of another job. */
  static final String OTHER_JOB = "OTHER ";

  /** Tells where else the introducer is, for one that comes back. */
  static final String PLACES = "PLACES ";

  /** Tells a part of the placement. */
  static final String HOSTS = "HOSTS ";

  private static final int HELLO_TIMEOUT_MS = 10_000;
  private static final int MOST_STRANGERS = 64;
  private static final int WORDS = 7;
  private static final int BACKLOG = 1024;

  /** Longest report of a rank; the rest is left out. */
  private static final int MOST_LINES = 200;

  /** Is told what ranks answer. */
  interface Reader {
    /** Any thread: all that a rank has said. */
    void onReport(int rank, List<String> lines);
  }

  private enum Standing {
    ABSENT,
    PRESENT,
    LEFT,
    DEAD
  }

  /** What is known of one rank. */
  private static final class Member {
    Standing standing = Standing.ABSENT;
    @Nullable LineSocket line;
    String addresses = "";

    /** Whether it has told its addresses; before that it may have gone to another of our places. */
    boolean told;

    String where = "";
    int client;
    String why = "";

    /** Ranks that have asked for its addresses. */
    final List<Integer> asking = new ArrayList<>();

    /** What it is asked, and has not answered yet. */
    final Deque<WireUp.Question> asked = new ArrayDeque<>();

    /** What it has answered so far. */
    List<String> report = new ArrayList<>();
  }

  private final String key;
  private final Member[] members;
  private final Placement placement;
  private final Duration returnPatience;
  private final List<String> placementLines;
  private final String places;
  private final ServerSocket server;
  private volatile Reader reader = (rank, lines) -> {};
  private int strangers;

  /** Nobody waits any more for ranks that have not come. */
  private boolean late;

  private int ended;

  /** What the first rank that has said so is configured with. */
  private @Nullable String terms;

  private int termsOf;

  private Introducer(
      String key, int size, ServerSocket server, Placement placement, Duration returnPatience) {
    this.key = key;
    this.server = server;
    this.placement = placement;
    this.returnPatience = returnPatience;
    this.placementLines = placement.lines();
    this.places =
        server.getInetAddress().isAnyLocalAddress()
            ? Places.ofThisHost(false, server.getLocalPort()).stream()
                .limit(MOST_PLACES)
                .map(HostPort::toString)
                .collect(Collectors.joining(" "))
            : "";
    this.members = new Member[size];
    for (int i = 0; i < size; i++) {
      members[i] = new Member();
    }
  }

  /**
   * Opens the port.
   *
   * @param at port 0 for any
   * @param placement where each rank is to run, which all are told
   */
  static Introducer open(String key, int size, InetSocketAddress at, Placement placement) {
    return open(key, size, at, placement, RETURN_PATIENCE);
  }

  /** The same, where a rank whose connection was cut has that long to come back. */
  static Introducer open(
      String key, int size, InetSocketAddress at, Placement placement, Duration returnPatience) {
    Introducer introducer;
    try {
      if (at.isUnresolved()) {
        throw new IOException("nobody knows the host name \"" + at.getHostString() + "\"");
      }
      ServerSocket server = new ServerSocket();
      server.setReuseAddress(true);
      server.bind(at, BACKLOG);
      introducer = new Introducer(key, size, server, placement, returnPatience);
    } catch (IOException e) {
      throw new LaunchException(
          "cannot introduce ranks at "
              + new HostPort(at.getHostString(), at.getPort())
              + ": "
              + e.getMessage()
              + "; choose an address of this host and a free port",
          e);
    }
    Thread unused = Thread.ofVirtual().name("crosstie-introducer").start(introducer::accept);
    return introducer;
  }

  /**
   * For rank 0 of a job whose introducer has one of these ports of its host.
   *
   * @return null for any other rank
   */
  static @Nullable Introducer atFirstFree(Job job) {
    if (job.rank() > 0) {
      return null;
    }
    LaunchException last = null;
    for (HostPort place : job.introducers()) {
      try {
        return open(
            job.key(), job.size(), Places.binding(job.isLocal(), place.port()), job.placement());
      } catch (LaunchException e) {
        last = e;
      }
    }
    throw last == null ? new LaunchException("nowhere to introduce ranks") : last;
  }

  /** The same on a free port of loopback; all ranks are expected from now on. */
  static Introducer onLoopback(String key, int size, Duration joinTimeout, Placement placement) {
    Introducer introducer = open(key, size, Places.binding(true, 0), placement);
    introducer.expectAll(joinTimeout);
    return introducer;
  }

  /** Where it is. */
  public HostPort address() {
    return new HostPort(
        server.getInetAddress().isAnyLocalAddress()
            ? InetAddress.getLoopbackAddress().getHostAddress()
            : server.getInetAddress().getHostAddress(),
        server.getLocalPort());
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        synchronized (this) {
          if (strangers >= MOST_STRANGERS + members.length) {
            socket.close();
            continue;
          }
          strangers++;
        }
        Thread unused = Thread.ofVirtual().name("crosstie-introduced").start(() -> serve(socket));
      } catch (IOException e) {
        if (!server.isClosed()) {
          pause();
        }
      }
    }
  }

  /** No descriptors, perhaps: not in a hot loop. */
  private static void pause() {
    try {
      Thread.sleep(Duration.ofMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ranks that have not come so long after this call are dead. */
  void expectAll(Duration joinTimeout) {
    Thread unused =
        Thread.ofVirtual()
            .name("crosstie-introducer-timer")
            .start(
                () -> {
                  try {
                    Thread.sleep(joinTimeout);
                    giveUp(joinTimeout);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  /** Ranks that have not come by now are dead. */
  void giveUp(Duration joinTimeout) {
    synchronized (this) {
      late = true;
    }
    int come = come();
    for (int rank = 0; rank < members.length && !server.isClosed(); rank++) {
      String host = placement.name(rank);
      declare(
          rank,
          Standing.ABSENT,
          Standing.DEAD,
          "has not come within "
              + joinTimeout.toSeconds()
              + " s"
              + (host.isEmpty() ? "" : " from host " + host)
              + " ("
              + come
              + " of "
              + members.length
              + " ranks have); see whether it was started, with the same key, and can reach "
              + reach());
    }
  }

  private synchronized int come() {
    int come = 0;
    for (Member member : members) {
      come += member.standing == Standing.ABSENT ? 0 : 1;
    }
    return come;
  }

  /** Where others reach it, for a person. */
  private String reach() {
    return server.getInetAddress().isAnyLocalAddress()
        ? HostPort.list(Places.ofThisHost(false, server.getLocalPort()))
        : address().toString();
  }

  private void serve(Socket socket) {
    try (LineSocket line =
        new LineSocket(socket, 4 * members.length + 64, BEAT, Thread.ofVirtual())) {
      int rank = greet(line);
      if (rank >= 0) {
        boolean isCut = false;
        try {
          // one that has come back says something at once, unless it has gone on from here
          isCut = !hear(line, rank) && hasTold(rank);
        } catch (ProtocolException e) {
          // whatever it is, it is no rank: the same as its end
        } catch (IOException e) {
          isCut = true;
          line.abort();
        } finally {
          onEnd(line, rank, isCut);
        }
      }
    } catch (IOException e) {
      // the same as its end
    } finally {
      synchronized (this) {
        strangers--;
      }
    }
  }

  /**
   * A rank's connection has ended. One that has not told its addresses has not joined: it may not
   * have seen the answer in time, and come again.
   *
   * @param isCut not by the rank, as far as is known
   */
  private synchronized void onEnd(LineSocket line, int rank, boolean isCut) {
    Member member = members[rank];
    if (member.line != line) {
      return; // it has come again
    }
    if (member.standing == Standing.PRESENT && !member.told && !late) {
      member.standing = Standing.ABSENT;
      member.line = null;
      return;
    }
    if (isCut) {
      Thread unused =
          Thread.ofVirtual()
              .name("crosstie-introducer-return")
              .start(() -> awaitReturn(line, rank));
      return;
    }
    declare(
        rank,
        Standing.PRESENT,
        Standing.DEAD,
        "has ended without leaving the world (" + member.where + ")");
  }

  private void awaitReturn(LineSocket cut, int rank) {
    try {
      AwakeTime.sleep(returnPatience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      Member member = members[rank];
      if (member.line == cut) {
        declare(
            rank,
            Standing.PRESENT,
            Standing.DEAD,
            "cannot be reached, and has not come back within "
                + returnPatience.toSeconds()
                + " s ("
                + member.where
                + ")");
      }
    }
  }

  /** Returns its rank, or -1 if it is not let in. */
  private int greet(LineSocket line) throws IOException {
    String hello = line.read(HELLO_TIMEOUT_MS);
    String[] words = hello == null ? new String[] {""} : hello.split(" ", WORDS);
    String why;
    String refused = REFUSED;
    int rank = -1;
    boolean isBack = words[0].equals(BACK);
    if (words.length < WORDS || !(isBack || words[0].equals(HELLO))) {
      why = "this is where ranks of Crosstie are introduced, and that was none";
    } else if (!MessageDigest.isEqual(bytes(words[1]), bytes(key))) {
      refused = OTHER_JOB;
      why = "the job's key is another one: this rank belongs to another job, or to an earlier run";
    } else {
      rank = number(words[2]);
      String where = "process " + words[4] + " on " + words[6];
      int client = number(words[5]);
      why =
          isBack
              ? admitAgain(line, rank, where, client)
              : admit(line, rank, number(words[3]), where, client);
    }
    if (!why.isEmpty()) {
      line.send(refused + why);
      line.finish();
      String unused = line.read(HELLO_TIMEOUT_MS); // its end, so that it reads the reason first
      return -1;
    }
    return rank;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Returns why not, or "". */
  private synchronized String admit(LineSocket line, int rank, int size, String where, int client) {
    if (size != members.length) {
      return "this job has " + members.length + " ranks, not " + size;
    }
    if (rank < 0 || rank >= size) {
      return "no rank " + rank + " in a job of " + size;
    }
    Member member = members[rank];
    boolean again = !member.told && member.client == client && member.where.equals(where);
    if (member.standing == Standing.PRESENT && !again) {
      return "rank " + rank + " is there already: " + member.where + "; give each its own rank";
    }
    if (member.standing == Standing.LEFT || member.standing == Standing.DEAD) {
      return "rank " + rank + " " + member.why + ", and does not come back";
    }
    let(member, line);
    member.where = where;
    member.client = client;
    placementLines.forEach(part -> line.send(HOSTS + part));
    letIn(line, rank);
    return "";
  }

  /** Its connection was cut, or that is what it has seen; returns why not, or "". */
  private synchronized String admitAgain(LineSocket line, int rank, String where, int client) {
    if (rank < 0
        || rank >= members.length
        || !members[rank].where.equals(where)
        || members[rank].client != client) {
      return "no such process has joined: who introduces the ranks was started anew";
    }
    Member member = members[rank];
    let(member, line);
    letIn(line, rank); // and told that it is dead, if it was given up meanwhile
    member.report = new ArrayList<>();
    member.asked.forEach(question -> line.send("TELL " + rank + " " + question));
    return "";
  }

  private void letIn(LineSocket line, int rank) {
    if (!places.isEmpty()) {
      line.send(PLACES + places);
    }
    line.send(LET_IN);
    tellEnds(line, rank);
  }

  private static void let(Member member, LineSocket line) {
    LineSocket former = member.line;
    if (former != null) {
      former.abort(); // that process has gone on from it
    }
    member.line = line;
    if (member.standing == Standing.ABSENT) {
      member.standing = Standing.PRESENT;
    }
  }

  /** Tells a rank who is no more. */
  private void tellEnds(LineSocket line, int to) {
    for (int rank = 0; rank < members.length; rank++) {
      Standing standing = members[rank].standing;
      if (standing == Standing.DEAD || (standing == Standing.LEFT && rank != to)) {
        line.send(standing + " " + rank + " " + members[rank].why);
      }
    }
  }

  /** Takes in what a rank says, until it has ended; whether it has said anything. */
  private boolean hear(LineSocket line, int rank) throws IOException {
    boolean any = false;
    for (String said = line.read(0); said != null; said = line.read(0)) {
      if (!isOf(line, rank)) {
        return any; // it has gone on from it, and says it again
      }
      any = true;
      String[] words = said.split(" ", 3);
      switch (words[0]) {
        case "TERMS" -> compare(rank, said.substring(Math.min(6, said.length())));
        case "AT" -> publish(rank, said.substring(Math.min(3, said.length())));
        case "GET" -> answer(line, rank, words.length > 1 ? number(words[1]) : -1);
        case "DEAD" ->
            find(
                rank,
                words.length > 1 ? number(words[1]) : -1,
                words.length > 2 ? words[2] : "has been found dead");
        case "STATE" -> report(rank, said.substring(Math.min(6, said.length())));
        case "STATED" -> reader.onReport(rank, takeReport(rank));
        case "BYE" -> {
          declare(rank, Standing.PRESENT, Standing.LEFT, "has left the world");
          return any;
        }
        default -> throw new ProtocolException("unknown word");
      }
    }
    return any;
  }

  private synchronized boolean isOf(LineSocket line, int rank) {
    return members[rank].line == line;
  }

  private synchronized boolean hasTold(int rank) {
    return members[rank].told;
  }

  /** A rank has found another one dead. One that is dead itself was cut off: it knows nothing. */
  private synchronized void find(int by, int dead, String why) {
    if (members[by].standing == Standing.PRESENT
        && dead >= 0
        && dead < members.length
        && dead != by) {
      declare(dead, Standing.ABSENT, Standing.DEAD, why);
      declare(dead, Standing.PRESENT, Standing.DEAD, why);
    }
  }

  private synchronized void report(int rank, String line) {
    if (members[rank].report.size() < MOST_LINES) {
      members[rank].report.add(line);
    }
  }

  private synchronized List<String> takeReport(int rank) {
    List<String> taken = members[rank].report;
    members[rank].report = new ArrayList<>();
    WireUp.Question unused = members[rank].asked.pollFirst();
    return taken;
  }

  /** Those of the first rank are everybody's. */
  private synchronized void compare(int rank, String text) {
    String first = terms;
    if (first == null) {
      terms = text;
      termsOf = rank;
    } else if (!first.equals(text)) {
      declare(
          rank,
          Standing.PRESENT,
          Standing.DEAD,
          "is configured with "
              + text
              + ", and rank "
              + termsOf
              + " with "
              + first
              + "; give all ranks of a job the same");
    }
  }

  private synchronized void publish(int rank, String addresses) {
    Member member = members[rank];
    member.addresses = addresses;
    member.told = true;
    for (int asking : member.asking) {
      LineSocket to = members[asking].line;
      if (to != null) {
        to.send("AT " + rank + " " + addresses);
      }
    }
    member.asking.clear();
  }

  private synchronized void answer(LineSocket line, int from, int rank) {
    if (rank < 0 || rank >= members.length) {
      return;
    }
    Member member = members[rank];
    if (!member.addresses.isEmpty()) {
      line.send("AT " + rank + " " + member.addresses);
    } else if (!member.asking.contains(from)) {
      member.asking.add(from);
    }
  }

  private synchronized void declare(int rank, Standing from, Standing to, String why) {
    Member member = members[rank];
    if (member.standing != from || server.isClosed()) {
      return;
    }
    member.standing = to;
    member.why = why.replace('\n', ' ');
    ended++;
    notifyAll();
    for (Member other : members) {
      if (other.line != null
          && (other.standing == Standing.PRESENT || (other == member && to == Standing.DEAD))) {
        other.line.send(to + " " + rank + " " + member.why);
      }
    }
  }

  /** The launcher knows that a rank's process has ended. */
  public void onExit(int rank, int status) {
    String why = "has ended with exit status " + status;
    declare(rank, Standing.ABSENT, Standing.DEAD, why + " before it joined");
    declare(rank, Standing.PRESENT, Standing.DEAD, why);
  }

  /** Whether that rank has joined, and has not left or died. */
  public synchronized boolean isPresent(int rank) {
    return members[rank].standing == Standing.PRESENT;
  }

  /** Who is told what ranks answer. */
  void readBy(Reader to) {
    reader = to;
  }

  /**
   * Asks all that are there.
   *
   * @return how many that are
   */
  synchronized int ask(WireUp.Question question) {
    int asked = 0;
    for (int rank = 0; rank < members.length; rank++) {
      if (members[rank].standing == Standing.PRESENT) {
        tell(rank, question);
        asked++;
      }
    }
    return asked;
  }

  private void tell(int rank, WireUp.Question question) {
    Member member = members[rank];
    member.asked.addLast(question);
    LineSocket line = member.line;
    if (line != null) {
      line.send("TELL " + rank + " " + question);
    }
  }

  /** Waits until all have left or died. */
  synchronized void awaitEnds(Duration patience) {
    long endNs = System.nanoTime() + patience.toNanos();
    while (ended < members.length) {
      long leftMs = (endNs - System.nanoTime()) / 1_000_000;
      if (leftMs <= 0) {
        return;
      }
      try {
        wait(leftMs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      // nobody comes any more all the same
    }
    List<LineSocket> all = new ArrayList<>();
    synchronized (this) {
      for (Member member : members) {
        if (member.line != null && member.standing == Standing.PRESENT) {
          all.add(member.line);
        }
      }
    }
    all.forEach(LineSocket::finish);
  }
}
