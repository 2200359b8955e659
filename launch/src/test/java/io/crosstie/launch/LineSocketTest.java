// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lines over TCP, and peers that do nothing. */
@Timeout(180)
final class LineSocketTest {
  @Test
  void aHostThatVanishesIsNoticed() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        LineSocket line = new LineSocket(socket, 1, LineSocket.Beat.NONE, Thread.ofVirtual())) {
      assertTrue(socket.getKeepAlive(), line::toString);
      if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
        assertEquals(10, socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE));
        assertEquals(5, socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL));
        assertEquals(5, socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT));
      }
    }
  }

  @Test
  void nothingIsLeftOfOneThatIsClosed() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        LineSocket line = new LineSocket(socket, 1, LineSocket.Beat.NONE, Thread.ofVirtual())) {
      line.close();
      assertTrue(line.awaitWriter(), "its thread still waits for a line");
    }
  }

  /** Who says that it is there is not given up, and who says nothing is. */
  @Test
  void theOtherEndIsThereAsLongAsItSaysSo() throws IOException {
    LineSocket.Beat often = new LineSocket.Beat(1, 60_000);
    LineSocket.Beat never = new LineSocket.Beat(60_000, 60_000);
    LineSocket.Beat hasty = new LineSocket.Beat(60_000, 50); // a busy machine may be silent, too
    try (ServerSocket server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
        Socket silent = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket mute = server.accept();
        LineSocket given = new LineSocket(silent, 1, hasty, Thread.ofVirtual());
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket other = server.accept();
        LineSocket here = new LineSocket(socket, 1, never, Thread.ofVirtual())) {
      assertThrows(SocketTimeoutException.class, () -> given.read(0), mute::toString);
      try (LineSocket there = new LineSocket(other, 1, often, Thread.ofVirtual())) {
        here.send("once");
        assertEquals("once", there.read(0));
        assertEquals('\n', socket.getInputStream().read());
        there.send("twice");
        assertEquals("twice", here.read(0));
      }
    }
  }

  /** A socket tells once that it was cut, and here it has told who writes. */
  @Test
  void aCutThatWhoWritesHasSeenIsNoEnd() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket =
            new Socket(server.getInetAddress(), server.getLocalPort()) {
              @Override
              public OutputStream getOutputStream() throws IOException {
                throw new SocketException("Connection reset");
              }

              @Override
              public InputStream getInputStream() {
                return new InputStream() {
                  @Override
                  public int read() throws IOException {
                    try {
                      assertTrue(seen.await(50, TimeUnit.SECONDS));
                    } catch (InterruptedException e) {
                      throw new IOException(e);
                    }
                    return -1;
                  }

                  @Override
                  public int read(byte[] to, int offset, int length) throws IOException {
                    return read();
                  }
                };
              }

              @Override
              public synchronized void close() {
                seen.countDown();
              }
            };
        LineSocket line = new LineSocket(socket, 1, LineSocket.Beat.NONE, Thread.ofVirtual())) {
      line.send("lost");
      assertThrows(SocketException.class, () -> line.read(0));
    }
  }

  /** A byte each millisecond, and never a whole line. */
  private static final class Slow extends InputStream {
    private int left = 200;

    @Override
    public int read() {
      long endNs = System.nanoTime() + 1_000_000;
      while (System.nanoTime() - endNs < 0) {
        Thread.onSpinWait();
      }
      return left-- > 0 ? 'x' : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) {
      int one = read();
      if (one < 0) {
        return -1;
      }
      to[offset] = (byte) one;
      return 1;
    }
  }

  @Test
  void theTimeIsOfAWholeLine() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket =
            new Socket(server.getInetAddress(), server.getLocalPort()) {
              @Override
              public InputStream getInputStream() {
                return new Slow();
              }
            };
        LineSocket line = new LineSocket(socket, 1, LineSocket.Beat.NONE, Thread.ofVirtual())) {
      assertThrows(SocketTimeoutException.class, () -> line.read(20));
    }
  }
}
