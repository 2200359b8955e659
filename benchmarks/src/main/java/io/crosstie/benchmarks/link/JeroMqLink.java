// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** JeroMQ's PAIR over TCP, with its one thread for input and output beside the caller's. */
final class JeroMqLink implements Link {
  private static final int POLL_LIMIT = 64;

  private final LinkSpec spec;
  private final ZContext context = new ZContext(1);
  private final ZMQ.Socket socket;
  private final String address;
  private byte @Nullable [] unsent;

  JeroMqLink(LinkSpec spec) {
    this.spec = spec;
    socket = context.createSocket(SocketType.PAIR);
    socket.setLinger(0);
    address = spec.near() ? "" : "tcp://127.0.0.1:" + socket.bindToRandomPort("tcp://127.0.0.1");
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void connect(String peer) {
    if (spec.near() && !socket.connect(peer)) {
      throw new LinkException("JeroMQ cannot connect to " + peer);
    }
  }

  @Override
  public boolean isReady() {
    return true; // what is sent before waits in its queue
  }

  @Override
  public boolean send(long offset, int length) {
    byte[] message = new byte[length]; // JeroMQ keeps it
    MemorySegment.copy(spec.messages(), ValueLayout.JAVA_BYTE, offset, message, 0, length);
    return socket.send(message, ZMQ.DONTWAIT);
  }

  @Override
  public void progress() {
    Thread.onSpinWait();
  }

  @Override
  public int poll(Sink sink) {
    int count = 0;
    while (count < POLL_LIMIT) {
      byte[] message = socket.recv(ZMQ.DONTWAIT);
      if (message == null) {
        break;
      }
      sink.onData(MemorySegment.ofArray(message), 0, message.length);
      count++;
    }
    return count;
  }

  @Override
  public int echo() {
    int count = 0;
    while (count < POLL_LIMIT) {
      byte[] message = unsent != null ? unsent : socket.recv(ZMQ.DONTWAIT);
      if (message == null) {
        break;
      }
      unsent = message;
      if (!socket.send(message, ZMQ.DONTWAIT)) {
        break;
      }
      unsent = null;
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    context.close();
  }
}
