// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Aeron in its best set-up for one thread a process: exclusive publications, the driver and the
 * client's conductor invoked on the caller's thread whenever there is nothing to do, and after
 * every {@link LinkSpec#MESSAGES_PER_TURN} messages sent; pre-allocated terms, a window and socket
 * buffers of 4 MiB. Fragments are assembled only where a message does not fit one.
 */
final class AeronLink implements Link {
  /** Aeron's own bound on a message is an eighth of a term. */
  private static final int TERMS_PER_MESSAGE = 8;

  private static final int UDP_TERM_BYTES = 16 << 20;
  private static final int WINDOW_BYTES = 4 << 20;
  private static final int MAX_MTU = 65_504;
  private static final int POLL_LIMIT = 64;
  private static final int ECHO_LIMIT = 10;
  private static final int NEAR_STREAM = 1001;
  private static final int FAR_STREAM = 1002;
  private static final String LOCALHOST = "127.0.0.1";

  /** All of memory; an offset is an address. */
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final LinkSpec spec;
  private final boolean ipc;
  private final UnsafeBuffer messages;
  private final @Nullable AeronIntegrity integrity;
  private FragmentHandler toSink = this::toSink;
  private FragmentHandler back = this::back;
  private final MediaDriver.@Nullable Context driverContext;
  private final int ownPort;
  private @Nullable MediaDriver driver;
  private @Nullable AgentInvoker driverInvoker;
  private @Nullable AgentInvoker clientInvoker;
  private @Nullable Aeron aeron;
  private @Nullable ExclusivePublication publication;
  private @Nullable Subscription subscription;
  private @Nullable Sink sink;
  private int sinceTurn;

  private AeronLink(
      LinkSpec spec,
      boolean ipc,
      boolean checks,
      MediaDriver.@Nullable Context driverContext,
      int ownPort) {
    this.spec = spec;
    this.ipc = ipc;
    this.integrity = checks ? new AeronIntegrity() : null;
    this.driverContext = driverContext;
    this.ownPort = ownPort;
    messages = new UnsafeBuffer(spec.messages().address(), (int) spec.messages().byteSize());
  }

  static AeronLink udp(LinkSpec spec, int mtu) {
    int term = Math.max(UDP_TERM_BYTES, termFor(spec.size()));
    return new AeronLink(
        spec, false, false, context().mtuLength(mtu).publicationTermBufferLength(term), freePort());
  }

  /**
   * The far end, which receives streams, runs the driver for both.
   *
   * @param checks whether both ends sum every fragment
   */
  static AeronLink ipc(LinkSpec spec, int termBytes, boolean checks) {
    int term = Math.max(termBytes, termFor(spec.size()));
    return new AeronLink(
        spec,
        true,
        checks,
        spec.near() ? null : context().ipcMtuLength(MAX_MTU).ipcTermBufferLength(term),
        0);
  }

  /** Least power of two that lets Aeron take such a message. */
  private static int termFor(int size) {
    long least = (long) size * TERMS_PER_MESSAGE;
    return (int) Math.min(1L << 30, Long.highestOneBit(Math.max(1, least - 1)) << 1);
  }

  private static MediaDriver.Context context() {
    return new MediaDriver.Context()
        .aeronDirectoryName(directory().toString())
        .dirDeleteOnStart(true)
        .dirDeleteOnShutdown(true)
        .threadingMode(ThreadingMode.INVOKER)
        .termBufferSparseFile(false)
        .initialWindowLength(WINDOW_BYTES)
        .socketRcvbufLength(UdpSocket.BUFFER_BYTES)
        .socketSndbufLength(UdpSocket.BUFFER_BYTES);
  }

  private static Path directory() {
    try {
      Path shm = Path.of("/dev/shm");
      Path parent = Files.isWritable(shm) ? shm : Path.of(System.getProperty("java.io.tmpdir"));
      return Files.createTempDirectory(parent, "crosstie-bench-aeron-");
    } catch (IOException e) {
      throw new LinkException("no folder for Aeron's driver: " + e.getMessage(), e);
    }
  }

  private static int freePort() {
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new LinkException("no free port: " + e.getMessage(), e);
    }
  }

  @Override
  public String address() {
    if (!ipc) {
      return Integer.toString(ownPort);
    }
    if (spec.near()) {
      return "";
    }
    return launch().aeronDirectoryName();
  }

  private MediaDriver launch() {
    MediaDriver launched = driver;
    if (launched == null) {
      launched = MediaDriver.launch(driverContext);
      driver = launched;
      driverInvoker = launched.sharedAgentInvoker();
    }
    return launched;
  }

  @Override
  public void connect(String peer) {
    Aeron.Context context = new Aeron.Context().useConductorAgentInvoker(true);
    if (driverContext == null) {
      context.aeronDirectoryName(peer);
    } else {
      MediaDriver launched = launch();
      context
          .aeronDirectoryName(launched.aeronDirectoryName())
          .driverAgentInvoker(launched.sharedAgentInvoker());
    }
    Aeron client = Aeron.connect(context);
    aeron = client;
    clientInvoker = client.conductorAgentInvoker();
    String out = ipc ? "aeron:ipc" : "aeron:udp?endpoint=" + LOCALHOST + ':' + peer;
    String in = ipc ? "aeron:ipc" : "aeron:udp?endpoint=" + LOCALHOST + ':' + ownPort;
    subscription = client.addSubscription(in, spec.near() ? FAR_STREAM : NEAR_STREAM);
    ExclusivePublication added =
        client.addExclusivePublication(out, spec.near() ? NEAR_STREAM : FAR_STREAM);
    if (spec.size() > added.maxMessageLength()) {
      throw new LinkException(
          "Aeron takes messages of at most " + added.maxMessageLength() + " bytes");
    }
    publication = added;
    if (spec.size() > added.maxPayloadLength()) {
      toSink = new FragmentAssembler(toSink);
      back = new FragmentAssembler(back);
    }
    if (integrity != null) { // of fragments, so before they are assembled
      AeronIntegrity incoming = new AeronIntegrity(); // each looks at one log
      toSink = incoming.checking(toSink);
      back = incoming.checking(back);
    }
  }

  @Override
  public boolean isReady() {
    invoke();
    return publication().isConnected() && subscription().isConnected();
  }

  private ExclusivePublication publication() {
    ExclusivePublication open = publication;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  private Subscription subscription() {
    Subscription open = subscription;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  private void invoke() {
    AgentInvoker ofDriver = driverInvoker;
    AgentInvoker ofClient = clientInvoker;
    if (ofDriver != null) {
      ofDriver.invoke();
    }
    if (ofClient != null) {
      ofClient.invoke();
    }
  }

  @Override
  public boolean send(long offset, int length) {
    if (!offer(messages, (int) offset, length)) {
      return false;
    }
    if (++sinceTurn == LinkSpec.MESSAGES_PER_TURN) {
      sinceTurn = 0;
      invoke();
    }
    return true;
  }

  private boolean offer(DirectBuffer buffer, int offset, int length) {
    long result = publication().offer(buffer, offset, length, integrity);
    if (result == Publication.CLOSED
        || result == Publication.NOT_CONNECTED
        || result == Publication.MAX_POSITION_EXCEEDED) {
      throw new LinkException("Aeron refused a message: " + Publication.errorString(result));
    }
    return result > 0;
  }

  @Override
  public void progress() {
    invoke();
  }

  @Override
  public int poll(Sink sink) {
    this.sink = sink;
    int count = subscription().poll(toSink, POLL_LIMIT);
    if (count == 0) {
      invoke();
    }
    return count;
  }

  @Override
  public int echo() {
    int count = subscription().poll(back, ECHO_LIMIT);
    if (count == 0) {
      invoke();
    }
    return count;
  }

  /** What is assembled lies on the heap, all else in the mapped term. */
  private void toSink(DirectBuffer buffer, int offset, int length, Header header) {
    Sink taker = sink;
    byte[] array = buffer.byteArray();
    if (taker == null) {
      throw new IllegalStateException("a message came that nobody expects");
    }
    if (array == null) {
      taker.onData(MEMORY, buffer.addressOffset() + offset, length);
    } else {
      taker.onData(MemorySegment.ofArray(array), offset, length);
    }
  }

  private void back(DirectBuffer buffer, int offset, int length, Header header) {
    while (!offer(buffer, offset, length)) {
      invoke();
    }
  }

  @Override
  public void close() {
    Aeron client = aeron;
    MediaDriver launched = driver;
    if (client != null) {
      client.close();
    }
    if (launched != null) {
      launched.close();
    }
  }
}
