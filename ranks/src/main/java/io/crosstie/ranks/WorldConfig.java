// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.launch.Job;
import io.crosstie.launch.Placement;
import io.crosstie.messaging.Progress;
import io.crosstie.ranks.p2p.Limits;
import io.crosstie.ranks.schedule.Algorithm;
import io.crosstie.ranks.schedule.AlgorithmTable;
import io.crosstie.ranks.schedule.Hosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a program may decide for itself before it joins; all of it has defaults. Not thread safe.
 * All ranks of a job have to choose the same {@link #eagerBytes}, {@link #unexpectedMessages} and
 * {@link #unexpectedBytes}, and to know the same of {@link #hosts}: one that has others than the
 * first to join counts as dead.
 */
public final class WorldConfig {
  /** The variable that says which algorithms are taken, as {@link #algorithm} does. */
  public static final String ALGORITHM = "CROSSTIE_ALGORITHM";

  /** The algorithm of operations where ranks share hosts. */
  public static final String TWO_LEVEL = "two-level";

  /** The variable that says which checksum this rank's payloads get, as {@link #checksum} does. */
  public static final String CHECKSUM = "CROSSTIE_CHECKSUM";

  private static final int DEFAULT_EAGER = 16 << 10;
  private static final int DEFAULT_MESSAGES = 1 << 16;
  private static final int LEAST_MESSAGES = 256;

  /** The same in all ranks, whatever heaps they have; fits a small one. */
  private static final long DEFAULT_BYTES = 16 << 20;

  private static final long LEAST_BYTES = 64 << 10;

  private @Nullable Job job;
  private final List<String> rails = new ArrayList<>();
  private List<String> hosts = List.of();
  private int eagerBytes = DEFAULT_EAGER;
  private int unexpectedMessages = DEFAULT_MESSAGES;
  private long unexpectedBytes = DEFAULT_BYTES;
  private AlgorithmTable algorithms = AlgorithmTable.usual();
  private @Nullable String checksum;
  private Progress progress = Progress.shared();
  private Duration closeLinger = Duration.ofSeconds(2);
  private Duration connectTimeout = Duration.ofSeconds(30);

  /** The job that the launcher or the environment describes. */
  public WorldConfig() {}

  /**
   * Describes the job, in place of a launcher.
   *
   * @param rank 0 to size - 1
   * @param size how many ranks there are
   * @param key the same in all ranks, and in no other job; visible ASCII characters
   * @param introducer host:port, where rank 0 tells the others' addresses; empty in a world of one
   */
  public WorldConfig job(int rank, int size, String key, String introducer) {
    try {
      job = Job.of(rank, size, key, introducer);
    } catch (io.crosstie.launch.LaunchException e) {
      throw new RanksException(String.valueOf(e.getMessage()), e);
    }
    return this;
  }

  /**
   * Adds a rail ({@link io.crosstie.messaging.NodeConfigBuilder#rail}). Without any, and without
   * the variable {@code CROSSTIE_RAILS}, shared memory and UDP: over loopback where all ranks are
   * known to share a host, else over every interface that leads elsewhere.
   */
  public WorldConfig rail(String uri) {
    rails.add(uri);
    return this;
  }

  /**
   * Which host each rank runs on, in place of what the launcher tells. Where ranks share hosts,
   * collective operations pass between hosts what one rank of each has, and not more.
   *
   * @param names one for each rank, the same for ranks that share a host
   */
  public WorldConfig hosts(List<String> names) {
    hosts = List.copyOf(names);
    return this;
  }

  /**
   * Longest message that leaves at once; a longer one waits until its receive is posted, and goes
   * straight into its memory. Default 16 KiB, at most a little less than 64 KiB.
   */
  public WorldConfig eagerBytes(int bytes) {
    eagerBytes = bytes;
    return this;
  }

  /**
   * How many messages that no receive has taken a rank holds at most, shared evenly between the
   * other ranks, at least 256 of each; as many again of collective operations. What exceeds it
   * waits at its sender. Default 65,536.
   */
  public WorldConfig unexpectedMessages(int messages) {
    unexpectedMessages = messages;
    return this;
  }

  /**
   * How many bytes of such messages it holds, shared likewise, at least 64 KiB of each rank; where
   * they are used up only the announcement of a message comes. Default 16 MiB, however large the
   * heap is.
   */
  public WorldConfig unexpectedBytes(long bytes) {
    unexpectedBytes = bytes;
    return this;
  }

  /**
   * Who makes progress. Default {@link Progress#shared()}: whoever calls, and a helper.
   *
   * @throws IllegalArgumentException if it is {@link Progress#caller}: what the launcher tells
   *     comes on another thread, and is acted on while the application computes
   */
  public WorldConfig progress(Progress of) {
    if (of.isCaller()) {
      throw new IllegalArgumentException(
          "a rank is told by a thread of its own which others have ended, and Progress.caller has"
              + " one thread only; take Progress.shared(), which is nearly as quick, or thread()");
    }
    progress = of;
    return this;
  }

  /**
   * Which algorithms collective operations go by, in place of the usual ones and of what the
   * variable {@code CROSSTIE_ALGORITHM} says; the same in all ranks.
   *
   * @param choice {@code allreduce=ring}, or {@code allreduce@65536=ring} from so many bytes of a
   *     rank on; several with commas between them
   * @throws IllegalArgumentException if there is no such algorithm; it says which there are
   */
  public WorldConfig algorithm(String choice) {
    algorithms = algorithms.with(choice);
    return this;
  }

  /**
   * What {@link #algorithm} chooses from: for each operation that can be done in several ways, the
   * names of these. {@link #TWO_LEVEL} is taken only where ranks share hosts, and chosen by itself
   * there; so the one of another name, if it is chosen, is what all ranks do then.
   */
  public static Map<String, List<String>> algorithms() {
    return Algorithm.choices();
  }

  /**
   * The checksum of payloads that this rank sends, by name ({@link
   * io.crosstie.messaging.NodeConfigBuilder#checksum}), in place of {@code crc32c} and of what the
   * variable {@code CROSSTIE_CHECKSUM} says. A name that there is not is told by {@link
   * World#join(WorldConfig)}.
   */
  public WorldConfig checksum(String name) {
    checksum = Objects.requireNonNull(name, "name");
    return this;
  }

  /** How long {@link World#close()} waits for messages to be accepted. Default 2 s. */
  public WorldConfig closeLinger(Duration linger) {
    closeLinger = linger;
    return this;
  }

  /**
   * How long it may take to reach a rank for the first time: from when its addresses are known,
   * until it counts as dead; and from when rank 0, which introduces ranks, has ended, until sends
   * to ranks that were not introduced fail. Default 30 s.
   *
   * @throws IllegalArgumentException if it is not above zero
   */
  public WorldConfig connectTimeout(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("a rank cannot be reached within " + timeout);
    }
    connectTimeout = timeout;
    return this;
  }

  /** What was chosen here, or by the environment. */
  AlgorithmTable algorithms(Map<String, String> environment) {
    String named = environment.get(ALGORITHM);
    AlgorithmTable usual = AlgorithmTable.usual();
    if (named == null || named.isBlank() || !algorithms.equals(usual)) {
      return algorithms;
    }
    try {
      return usual.with(named);
    } catch (IllegalArgumentException e) {
      throw new RanksException("the variable " + ALGORITHM + ": " + e.getMessage(), e);
    }
  }

  /** What was chosen here, or by the environment; null for the node's default. */
  @Nullable String checksum(Map<String, String> environment) {
    String named = environment.get(CHECKSUM);
    return checksum != null || named == null || named.isBlank() ? checksum : named.strip();
  }

  /** What this says, or else what all ranks are told. */
  Hosts hosts(Placement told, int size) {
    if (hosts.isEmpty()) {
      return Hosts.of(told.hosts().stream().mapToInt(Integer::intValue).toArray());
    }
    if (hosts.size() != size) {
      throw new RanksException(
          "hosts of " + hosts.size() + " ranks are named, and there are " + size);
    }
    return Hosts.named(hosts);
  }

  @Nullable Job job() {
    return job;
  }

  List<String> rails() {
    return rails;
  }

  Progress progress() {
    return progress;
  }

  Duration closeLinger() {
    return closeLinger;
  }

  Duration connectTimeout() {
    return connectTimeout;
  }

  /** The bounds between two ranks. */
  Limits limits(int size) {
    int others = Math.max(1, size - 1);
    try {
      return new Limits(
          eagerBytes,
          Math.max(Math.min(LEAST_MESSAGES, unexpectedMessages), unexpectedMessages / others),
          Math.max(Math.min(LEAST_BYTES, unexpectedBytes), unexpectedBytes / others));
    } catch (IllegalArgumentException e) {
      throw new RanksException(String.valueOf(e.getMessage()), e);
    }
  }
}
