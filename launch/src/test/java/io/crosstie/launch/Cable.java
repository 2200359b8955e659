// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A way to a TCP port that can be cut: then neither end is told an end. Any thread. */
final class Cable implements Closeable {
  private enum State {
    IN,
    /** What is written gets lost. */
    LOSING,
    /** Nobody gets through. */
    OUT
  }

  private final ServerSocket server;
  private final List<Socket> ends = new ArrayList<>();
  private HostPort to;
  private State state = State.IN;

  Cable(HostPort to) throws IOException {
    this.to = to;
    server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    Thread unused = Thread.ofVirtual().start(this::accept);
  }

  HostPort address() {
    return new HostPort(server.getInetAddress().getHostAddress(), server.getLocalPort());
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        connect(server.accept());
      } catch (IOException e) {
        // closed, or nobody is there
      }
    }
  }

  private synchronized void connect(Socket near) throws IOException {
    ends.add(near);
    if (state == State.OUT) {
      abort();
      return;
    }
    Socket far = new Socket(to.host(), to.port());
    ends.add(far);
    Thread unused = Thread.ofVirtual().start(() -> copy(near, far));
    Thread unusedToo = Thread.ofVirtual().start(() -> copy(far, near));
  }

  private void copy(Socket from, Socket into) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = into.getOutputStream();
      byte[] bytes = new byte[1024];
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        synchronized (this) {
          if (state != State.LOSING) {
            out.write(bytes, 0, count);
          }
        }
      }
      synchronized (this) {
        if (state != State.LOSING) {
          into.shutdownOutput();
        }
      }
    } catch (IOException e) {
      abort(into); // it was cut there
    }
  }

  private static void abort(Socket end) {
    try {
      end.setSoLinger(true, 0);
      end.close();
    } catch (IOException e) {
      // it was closed before
    }
  }

  private void abort() {
    ends.forEach(Cable::abort);
    ends.clear();
  }

  /** What is written from now on gets lost. */
  synchronized void lose() {
    state = State.LOSING;
  }

  /** All connections are cut, and nobody gets through. */
  synchronized void pull() {
    state = State.OUT;
    abort();
  }

  /** It works again, and leads there. */
  synchronized void plug(HostPort place) {
    to = place;
    state = State.IN;
  }

  @Override
  public void close() throws IOException {
    server.close();
    pull();
  }
}
