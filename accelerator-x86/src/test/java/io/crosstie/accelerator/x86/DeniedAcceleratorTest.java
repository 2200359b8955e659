// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.testkit.ChildJvm;
import io.crosstie.testkit.Facility;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** It is found where it can be used; where native access is denied it says so, once. */
@Timeout(120)
class DeniedAcceleratorTest {
  @Test
  void foundWhereItCanBeUsed() {
    boolean usable =
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64");
    Accelerator found = Accelerators.find();
    if (Facility.onProcessor(usable, "x86-64 loops")) {
      assertNotNull(found);
      assertTrue(found.name().startsWith("crosstie-accelerator-x86"), found.name());
      assertEquals(found.sumsCopies(), CopyingCrc32c.best() != null);
      assertSame(found, Accelerators.find());
    } else {
      assertNull(found);
    }
  }

  @Test
  void deniedNativeAccessIsSaidOnceAndJavaCopies() throws Exception {
    String output = ChildJvm.runWithoutNativeAccess(Child.class);
    assertTrue(output.contains("copied in Java"), output);
  }

  /** The other process. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      for (int i = 0; i < 3; i++) {
        if (Accelerators.find() != null) {
          throw new AssertionError("found");
        }
      }
      int length = 100_000;
      MemorySegment source = Arena.global().allocate(length);
      MemorySegment destination = Arena.global().allocate(length);
      source.fill((byte) 7);
      Checksum sum = Checksum.of(ChecksumKind.CRC32C, Accelerators.find());
      CRC32C expected = new CRC32C();
      expected.update(source.asByteBuffer());
      if (sum.copy(source, 0, destination, 0, length) != (int) expected.getValue()
          || source.mismatch(destination) != -1) {
        throw new AssertionError("copied wrongly");
      }
      System.out.println("copied in Java");
    }
  }
}
