// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.benchmarks;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Progress;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * Round trips, and arrivals at a node whose application computes, beside threads that want all the
 * processors: {@code crosstie bench busy}. Where ranks outnumber cores, waiting has to be a wait.
 *
 * <p>The peers are what the system offers by itself: two threads at a blocking TCP socket, and one
 * thread that blocks on a UDP socket and answers. They take turns with Crosstie, beside the same
 * busy threads of the same process.
 */
public final class BusyBench {
  private static final int BYTES = 32;
  private static final int PER_LOOK = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The compiler has to be done: beside busy threads it gets too little to be done for long. */
  private static final long WARM_UP_NS = 8_000_000_000L;

  /** What an arrival has to wait at most before it is acted on, in the worst hundredth. */
  private static final double MOST_MS = 10;

  /** Of blocking TCP's round trips. */
  private static final double LEAST_RATIO = 0.5;

  private static final long MOST_GAP_NS = 4_000_000;
  private static final double NS_PER_MS = 1e6;
  private static final double P99 = 99;
  private static final double P50 = 50;

  private final int rounds;
  private final long sliceNs;
  private final PrintStream out;
  private final boolean warmsUp;

  private BusyBench(int rounds, long sliceNs, boolean warmsUp, PrintStream out) {
    this.rounds = rounds;
    this.sliceNs = sliceNs;
    this.warmsUp = warmsUp;
    this.out = out;
  }

  /**
   * Measures, and prints a table of round trips and one of arrivals.
   *
   * @param busy numbers of threads that compute
   * @param rounds in which the subjects take turns; each rate is the median of as many
   * @param sliceNs how long each is measured in a round
   * @param warmsUp each is run for eight seconds before it counts, alone
   */
  public static void run(
      List<Integer> busy, int rounds, long sliceNs, boolean warmsUp, PrintStream out)
      throws IOException {
    BusyBench bench = new BusyBench(rounds, sliceNs, warmsUp, out);
    Environment.lines(List.of()).forEach(out::println);
    bench.roundTrips(busy);
    bench.arrivals(busy);
    out.flush();
  }

  /** What is measured: one exchange with the other end. */
  private interface Subject extends AutoCloseable {
    void exchange();

    /** What has to be done now and then, and is not measured. */
    default void rest() {}

    @Override
    void close();
  }

  private void roundTrips(List<Integer> busy) throws IOException {
    List<String> names =
        List.of("blocking TCP", "shm thread()", "shm shared()", "UDP thread()", "UDP shared()");
    out.printf("%nRound trips of %d bytes a second, and as a part of blocking TCP's%n", BYTES);
    out.printf("%12s", "busy threads");
    names.forEach(name -> out.printf(" %18s", name));
    out.println();
    List<Subject> subjects = new ArrayList<>();
    try {
      subjects.add(new Tcp());
      subjects.add(new Pair("shm:", Progress::thread));
      subjects.add(new Pair("shm:", Progress::shared));
      subjects.add(new Pair("udp://127.0.0.1:0", Progress::thread));
      subjects.add(new Pair("udp://127.0.0.1:0", Progress::shared));
      if (warmsUp) {
        subjects.forEach(subject -> rate(subject, WARM_UP_NS));
      }
      for (int threads : busy) {
        double[] medians = new double[subjects.size()];
        try (Burners burners = new Burners()) {
          burners.start(threads);
          double[][] rates = new double[subjects.size()][rounds];
          for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < subjects.size(); i++) {
              rates[i][round] = rate(subjects.get(i), sliceNs);
            }
          }
          Arrays.setAll(medians, i -> ManyBench.median(rates[i]));
        }
        out.printf("%12d", threads);
        for (int i = 0; i < medians.length; i++) {
          double ratio = medians[i] / medians[0];
          String mark = ratio < LEAST_RATIO ? "!" : " ";
          out.print(
              i == 0
                  ? String.format(Locale.ROOT, " %18.0f", medians[i])
                  : String.format(Locale.ROOT, " %12.0f %4.2f%s", medians[i], ratio, mark));
        }
        out.println();
        out.flush();
      }
      out.printf(Locale.ROOT, "! is below %.1f.%n", LEAST_RATIO);
    } finally {
      subjects.forEach(Subject::close);
    }
  }

  private static double rate(Subject subject, long forNs) {
    long beginNs = System.nanoTime();
    long nowNs;
    long done = 0;
    do {
      for (int i = 0; i < PER_LOOK; i++, done++) {
        subject.exchange();
        subject.rest();
      }
      nowNs = System.nanoTime();
    } while (nowNs - beginNs < forNs);
    return done * 1e9 / (nowNs - beginNs);
  }

  private void arrivals(List<Integer> busy) throws IOException {
    out.printf(
        "%nFrom a message to the answer that it has arrived, in ms, at a node with shared()"
            + " progress all of whose application's threads compute%n");
    out.printf("%12s %26s %26s %26s%n", "", "a thread that blocks, UDP", "shm", "UDP");
    out.printf("%12s", "busy threads");
    for (int i = 0; i < 3; i++) {
      out.printf(" %8s %8s %8s", "p50", "p99", "max");
    }
    out.println();
    List<Subject> subjects = new ArrayList<>();
    try {
      subjects.add(new UdpEcho());
      subjects.add(new Arrival("shm:"));
      subjects.add(new Arrival("udp://127.0.0.1:0"));
      if (warmsUp) {
        subjects.forEach(subject -> rate(subject, WARM_UP_NS));
      }
      for (int threads : busy) {
        out.printf("%12d", threads);
        try (Burners burners = new Burners()) {
          burners.start(threads);
          for (Subject subject : subjects) {
            Histogram times = times(subject, rounds * sliceNs);
            double p99 = times.getValueAtPercentile(P99) / NS_PER_MS;
            out.printf(
                Locale.ROOT,
                " %8.2f %8.2f%s%8.2f",
                times.getValueAtPercentile(P50) / NS_PER_MS,
                p99,
                p99 > MOST_MS ? "!" : " ",
                times.getMaxValue() / NS_PER_MS);
            out.flush();
          }
        }
        out.println();
      }
      out.printf(Locale.ROOT, "! is above %.0f ms.%n", MOST_MS);
    } finally {
      subjects.forEach(Subject::close);
    }
  }

  /** Exchanges with pauses between them, so that each finds everybody asleep. */
  private static Histogram times(Subject subject, long forNs) {
    SplittableRandom random = new SplittableRandom(1);
    Histogram times = new Histogram(3);
    long endNs = System.nanoTime() + forNs;
    long nowNs;
    do {
      LockSupport.parkNanos(random.nextLong(MOST_GAP_NS));
      long beginNs = System.nanoTime();
      subject.exchange();
      nowNs = System.nanoTime();
      times.recordValue(nowNs - beginNs);
      subject.rest();
    } while (nowNs < endNs);
    return times;
  }

  // ---- what computes ----

  private static final class Burners implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();

    void start(int count) {
      for (int i = 0; i < count; i++) {
        threads.add(Thread.ofPlatform().daemon().name("busy-" + i).start(Burners::compute));
      }
    }

    private static void compute() {
      long x = 1;
      while (!Thread.currentThread().isInterrupted()) {
        for (int i = 0; i < 1000; i++) {
          x = x * 31 + 7;
        }
        if (x == 0) { // never; but the compiler cannot know, and keeps the loop
          Thread.onSpinWait();
        }
      }
    }

    @Override
    public void close() {
      threads.forEach(Thread::interrupt);
      for (Thread thread : threads) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  // ---- what is measured ----

  /** A thread at each end of a connection, in a call that blocks. */
  private static final class Tcp implements Subject {
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Socket near;
    private final DataInputStream in;
    private final OutputStream to;
    private final byte[] message = new byte[BYTES];

    Tcp() throws IOException {
      Thread unused = Thread.ofPlatform().daemon().name("tcp-echo").start(this::echo);
      near = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
      near.setTcpNoDelay(true);
      in = new DataInputStream(near.getInputStream());
      to = near.getOutputStream();
    }

    private void echo() {
      byte[] buffer = new byte[BYTES];
      try (Socket far = server.accept()) {
        far.setTcpNoDelay(true);
        DataInputStream from = new DataInputStream(far.getInputStream());
        while (true) {
          from.readFully(buffer);
          far.getOutputStream().write(buffer);
        }
      } catch (IOException e) {
        return; // the other end was closed
      }
    }

    @Override
    public void exchange() {
      try {
        to.write(message);
        in.readFully(message);
      } catch (IOException e) {
        throw new IllegalStateException("TCP over loopback", e);
      }
    }

    @Override
    public void close() {
      try (server) {
        near.close();
      } catch (IOException e) {
        throw new IllegalStateException("TCP over loopback", e);
      }
    }
  }

  /** Two nodes with the settings that users have, and an application's thread at each. */
  private static class Pair implements Subject {
    private final Node near;
    private final Node far;
    private final Channel channel;
    private final byte[] message = new byte[BYTES];
    private volatile boolean stopped;

    Pair(String rail, Supplier<Progress> progress) {
      this(rail, progress, progress, true);
    }

    Pair(String rail, Supplier<Progress> ofNear, Supplier<Progress> ofFar, boolean echoes) {
      far = Node.start(config("far", rail, ofFar.get()).build());
      NodeConfigBuilder config = config("near", rail, ofNear.get());
      far.localAddresses().forEach(address -> config.peer("far", address.text()));
      near = Node.start(config.build());
      near.peer("far").awaitUp(PATIENCE);
      channel = near.peer("far").channel(1);
      if (echoes) {
        Thread unused = Thread.ofPlatform().daemon().name("echo").start(this::echo);
      }
    }

    private static NodeConfigBuilder config(String name, String rail, Progress progress) {
      return NodeConfig.builder().name(name).rail(rail).progress(progress).shutdownHook(false);
    }

    private void echo() {
      while (!stopped) {
        far.idle(
            far.poll(
                (from, segment, offset, length, sequence) ->
                    from.offer(segment, offset, length) > 0
                        ? MessageHandler.Action.CONTINUE
                        : MessageHandler.Action.RETRY_LATER,
                64));
      }
    }

    final long offer() {
      long sequence = channel.offer(message);
      while (sequence <= 0) {
        near.idle(0);
        sequence = channel.offer(message);
      }
      return sequence;
    }

    final Channel channel() {
      return channel;
    }

    final Node far() {
      return far;
    }

    @Override
    public void exchange() {
      long unused = offer();
      while (channel.poll((m, offset, length, sequence) -> MessageHandler.Action.CONTINUE, 1)
          == 0) {
        near.idle(0);
      }
    }

    @Override
    public void close() {
      stopped = true;
      near.close(Duration.ZERO);
      far.close(Duration.ZERO);
    }
  }

  /** A message to a node that nobody calls; its own thread takes it in and says so. */
  private static final class Arrival extends Pair {
    /** So many are within the credit of a channel. */
    private static final int MOST_UNPOLLED = 256;

    private int unpolled;

    Arrival(String rail) {
      super(rail, Progress::thread, Progress::shared, false);
    }

    @Override
    public void exchange() {
      channel().awaitAccepted(offer(), PATIENCE);
      unpolled++;
    }

    /** The application comes back for once, and takes what has come. */
    @Override
    public void rest() {
      while (unpolled >= MOST_UNPOLLED) {
        unpolled -=
            far()
                .poll(
                    (from, segment, offset, length, sequence) -> MessageHandler.Action.CONTINUE,
                    MOST_UNPOLLED);
      }
    }
  }

  /** A thread that blocks on a socket, and answers. */
  private static final class UdpEcho implements Subject {
    private final DatagramSocket near =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final DatagramSocket far =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final byte[] message = new byte[BYTES];

    UdpEcho() throws SocketException {
      near.setSoTimeout((int) TimeUnit.SECONDS.toMillis(10)); // it may be dropped
      Thread unused = Thread.ofPlatform().daemon().name("udp-echo").start(this::echo);
    }

    private void echo() {
      DatagramPacket packet = new DatagramPacket(new byte[BYTES], BYTES);
      try {
        while (true) {
          far.receive(packet);
          far.send(packet);
        }
      } catch (IOException e) {
        return; // closed
      }
    }

    @Override
    public void exchange() {
      try {
        near.send(new DatagramPacket(message, BYTES, far.getLocalSocketAddress()));
        near.receive(new DatagramPacket(message, BYTES));
      } catch (IOException e) {
        throw new IllegalStateException("UDP over loopback", e);
      }
    }

    @Override
    public void close() {
      near.close();
      far.close();
    }
  }
}
