// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
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

/**
 * One thread of another process, stopped while the others go on: a driver that hangs. It is stopped
 * by ptrace(2) as it enters ppoll(2), for a Java thread that stood still anywhere else would hold
 * up the next collection, and with it all others.
 *
 * <p>The kernel takes ptrace's requests from one thread only, so this keeps one.
 */
final class StoppedThread implements AutoCloseable {
  private static final long SEIZE = 0x4206;
  private static final long INTERRUPT = 0x4207;
  private static final long SYSCALL = 24;
  private static final long DETACH = 17;
  private static final long GET_SYSCALL_INFO = 0x420e;
  private static final long TELL_SYSCALLS = 1;
  private static final int WAIT_ALL = 0x4000_0000;
  private static final int INFO_BYTES = 88;
  private static final byte ENTRY = 1;
  private static final long PPOLL = System.getProperty("os.arch").equals("aarch64") ? 73 : 271;
  private static final int TRAP = 5;
  private static final int SYSCALL_TRAP = TRAP | 0x80;
  private static final int MOST_CALLS = 200_000;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle PTRACE =
      handle("ptrace", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle WAITPID =
      handle("waitpid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  private final int tid;
  private final ExecutorService tracer =
      Executors.newSingleThreadExecutor(
          work -> Thread.ofPlatform().daemon().name("lab-tracer").unstarted(work));

  private StoppedThread(int tid) {
    this.tid = tid;
  }

  @SuppressWarnings("restricted") // native access is what this is about
  private static MethodHandle handle(String name, FunctionDescriptor type) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type);
  }

  /**
   * Stops the thread of that name.
   *
   * @throws LabException if there is none, or if it may not be stopped
   */
  static StoppedThread stop(long pid, String name) {
    StoppedThread thread = new StoppedThread(find(pid, name));
    boolean stopped = false;
    try {
      stopped = thread.call(thread::stopAtPoll);
      if (!stopped) {
        throw new LabException(
            LabException.RED, "thread " + name + " never rested, so it could not be stopped");
      }
      return thread;
    } finally {
      if (!stopped) {
        thread.close();
      }
    }
  }

  private static int find(long pid, String name) {
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    int found = -1;
    try (DirectoryStream<Path> list = Files.newDirectoryStream(tasks)) {
      for (Path task : list) {
        int tid = Integer.parseInt(task.getFileName().toString());
        String comm = Files.readString(task.resolve("comm"), StandardCharsets.UTF_8).strip();
        if (comm.equals(name)) {
          found = Math.max(found, tid); // one that was given up before may still be there
        }
      }
    } catch (IOException e) {
      throw new LabException(LabException.ENVIRONMENT, "cannot list the threads: " + e, e);
    }
    if (found < 0) {
      throw new LabException(
          LabException.RED, "process " + pid + " has no thread called \"" + name + "\"");
    }
    return found;
  }

  private boolean stopAtPoll() {
    request(SEIZE, TELL_SYSCALLS);
    request(INTERRUPT, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      MemorySegment info = arena.allocate(INFO_BYTES, 8);
      for (int i = 0; i < MOST_CALLS; i++) {
        int stop = waitForStop(status);
        int signal = (stop >> 8) & 0xff;
        if (signal == SYSCALL_TRAP) {
          long unused = ptrace(GET_SYSCALL_INFO, INFO_BYTES, info.address());
          if (info.get(JAVA_BYTE, 0) == ENTRY && info.get(JAVA_LONG, 24) == PPOLL) {
            return true;
          }
        }
        boolean passOn = signal != SYSCALL_TRAP && stop >> 16 == 0;
        request(SYSCALL, passOn ? signal : 0);
      }
    }
    return false;
  }

  private int waitForStop(MemorySegment status) {
    try {
      int result = (int) WAITPID.invokeExact(tid, status, WAIT_ALL);
      if (result == tid && (status.get(JAVA_INT, 0) & 0xff) == 0x7f) {
        return status.get(JAVA_INT, 0);
      }
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
    throw new LabException(LabException.RED, "thread " + tid + " ended instead of stopping");
  }

  private void request(long request, long data) {
    if (ptrace(request, 0, data) < 0) {
      throw new LabException(
          LabException.ENVIRONMENT,
          "thread "
              + tid
              + " cannot be traced (request "
              + Long.toHexString(request)
              + "); that takes root, and a kernel and container that allow ptrace");
    }
  }

  private long ptrace(long request, long address, long data) {
    try {
      return (long) PTRACE.invokeExact(request, tid, address, data);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private <T> T call(Callable<T> work) {
    try {
      return tracer.submit(work).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LabException cause) {
        throw cause;
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
    long unused = call(() -> ptrace(DETACH, 0, 0));
    tracer.shutdown();
  }
}
