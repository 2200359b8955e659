// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OpenDescriptorsTest {
  @TempDir private Path folder;

  /** What was open before and is closed meanwhile hides nothing. */
  @Test
  void whatIsOpenedIsSeenWhateverIsClosed() throws Exception {
    Facility.LINUX.require("descriptors of a process");
    try (DatagramChannel old = DatagramChannel.open()) {
      Set<String> before = OpenDescriptors.now();
      assertEquals(Set.of(), OpenDescriptors.since(before));
      old.close();
      assertEquals(Set.of(), OpenDescriptors.since(before));
      try (DatagramChannel socket = DatagramChannel.open();
          FileChannel file =
              FileChannel.open(
                  folder.resolve("f"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        assertEquals(2, OpenDescriptors.since(before).size(), () -> socket + " " + file);
      }
      assertEquals(Set.of(), OpenDescriptors.since(before));
    }
  }
}
