// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.thread.OwnThreadDriver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The drivers that this process has, and the choice among them. Immutable. */
final class RailDrivers {

  /** What was logged already, so that each is said once in a process. */
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  /** Most drivers of one loader that are passed over. */
  private static final int MAX_ERRORS = 32;

  private final List<RailDriver> drivers;

  private RailDrivers(List<RailDriver> drivers) {
    this.drivers =
        drivers.stream().sorted(Comparator.comparingInt(RailDriver::priority).reversed()).toList();
  }

  /** These and no others. */
  static RailDrivers of(List<RailDriver> drivers) {
    return new RailDrivers(drivers);
  }

  /**
   * Those that stand beside the library, those that the application's context loader adds, and
   * these. The context loader may be none, or somebody else's, with another Crosstie in it: what
   * cannot be used there is passed over.
   */
  static RailDrivers findAnd(List<RailDriver> more) {
    List<RailDriver> all = new ArrayList<>(more);
    Set<Class<?>> known = new HashSet<>();
    ModuleLayer layer = RailDrivers.class.getModule().getLayer();
    if (layer != null) {
      add(ServiceLoader.load(layer, RailDriver.class), known, all);
    }
    add(ServiceLoader.load(RailDriver.class, RailDrivers.class.getClassLoader()), known, all);
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (context != null && !context.equals(RailDrivers.class.getClassLoader())) {
      add(ServiceLoader.load(RailDriver.class, context), known, all);
    }
    return new RailDrivers(all);
  }

  private static void add(
      ServiceLoader<RailDriver> loader, Set<Class<?>> known, List<RailDriver> all) {
    Iterator<RailDriver> found = loader.iterator();
    for (int errors = 0; errors < MAX_ERRORS; ) {
      try {
        if (!found.hasNext()) {
          return;
        }
        RailDriver driver = found.next();
        if (known.add(driver.getClass())) {
          all.add(driver);
        }
      } catch (ServiceConfigurationError | LinkageError e) {
        errors++;
        log().log(System.Logger.Level.DEBUG, "a rail driver is passed over", e);
      }
    }
  }

  /** The schemes that can be written in front of a rail. */
  Set<String> schemes() {
    return drivers.stream().map(RailDriver::scheme).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether some driver of the scheme works in this process. */
  boolean isAvailable(String scheme) {
    return drivers.stream()
        .anyMatch(driver -> driver.scheme().equals(scheme) && driver.whyUnavailable() == null);
  }

  /**
   * The driver for a rail: the one it names, or the available one of the highest priority.
   *
   * @throws CrosstieException if there is none; the message lists those that exist
   */
  RailDriver choose(RailSpec rail) {
    List<RailDriver> ofScheme =
        drivers.stream().filter(driver -> driver.scheme().equals(rail.scheme())).toList();
    if (ofScheme.isEmpty()) {
      throw new CrosstieException(
          "rail \""
              + rail
              + "\": no driver for scheme \""
              + rail.scheme()
              + "\"; "
              + whatThereIs());
    }
    if (rail.ownThread()) {
      ofScheme = ofScheme.stream().<RailDriver>map(OwnThreadDriver::new).toList();
    }
    return rail.driver().equals(RailSpec.AUTO) ? best(rail, ofScheme) : named(rail, ofScheme);
  }

  /** One that understands an address, if there is any; the best that works here. */
  @Nullable RailDriver forAddress(RailAddress address) {
    List<RailDriver> ofScheme = ofScheme(address.scheme());
    for (RailDriver driver : ofScheme) {
      if (driver.whyUnavailable() == null) {
        return driver;
      }
    }
    return ofScheme.isEmpty() ? null : ofScheme.getFirst();
  }

  private static RailDriver named(RailSpec rail, List<RailDriver> ofScheme) {
    for (RailDriver driver : ofScheme) {
      if (driver.name().equals(rail.driver())) {
        String why = driver.whyUnavailable();
        if (why != null) {
          throw new CrosstieException(
              "rail \""
                  + rail
                  + "\": driver="
                  + rail.driver()
                  + " does not work here: "
                  + why
                  + "; or leave out the option driver= to take one that does");
        }
        return driver;
      }
    }
    throw new CrosstieException(
        "rail \""
            + rail
            + "\": unknown driver="
            + rail.driver()
            + "; for scheme "
            + rail.scheme()
            + " there are auto, "
            + names(ofScheme));
  }

  private static RailDriver best(RailSpec rail, List<RailDriver> ofScheme) {
    StringBuilder reasons = new StringBuilder();
    for (RailDriver driver : ofScheme) {
      String why = driver.whyUnavailable();
      if (why == null) {
        logOnce(rail.scheme(), driver.name(), reasons.toString());
        return driver;
      }
      reasons.append(reasons.isEmpty() ? "" : "; ").append(driver.name()).append(": ").append(why);
    }
    throw new CrosstieException(
        "rail \"" + rail + "\": no driver for scheme " + rail.scheme() + " works here: " + reasons);
  }

  private static void logOnce(String scheme, String taken, String reasons) {
    if (!reasons.isEmpty() && SAID.add(scheme + taken + reasons)) {
      log()
          .log(
              System.Logger.Level.INFO,
              () ->
                  scheme
                      + " rails use the driver \""
                      + taken
                      + "\", since a faster one cannot be had: "
                      + reasons);
    }
  }

  private static String names(List<RailDriver> of) {
    return of.stream().map(RailDriver::name).collect(Collectors.joining(", "));
  }

  /** What to write instead, for a person. */
  String whatThereIs() {
    return drivers.isEmpty()
        ? "there is none at all: put io.crosstie:crosstie, which brings the transports, on the"
            + " class path or module path"
        : "there are "
            + schemes().stream()
                .map(scheme -> scheme + ": (" + names(ofScheme(scheme)) + ")")
                .collect(Collectors.joining(", "));
  }

  private List<RailDriver> ofScheme(String scheme) {
    return drivers.stream().filter(driver -> driver.scheme().equals(scheme)).toList();
  }

  /** Asked for when there is something to log: to find the system's loggers takes a while. */
  private static System.Logger log() {
    return System.getLogger("io.crosstie.rails");
  }
}
