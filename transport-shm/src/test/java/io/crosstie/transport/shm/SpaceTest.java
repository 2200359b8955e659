// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailUri;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder without room: an exception that says so, never a fault. */
class SpaceTest {
  @TempDir Path base;

  /** What is chosen and what is refused, by the free space that the system reports. */
  @Test
  void sizesAdaptToWhatIsFree() throws Exception {
    long[] free = {Long.MAX_VALUE};
    LocalSockets sockets = new NioSockets();
    SplittableRandom random = new SplittableRandom(1);
    PortDirectory directory =
        PortDirectory.create(base, "x", HostIdentity.here(), random, sockets, false);
    ShmOptions any = ShmOptions.parse(RailUri.parse("shm:" + base));
    ShmOptions given = ShmOptions.parse(RailUri.parse("shm:" + base + "?size=1MiB"));
    SegmentFactory adapting = new SegmentFactory(any, directory, random, () -> free[0]);
    SegmentFactory fixed = new SegmentFactory(given, directory, random, () -> free[0]);

    assertEquals(1 << 20, ringBytes(adapting));
    free[0] = 64 << 20; // a container
    assertEquals(1 << 20, ringBytes(adapting));
    free[0] = 7 << 20;
    assertEquals(512 << 10, ringBytes(adapting));
    free[0] = 140 << 10;
    assertEquals(64 << 10, ringBytes(adapting));
    assertFull(assertThrows(RailException.class, () -> fixed.create(false)));
    free[0] = 135_167;
    assertFull(assertThrows(RailException.class, () -> adapting.create(false)));
    free[0] = 2_101_248;
    assertEquals(1 << 20, ringBytes(fixed));
    sockets.close();
    directory.remove();
  }

  private static long ringBytes(SegmentFactory factory) throws RailException {
    Segment segment = factory.create(false);
    try {
      return segment.ringBytes();
    } finally {
      segment.close();
    }
  }

  @Test
  void aSmallFileSystemIsFilledToTheBrim() throws Exception {
    try (Tmpfs small = Tmpfs.mount(base, "2m");
        End a = new End(small.path, "a", "memory=file");
        End b = new End(small.path, "b", "");
        End big = new End(small.path, "c", "size=1MiB&memory=file")) {
      RailException tooBig =
          assertThrows(RailException.class, () -> big.port.connect(b.port.localAddress()));
      assertFull(tooBig);
      assertTrue(tooBig.getMessage().contains("2101248 bytes"), tooBig.getMessage());

      List<ShmRail> rails = new ArrayList<>();
      RailException full =
          assertThrows(
              RailException.class,
              () -> {
                while (rails.size() < 100) {
                  rails.add(End.connect(a, b));
                }
              });
      assertFull(full);
      assertTrue(rails.size() >= 8, "only " + rails.size());
      assertEquals(128 << 10, rails.getFirst().segment().ringBytes());
      assertEquals(64 << 10, rails.getLast().segment().ringBytes());
      for (ShmRail rail : rails) {
        fill(rail, b); // every page is really there
      }
      rails.removeFirst().close();
      End.until("given back", () -> a.poll() + b.poll() == 0 && b.accepted != null, a, b);
      b.accepted.close();
      assertTrue(End.connect(a, b).isOpen());
    }
  }

  /** Sealed memory is not of the folder, but of the system and the container's control group. */
  @Test
  void memoryIsWhatTheSystemAndTheControlGroupLeave() throws Exception {
    Path group = Files.createDirectory(base.resolve("group"));
    Path system = base.resolve("meminfo");
    assertEquals(Long.MAX_VALUE, FreeMemory.bytes(system, group));
    Files.writeString(system, "MemTotal:       1000 kB\nMemAvailable:    300 kB\n");
    assertEquals(300 << 10, FreeMemory.bytes(system, group));
    Files.writeString(group.resolve("memory.current"), "100000\n");
    Files.writeString(group.resolve("memory.max"), "max\n");
    assertEquals(300 << 10, FreeMemory.bytes(system, group));
    Files.writeString(group.resolve("memory.max"), "150000\n");
    assertEquals(50_000, FreeMemory.bytes(system, group));
    Files.writeString(group.resolve("memory.max"), "90000\n");
    assertEquals(0, FreeMemory.bytes(system, group));
    assertTrue(FreeMemory.bytes() > 0);
  }

  private static void fill(ShmRail rail, End to) {
    long before = to.received;
    int sent = 0;
    for (long bytes = 0; bytes < 2 * rail.segment().ringBytes(); bytes += 1000) {
      End.send(rail, new byte[1000]);
      to.poll();
      sent++;
    }
    assertEquals(sent, to.received - before);
    to.packets.clear();
  }

  private static void assertFull(RailException e) {
    for (String part : List.of("cannot reserve", "are free", "size=", "the other rails go on")) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }

  /** A small file system, where we may mount one. */
  private record Tmpfs(Path path) implements AutoCloseable {
    static Tmpfs mount(Path base, String size) throws Exception {
      Path path = Files.createDirectory(base.resolve("small"));
      Facility.MOUNTS.require("a file system that is full");
      Facility.run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", path.toString());
      return new Tmpfs(path);
    }

    @Override
    public void close() throws Exception {
      Facility.run("umount", path.toString());
    }
  }
}
