// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread of another process, stopped while the others go on: a driver that hangs. It is stopped
 * by ptrace(2) while it waits in ppoll(2), for a Java thread that stood still anywhere else would
 * hold up the next collection, and with it all others. It is not touched before it waits there: one
 * that is led from call to call runs at a fraction of its speed, and that is another fault.
 *
 * <p>The kernel takes ptrace's requests from one thread only, so this keeps one.
 */
final class StoppedThread implements AutoCloseable {
  private static final long SEIZE = 0x4206;
  private static final long INTERRUPT = 0x4207;
  private static final long CONTINUE = 7;
  private static final long DETACH = 17;
  private static final int WAIT_ALL = 0x4000_0000;
  private static final String IN_PPOLL =
      System.getProperty("os.arch").equals("aarch64") ? "73 " : "271 ";
  private static final long PATIENCE_NS = 60_000_000_000L;
  private static final long LOOK_INTERVAL_NS = 50_000;

  private static final MethodHandle PTRACE =
      NativeCalls.handle(
          "ptrace", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle WAITPID =
      NativeCalls.handle("waitpid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  private final int tid;

  /** What arrived as it was stopped, and is for it when it goes on; 0 if nothing did. */
  private volatile int signal;

  private final Path syscall;
  private final ExecutorService tracer =
      Executors.newSingleThreadExecutor(
          work -> Thread.ofPlatform().daemon().name("lab-tracer").unstarted(work));

  private StoppedThread(long pid, int tid) {
    this.tid = tid;
    this.syscall = Path.of("/proc", Long.toString(pid), "task", Integer.toString(tid), "syscall");
  }

  /**
   * Stops the thread of that name.
   *
   * @throws ToolException if there is none, or if it may not be stopped
   */
  static StoppedThread stop(long pid, String name) {
    StoppedThread thread = new StoppedThread(pid, find(pid, name));
    boolean stopped = false;
    try {
      stopped = thread.call(thread::stopAtPoll);
      if (!stopped) {
        throw new ToolException(
            ToolException.RED, "thread " + name + " never waited, so it could not be stopped");
      }
      return thread;
    } finally {
      if (!stopped) {
        thread.close();
      }
    }
  }

  /** The name of a thread; empty if it has ended meanwhile. */
  private static String nameOf(Path task) {
    try {
      return Files.readString(task.resolve("comm"), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static int find(long pid, String name) {
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    int found = -1;
    try (DirectoryStream<Path> list = Files.newDirectoryStream(tasks)) {
      for (Path task : list) {
        int tid = Integer.parseInt(task.getFileName().toString());
        if (nameOf(task).equals(name)) {
          found = Math.max(found, tid); // one that was given up before may still be there
        }
      }
    } catch (IOException e) {
      throw new ToolException(ToolException.ENVIRONMENT, "cannot list the threads: " + e, e);
    }
    if (found < 0) {
      throw new ToolException(
          ToolException.RED, "process " + pid + " has no thread called \"" + name + "\"");
    }
    return found;
  }

  private boolean stopAtPoll() throws IOException {
    boolean seized = false;
    long end = System.nanoTime() + PATIENCE_NS;
    while (System.nanoTime() < end) {
      if (!waits()) {
        LockSupport.parkNanos(LOOK_INTERVAL_NS);
        continue;
      }
      if (!seized) {
        request(SEIZE, 0);
        seized = true;
      }
      request(INTERRUPT, 0);
      int stop = waitForStop();
      signal = stop >> 16 == 0 ? (stop >> 8) & 0xff : 0; // no event of ptrace's
      if (waits()) {
        return true;
      }
      request(CONTINUE, signal);
      signal = 0;
    }
    return false;
  }

  /** Whether it is in the call now; while it runs, the file says so instead. */
  private boolean waits() throws IOException {
    return Files.readString(syscall, StandardCharsets.US_ASCII).startsWith(IN_PPOLL);
  }

  private int waitForStop() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      int result = (int) WAITPID.invokeExact(tid, status, WAIT_ALL);
      if (result == tid && (status.get(JAVA_INT, 0) & 0xff) == 0x7f) {
        return status.get(JAVA_INT, 0);
      }
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
    throw new ToolException(ToolException.RED, "thread " + tid + " ended instead of stopping");
  }

  private void request(long request, long data) {
    if (ptrace(request, data) < 0) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "thread "
              + tid
              + " cannot be traced (request "
              + Long.toHexString(request)
              + "); that takes root, and a kernel and container that allow ptrace");
    }
  }

  private long ptrace(long request, long data) {
    try {
      return (long) PTRACE.invokeExact(request, tid, 0L, data);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private <T> T call(Callable<T> work) {
    try {
      return tracer.submit(work).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ToolException cause) {
        throw cause;
      }
      if (e.getCause() instanceof IOException cause) {
        throw new ToolException(ToolException.RED, "thread " + tid + " has ended: " + cause, cause);
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Lets it go on. */
  @Override
  public void close() {
    long unused = call(() -> ptrace(DETACH, signal));
    tracer.shutdown();
  }
}
