// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.PortCounter;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a port looks for what peers tell, and how often (R37). */
@Tag("R37")
class ReachabilityTest {
  @TempDir Path base;
  @TempDir Path elsewhere;
  private End a;
  private End b;

  @BeforeEach
  void open() throws Exception {
    a = new End(base, "a", "size=16KiB");
    b = new End(base, "b", "size=16KiB");
    a.poll();
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  private long refused() {
    return a.port.counters().get(PortCounter.ADDRESSES_REFUSED);
  }

  /** Seen to be so by an address that would do if it were looked at. */
  @Test
  void aFolderOfThePeersChoosingIsNotLookedAt() throws Exception {
    try (End c = new End(elsewhere, "c", "size=16KiB")) {
      RailAddress address = c.port.localAddress();
      String why = a.port.whyUnreachable(address);
      assertTrue(why != null && why.contains("the same folder"), why);
      assertThrows(RailException.class, () -> a.port.connect(address));
      assertEquals(1, refused());
      String name = c.directory().getFileName().toString();
      for (Path path :
          List.of(
              base.resolve("x").resolve(name),
              base.resolve("s"),
              base.resolve(b.directory().getFileName() + "/s"),
              Path.of("/proc/self/fd/0"))) {
        String text = address.text().replace(c.directory().toString(), path.toString());
        why = a.port.whyUnreachable(new RailAddress(text));
        assertTrue(why != null && why.contains("the same folder"), text + ": " + why);
      }
    }
    assertNull(a.port.whyUnreachable(b.port.localAddress()));
  }

  @Test
  void whereNobodyWasFoundIsLookedAgainLessAndLessOften() throws Exception {
    RailAddress address = b.port.localAddress();
    Path moved = base.resolve("moved");
    Files.move(b.directory(), moved);
    for (int i = 0; i < 60_000_000_000L / End.STEP_NS; i++) {
      assertNotNull(a.port.whyUnreachable(address));
      assertThrows(RailException.class, () -> a.port.connect(address));
      a.poll();
    }
    assertTrue(refused() > 10 && refused() < 30, () -> "looked " + refused() + " times");
    Files.move(moved, b.directory());
    End.until("found again", () -> a.port.whyUnreachable(address) == null, a);
  }

  @Test
  void aSocketThatRefusesIsNotConnectedAgainAtOnce() throws Exception {
    RailAddress address = b.port.localAddress();
    Path socket = PortDirectory.socket(b.directory());
    Files.delete(socket);
    Files.createFile(socket);
    assertNull(a.port.whyUnreachable(address), "it looks like a port");
    for (int i = 0; i < 100; i++) {
      assertThrows(RailException.class, () -> a.port.connect(address));
    }
    assertEquals(1, refused());
  }

  @Test
  void whatIsRememberedIsBounded() {
    String prefix = b.port.localAddress().text();
    for (int i = 0; i < 10 * Reachability.MAX_REMEMBERED; i++) {
      assertNotNull(a.port.whyUnreachable(new RailAddress(prefix + i)));
    }
    assertEquals(10 * Reachability.MAX_REMEMBERED, refused());
    assertNull(a.port.whyUnreachable(b.port.localAddress()));
  }
}
