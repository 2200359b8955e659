// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Another driver, each of whose ports is used by a thread of its own. */
public final class OwnThreadDriver implements RailDriver {
  private final RailDriver driver;
  private final PortRunner.Factory runners;

  /**
   * @param driver whose ports can be severed ({@link RailDriver#severable()})
   */
  public OwnThreadDriver(RailDriver driver) {
    this(driver, PortThread::new);
  }

  /**
   * With another way to run its ports' loops than threads.
   *
   * @param driver whose ports can be severed ({@link RailDriver#severable()})
   * @param runners make what runs each port's loop
   */
  public OwnThreadDriver(RailDriver driver, PortRunner.Factory runners) {
    this.driver = driver;
    this.runners = runners;
  }

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
  public boolean severable() {
    return driver.severable();
  }

  @Override
  public @Nullable String whyUnavailable() {
    String why = driver.whyUnavailable();
    if (why == null && !driver.severable()) {
      why =
          "thread=own does not work with the driver \""
              + driver.name()
              + "\" of "
              + driver.scheme()
              + " rails, whose ports cannot be taken from a thread that hangs; use it with"
              + " driver=linux, or leave it out";
    }
    return why;
  }

  @Override
  public boolean namesHost(RailAddress address) {
    return driver.namesHost(address);
  }

  @Override
  public void checkDestination(RailAddress address) {
    driver.checkDestination(address);
  }

  @Override
  public List<RailAddress> lookUp(RailAddress address) throws RailException {
    return driver.lookUp(address);
  }

  @Override
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    String why = whyUnavailable();
    if (why != null) {
      throw new RailException("rail \"" + uri + "\": " + why);
    }
    return OwnThreadPort.open(driver, uri, context, handler, runners);
  }
}
