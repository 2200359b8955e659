// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What processes that are gone left behind is removed, and nothing else. */
class SweepTest {
  private static final FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);

  @TempDir Path base;
  private final String boot = HostIdentity.here().boot().substring(0, 7);
  private final String prefix =
      PortDirectory.PREFIX + HostIdentity.here().boot().replaceFirst("(.{8}).*", "$1") + "-";

  private Path folder(String name, boolean socket) throws Exception {
    Path folder = Files.createDirectory(base.resolve(name));
    if (socket) {
      try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        server.bind(UnixDomainSocketAddress.of(PortDirectory.socket(folder)));
      }
      Files.write(folder.resolve("seg-1"), new byte[100]);
    }
    return folder;
  }

  @Test
  void deadFoldersGo() throws Exception {
    assertFalse(boot.isEmpty());
    try (End alive = new End(base, "alive", "")) {
      Path dead = folder(prefix + "dead-0", true);
      Path empty = folder(prefix + "empty-0", false);
      Path halfMade = folder(".crosstie-" + prefix.substring(9) + "half-0", false);
      Files.setLastModifiedTime(halfMade, LONG_AGO);
      try (End next = new End(base, "next", "")) {
        assertFalse(Files.exists(dead));
        assertFalse(Files.exists(empty));
        assertFalse(Files.exists(halfMade));
        ShmRail unused = End.connect(next, alive); // and was not harmed by the look
        assertTrue(alive.events.isEmpty());
      }
    }
  }

  @Test
  void othersStay() throws Exception {
    Path young = folder(".crosstie-" + prefix.substring(9) + "half-0", false);
    Path otherBoot = folder(PortDirectory.PREFIX + "00000000-x-0", true);
    Path unrelated = folder("something", true);
    Path target = folder("target", true);
    Path link = Files.createSymbolicLink(base.resolve(prefix + "link-0"), target);
    Path file = Files.createFile(base.resolve(prefix + "file-0"));
    Path nested = folder(prefix + "nested-0", true);
    Files.write(Files.createDirectory(nested.resolve("deep")).resolve("kept"), new byte[1]);
    Path stranger = folder(prefix + "stranger-0", true);
    boolean root = PortDirectory.uid(base) == 0;
    if (root) {
      Files.setAttribute(stranger, "unix:uid", 12345, LinkOption.NOFOLLOW_LINKS);
    }
    new End(base, "next", "").close();
    assertTrue(Files.exists(young));
    assertTrue(Files.exists(otherBoot));
    assertTrue(Files.exists(PortDirectory.socket(unrelated)));
    assertTrue(Files.exists(PortDirectory.socket(target)));
    assertTrue(Files.exists(link));
    assertTrue(Files.exists(file));
    assertTrue(Files.exists(nested.resolve("deep/kept")));
    assertTrue(!root || Files.exists(stranger));
  }

  /** Where a folder belongs to one host, ports of former boots go; what else is ours lies there. */
  @Test
  void portsAloneGo() throws Exception {
    Path formerBoot = folder(PortDirectory.PREFIX + "00000000-x-0", true);
    Path counters = folder(PortDirectory.PREFIX + "counters-some-user", false);
    Path inUse = Files.createFile(counters.resolve("1-2.counters"));
    HostIdentity host = HostIdentity.here();
    LocalSockets sockets = new NioSockets();
    PortDirectory directory =
        PortDirectory.create(base, "x", host, new SplittableRandom(1), sockets, false);
    assertEquals(1, directory.sweep(base, host, true));
    directory.remove();
    sockets.close();
    assertFalse(Files.exists(formerBoot));
    assertTrue(Files.exists(inUse));
  }
}
