// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.launch.Job;
import io.crosstie.launch.LaunchException;
import io.crosstie.launch.Membership;
import io.crosstie.launch.Ways;
import io.crosstie.launch.WireUp;
import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.RailInfo;
import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.Limits;
import io.crosstie.ranks.p2p.Messenger;
import io.crosstie.ranks.schedule.AlgorithmTable;
import io.crosstie.ranks.schedule.Executions;
import io.crosstie.ranks.schedule.Hosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * All ranks of a parallel job, as one of them sees it. A process joins once, and leaves by {@link
 * #close()}:
 *
 * <pre>{@code
 * try (World world = World.join()) {
 *   Communicator all = world.communicator();
 *   if (all.rank() == 0) {
 *     all.send(new int[] {42}, 1, 7);
 *   } else if (all.rank() == 1) {
 *     int[] number = new int[1];
 *     all.recv(number, 0, 7);
 *   }
 * }
 * }</pre>
 *
 * <p>Threads: any number may call anything at any time; where several receive the same, who gets
 * which message is theirs to arrange. Waiting drives the library on the thread that waits.
 *
 * <p>Failures: an operation that needs a rank which has left or died ends with a {@link
 * RankEndedException} that names it, at once; all others go on. Nothing waits for ever for a rank
 * that is no more.
 */
public final class World implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("io.crosstie");

  /** Whoever waits is woken by what it waits for; it looks by itself that often. */
  private static final Duration LONGEST_IDLE = Duration.ofMillis(100);

  /** The same where it may wait for something else than the node's news. */
  private static final Duration LONGEST_BLIND_IDLE = Duration.ofMillis(10);

  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

  private final Job job;
  private final Node node;
  private final WireUp wireUp;
  private final NodeWire wire;
  private final Messenger messenger;
  private final Executions executions;
  private final AtomicLong rounds = new AtomicLong();
  private final RankProgress progress;
  private final Communicator communicator;
  private final AlgorithmTable algorithms;
  private final Hosts hosts;
  private final SendBuffer sendBuffer = new SendBuffer();
  private final Duration linger;
  private final Duration connectTimeout;
  private volatile boolean closed;

  private World(Membership membership, WorldConfig config, List<String> rails) {
    this.job = membership.job();
    Limits limits = config.limits(job.size()); // before there is a node to be closed
    this.linger = config.closeLinger();
    this.connectTimeout = config.connectTimeout();
    this.algorithms = config.algorithms(System.getenv());
    this.wireUp = membership.wireUp();
    this.hosts = config.hosts(wireUp.join(), job.size());
    this.progress = new RankProgress();
    NodeConfigBuilder builder =
        NodeConfig.builder()
            .name(NodeWire.name(job.name(), job.rank()))
            .rank(job.rank())
            .progress(config.progress())
            .cycleHook(progress);
    rails.forEach(builder::rail);
    String checksum = config.checksum(System.getenv());
    if (checksum != null) {
      builder.checksum(checksum);
    }
    this.node = Node.start(builder.build());
    this.wire = new NodeWire(node, job.name(), job.size(), wireUp);
    this.messenger = new Messenger(job.rank(), job.size(), limits, wire);
    this.communicator = Communicator.ofWorld(this, job.rank(), job.size());
    messenger.openContext(communicator.context(), communicator.members());
    this.executions = new Executions(messenger);
    progress.begin(node, wire, messenger, executions, this::declareDead);
    boolean complete = false;
    try {
      List<String> addresses = new ArrayList<>();
      node.localAddresses().forEach(address -> addresses.add(address.text()));
      String terms = hosts.areShared() ? limits + ", " + hosts : limits.toString();
      wireUp.start(terms, addresses, new Listener(wire));
      complete = true;
    } finally {
      if (!complete) {
        node.close(Duration.ZERO);
      }
    }
  }

  // ------------------------------------------------------------------ join

  /** Joins the job that the launcher or the environment describes; a world of one if none does. */
  public static World join() {
    return join(new WorldConfig());
  }

  /**
   * The same, with what the program decides for itself. Does not wait for other ranks, apart from
   * rank 0 where that introduces them, and all of them where the launcher speaks PMI-1.
   *
   * @throws RanksException if the job cannot be joined, with what to do
   */
  public static World join(WorldConfig config) {
    try {
      Job told = config.job();
      Membership membership = told == null ? Ways.find(System.getenv()) : Ways.of(told);
      boolean complete = false;
      try {
        List<String> rails = config.rails();
        if (rails.isEmpty()) {
          rails = DefaultRails.of(membership.job(), System.getenv());
        }
        World world = new World(membership, config, rails);
        complete = true;
        return world;
      } finally {
        if (!complete) {
          membership.wireUp().close();
        }
      }
    } catch (LaunchException | CrosstieException e) {
      throw new RanksException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Others are told of a rank that this one has lost; not of those it leaves by itself. */
  private void declareDead(int rank, String why) {
    if (!closed) {
      wireUp.declareDead(rank, why);
    }
  }

  /** What the wire-up tells, on its thread. */
  private final class Listener implements WireUp.Listener {
    private final NodeWire wire;
    private boolean zeroHasEnded;

    Listener(NodeWire wire) {
      this.wire = wire;
    }

    /** Whoever leaves meanwhile needs not be told. */
    private void tell(Runnable what) {
      try {
        ask(what::run);
      } catch (RanksException e) {
        if (!closed) {
          throw e;
        }
      }
    }

    /** Tells it after a while. */
    private void later(Duration delay, Runnable what) {
      CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS)
          .execute(() -> tell(what));
    }

    @Override
    public void onAddresses(int rank, List<String> addresses) {
      tell(
          () -> {
            String why = wire.onAddresses(rank, addresses);
            if (why != null) {
              progress.onEnd(rank, false, "cannot be reached: " + why);
            }
          });
      later(
          connectTimeout,
          () ->
              progress.onFirstContact(
                  rank,
                  "has not answered within "
                      + connectTimeout.toMillis()
                      + " ms at "
                      + String.join(" ", addresses)
                      + "; see that its host can be reached there, or give ranks other rails"));
    }

    @Override
    public void onEnd(int rank, boolean left, String why) {
      if (rank == job.rank()) {
        endAll("counts as dead: this rank was declared dead (" + why + ")");
        return;
      }
      zeroHasEnded |= rank == 0;
      tell(() -> progress.onEnd(rank, left, why));
      // which may wait for a silent peer: others are to be heard of meanwhile
      Thread unused =
          Thread.ofVirtual().name("crosstie-rank-end").start(() -> closeConnection(rank));
    }

    /** What is lent to it is given back. */
    private void closeConnection(int rank) {
      try {
        Optional<Peer> peer = call(() -> Optional.ofNullable(wire.peer(rank)));
        peer.ifPresent(of -> of.close(Duration.ZERO));
      } catch (RanksException | CrosstieException e) {
        if (!closed && node.isOpen()) {
          throw e;
        } // else this rank leaves, or its process ends, and all its connections with it
      }
    }

    @Override
    public List<String> onQuestion(WireUp.Question question) {
      List<String> lines = new ArrayList<>();
      try {
        if (question == WireUp.Question.ALL) {
          lines.addAll(describePending());
        }
        lines.addAll(describeRails(node));
      } catch (RanksException | CrosstieException e) {
        lines.add("it leaves");
      }
      return lines;
    }

    @Override
    public void onSilence(String why) {
      if (!job.hosted() && !zeroHasEnded) {
        onEnd(0, false, "has ended: " + why);
      }
      later(connectTimeout, () -> progress.onSilence(why));
    }

    private void endAll(String why) {
      for (int rank = 0; rank < job.size(); rank++) {
        int other = rank;
        tell(() -> progress.onEnd(other, false, why));
      }
    }
  }

  // ------------------------------------------------------------------ what there is

  /** What waits here, and for what; for a person. */
  List<String> describePending() {
    return call(
        () -> {
          List<String> pending = new ArrayList<>();
          messenger.describe(pending);
          pending.add(executions.running() + " collective operations");
          return pending;
        });
  }

  /** To each rank that it is connected to; for a person. */
  private static List<String> describeRails(Node node) {
    List<String> lines = new ArrayList<>();
    for (Peer peer : node.peers()) {
      StringBuilder line = new StringBuilder("rails to " + peer.name() + ":");
      for (RailInfo rail : peer.rails()) {
        StringBuilder unused =
            line.append(' ').append(rail.name()).append(' ').append(rail.state()).append(',');
      }
      lines.add(line.substring(0, line.length() - 1));
    }
    return lines.isEmpty() ? List.of("rails: it has no connection yet") : lines;
  }

  /** This process's rank. */
  public int rank() {
    return job.rank();
  }

  /** How many ranks there are. */
  public int size() {
    return job.size();
  }

  /** All of them. */
  public Communicator communicator() {
    return communicator;
  }

  /**
   * A number for a communicator that is made without its other ranks' help ({@link
   * #communicator(int, int[])}). No other communicator of the job has it.
   *
   * @throws RanksException if none are left
   */
  public int newNumber() {
    return Communicator.checkContext(newContext());
  }

  /**
   * A communicator of some ranks, for which nothing is sent: one of them has taken a {@link
   * #newNumber} and told it the others, and each of them calls this with the same ranks.
   *
   * <p>Where this rank is none of them, its messages go to them and come from them: two groups talk
   * to each other when each makes a communicator of the other's ranks, with one number. Its {@link
   * Communicator#rank} is -1 then, and it has no collective operations.
   *
   * @param number of one communicator, or of one pair of groups
   * @param ranks numbers in the world, in the order that they get, each once
   */
  public Communicator communicator(int number, int[] ranks) {
    return Communicator.of(this, number, ranks);
  }

  /**
   * How many communicators are open here, that of the world included: they are made and not yet
   * freed ({@link Communicator#free}), or something is still under way in them.
   */
  public int openCommunicators() {
    return call(messenger::openContexts);
  }

  /** What carries the messages: its rails, peers and counters. Its messages are not for others. */
  public Node node() {
    return node;
  }

  /** Ranks that have left or died, as far as is known here. */
  public List<Integer> endedRanks() {
    return call(
        () -> {
          List<Integer> all = new ArrayList<>();
          for (int rank = 0; rank < job.size(); rank++) {
            if (messenger.end(rank) != null) {
              all.add(rank);
            }
          }
          return List.copyOf(all);
        });
  }

  /**
   * Makes room for buffered sends ({@link Communicator#bsend}) of all communicators.
   *
   * @param bytes of all that have not left at any time; each message takes 64 more than its own
   * @throws IllegalStateException if there is room already
   */
  public void attachBuffer(long bytes) {
    sendBuffer.attach(bytes);
  }

  /**
   * Takes that room away, and waits until all buffered sends have left.
   *
   * @return how much it was
   * @throws RanksException if one could not be sent
   * @throws IllegalStateException if there is none
   */
  public long detachBuffer() {
    long bytes = sendBuffer.close();
    await(sendBuffer::isEmpty);
    Failure failure = sendBuffer.detach();
    if (failure != null) {
      throw RanksException.of(failure);
    }
    return bytes;
  }

  // ------------------------------------------------------------------ for this package

  AlgorithmTable algorithms() {
    return algorithms;
  }

  /** Which ranks share one. */
  Hosts hosts() {
    return hosts;
  }

  SendBuffer sendBuffer() {
    return sendBuffer;
  }

  Messenger messenger() {
    return messenger;
  }

  Executions executions() {
    return executions;
  }

  /**
   * A context that no communicator of the job has, or has had: of those numbers that are this
   * rank's. The odd one behind it is of collective operations.
   *
   * @return 2 or more; 0 if none are left
   */
  int newContext() {
    return Messenger.contextNumber(rank(), size(), rounds.getAndIncrement());
  }

  /** Its members are known from now on. */
  void open(Communicator made) {
    boolean unused =
        call(
            () -> {
              messenger.openContext(made.context(), made.members());
              return true;
            });
  }

  /** It is not needed any more. */
  void free(Communicator made) {
    if (!closed) { // else all of them are gone
      progress.ask(node, () -> messenger.freeContext(made.context()));
    }
  }

  /** Has something done by whoever makes progress, which may be this thread. */
  void ask(RankProgress.Action action) {
    if (closed) {
      throw closed();
    }
    progress.ask(node, action);
  }

  /** The same, and waits for what comes of it. */
  <T> T call(Callable<T> action) {
    FutureTask<T> task = new FutureTask<>(action);
    ask(task::run);
    await(task::isDone);
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw new RanksException("unexpected: " + e.getCause(), e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("it was done already", e);
    }
  }

  void drive() {
    if (progress.help(node)) {
      return;
    }
    if (node.config().progress().isShared()) {
      int unused = node.doWork();
    } else {
      node.wakeUp();
    }
  }

  /**
   * Waits for what whoever makes progress does.
   *
   * @throws RanksException if this rank leaves
   */
  void await(BooleanSupplier condition) {
    await(condition, () -> false, LONGEST_IDLE);
  }

  /**
   * The same, or until something else holds, whoever brings that about; it may be seen late, unless
   * it is announced.
   */
  void awaitEither(BooleanSupplier condition, BooleanSupplier otherwise) {
    await(condition, otherwise, LONGEST_BLIND_IDLE);
  }

  private void await(BooleanSupplier condition, BooleanSupplier otherwise, Duration longestIdle) {
    while (!condition.getAsBoolean() && !otherwise.getAsBoolean()) {
      if (closed || !node.isOpen()) {
        throw closed();
      }
      idle(longestIdle);
    }
  }

  /**
   * Has those look again at once that wait by {@link Request#await(BooleanSupplier)} or {@link
   * Request#awaitSome(List, BooleanSupplier)} for something that another thread does, and that has
   * come to pass. Any thread; without it they look every 10 ms.
   */
  public void announce() {
    progress.ask(node, () -> {}); // which is news
  }

  /** Until the node has news; any thread. */
  private void idle(Duration longest) {
    if (!progress.help(node)) {
      node.idle(longest);
    }
  }

  /**
   * Brings on what is under way, or waits for a moment if nothing is: for loops that ask again and
   * again. Any thread.
   */
  public void idle() {
    if (!progress.help(node)) {
      node.idle();
    }
  }

  boolean await(BooleanSupplier condition, Duration patience) {
    long endNs = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (closed || !node.isOpen()) {
        throw closed();
      }
      long leftNs = endNs - System.nanoTime();
      if (leftNs <= 0) {
        return false;
      }
      idle(min(Duration.ofNanos(leftNs), LONGEST_IDLE));
    }
    return true;
  }

  private RanksException closed() {
    return RanksException.of(
        Failure.of(Failure.Kind.CLOSED, "rank " + job.rank() + " has left the world"));
  }

  // ------------------------------------------------------------------ the end

  /**
   * Leaves: sends what is still to be sent, for the configured linger, and tells the others, for
   * whom this rank is no more from then on. It waits for other ranks only as far as they have not
   * accepted what was sent, or not received a long message that was sent from a copy ({@link
   * Communicator#bsend}); what is left of these then is a line of the log. What this rank still
   * waits for ends with an error. May be called again.
   */
  @Override
  public void close() {
    long beginNs = System.nanoTime();
    RuntimeException failure = null;
    synchronized (this) {
      if (closed) {
        return;
      }
      try {
        boolean unused =
            await(
                () -> call(() -> messenger.isQuiet() && wire.isAccepted() && sendBuffer.isEmpty()),
                min(linger, CLOSE_PATIENCE));
      } catch (RuntimeException e) { // the node has failed, or was closed by itself
        failure = e;
      } finally {
        closed = true;
        announce();
      }
      String lost = sendBuffer.lost();
      if (!lost.isEmpty()) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "rank {0} leaves with {1}; call World.detachBuffer before, which waits for it",
            Integer.toString(job.rank()),
            lost);
      }
    }
    Duration left = linger.minusNanos(System.nanoTime() - beginNs);
    try {
      node.close(left.isNegative() ? Duration.ZERO : left);
    } finally {
      try {
        wireUp.leave();
      } finally {
        wireUp.close();
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  @Override
  public String toString() {
    return "rank " + job.rank() + " of " + job.size() + " (" + job.launcher() + ")";
  }
}
