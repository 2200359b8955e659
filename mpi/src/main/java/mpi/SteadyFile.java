// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An open file that an interrupt of a thread leaves as it is. A {@code FileChannel} is closed for
 * all by the interrupt of one thread that reads or writes; an asynchronous one is not, and here it
 * does what it is asked for in the calling thread, before the call returns.
 */
final class SteadyFile implements AutoCloseable {
  private static final long RETRY_NS = 100_000;
  private static final Caller CALLER = new Caller();

  /** Runs whatever it is given at once. */
  private static final class Caller extends AbstractExecutorService {
    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public void shutdown() {
      // nothing is ever under way
    }

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return false;
    }
  }

  private final AsynchronousFileChannel channel;

  private SteadyFile(AsynchronousFileChannel channel) {
    this.channel = channel;
  }

  static SteadyFile open(Path path, Set<? extends OpenOption> options) throws IOException {
    return new SteadyFile(AsynchronousFileChannel.open(path, options, CALLER));
  }

  private static <T> T result(Future<T> done) throws IOException {
    if (done.state() == Future.State.SUCCESS) {
      return done.resultNow();
    }
    Throwable failure = done.exceptionNow();
    throw failure instanceof IOException known ? known : new IOException(failure);
  }

  /** Reads from a place on; how many bytes there were, -1 at the end of the file. */
  int read(ByteBuffer data, long place) throws IOException {
    return result(channel.read(data, place));
  }

  /** Writes from a place on; how many bytes. */
  int write(ByteBuffer data, long place) throws IOException {
    return result(channel.write(data, place));
  }

  long size() throws IOException {
    return channel.size();
  }

  void truncate(long bytes) throws IOException {
    AsynchronousFileChannel unused = channel.truncate(bytes);
  }

  void force() throws IOException {
    channel.force(true);
  }

  /** Waits until nobody else who takes a lock has a part of that range. */
  FileLock lock(long from, long length, boolean shared) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result(channel.lock(from, length, shared));
        } catch (OverlappingFileLockException e) {
          interrupted |= Thread.interrupted(); // else it would not wait at all
          LockSupport.parkNanos(RETRY_NS); // by another one of this process, which is about to end
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
