// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of its parallel job.
 *
 * @param rank its number, 0 to size - 1
 * @param size how many processes there are
 * @param key what they have in common and no other job has; a name that is no secret follows from
 *     it
 * @param introducers where addresses may be told: at one of these, the first that knows the key;
 *     none in a job of one
 * @param hosted whether somebody else is the introducer there; if not, rank 0 is
 * @param localSize how many ranks share this host, as far as is known; 0 if it is not
 * @param placement where each rank is to run, as far as this rank knows; what {@link WireUp#join}
 *     tells is the same in all ranks
 * @param joinTimeout how long to wait for a rank that has not come
 * @param launcher who said so, for a person
 */
public record Job(
    int rank,
    int size,
    String key,
    List<HostPort> introducers,
    boolean hosted,
    int localSize,
    Placement placement,
    Duration joinTimeout,
    String launcher) {
  /** Most ranks of a job. */
  public static final int MAX_SIZE = 1 << 16;

  /** The names of the variables. */
  public static final String RANK = "CROSSTIE_RANK";

  /** How many there are. */
  public static final String SIZE = "CROSSTIE_SIZE";

  /** The job's key. */
  public static final String KEY = "CROSSTIE_JOB_KEY";

  /** Host and port of the introducer. */
  public static final String INTRODUCER = "CROSSTIE_RENDEZVOUS";

  /** Whether the launcher is the introducer: {@code launcher}; else rank 0 is. */
  public static final String HOST = "CROSSTIE_RENDEZVOUS_HOST";

  /** How many ranks share this host. */
  public static final String LOCAL_SIZE = "CROSSTIE_LOCAL_SIZE";

  /** Where each rank runs: {@code a:2,b:2} for two on each of two hosts. */
  public static final String HOSTS = "CROSSTIE_HOSTS";

  /** Seconds to wait for a rank. */
  public static final String JOIN_TIMEOUT = "CROSSTIE_JOIN_TIMEOUT";

  /** The value of {@link #HOST} that a launcher sets. */
  static final String BY_LAUNCHER = "launcher";

  /** Where addresses are told if nobody names a port. */
  static final int DEFAULT_PORT = 7400;

  private static final int NAME_BYTES = 6;
  static final Duration DEFAULT_JOIN_TIMEOUT = Duration.ofMinutes(5);

  /** Checks it. */
  public Job {
    introducers = List.copyOf(introducers);
    if (size < 1 || size > MAX_SIZE) {
      throw new LaunchException("a job has 1 to " + MAX_SIZE + " ranks, not " + size);
    }
    if (rank < 0 || rank >= size) {
      throw new LaunchException(
          "rank " + rank + " is none of a job of " + size + "; ranks are 0 to " + (size - 1));
    }
    if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new LaunchException(
          "the job's key is "
              + (key.isEmpty() ? "empty" : "not such a word")
              + "; take some visible ASCII characters without spaces");
    }
    if (size > 1 && introducers.isEmpty()) {
      throw new LaunchException(
          "a job of "
              + size
              + " ranks needs "
              + INTRODUCER
              + "=host:port, where rank 0 tells addresses; crosstie run sets it");
    }
  }

  /** A job of one process. */
  public static Job alone() {
    return new Job(
        0, 1, "alone", List.of(), false, 1, Placement.UNKNOWN, DEFAULT_JOIN_TIMEOUT, "no launcher");
  }

  /** A job that the program itself describes. */
  public static Job of(int rank, int size, String key, String introducer) {
    List<HostPort> at =
        introducer.isEmpty() ? List.of() : List.of(HostPort.parse(INTRODUCER, introducer));
    return new Job(
        rank, size, key, at, false, 0, Placement.UNKNOWN, DEFAULT_JOIN_TIMEOUT, "the program");
  }

  /**
   * The job that the environment describes.
   *
   * @return null if it describes none
   * @throws LaunchException if it does so by halves
   */
  public static @Nullable Job find(Map<String, String> environment) {
    String rank = environment.get(RANK);
    String size = environment.get(SIZE);
    if (rank == null && size == null) {
      return null;
    }
    if (rank == null || size == null) {
      throw new LaunchException(
          (rank == null ? SIZE : RANK)
              + " is set, but "
              + (rank == null ? RANK : SIZE)
              + " is not; set both, or none of them for a world of one");
    }
    Environment of = new Environment(environment);
    int ofSize = of.number(SIZE, 1, MAX_SIZE);
    if (of.text(KEY) == null && ofSize > 1) {
      throw new LaunchException(
          KEY + " is not set; give all ranks of a job the same, and each job another one");
    }
    HostPort at = of.introducer();
    boolean hosted = BY_LAUNCHER.equals(environment.get(HOST));
    return new Job(
        of.number(RANK, 0, MAX_SIZE),
        ofSize,
        of.key("alone"),
        at == null ? List.of() : List.of(at),
        hosted,
        of.localSize(0),
        of.placement(ofSize, Placement.UNKNOWN),
        of.joinTimeout(),
        hosted ? "crosstie run" : "the environment");
  }

  /** A name for the job that can be told to everybody, and does not give the key away. */
  public String name() {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return "job-" + HexFormat.of().formatHex(digest, 0, NAME_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** For a person, without the key. */
  @Override
  public String toString() {
    return "rank "
        + rank
        + " of "
        + size
        + " of "
        + name()
        + " by "
        + launcher
        + (introducers.isEmpty() ? "" : ", introduced at " + HostPort.list(introducers));
  }

  /** Whether all ranks share this host, as far as is known. */
  public boolean isLocal() {
    return localSize == size;
  }
}
