// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.process.Ports;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known to be wrong is told when it is known, and not when a wait is over. */
@Execution(ExecutionMode.CONCURRENT) // most of it waits
final class ToldAtOnceTest {
  private static final List<String> UDP = List.of("udp://127.0.0.1:0");

  private static NodeConfigBuilder a(boolean caller) {
    return TwoNodes.config("a", UDP, caller);
  }

  private static String address(Node node) {
    return node.localAddresses().getFirst().text();
  }

  /** Not one that has waited as long as it was allowed. */
  private static String awaitFails(Node node, String peer) {
    CrosstieException e =
        assertThrows(CrosstieException.class, () -> node.peer(peer).awaitUp(TwoNodes.PATIENCE));
    assertSame(CrosstieException.class, e.getClass(), e::toString);
    return e.getMessage();
  }

  private static void assertSays(String message, String... parts) {
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "no \"" + part + "\" in: " + message);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp://127.0.0.1", "udp://127.0.0.1:0", "udp://127.0.0.1:x", "udp:h:1"})
  void aSeedThatIsNoAddressIsRefusedByBuild(String seed) {
    NodeConfigBuilder config = a(false).peer("b", seed);
    CrosstieException e = assertThrows(CrosstieException.class, config::build);
    assertSays(e.getMessage(), "peer \"b\"", seed, "write for example udp://");
    assertEquals(-1, e.getMessage().indexOf(seed, e.getMessage().indexOf(seed) + 1), "once");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHostThatNobodyKnowsEndsTheWait(boolean caller) {
    String seed = "udp://nowhere.example:7400";
    NodeConfigBuilder config =
        a(caller).driver(new NoNames(udp(), new AtomicBoolean())).peer("b", seed);
    try (Node node = Node.start(config.build())) {
      String message = awaitFails(node, "b");
      assertSays(message, "peer b", seed, "host name is unknown", "Next:", "goes on asking");
      assertEquals(-1, message.indexOf(seed, message.indexOf(seed) + 1), message);
      assertEquals(Peer.State.CONNECTING, node.peer("b").state());
      String after = node.peer("b").describe();
      assertFalse(after.contains(seed + ": " + seed), after);
    }
  }

  /** What was found out before somebody waits may not be so any more. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHostThatIsKnownByNowIsWaitedFor(boolean caller) {
    RailAddress seed = new RailAddress("udp://late.example:7400");
    NoNames names = new NoNames(udp(), new AtomicBoolean());
    NodeConfigBuilder config = a(caller).driver(names).peer("b", seed.text());
    try (Node node = Node.start(config.build())) {
      String unused = awaitFails(node, "b"); // it was looked up in vain
      names.knows().set(true);
      assertThrows(
          CrosstieTimeoutException.class,
          () -> node.peer("b").awaitUp(Duration.ofMillis(200)),
          "nobody answers there");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aProcessOfAnotherNameEndsTheWait(boolean caller) {
    try (Node b = Node.start(TwoNodes.config("b", UDP, false).build());
        Node node = Node.start(a(caller).peer("c", address(b)).build())) {
      String message = awaitFails(node, "c");
      assertSays(message, address(b), "WRONG_NAME", "this is \"b\" and not \"c\"", "Next:");
    }
  }

  @Test
  void whoMayNotConnectIsTold() {
    NodeConfigBuilder closed = TwoNodes.config("b", UDP, false).acceptUnknownPeers(false);
    try (Node b = Node.start(closed.build());
        Node node = Node.start(a(false).peer("b", address(b)).build())) {
      assertSays(awaitFails(node, "b"), address(b), "REFUSED", "peer(name)");
    }
  }

  /** One seed is wrong, and the other one leads to somebody who comes later. */
  @Test
  void asLongAsOneSeedMayLeadSomewhereItIsWaitedFor() {
    try (Node b = Node.start(TwoNodes.config("b", UDP, false).build())) {
      String later = "udp://127.0.0.1:" + Ports.free();
      NodeConfigBuilder config = a(false).peer("c", address(b), later);
      List<NodeEvent> events = new ArrayList<>();
      try (Node node = Node.start(config.build())) {
        until(node, events, found -> found instanceof NodeEvent.Rejected);
        try (Node c = Node.start(TwoNodes.config("c", List.of(later), false).build())) {
          node.peer("c").awaitUp(TwoNodes.PATIENCE);
          assertTrue(c.isOpen());
        }
      }
    }
  }

  private static void until(Node node, List<NodeEvent> events, Function<NodeEvent, Boolean> what) {
    long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
    while (events.stream().noneMatch(what::apply)) {
      assertTrue(System.nanoTime() < end, events::toString);
      node.idle(node.pollEvents(events::add));
    }
  }

  /** b expects "aa", and a comes: both would wait for ever. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPeerThatNobodyExpectsAndNobodyPollsIsTold(boolean caller) {
    try (TwoNodes nodes = new TwoNodes(UDP, caller, config -> config.peer("aa"))) {
      nodes.up();
      long unused = nodes.offer(nodes.aToB().channel(7), new byte[1]);
      nodes.until(
          "told", () -> nodes.eventsOfB.stream().anyMatch(NodeEvent.NobodyPolls.class::isInstance));
      NodeEvent.NobodyPolls told =
          nodes.eventsOfB.stream()
              .filter(NodeEvent.NobodyPolls.class::isInstance)
              .map(NodeEvent.NobodyPolls.class::cast)
              .findFirst()
              .orElseThrow();
      assertEquals("a", told.peer());
      assertSays(
          told.why(), "\"a\"", "not configured", "[7]", "[aa]", "node.peer(\"a\").channel(7)");
      nodes.until(
          "told at the other end",
          () -> nodes.eventsOfA.stream().anyMatch(NodeEvent.NobodyPolls.class::isInstance));
      String there =
          nodes.eventsOfA.stream()
              .filter(NodeEvent.NobodyPolls.class::isInstance)
              .map(event -> ((NodeEvent.NobodyPolls) event).why())
              .findFirst()
              .orElseThrow();
      assertSays(there, "peer \"b\"", "[7]", "taken none", "peer \"a\"", "another name");
      assertSays(nodes.b.peer("aa").describe(), "not configured here: [a]", "correct the name");
    }
  }

  @Test
  void theStackBeginsWithTheCallAndTheMessageIsTheCauses() {
    CrosstieException e =
        assertThrows(
            CrosstieException.class,
            () -> Node.start(TwoNodes.config("a", List.of("udp://198.18.77.77:0"), false).build()));
    assertSays(e.getMessage(), "udp://198.18.77.77:0", "EADDRNOTAVAIL");
    assertNull(e.getCause());
    String within = NodeRails.class.getName();
    assertTrue(
        Arrays.stream(e.getStackTrace()).noneMatch(f -> f.getClassName().equals(within)),
        "only the call that was made");
    assertTrue(e.errno() != 0);
    CrosstieException seed = // looked at by a stream, whose frames are no caller's
        assertThrows(
            CrosstieException.class,
            () -> NodeConfig.builder().name("a").peer("b", "udp://127.0.0.1").build());
    assertTrue(
        Arrays.stream(seed.getStackTrace())
            .noneMatch(f -> f.getClassName().equals(ConfigRules.class.getName())),
        "only the call that was made");
  }

  @Test
  void countersTellWhatTheyCount() {
    try (TwoNodes nodes = new TwoNodes(UDP, false)) {
      nodes.up();
      assertSays(nodes.a.counters().toString(), "EndpointCounter[", "CONNECTIONS=1");
      assertSays(nodes.a.ports().toString(), "PortCounter[", "PACKETS_OUT=");
    }
  }

  private static RailDriver udp() {
    return ServiceLoader.load(RailDriver.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(driver -> driver.scheme().equals("udp") && driver.whyUnavailable() == null)
        .findFirst()
        .orElseThrow();
  }

  /** UDP rails beside a name server that knows nothing until it is told. */
  private record NoNames(RailDriver driver, AtomicBoolean knows) implements RailDriver {
    @Override
    public String scheme() {
      return "udp";
    }

    @Override
    public String name() {
      return "no-names";
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
      return driver.namesHost(address);
    }

    @Override
    public List<RailAddress> lookUp(RailAddress address) throws RailException {
      if (knows.get()) {
        return List.of(new RailAddress("udp://127.0.0.1:9")); // nobody is there
      }
      throw new RailException(address + ": the host name is unknown");
    }

    @Override
    public RailPort open(RailUri uri, PortContext context, PortHandler handler)
        throws RailException {
      return driver.open(uri, context, handler);
    }
  }
}
