// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A child process that talks in lines: its standard input takes commands, and by its end the order
 * to go away; its standard output gives answers. Both of its outputs are read all the time, so that
 * it never waits for a reader. Any thread.
 */
public final class ChildProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LONG_PATIENCE = Duration.ofSeconds(60);
  private static final int MOST_WORDS = 1_000;
  private static final int LAST_WORDS = 100;

  private final String name;
  private final Process process;
  private final PrintStream input;

  /** Lines of standard output that nobody has read; an empty one is the end, and stays. */
  private final BlockingQueue<Optional<String>> output = new LinkedBlockingQueue<>();

  private final ArrayDeque<String> errors = new ArrayDeque<>();
  private final @Nullable Listener listener;
  private final Thread errorReader;
  private final Thread outputReader;

  /** Hears a child as it talks, on threads of its own. */
  public interface Listener {
    /** A line of its standard output. */
    void onLine(String line);

    /** A line of its standard error; it is also kept. */
    default void onError(String line) {}

    /**
     * It has ended, and there is no further line.
     *
     * @param status its exit status; -1 if it closed its output and does not end
     */
    void onEnd(int status);
  }

  private ChildProcess(String name, Process process, @Nullable Listener listener) {
    this.name = name;
    this.process = process;
    this.listener = listener;
    input = new PrintStream(process.getOutputStream(), false, StandardCharsets.UTF_8);
    errorReader = Thread.ofPlatform().daemon().name(name + "-err").start(this::readErrors);
    outputReader = Thread.ofPlatform().daemon().name(name + "-out").start(this::readOutput);
  }

  /** The command that starts a JVM like this one. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** The words that start a program of this JVM's class path in a JVM like this one. */
  public static List<String> java(List<String> options, Class<?> main, String... arguments) {
    return java(options, System.getProperty("java.class.path"), main.getName(), List.of(arguments));
  }

  /** The words that start a program of any class path in a JVM like this one. */
  public static List<String> java(
      List<String> options, String classPath, String main, List<String> arguments) {
    List<String> words = new ArrayList<>();
    words.add(java());
    words.addAll(options);
    words.addAll(List.of("-cp", classPath, main));
    words.addAll(arguments);
    return words;
  }

  /**
   * Starts a child whose lines are to be read.
   *
   * @param name for messages, such as "sender"
   */
  public static ChildProcess start(String name, List<String> words) {
    return start(name, new ProcessBuilder(words), null);
  }

  /**
   * Starts a child.
   *
   * @param listener hears what it says; if null, its lines are to be read
   * @throws ToolException if it cannot be started
   */
  public static ChildProcess start(
      String name, ProcessBuilder builder, @Nullable Listener listener) {
    try {
      return new ChildProcess(name, builder.start(), listener);
    } catch (IOException e) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "cannot start the process of \"" + name + "\": " + e.getMessage(),
          e);
    }
  }

  private void readOutput() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (listener == null) {
          output.add(Optional.of(line));
        } else {
          listener.onLine(line);
        }
      }
    } catch (IOException e) {
      note("(its output cannot be read: " + e.getMessage() + ")");
    }
    int status = -1;
    try {
      Object unused = errorReader.join(PATIENCE);
      status = process.waitFor(LONG_PATIENCE) ? process.exitValue() : -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (listener == null) {
      output.add(Optional.empty());
    } else {
      listener.onEnd(status);
    }
  }

  private void readErrors() {
    try (BufferedReader in = process.errorReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        note(line);
        if (listener != null) {
          listener.onError(line);
        }
      }
    } catch (IOException e) {
      note("(its standard error cannot be read: " + e.getMessage() + ")");
    }
  }

  /** Keeps a line with those of its standard error. */
  public void note(String line) {
    synchronized (errors) {
      if (errors.size() == MOST_WORDS) {
        errors.removeFirst();
      }
      errors.addLast(line);
    }
  }

  /** What it wrote to its standard error, the last so many lines of it. */
  public List<String> lastWords(int most) {
    synchronized (errors) {
      return errors.stream().skip(Math.max(0, errors.size() - most)).toList();
    }
  }

  /** Tells it something; if it is gone, reading will say so. */
  public void tell(String line) {
    synchronized (input) {
      input.println(line);
      input.flush();
    }
  }

  /** Its standard input, for lines that are written by others; to be locked for each. */
  public PrintStream input() {
    return input;
  }

  /**
   * Its next line.
   *
   * @param after what was asked, for the message of a failure
   * @throws ToolException if none comes in time, or it ends instead; with its last words
   */
  public String read(String after, Duration patience) {
    Optional<String> line;
    try {
      line = output.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ToolException(ToolException.RED, "interrupted", e);
    }
    if (line != null && line.isPresent()) {
      return line.get();
    }
    if (line != null) {
      output.add(line); // the end stays, so that whoever asks after it is told as well
    }
    String what =
        line == null
            ? " said nothing for " + patience.toSeconds() + " s after "
            : " ended with status " + status() + " before the answer to ";
    throw new ToolException(
        ToolException.RED,
        "the process of \""
            + name
            + '"'
            + what
            + after
            + "; its last words:\n"
            + String.join("\n", lastWords(LAST_WORDS)));
  }

  private String status() {
    return process.isAlive() ? "unknown" : Integer.toString(process.exitValue());
  }

  /** Lines of its standard output that nobody has read. */
  public String unread() {
    return output.stream().flatMap(Optional::stream).collect(Collectors.joining("\n"));
  }

  /** The name it was started with. */
  public String name() {
    return name;
  }

  /** The process itself. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** Whether it runs, or is stopped. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Its exit status, once it has ended. */
  public int exitValue() {
    return process.exitValue();
  }

  /**
   * Sends a signal to this process and to no other; of STOP it returns when all threads stand.
   *
   * @param signal by name without SIG
   */
  public void signal(String signal) {
    String unused = Shell.run("sh", "-c", "kill -" + signal + " " + process.pid());
    long endNs = System.nanoTime() + LONG_PATIENCE.toNanos();
    while (signal.equals("STOP")
        && process.isAlive()
        && !isStopped()) { // the kernel takes its time
      if (System.nanoTime() - endNs > 0) {
        throw new ToolException(ToolException.RED, "the process of " + name + " does not stop");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private boolean isStopped() {
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      for (Path thread : threads) {
        String stat = Files.readString(thread.resolve("stat"));
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // a thread has just ended
    }
  }

  /** SIGKILL. */
  public void kill() {
    Process unused = process.destroyForcibly();
  }

  /** Closes its standard input, which ends it. */
  public void endInput() {
    input.close();
  }

  /** Waits for its end and for what it has said to be read; whether that came in time. */
  public boolean awaitExit(Duration patience) {
    return awaitExit(patience, LONG_PATIENCE);
  }

  /** What it has started may hold its output open. */
  private boolean awaitExit(Duration patience, Duration readers) {
    try {
      return process.waitFor(patience) && outputReader.join(readers) && errorReader.join(readers);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Closes its standard input, which ends it, and waits; kills it if that takes too long. */
  @Override
  public void close() {
    endInput();
    if (!awaitExit(PATIENCE, PATIENCE)) {
      kill();
      boolean unused = awaitExit(PATIENCE, PATIENCE);
    }
  }

  @Override
  public String toString() {
    return name + " (process " + process.pid() + (process.isAlive() ? ")" : ", ended)");
  }
}
