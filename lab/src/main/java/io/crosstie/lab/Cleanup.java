// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.ArrayList;
import java.util.List;

/** Removes the hosts that are still there when this process ends, as by Ctrl-C. */
final class Cleanup {
  private static final List<TwoHosts> OPEN = new ArrayList<>();
  private static boolean hooked;

  private Cleanup() {}

  static synchronized TwoHosts keep(TwoHosts hosts) {
    if (!hooked) {
      hooked = true;
      Runtime.getRuntime().addShutdownHook(new Thread(Cleanup::closeAll, "lab-cleanup"));
    }
    OPEN.add(hosts);
    return hosts;
  }

  static synchronized void forget(TwoHosts hosts) {
    OPEN.remove(hosts);
  }

  private static synchronized void closeAll() {
    OPEN.forEach(TwoHosts::close);
  }
}
