// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.port.PortOpener;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Drivers, openers, schedulers and listeners that throw an error at some call: all messages arrive
 * once and in order, or their connection ends with an event and the next one brings them; nothing
 * escapes a duty cycle.
 */
@ResourceLock("io.crosstie.multirail.AllocationFaults")
class ErrorsOfOthersTest {
  private static final List<Supplier<Throwable>> ERRORS =
      List.of(
          () -> new OutOfMemoryError("planted"),
          () -> new StackOverflowError("planted"),
          () -> new NoClassDefFoundError("planted"),
          () -> new AssertionError("planted"),
          () -> new IllegalStateException("planted"));

  /** Throws at the call of that number of the method that the test is about. */
  private static final class Plan {
    private final String method;
    private final int at;
    private final Supplier<Throwable> error;
    private int calls;
    private boolean thrown;

    Plan(String method, int at, Supplier<Throwable> error) {
      this.method = method;
      this.at = at;
      this.error = error;
    }

    void call(String called) {
      if (AllocationFaults.isArmed() && called.equals(method) && ++calls == at) {
        thrown = true;
        throw AllocationScene.unchecked(error.get());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "port.poll",
        "port.connect",
        "port.accept",
        "port.reply",
        "port.sourceAddress",
        "port.localAddress",
        "port.attributes",
        "port.whyUnreachable",
        "port.close",
        "rail.claim",
        "rail.commit",
        "rail.abort",
        "rail.flush",
        "rail.txMemory",
        "rail.isOpen",
        "rail.maxPacketLength",
        "rail.remoteKey",
        "rail.close",
        "rail.consumed",
        "opener.open",
        "opener.run",
        "scheduler.select",
        "scheduler.onSent",
        "listener.onEvent",
        "listener.onChannel",
        "listener.onConnection"
      })
  void throwsSomewhere(String method) throws RailException {
    int planted = 0;
    for (int kind = 0; kind < 3; kind++) {
      for (int at : new int[] {1, 2, 5, 20}) {
        Plan plan = new Plan(method, at, ERRORS.get((at + kind) % ERRORS.size()));
        AllocationFaults.reset(Long.MAX_VALUE, 1);
        try {
          int escaped = AllocationScene.run(kind, plan::call, opener -> faulty(opener, plan));
          assertEquals(0, escaped, "escaped a duty cycle");
        } catch (RuntimeException | Error e) {
          throw new AssertionError(method + ", call " + at + ", kind " + kind + ": " + e, e);
        }
        planted += plan.thrown ? 1 : 0;
      }
    }
    assertTrue(planted > 0 || method.endsWith("abort"), "never called");
  }

  private static PortOpener faulty(PortOpener real, Plan plan) {
    return new PortOpener() {
      @Override
      public String name() {
        return real.name();
      }

      @Override
      public void run(Runnable opening) {
        plan.call("opener.run");
        real.run(opening);
      }

      @Override
      public RailPort open(PortHandler handler) throws RailException {
        plan.call("opener.open");
        RailPort[] outer = new RailPort[1];
        RailPort inner =
            real.open(
                new PortHandler() {
                  @Override
                  public void onPacket(
                      RailPort port, MemorySegment memory, long offset, int length, long source) {
                    handler.onPacket(outer[0], memory, offset, length, source);
                  }

                  @Override
                  public void onLinkEvent(
                      RailPort port, @Nullable Rail rail, LinkEvent event, int errno) {
                    handler.onLinkEvent(outer[0], rail, event, errno);
                  }
                });
        outer[0] = proxy(RailPort.class, inner, null, "port.", plan);
        return outer[0];
      }
    };
  }

  private static <T> T proxy(
      Class<T> type, T inner, @Nullable Object port, String prefix, Plan plan) {
    InvocationHandler calls =
        (self, method, args) -> {
          plan.call(prefix + method.getName());
          if (port != null && method.getName().equals("port")) {
            return port;
          }
          try {
            Object result = method.invoke(inner, args);
            return result instanceof Rail rail
                ? proxy(Rail.class, rail, self, "rail.", plan)
                : result;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }
}
