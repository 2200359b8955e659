// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Lines of text over TCP. Who writes never waits for the network: a thread of its own does. What
 * waits to be written is bounded; a peer that does not read for so long is given up.
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

  /** A line for the end of each rank, and for each one that was asked for. */
  private final BlockingQueue<String> outgoing;

  private final Socket socket;
  private final InputStream in;
  private final Thread writer;

  LineSocket(Socket socket, int mostWaiting) throws IOException {
    this.socket = socket;
    this.outgoing = new LinkedBlockingQueue<>(mostWaiting);
    socket.setTcpNoDelay(true);
    keepAlive(socket);
    in = new BufferedInputStream(socket.getInputStream());
    writer = Thread.ofVirtual().name("crosstie-wireup-out").start(this::write);
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
        String line = outgoing.take();
        if (line.equals(END)) {
          socket.shutdownOutput();
          return;
        }
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      close(); // who reads is told by that
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Takes a line to be written; a peer that has not read for long is cut off. */
  void send(String line) {
    if (!outgoing.offer(line)) {
      close();
    }
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
   * @param timeoutMs until all of it is there, 0 for ever
   * @return null at the end
   * @throws SocketTimeoutException if none came in time
   */
  @Nullable String read(int timeoutMs) throws IOException {
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
        return null;
      }
      if (line.size() == MAX_LINE) {
        throw new IOException("a line of more than " + MAX_LINE + " bytes");
      }
      line.write(b);
    }
    return line.toString(StandardCharsets.UTF_8);
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
