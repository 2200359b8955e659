// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of its parallel job.
 *
 * @param rank its number, 0 to size - 1
 * @param size how many processes there are
 * @param key what they have in common and no other job has; a name that is no secret follows from
 *     it
 * @param introducer host and port at which addresses are told, null in a job of one
 * @param hosted whether somebody else is the introducer there; if not, rank 0 is
 * @param localSize how many ranks share this host, as far as is known; 0 if it is not
 * @param joinTimeout how long to wait for a rank that has not come
 * @param launcher who said so, for a person
 */
public record Job(
    int rank,
    int size,
    String key,
    @Nullable HostPort introducer,
    boolean hosted,
    int localSize,
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

  /** Seconds to wait for a rank. */
  public static final String JOIN_TIMEOUT = "CROSSTIE_JOIN_TIMEOUT";

  /** The value of {@link #HOST} that a launcher sets. */
  static final String BY_LAUNCHER = "launcher";

  private static final int NAME_BYTES = 6;
  private static final Duration DEFAULT_JOIN_TIMEOUT = Duration.ofMinutes(5);

  /** Checks it. */
  public Job {
    if (size < 1 || size > MAX_SIZE) {
      throw new LaunchException("a job has 1 to " + MAX_SIZE + " ranks, not " + size);
    }
    if (rank < 0 || rank >= size) {
      throw new LaunchException(
          "rank " + rank + " is none of a job of " + size + "; ranks are 0 to " + (size - 1));
    }
    if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new LaunchException(
          "the job's key is \"" + key + "\"; take some visible ASCII characters without spaces");
    }
    if (size > 1 && introducer == null) {
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
    return new Job(0, 1, "alone", null, false, 1, DEFAULT_JOIN_TIMEOUT, "none");
  }

  /** A job that the program itself describes. */
  public static Job of(int rank, int size, String key, String introducer) {
    HostPort at = introducer.isEmpty() ? null : HostPort.parse(INTRODUCER, introducer);
    return new Job(rank, size, key, at, false, 0, DEFAULT_JOIN_TIMEOUT, "the program");
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
    int ofSize = number(SIZE, size, 1, MAX_SIZE);
    String key = environment.get(KEY);
    if (key == null) {
      if (ofSize > 1) {
        throw new LaunchException(
            KEY + " is not set; give all ranks of a job the same, and each job another one");
      }
      key = "alone";
    }
    String at = environment.get(INTRODUCER);
    String seconds = environment.get(JOIN_TIMEOUT);
    boolean hosted = BY_LAUNCHER.equals(environment.get(HOST));
    return new Job(
        number(RANK, rank, 0, MAX_SIZE),
        ofSize,
        key,
        at == null ? null : HostPort.parse(INTRODUCER, at),
        hosted,
        number(LOCAL_SIZE, environment.getOrDefault(LOCAL_SIZE, "0"), 0, MAX_SIZE),
        seconds == null
            ? DEFAULT_JOIN_TIMEOUT
            : Duration.ofSeconds(number(JOIN_TIMEOUT, seconds, 1, Integer.MAX_VALUE)),
        hosted ? "crosstie run" : "the environment");
  }

  private static int number(String name, String text, int least, int most) {
    try {
      int value = Integer.parseInt(text.strip());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new LaunchException(
        name + " is \"" + text + "\"; it has to be a number from " + least + " to " + most);
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

  /** Whether all ranks share this host, as far as is known. */
  public boolean isLocal() {
    return localSize == size;
  }
}
