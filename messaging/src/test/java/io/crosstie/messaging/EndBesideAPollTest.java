// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.SendQueue;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread that loses its processor while it looks for completions keeps the engine from ending the
 * channel, which another thread closes: the poll that did so has the engine look again.
 */
@Timeout(180)
final class EndBesideAPollTest {
  private static ChannelCore core(Channel channel) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup =
        MethodHandles.privateLookupIn(Channel.class, MethodHandles.lookup());
    VarHandle binding = lookup.findVarHandle(Channel.class, "binding", Channel.Binding.class);
    return ((Channel.Binding) binding.get(channel)).core();
  }

  /** Held for as long as a poll looks for completions, of which a test sees nothing. */
  private static final class Lock {
    private final SendQueue queue;
    private final VarHandle lock;

    Lock(ChannelCore core) throws ReflectiveOperationException {
      MethodHandles.Lookup own = MethodHandles.lookup();
      VarHandle out =
          MethodHandles.privateLookupIn(ChannelCore.class, own)
              .findVarHandle(ChannelCore.class, "out", SendQueue.class);
      queue = (SendQueue) out.get(core);
      lock =
          MethodHandles.privateLookupIn(SendQueue.class, own)
              .findVarHandle(SendQueue.class, "lock", int.class);
    }

    boolean tryTake() {
      return lock.compareAndSet(queue, 0, 1);
    }

    void free() {
      lock.setVolatile(queue, 0);
    }
  }

  @Test
  void theEndLeavesAfterAPollThatHeldItUp() throws Exception {
    try (TwoNodes nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), false)) {
      nodes.up();
      Channel channel = nodes.aToB().channel(5);
      Channel there = nodes.bToA().channel(5);
      // its completion waits for as long as nobody polls it there
      long sequence =
          channel.send(
              Arena.ofAuto().allocate(100),
              0,
              100,
              told -> fail("the peer has consumed nothing"),
              Completion.When.CONSUMED);
      nodes.until("accepted", () -> channel.acceptedSequence() == sequence);
      Lock lock = new Lock(core(channel));
      nodes.until("a poll looks for completions", lock::tryTake);
      channel.close();
      for (int i = 0; i < 3; i++) { // the first may have begun before
        long cycles = cycles(nodes.a);
        nodes.until("the engine looks", () -> cycles(nodes.a) > cycles);
      }
      lock.free();
      ChannelCore received = core(there);
      assertFalse(received.engine().received().isPeerFinal());
      assertEquals(0, channel.poll((segment, offset, length, of) -> Channel.CONTINUE, 10));
      nodes.until("the end is told", () -> received.engine().received().isPeerFinal());
      assertEquals(1, there.unpolled());
    }
  }

  private static long cycles(Node node) {
    return node.counters().get(EndpointCounter.CYCLES);
  }
}
