// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.checksum.Accelerator;
import io.crosstie.multirail.port.PortOpener;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Opens a configured rail with the driver chosen for it, as often as the core wants. */
final class ConfiguredRail implements PortOpener {
  /** Threads that are kept for a minute: each new one takes megabytes of the heap as its buffer. */
  private static final Executor BESIDE_THE_ENGINE =
      Executors.newCachedThreadPool(
          work -> Thread.ofPlatform().daemon().name("rail-open").unstarted(work));

  private final RailSpec spec;
  private final RailDriver driver;
  private final String nodeName;
  private final long incarnation;
  private final @Nullable Accelerator accelerator;
  private final SplittableRandom random;

  ConfiguredRail(
      RailSpec spec,
      RailDriver driver,
      String nodeName,
      long incarnation,
      @Nullable Accelerator accelerator,
      RandomGenerator random) {
    this.spec = spec;
    this.driver = driver;
    this.nodeName = nodeName;
    this.incarnation = incarnation;
    this.accelerator = accelerator;
    this.random = new SplittableRandom(random.nextLong()); // its own, for another thread may open
  }

  @Override
  public String name() {
    return spec.toString();
  }

  @Override
  public int weight() {
    return spec.weight();
  }

  @Override
  public void run(Runnable opening) {
    BESIDE_THE_ENGINE.execute(opening);
  }

  @Override
  public RailPort open(PortHandler handler) throws RailException {
    try {
      return driver.open(
          spec.forDriver(),
          new PortContext(nodeName, incarnation, random.nextLong(), accelerator),
          handler);
    } catch (IllegalArgumentException e) {
      throw new RailException(String.valueOf(e.getMessage()), e); // an option's value or name
    }
  }
}
