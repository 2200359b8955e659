// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.ChildJvm;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Pollers;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.Station;
import java.util.Comparator;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Where native access is denied the portable driver takes over, works, and says once what would
 * restore the fast one.
 */
@Timeout(120)
class DeniedNativeAccessTest {

  @Test
  void thePortableDriverTakesOver() throws Exception {
    String output = ChildJvm.runWithoutNativeAccess(Child.class);
    assertTrue(output.contains("received by udp/netty-nio"), output);
  }

  /** The other process. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws Exception {
      RailDriver driver =
          ServiceLoader.load(RailDriver.class).stream()
              .map(ServiceLoader.Provider::get)
              .filter(d -> d.scheme().equals("udp") && d.whyUnavailable() == null)
              .max(Comparator.comparingInt(RailDriver::priority))
              .orElseThrow();
      Station b = new Station();
      PortContext context = new PortContext("x", 1, 2);
      try (RailPort from = driver.open(RailUri.parse("udp://127.0.0.1:0"), context, new Station());
          RailPort to = driver.open(RailUri.parse("udp://127.0.0.1:0"), context, b);
          Poller poller = Pollers.create()) {
        if (!to.attach(poller)) {
          throw new AssertionError("the portable driver and the portable poller go together");
        }
        Rail rail = from.connect(to.localAddress());
        if (rail.claim(10) < 0) {
          throw new AssertionError("claim");
        }
        rail.commit(10);
        rail.flush();
        while (b.packets.isEmpty()) {
          if (to.prepareToBlock()) {
            boolean unused = poller.await(Long.MAX_VALUE);
          }
          to.afterBlock();
          int unused = to.poll(System.nanoTime(), 10);
        }
        System.out.println("received by " + to.attributes().kind());
      }
      System.exit(0);
    }
  }
}
