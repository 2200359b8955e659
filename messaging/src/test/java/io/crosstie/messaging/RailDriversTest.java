// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.RailDriver;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The best driver that works is taken, and why it is not a better one is said once. */
final class RailDriversTest {
  private static final RailSpec UDP = RailSpec.parse("udp://h:1");

  @Test
  void highestPriorityWins() {
    var drivers =
        RailDrivers.of(
            List.of(
                new FakeDriver("udp", "netty", 10, null),
                new FakeDriver("udp", "linux", 20, null)));
    assertEquals("linux", drivers.choose(UDP).name());
    assertEquals("netty", drivers.choose(RailSpec.parse("udp://h:1?driver=netty")).name());
    assertTrue(drivers.isAvailable("udp"));
    assertFalse(drivers.isAvailable("shm"));
  }

  @Test
  void saysOnceWhyTheFastOneIsNotTaken() {
    var drivers =
        RailDrivers.of(
            List.of(
                new FakeDriver("udp", "netty", 10, null),
                new FakeDriver("udp", "linux", 20, "use --enable-native-access, says this test")));
    List<String> said = new ArrayList<>();
    Logger logger = Logger.getLogger("io.crosstie.rails");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord message) {
            said.add(message.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      assertEquals("netty", drivers.choose(UDP).name());
      assertEquals("netty", drivers.choose(UDP).name());
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(1, said.size(), said::toString);
    assertTrue(said.getFirst().contains("--enable-native-access"), said::toString);
  }

  @Test
  void noneWorks() {
    var drivers = RailDrivers.of(List.of(new FakeDriver("udp", "linux", 20, "not Linux")));
    var e = assertThrows(CrosstieException.class, () -> drivers.choose(UDP));
    assertTrue(e.getMessage().contains("linux: not Linux"), e::getMessage);
  }

  /** Whose service files name what is no driver of ours: another copy of the library, say. */
  private static final class Foreign extends ClassLoader {
    private final URL services;

    Foreign(Path folder) throws IOException {
      super(null);
      Path file = folder.resolve("services");
      Files.writeString(file, "java.lang.String\nno.such.Driver\n");
      services = file.toUri().toURL();
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
      return name.endsWith(RailDriver.class.getName())
          ? Collections.enumeration(List.of(services))
          : Collections.emptyEnumeration();
    }
  }

  @Test
  void noContextLoaderOrAForeignOneDoesNoHarm(@TempDir Path folder) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    List<String> own = names(RailDrivers.findAnd(List.of()));
    assertTrue(own.contains("udp"), own::toString);
    try {
      thread.setContextClassLoader(null);
      assertEquals(own, names(RailDrivers.findAnd(List.of())));
      thread.setContextClassLoader(new Foreign(folder));
      assertEquals(own, names(RailDrivers.findAnd(List.of())));
      try (Node node =
          Node.start(NodeConfig.builder().name("n").rail("udp://127.0.0.1:0").build())) {
        assertEquals(1, node.ports().size());
      }
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static List<String> names(RailDrivers drivers) {
    return List.copyOf(drivers.schemes());
  }
}
