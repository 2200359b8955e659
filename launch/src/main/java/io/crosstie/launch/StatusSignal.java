// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.lang.reflect.Proxy;

/**
 * A signal by which a person asks what a job does. The JDK offers no other way to hear of one than
 * {@code sun.misc.Signal}, of its module {@code jdk.unsupported}, which is used by reflection:
 * where it is missing the signal does what it does by default.
 */
final class StatusSignal {
  /** Its name without SIG. */
  static final String NAME = "USR1";

  private StatusSignal() {}

  /**
   * Has something done on a thread of its own whenever the signal comes.
   *
   * @return whether it will be heard of
   */
  @SuppressWarnings("ReferenceEquality") // that is what a proxy is equal to
  static boolean hear(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              StatusSignal.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                if (method.getDeclaringClass() == Object.class) {
                  return switch (method.getName()) {
                    case "equals" -> arguments != null && self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> "crosstie's handler of SIG" + NAME;
                  };
                }
                action.run();
                return null;
              });
      Object unused =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance(NAME), proxy);
      return true;
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      return false;
    }
  }
}
