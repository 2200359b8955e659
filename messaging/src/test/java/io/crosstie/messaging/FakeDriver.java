// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.util.Set;

/** A driver to choose, which opens nothing. */
record FakeDriver(String scheme, String name, int priority, String whyUnavailable)
    implements RailDriver {

  static FakeDriver udp() {
    return new FakeDriver("udp", "linux", 100, null);
  }

  static FakeDriver shm() {
    return new FakeDriver("shm", "shm", 100, null);
  }

  @Override
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    uri.allowOptions(Set.of("mtu"));
    throw new RailException(uri + ": no such device", 19);
  }
}
