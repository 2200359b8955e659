// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A stream over a Unix-domain socket, polled without blocking. Messages that lie behind one another
 * leave by one write, of up to 64 KiB or one message.
 */
final class UnixLink implements Link {
  private static final int MAX_RUN = 64 << 10;
  private static final int RECEIVE_BYTES = 256 << 10;
  private static final int RUNS_PER_MEMORY = 4;

  private final LinkSpec spec;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment received = arena.allocate(RECEIVE_BYTES, 64);
  private final ByteBuffer receivedBytes = received.asByteBuffer();
  private final ByteBuffer messages;
  private final Words words = new Words();
  private final int maxRun;
  private @Nullable Path path;
  private @Nullable ServerSocketChannel server;
  private @Nullable SocketChannel channel;
  private int runFrom;
  private int runTo;

  UnixLink(LinkSpec spec) {
    this.spec = spec;
    messages = spec.messages().asByteBuffer();
    maxRun = (int) Math.min(MAX_RUN, spec.messages().byteSize() / RUNS_PER_MEMORY);
    if (!spec.near()) {
      listen();
    }
  }

  private void listen() {
    try {
      Path folder = Files.createTempDirectory("crosstie-bench-uds-");
      Path made = folder.resolve("s");
      ServerSocketChannel opened = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      opened.bind(UnixDomainSocketAddress.of(made));
      opened.configureBlocking(false);
      server = opened;
      path = made;
    } catch (IOException e) {
      throw new LinkException("a Unix-domain socket cannot be opened: " + e.getMessage(), e);
    }
  }

  @Override
  public String address() {
    return path == null ? "" : path.toString();
  }

  @Override
  public void connect(String peer) {
    if (spec.near()) {
      try {
        SocketChannel connected = SocketChannel.open(UnixDomainSocketAddress.of(peer));
        connected.configureBlocking(false);
        channel = connected;
      } catch (IOException e) {
        throw new LinkException("cannot connect to " + peer + ": " + e.getMessage(), e);
      }
    }
  }

  @Override
  public boolean isReady() {
    ServerSocketChannel listening = server;
    try {
      if (channel == null && listening != null) {
        SocketChannel accepted = listening.accept();
        if (accepted != null) {
          accepted.configureBlocking(false);
          channel = accepted;
        }
      }
      return channel != null;
    } catch (IOException e) {
      throw new LinkException("cannot accept: " + e.getMessage(), e);
    }
  }

  private SocketChannel channel() {
    SocketChannel open = channel;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  @Override
  public boolean send(long offset, int length) {
    boolean follows = runTo == offset && runTo - runFrom < maxRun;
    if (!follows && runTo > runFrom && !flush()) {
      return false;
    }
    if (!follows) {
      runFrom = (int) offset;
    }
    runTo = (int) offset + length;
    if (runTo - runFrom >= maxRun) {
      boolean unused = flush();
    }
    return true;
  }

  /** Whether nothing is left to be written. */
  private boolean flush() {
    if (runTo > runFrom) {
      messages.limit(runTo).position(runFrom);
      runFrom += write(messages);
    }
    return runFrom == runTo;
  }

  private int write(ByteBuffer bytes) {
    try {
      return channel().write(bytes);
    } catch (IOException e) {
      throw new LinkException("write: " + e.getMessage(), e);
    }
  }

  private int read() {
    try {
      receivedBytes.clear();
      int length = channel().read(receivedBytes);
      if (length < 0) {
        throw new LinkException("the other end is gone");
      }
      return length;
    } catch (IOException e) {
      throw new LinkException("read: " + e.getMessage(), e);
    }
  }

  @Override
  public void progress() {
    boolean unused = flush();
  }

  @Override
  public int poll(Sink sink) {
    boolean unused = flush();
    int length = read();
    return length == 0 ? 0 : words.take(received, 0, length, sink);
  }

  @Override
  public int echo() {
    int length = read();
    receivedBytes.flip();
    while (receivedBytes.hasRemaining()) {
      int unused = write(receivedBytes);
    }
    return length > 0 ? 1 : 0;
  }

  @Override
  public void close() {
    SocketChannel open = channel;
    ServerSocketChannel listening = server;
    Path made = path;
    try {
      if (open != null) {
        open.close();
      }
      if (listening != null) {
        listening.close();
      }
      if (made != null) {
        Files.deleteIfExists(made);
        Path folder = made.getParent();
        if (folder != null) {
          Files.deleteIfExists(folder);
        }
      }
    } catch (IOException e) {
      throw new LinkException("close: " + e.getMessage(), e);
    }
    arena.close();
  }
}
