// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Pollers;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Another process with a port, which sends every packet back. It says its address, connects to the
 * address given if there is one (and then sends one packet of one byte), and ends with its first
 * closed rail.
 */
final class Child implements PortHandler {
  private final Deque<byte[]> toSend = new ArrayDeque<>();
  private Rail rail;
  private boolean ended;

  private Child() {}

  /** Arguments: folder, options, and perhaps an address. */
  public static void main(String[] args) throws Exception {
    new Child().run(args);
  }

  private void run(String[] args) throws Exception {
    RailUri uri = RailUri.parse("shm:" + args[0] + "?" + args[1]);
    PortContext context = new PortContext("child", ProcessHandle.current().pid(), 3);
    try (Poller poller = Pollers.create();
        RailPort port = new ShmDriver().open(uri, context, this)) {
      boolean attached = port.attach(poller);
      System.out.println(port.localAddress());
      System.out.flush();
      if (args.length > 2) {
        rail = port.connect(new RailAddress(args[2]));
        toSend.add(new byte[1]);
      }
      while (!ended) {
        int handled = port.poll(System.nanoTime(), 64);
        if (!sendAll() && handled == 0 && port.prepareToBlock()) {
          poller.await(TimeUnit.MILLISECONDS.toNanos(attached && toSend.isEmpty() ? 200 : 1));
          port.afterBlock();
        }
      }
    }
  }

  private boolean sendAll() {
    boolean sent = false;
    while (!toSend.isEmpty()) {
      byte[] packet = toSend.peek();
      long offset = rail.claim(packet.length);
      if (offset < 0) {
        break;
      }
      MemorySegment.copy(packet, 0, rail.txMemory(), JAVA_BYTE, offset, packet.length);
      rail.commit(packet.length);
      toSend.remove();
      sent = true;
    }
    if (sent) {
      rail.flush();
    }
    return sent;
  }

  @Override
  public void onPacket(RailPort port, MemorySegment memory, long offset, int length, long source) {
    byte[] copy = new byte[length];
    MemorySegment.copy(memory, JAVA_BYTE, offset, copy, 0, length);
    toSend.add(copy);
    try {
      if (rail == null) {
        rail = port.accept();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void onLinkEvent(RailPort port, Rail rail, LinkEvent event, int errno) {
    ended |= event == LinkEvent.CLOSED;
  }

  /** The process as its parent sees it. */
  record Handle(Process process, RailAddress address) implements AutoCloseable {
    static Handle start(Path base, String options, String... address) throws IOException {
      ProcessBuilder builder =
          new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-Xmx128m",
              "--enable-native-access=ALL-UNNAMED",
              "-cp",
              System.getProperty("java.class.path"),
              Child.class.getName(),
              base.toString(),
              options);
      builder.command().addAll(java.util.List.of(address));
      Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = out.readLine();
      if (line == null) {
        throw new IOException("the child said nothing");
      }
      return new Handle(process, new RailAddress(line));
    }

    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
      kill();
    }
  }
}
