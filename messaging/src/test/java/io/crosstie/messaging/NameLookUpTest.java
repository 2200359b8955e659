// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.handshake.SeedResolver.Answer;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A name server that does not answer holds up nobody (R37). */
@Tag("R37")
class NameLookUpTest {
  private static final RailAddress NAME = new RailAddress("udp://c.somewhere.example:7400");

  /** UDP rails whose name server answers when the test lets it. */
  private record Named(RailDriver driver, CountDownLatch answers) implements RailDriver {
    static Named stuck() {
      RailDriver udp =
          ServiceLoader.load(RailDriver.class).stream()
              .map(ServiceLoader.Provider::get)
              .filter(d -> d.scheme().equals("udp") && d.whyUnavailable() == null)
              .findFirst()
              .orElseThrow();
      return new Named(udp, new CountDownLatch(1));
    }

    void await() {
      try {
        answers.await();
      } catch (InterruptedException e) {
        // a resolver of the system's cannot be interrupted either
        await();
      }
    }

    @Override
    public String scheme() {
      return "udp";
    }

    @Override
    public String name() {
      return "named";
    }

    @Override
    public int priority() {
      return 1000;
    }

    @Override
    public String whyUnavailable() {
      return null;
    }

    @Override
    public boolean namesHost(RailAddress address) {
      return address.text().contains("example");
    }

    @Override
    public List<RailAddress> lookUp(RailAddress address) {
      await();
      return List.of(new RailAddress("udp://127.0.0.1:9"), new RailAddress("udp://127.0.0.1:10"));
    }

    @Override
    public RailPort open(RailUri uri, PortContext context, PortHandler handler)
        throws RailException {
      if (uri.toString().contains("example")) {
        await();
        return driver.open(RailUri.parse("udp://127.0.0.1:0"), context, handler);
      }
      return driver.open(uri, context, handler);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void messagesGoOnWhileANameIsLookedUpAndTheNodeCanBeClosed(boolean caller) {
    Named named = Named.stuck();
    try (TwoNodes nodes =
        new TwoNodes(
            List.of("udp://127.0.0.1:0"),
            caller,
            config -> config.driver(named).peer("c", NAME.text()))) {
      nodes.up();
      for (int i = 0; i < 100; i++) {
        nodes.offer(nodes.aToB().channel(1), new byte[] {(byte) i});
        assertEquals((byte) i, nodes.receive(nodes.bToA().channel(1))[0]);
      }
      assertTrue(
          TwoNodes.isKnown(nodes.a, "c") && !nodes.a.peer("c").isUp(), "still being looked up");
    } finally {
      assertEquals(1, named.answers.getCount(), "closed while the resolver hangs");
      named.answers.countDown();
    }
  }

  /** The name is found once b has had a large message, for which the engine of a has to run. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(120)
  void messagesGoOnWhileARailIsAddedThatNamesAHost(boolean caller) throws Exception {
    Named named = Named.stuck();
    List<String> rails = List.of("udp://127.0.0.1:0");
    try (Node b = Node.start(TwoNodes.config("b", rails, false).peer("a").build());
        Node a =
            Node.start(
                TwoNodes.config("a", rails, caller)
                    .driver(named)
                    .peer("b", b.localAddresses().getFirst().text())
                    .build())) {
      a.peer("b").awaitUp(Duration.ofSeconds(60));
      Channel in = b.peer("a").channel(1);
      Thread receiver =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    while (in.poll((m, o, l, q) -> Channel.CONTINUE, 1) == 0) {
                      b.idle();
                    }
                    named.answers.countDown();
                  });
      assertTrue(a.peer("b").channel(1).offer(new byte[200_000]) > 0);
      int index = a.addRail("udp://nic.example:0");
      assertEquals(1, index);
      assertEquals(2, a.ports().size());
      receiver.join();
    }
  }

  @Test
  void whatWaitsIsBoundedAndAnswersComeFromElsewhere() throws Exception {
    Named named = Named.stuck();
    LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    try (NameResolver resolver = new NameResolver("a", RailDrivers.of(List.of(named)))) {
      resolver.resolve(new RailAddress("udp://127.0.0.1:9"), answers::add);
      assertEquals(
          List.of(new RailAddress("udp://127.0.0.1:9")), answers.remove().addresses(), "at once");
      int taken = NameResolver.MAX_THREADS + NameResolver.MAX_WAITING;
      for (int i = 0; i < taken; i++) {
        resolver.resolve(NAME, answers::add);
      }
      assertTrue(answers.isEmpty(), "on this thread nothing is looked up");
      resolver.resolve(NAME, answers::add);
      assertTrue(answers.remove().why().contains("tried again"));
      named.answers.countDown();
      for (int i = 0; i < taken; i++) {
        Answer answer = answers.poll(60, TimeUnit.SECONDS);
        assertEquals(2, answer.addresses().size(), "all that the name leads to");
      }
    }
  }
}
