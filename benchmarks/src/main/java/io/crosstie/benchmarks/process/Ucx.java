// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** UCX by its own {@code ucx_perftest}, tag matching. */
final class Ucx implements NativePeer {
  private static final long PATIENCE_NS = 60_000_000_000L;
  private static final long START_MS = 300;
  private static final String NOTE = "its receiver reads none of what arrives, unlike all others";
  private static final double[] RANKS = {50, 99, 99.9};

  /** How many of a thousand values stand for each rank, so that the percentiles come out. */
  private static final int[] COUNTS = {900, 98, 2};

  private static final double BYTES_PER_MB = 1 << 20; // it means MiB

  private final String transports;

  Ucx(String transports) {
    this.transports = transports;
  }

  @Override
  public Measured measure(CaseSpec spec) {
    if (spec.bench() == Bench.RTT) {
      Histogram histogram = Histograms.create();
      for (int i = 0; i < RANKS.length; i++) {
        double oneWayUs = result(spec, RANKS[i]).percentileUs();
        histogram.recordValueWithCount(Math.round(2_000 * oneWayUs), COUNTS[i]);
      }
      return NativePeer.latency(histogram, NOTE);
    }
    Row row = result(spec, RANKS[0]);
    long elapsedNs = 1_000_000_000L;
    return NativePeer.flow(
        Math.round(row.megabytesPerSecond() * BYTES_PER_MB),
        Math.round(row.messagesPerSecond()),
        elapsedNs,
        2 * elapsedNs, // it spins on both sides
        NOTE);
  }

  /** What its last line says. */
  record Row(double percentileUs, double megabytesPerSecond, double messagesPerSecond) {}

  private Row result(CaseSpec spec, double rank) {
    int port = freePort();
    List<String> words = new ArrayList<>();
    words.add("ucx_perftest");
    words.addAll(List.of("-p", Integer.toString(port)));
    try {
      Process server = builder(words).redirectErrorStream(true).start();
      try {
        // It has no way to tell that it listens.
        if (server.waitFor(START_MS, TimeUnit.MILLISECONDS)) {
          byte[] said = server.getInputStream().readAllBytes();
          throw new CaseException("the server ended: " + new String(said, StandardCharsets.UTF_8));
        }
        words.add("localhost");
        words.addAll(List.of("-t", spec.bench() == Bench.RTT ? "tag_lat" : "tag_bw"));
        words.addAll(List.of("-s", Integer.toString(spec.size())));
        words.addAll(List.of("-n", Long.toString(iterations(spec))));
        words.addAll(List.of("-w", Long.toString(iterations(spec) / 4 + 1)));
        words.addAll(List.of("-R", String.format(Locale.ROOT, "%.1f", rank), "-f", "-v"));
        return parse(NativePeer.run(builder(words), PATIENCE_NS));
      } finally {
        server.destroy();
        if (!server.waitFor(1, TimeUnit.SECONDS)) {
          server.destroyForcibly();
        }
      }
    } catch (IOException e) {
      throw new CaseException("ucx_perftest cannot be started: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CaseException("interrupted", e);
    }
  }

  private ProcessBuilder builder(List<String> words) {
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("UCX_TLS", transports);
    builder.environment().put("UCX_LOG_LEVEL", "error");
    return builder;
  }

  /** About half a second's worth: it counts and cannot be told a time. */
  private static long iterations(CaseSpec spec) {
    if (spec.verifies()) {
      return 20; // it cannot verify: only whether it runs
    }
    long bytes = spec.bench() == Bench.RTT ? 400L << 20 : 2L << 30;
    long most = spec.bench() == Bench.RTT ? 50_000 : 1_000_000;
    return Math.clamp(bytes / spec.size(), 20, most);
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new CaseException("no free port: " + e, e);
    }
  }

  /**
   * CSV: iterations, percentile and average latencies in us, bandwidths in MiB/s, message rates; of
   * each the average comes before the overall one.
   */
  static Row parse(String output) {
    String last =
        output
            .lines()
            .map(String::strip)
            .filter(line -> line.matches("[0-9.,e+]+"))
            .reduce("", (a, b) -> b);
    String[] fields = last.split(",", -1);
    if (fields.length < 8) {
      throw new CaseException("ucx_perftest printed no result: " + output.strip());
    }
    return new Row(
        Double.parseDouble(fields[1]),
        Double.parseDouble(fields[5]),
        Double.parseDouble(fields[7]));
  }
}
