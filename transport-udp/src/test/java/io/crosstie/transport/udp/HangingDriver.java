// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The Linux driver, which hangs in the middle of receiving when it is told to. */
final class HangingDriver implements RailDriver {
  private final RailDriver driver = new LinuxUdpDriver();

  /** While there is one, whoever receives hangs until it is opened. */
  volatile @Nullable CountDownLatch gate;

  /** Threads that hung and came back. */
  final CountDownLatch closed = new CountDownLatch(1);

  @Override
  public String scheme() {
    return driver.scheme();
  }

  @Override
  public String name() {
    return driver.name();
  }

  @Override
  public int priority() {
    return driver.priority();
  }

  @Override
  public @Nullable String whyUnavailable() {
    return driver.whyUnavailable();
  }

  @Override
  public boolean severable() {
    return true;
  }

  @Override
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    RailPort port = driver.open(uri, context, handler);
    return (RailPort)
        Proxy.newProxyInstance(
            RailPort.class.getClassLoader(),
            new Class<?>[] {RailPort.class},
            (proxy, method, args) -> call(port, method, args));
  }

  private Object call(RailPort port, Method method, Object[] args) throws Throwable {
    CountDownLatch here = gate;
    if (here != null && method.getName().equals("poll")) {
      here.await();
    }
    try {
      return method.invoke(port, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      if (gate != null && method.getName().equals("close")) {
        closed.countDown();
      }
    }
  }
}
