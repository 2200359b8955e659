// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Lines of text over TCP. Who writes never waits for the network: a thread of its own does. What
 * waits to be written is bounded; a peer that does not read for so long is given up. Where both
 * ends agree on it, an empty line says now and then that an end is there, and one that says nothing
 * for long cannot be reached: TCP itself takes a quarter of an hour to tell that of what is on its
 * way.
 */
final class LineSocket implements Closeable {
  private static final int MAX_LINE = 1 << 14;
  private static final String END = "\n";
  private static final long NS_PER_MS = 1_000_000;

  /** A host that vanishes is noticed after 10 s of silence and 5 tries, one each 5 s. */
  private static final int KEEP_ALIVE_IDLE_S = 10;

  private static final int KEEP_ALIVE_INTERVAL_S = 5;
  private static final int KEEP_ALIVE_TRIES = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /**
   * How often a line that has nothing to say says so.
   *
   * @param everyMs after so long
   * @param silenceMs the other end cannot be reached once it has said nothing for so long
   */
  record Beat(int everyMs, int silenceMs) {
    /** Says nothing, and hears nothing of the other end, however long that is. */
    static final Beat NONE = new Beat(0, 0);
  }

  /** A line for the end of each rank, and for each one that was asked for. */
  private final BlockingQueue<String> outgoing;

  private final Socket socket;
  private final Beat beat;
  private final InputStream in;
  private final Thread writer;
  private final ReentrantLock writing = new ReentrantLock();
  private @Nullable IOException failed; // guarded by writing

  /**
   * Takes over the socket.
   *
   * @param writers makes the thread that writes
   */
  LineSocket(Socket socket, int mostWaiting, Beat beat, Thread.Builder writers) throws IOException {
    this.socket = socket;
    this.beat = beat;
    this.outgoing = new LinkedBlockingQueue<>(mostWaiting);
    socket.setTcpNoDelay(true);
    keepAlive(socket);
    in = new BufferedInputStream(socket.getInputStream());
    writer = writers.name("crosstie-wireup-out").start(this::write);
  }

  private static void keepAlive(Socket socket) throws IOException {
    socket.setKeepAlive(true);
    try {
      socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_S);
      socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_INTERVAL_S);
      socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_TRIES);
    } catch (UnsupportedOperationException e) {
      // as often as the system is set to
    }
  }

  private void write() {
    try {
      while (true) {
        String line =
            beat.everyMs == 0
                ? outgoing.take()
                : outgoing.poll(beat.everyMs, TimeUnit.MILLISECONDS);
        if (line == null) {
          line = "";
        } else if (line.equals(END)) {
          socket.shutdownOutput();
          return;
        }
        writing.lockInterruptibly();
        try {
          socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
          if (!isPastTheEnd(e)) {
            failed = e;
            abort(); // who reads is told by that
          }
          return;
        } finally {
          writing.unlock();
        }
      }
    } catch (IOException e) {
      abort();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** The other end has ended it (EPIPE), which who reads comes to know as well. */
  private static boolean isPastTheEnd(IOException e) {
    return String.valueOf(e.getMessage()).contains("roken pipe");
  }

  /**
   * A socket tells once that it was cut. If that was told to who writes, who reads sees an end that
   * nobody has made.
   */
  private void checkEnd() throws IOException {
    try {
      if (writing.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          if (failed != null) {
            throw failed;
          }
        } finally {
          writing.unlock();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a line to be written; a peer that has not read for long is cut off. */
  void send(String line) {
    if (!outgoing.offer(line)) {
      abort();
    }
  }

  /** Where the other end is, also once it is closed. */
  SocketAddress remote() {
    return socket.getRemoteSocketAddress();
  }

  /** What was sent is still written, and then the other side sees the end; waits for a while. */
  void finish() {
    send(END);
    boolean unused = awaitWriter();
  }

  /** Waits a while for the end of the thread that writes; whether it has ended. */
  boolean awaitWriter() {
    try {
      return writer.join(PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * The next line.
   *
   * @param timeoutMs until all of it is there, 0 as long as the other end says that it is there
   * @return null at the end, which the other end has made
   * @throws SocketTimeoutException if none came in time
   * @throws ProtocolException if it is longer than any line
   * @throws IOException also if the other end cannot be reached, or this one was given up
   */
  @Nullable String read(int timeoutMs) throws IOException {
    long endNs = System.nanoTime() + timeoutMs * NS_PER_MS;
    String line = readOne(timeoutMs == 0 ? beat.silenceMs : timeoutMs);
    while (line != null && line.isEmpty() && beat.everyMs > 0) {
      long leftMs = (endNs - System.nanoTime()) / NS_PER_MS;
      if (timeoutMs > 0 && leftMs <= 0) {
        throw new SocketTimeoutException("nothing came in time but that the other end is there");
      }
      line = readOne(timeoutMs == 0 ? beat.silenceMs : (int) leftMs);
    }
    return line;
  }

  private @Nullable String readOne(int timeoutMs) throws IOException {
    long endNs = System.nanoTime() + timeoutMs * NS_PER_MS;
    socket.setSoTimeout(timeoutMs);
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (timeoutMs > 0) {
        long leftMs = (endNs - System.nanoTime()) / NS_PER_MS;
        if (leftMs <= 0) {
          throw new SocketTimeoutException("only a part of a line came in time");
        }
        socket.setSoTimeout((int) leftMs);
      }
      if (b < 0) {
        checkEnd();
        return null;
      }
      if (line.size() == MAX_LINE) {
        throw new ProtocolException("a line of more than " + MAX_LINE + " bytes");
      }
      line.write(b);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /**
   * Gives it up, without an end that the other side would take for one: that one may not have come
   * to know that it cannot be reached.
   */
  void abort() {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // it is closed already
    }
    close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // it is gone all the same
    }
    writer.interrupt(); // it may wait for a line
  }
}
