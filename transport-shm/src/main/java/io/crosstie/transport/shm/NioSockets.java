// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.Poller;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sockets as java.nio channels, for systems without native calls. The selector of its own answers
 * {@link #select()}; the engine's poller waits.
 */
final class NioSockets extends LocalSockets {
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final Selector selector;
  private final Consumer<SelectionKey> mark = this::mark;
  private @Nullable ServerSocketChannel listener;
  private boolean listenerWatched = true;
  private @Nullable Poller poller;

  NioSockets() throws IOException {
    selector = Selector.open();
  }

  @Override
  void listen(Path path) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.configureBlocking(false);
      channel.bind(UnixDomainSocketAddress.of(path), BACKLOG);
      channel.register(selector, SelectionKey.OP_ACCEPT);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    listener = channel;
  }

  @Override
  boolean listenerIntact() {
    return listener != null && listener.isOpen();
  }

  @Override
  @Nullable LocalSocket connect(Path path) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.configureBlocking(false);
      if (!channel.connect(UnixDomainSocketAddress.of(path))) {
        channel.close(); // a full backlog: such a connection never completes by itself
        return null;
      }
      return add(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  @Nullable LocalSocket accept() throws IOException {
    listenerReady(false);
    if (listener == null) {
      throw new ClosedChannelException();
    }
    SocketChannel channel;
    try {
      channel = listener.accept();
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("Too many open files")) {
        throw e; // there will be descriptors again
      }
      throw new ClosedChannelException();
    }
    if (channel == null) {
      return null;
    }
    try {
      channel.configureBlocking(false);
      return add(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private LocalSocket add(SocketChannel channel) throws IOException {
    NioSocket socket = new NioSocket(channel);
    channel.register(selector, SelectionKey.OP_READ, socket);
    if (poller != null) {
      poller.watch(channel, SelectionKey.OP_READ);
    }
    return socket;
  }

  private void mark(SelectionKey key) {
    if (key.attachment() instanceof NioSocket socket) {
      socket.ready(true);
    } else {
      listenerReady(true);
    }
  }

  @Override
  void select() {
    try {
      int unused = selector.selectNow(mark);
    } catch (IOException e) {
      markAll(); // the reads will tell
    }
  }

  private void markAll() {
    for (SelectionKey key : selector.keys()) {
      mark(key);
    }
  }

  @Override
  void watchListener(boolean watched) {
    if (listenerWatched == watched || listener == null) {
      return;
    }
    listenerWatched = watched;
    SelectionKey key = listener.keyFor(selector);
    if (key != null && key.isValid()) {
      key.interestOps(watched ? SelectionKey.OP_ACCEPT : 0);
    }
    if (poller != null) {
      if (watched) {
        poller.watch(listener, SelectionKey.OP_ACCEPT);
      } else {
        poller.unwatch(listener);
      }
    }
  }

  @Override
  boolean attach(Poller poller) {
    if (poller.watchesDescriptors()) {
      return false;
    }
    this.poller = poller;
    for (SelectionKey key : selector.keys()) {
      if (key.isValid() && key.interestOps() != 0) {
        poller.watch(key.channel(), key.interestOps());
      }
    }
    return true;
  }

  @Override
  void close() {
    for (SelectionKey key : selector.keys()) {
      close(key.channel());
    }
    try {
      selector.close();
    } catch (IOException e) {
      // of no use any more either way
    }
  }

  private void close(SelectableChannel channel) {
    if (poller != null) {
      poller.unwatch(channel);
    }
    try {
      channel.close();
    } catch (IOException e) {
      // of no use any more either way
    }
  }

  private final class NioSocket extends LocalSocket {
    private final SocketChannel channel;
    private boolean closed;

    NioSocket(SocketChannel channel) {
      this.channel = channel;
    }

    @Override
    int read(byte[] into, int offset, int max) {
      if (closed) {
        return GONE;
      }
      try {
        buffer.clear().limit(Math.min(max, BUFFER_BYTES));
        int n = channel.read(buffer);
        if (n <= 0) {
          return n == 0 ? NOTHING : GONE;
        }
        buffer.flip().get(into, offset, n);
        return n;
      } catch (IOException e) {
        return GONE;
      }
    }

    @Override
    int write(byte[] from, int offset, int length) {
      if (closed) {
        return GONE;
      }
      try {
        buffer.clear().put(from, offset, Math.min(length, BUFFER_BYTES)).flip();
        int n = channel.write(buffer);
        return n == 0 ? NOTHING : n;
      } catch (IOException e) {
        return GONE;
      }
    }

    @Override
    boolean intact() {
      return channel.isOpen();
    }

    @Override
    void close() {
      if (!closed) {
        closed = true;
        NioSockets.this.close(channel);
      }
    }
  }
}
