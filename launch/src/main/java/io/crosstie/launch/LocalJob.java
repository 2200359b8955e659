// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A parallel job on this host: starts its processes, copies what they write, and ends them all. The
 * first one that ends badly ends the others, unless they are to go on, and its exit status is the
 * job's (128 + n if signal n has ended it). None survives this process.
 */
public final class LocalJob {
  /** The exit status of a job whose time was up, as of the command timeout. */
  public static final int TIMED_OUT = 124;

  /** The exit status of a job whose program cannot be started, as of shells. */
  public static final int NOT_STARTED = 127;

  /** The exit status of a job whose output nobody reads any more: 128, and SIGPIPE. */
  public static final int BROKEN_PIPE = 128 + 13;

  /**
   * What ranks have written can be read at once when they are over. Whoever comes later with a line
   * now and then, a process that has outlived its rank, is not waited for: so many looks in a row
   * at which nothing has come.
   */
  private static final int QUIET_LOOKS = 5;

  private static final int NOBODY = -1;
  private static final int LAST_SIGNAL = 64;
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration DUMP_PATIENCE = Duration.ofSeconds(2);
  private static final Duration OUTPUT_PATIENCE = Duration.ofSeconds(2);
  private static final int DEFAULT_HEAP_PERCENT = 25; // the JVM's own
  private static final int ALL_HEAPS_PERCENT = 75;

  /** A rank and its exit status; {@link #NOBODY} if the output is not taken any more. */
  private record Exit(int rank, int status) {}

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final Duration BETWEEN_OUTPUT_LOOKS = Duration.ofMillis(20);

  private final LocalJobOptions options;
  private final PrintStream err;
  private final LineSink out;
  private final LineSink errors;
  private final String key;
  private final List<Process> processes = new ArrayList<>();
  private final List<PrintStream> files = new ArrayList<>();
  private final Map<Integer, List<String>> rails = new ConcurrentHashMap<>();
  private final Semaphore reports = new Semaphore(0);
  private volatile boolean ended;
  private final Map<Thread, LineSink.Mark> copiers = new LinkedHashMap<>();
  private final Duration outputPatience;
  private volatile boolean broken;
  private final BlockingQueue<Exit> exits = new LinkedBlockingQueue<>();

  /** What lines go to. */
  public LocalJob(LocalJobOptions options, PrintStream out, PrintStream err) {
    this(options, out, err, OUTPUT_PATIENCE);
  }

  /**
   * The same.
   *
   * @param outputPatience how long who holds an ended rank's output open is waited for
   */
  LocalJob(LocalJobOptions options, PrintStream out, PrintStream err, Duration outputPatience) {
    this.options = options;
    this.err = err;
    this.out = new LineSink(out, this::onBroken);
    this.errors = new LineSink(err, this::onBroken);
    this.outputPatience = outputPatience;
    this.key = Places.freshKey();
  }

  /**
   * Runs it to its end.
   *
   * @return its exit status
   */
  public int run() {
    Thread hook = new Thread(this::endAll, "crosstie-run-exit"); // SIGINT, SIGTERM, SIGHUP
    Runtime.getRuntime().addShutdownHook(hook);
    int status;
    try (Introducer introducer =
            Introducer.onLoopback(key, options.ranks(), joinTimeout(options), placement(options));
        Guardian guardian = new Guardian()) {
      try {
        for (int rank = 0; rank < options.ranks(); rank++) {
          start(rank, introducer.address(), guardian);
        }
        introducer.readBy(this::onReport);
        boolean unused =
            StatusSignal.hear(
                () ->
                    Thread.ofVirtual()
                        .name("crosstie-run-status")
                        .start(() -> tellWhatRanksDo(introducer)));
        if (options.showRails()) {
          Thread unusedToo =
              Thread.ofVirtual().name("crosstie-run-rails").start(() -> askForRails(introducer));
        }
        status = watch(introducer);
      } finally {
        ended = true;
        endAll();
        awaitOutput();
        files.forEach(PrintStream::close);
      }
      return broken && status == 0 ? BROKEN_PIPE : status;
    } catch (IOException e) {
      say("cannot start \"" + options.words().getFirst() + "\": " + e.getMessage());
      return NOT_STARTED;
    } finally {
      try {
        boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // the launcher ends by a signal, and the hook is running
      }
    }
  }

  /** The same as the ranks read in their environment. */
  static Duration joinTimeout(LocalJobOptions options) {
    return ofRanks(options).joinTimeout();
  }

  /** The same as the ranks read there; without names, since all of them run on this host. */
  static Placement placement(LocalJobOptions options) {
    Placement named = ofRanks(options).placement(options.ranks(), Placement.UNKNOWN);
    return Placement.numbered(named.hosts());
  }

  private static Environment ofRanks(LocalJobOptions options) {
    Map<String, String> variables = new HashMap<>(System.getenv());
    variables.putAll(options.environment());
    return new Environment(variables);
  }

  private void say(String text) {
    synchronized (err) {
      err.println("crosstie run: " + text);
      err.flush();
    }
  }

  private void start(int rank, HostPort introducer, Guardian guardian) throws IOException {
    List<String> words = new ArrayList<>();
    if (options.binding() == LocalJobOptions.Binding.CORE) {
      words.addAll(
          List.of("taskset", "-c", Processors.share(Processors.allowed(), rank, options.ranks())));
    }
    words.addAll(words(options.words(), options.ranks()));
    ProcessBuilder builder = new ProcessBuilder(words);
    Map<String, String> environment = builder.environment();
    environment.putAll(options.environment());
    environment.put(Job.RANK, Integer.toString(rank));
    environment.put(Job.SIZE, Integer.toString(options.ranks()));
    environment.put(Job.KEY, key);
    environment.put(Job.INTRODUCER, introducer.toString());
    environment.put(Job.HOST, Job.BY_LAUNCHER);
    environment.put(Job.LOCAL_SIZE, Integer.toString(options.ranks()));
    Path folder = options.folder();
    if (folder != null) {
      builder.directory(folder.toFile());
    }
    builder.redirectInput(rank == 0 ? Redirect.INHERIT : Redirect.from(new File("/dev/null")));
    Process process;
    synchronized (processes) {
      process = builder.start();
      processes.add(process);
    }
    guardian.add(process.pid());
    String tag = options.tagOutput() ? "[" + rank + "] " : "";
    LineSink file = file(rank);
    copy(process.getInputStream(), file == null ? out : file, tag, "out-" + rank);
    copy(process.getErrorStream(), file == null ? errors : file, tag, "err-" + rank);
    Object unused =
        process
            .onExit()
            .thenAccept(
                ended -> {
                  guardian.end(ended.pid());
                  exits.add(new Exit(rank, ended.exitValue()));
                });
  }

  /** Where a rank's output goes, if that is a file. */
  private @Nullable LineSink file(int rank) throws IOException {
    Path name = options.outputFile();
    if (name == null) {
      return null;
    }
    PrintStream to = new PrintStream(Files.newOutputStream(Path.of(name + "." + rank)), false);
    files.add(to);
    return new LineSink(
        to,
        () -> say(name + "." + rank + " cannot be written; what rank " + rank + " says is lost"));
  }

  /** Each rank's share of the processors and of the memory, where the program is a JVM. */
  static List<String> words(List<String> words, int ranks) {
    Path program = Path.of(words.getFirst()).getFileName();
    if (ranks == 1 || program == null || !program.toString().equals("java")) {
      return words;
    }
    List<String> all = new ArrayList<>(words);
    int processors = Math.max(1, Runtime.getRuntime().availableProcessors() / ranks);
    int percent = Math.clamp(ALL_HEAPS_PERCENT / ranks, 1, DEFAULT_HEAP_PERCENT);
    all.add(1, "-XX:ActiveProcessorCount=" + processors);
    all.add(2, "-XX:MaxRAMPercentage=" + percent);
    return all;
  }

  private void copy(InputStream from, LineSink to, String tag, String name) {
    LineSink.Mark mark = new LineSink.Mark();
    LineSink.Mark unused =
        copiers.put(
            Thread.ofPlatform()
                .daemon()
                .name("crosstie-run-" + name)
                .start(
                    () -> {
                      try {
                        to.copy(from, tag, mark);
                      } catch (IOException e) {
                        // the process is gone
                      }
                    }),
            mark);
  }

  private int watch(Introducer introducer) {
    Duration timeout = options.timeout();
    long beginNs = System.nanoTime();
    int status = 0;
    for (int left = options.ranks(); left > 0; left--) {
      Exit exit = nextExit(timeout, beginNs);
      if (exit == null) {
        tellWhoStandsStill(introducer);
        return TIMED_OUT;
      }
      if (exit.rank() == NOBODY) {
        say("nobody reads the output any more; the ranks are ended");
        return status == 0 ? BROKEN_PIPE : status;
      }
      introducer.onExit(exit.rank(), exit.status());
      if (exit.status() != 0) {
        if (status == 0) {
          status = exit.status();
        }
        if (options.onDeath() == LocalJobOptions.OnDeath.ABORT) {
          if (left > 1) {
            say(describe(exit) + "; the others are ended");
          }
          return status;
        }
        say(describe(exit) + "; the others go on");
      }
    }
    return status;
  }

  private @Nullable Exit nextExit(@Nullable Duration timeout, long beginNs) {
    try {
      return timeout == null
          ? exits.take()
          : exits.poll(timeout.toNanos() - (System.nanoTime() - beginNs), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private static String describe(Exit exit) {
    return "rank " + exit.rank() + " " + describe(exit.status());
  }

  static String describe(int status) {
    return status > 128 && status <= 128 + LAST_SIGNAL
        ? "was ended by signal " + (status - 128)
        : "has ended with exit status " + status;
  }

  /** A rank has answered: what is new of its rails, or all that it does. */
  private void onReport(int rank, List<String> lines) {
    List<String> news = new ArrayList<>(lines);
    if (!lines.isEmpty() && lines.getFirst().startsWith("rails")) {
      List<String> before = rails.put(rank, lines);
      if (before != null) {
        news.removeAll(before);
      }
    } else {
      reports.release();
    }
    synchronized (err) {
      news.forEach(line -> err.println("crosstie run: rank " + rank + ": " + line));
      err.flush();
    }
  }

  private void askForRails(Introducer introducer) {
    try {
      while (!ended) {
        int unused = introducer.ask(WireUp.Question.RAILS);
        Thread.sleep(BETWEEN_LOOKS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ranks that have joined tell what they wait for, and those that are JVMs show their stacks. */
  private void tellWhatRanksDo(Introducer introducer) {
    int unused = reports.drainPermits();
    int asked = introducer.ask(WireUp.Question.ALL);
    try {
      if (!reports.tryAcquire(asked, DUMP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        say("not all ranks have told what they do; their stacks follow");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<Process> all;
    synchronized (processes) {
      all = List.copyOf(processes);
    }
    showStacks(all.stream().filter(Process::isAlive).toList());
  }

  /** The time is up: whoever still runs tells what it does. */
  private void tellWhoStandsStill(Introducer introducer) {
    List<String> running = new ArrayList<>();
    for (int rank = 0; rank < processes.size(); rank++) {
      Process process = processes.get(rank);
      if (process.isAlive()) {
        running.add(rank + (introducer.isPresent(rank) ? "" : " (has not joined, or has left)"));
      }
    }
    say("the time is up; still running: ranks " + String.join(", ", running));
    tellWhatRanksDo(introducer);
  }

  private void showStacks(List<Process> alive) {
    try {
      for (Process process : alive) {
        if (isJvm(process)) {
          Process kill = new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start();
          boolean unused = kill.waitFor(DUMP_PATIENCE);
        }
      }
      if (!alive.isEmpty()) {
        boolean unused = alive.getFirst().waitFor(DUMP_PATIENCE); // they write meanwhile
      }
    } catch (IOException e) {
      say("their stacks cannot be shown: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isJvm(Process process) {
    return process.info().command().map(command -> command.endsWith("/java")).orElse(false);
  }

  /** Ends whoever still runs: asks first, and does not ask again. */
  private void endAll() {
    List<ProcessHandle> all = new ArrayList<>();
    synchronized (processes) {
      for (Process process : processes) {
        try (Stream<ProcessHandle> below = process.descendants()) {
          below.forEach(all::add);
        }
        all.add(process.toHandle());
      }
    }
    all.forEach(ProcessHandle::destroy);
    long endNs = System.nanoTime() + GRACE.toNanos();
    for (ProcessHandle one : all) {
      try {
        Object unused =
            one.onExit().get(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (java.util.concurrent.TimeoutException e) {
        boolean unused = one.destroyForcibly();
      } catch (java.util.concurrent.ExecutionException e) {
        // its end cannot be waited for
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        boolean unused = one.destroyForcibly();
      }
    }
  }

  /** Once: what is written is not taken any more. */
  private void onBroken() {
    broken = true;
    boolean unused = exits.add(new Exit(NOBODY, BROKEN_PIPE));
  }

  /**
   * What they have written is shown, however slowly it is read; a descendant that holds the pipe
   * open, and writes nothing, is not waited for.
   */
  private void awaitOutput() {
    long looksLeft = outputPatience.dividedBy(BETWEEN_OUTPUT_LOOKS);
    Map<Thread, LineSink.Mark> left = new LinkedHashMap<>(copiers);
    try {
      while (!left.isEmpty()) {
        Thread first = left.keySet().iterator().next();
        if (first.join(BETWEEN_OUTPUT_LOOKS)) {
          Object unused = left.remove(first);
          continue;
        }
        // looks are counted, not time: nothing is copied while this process stands still
        boolean isOver = --looksLeft <= 0;
        boolean unused = left.values().removeIf(mark -> mark.look() >= QUIET_LOOKS && isOver);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
