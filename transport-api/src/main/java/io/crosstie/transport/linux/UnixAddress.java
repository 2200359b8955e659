// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;

/** Builds {@code struct sockaddr_un}, of exactly the length that bind and connect want. */
public final class UnixAddress {
  /** Longest path, in bytes of UTF-8. */
  public static final int MAX_PATH_BYTES = 107;

  private static final int PATH_OFFSET = 2;

  private UnixAddress() {}

  /**
   * The address of a socket in the file system.
   *
   * @throws IllegalArgumentException if the path is empty, longer than {@link #MAX_PATH_BYTES} or
   *     holds a NUL
   */
  public static MemorySegment path(SegmentAllocator allocator, String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > MAX_PATH_BYTES || path.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "a Unix-domain address has 1 to "
              + MAX_PATH_BYTES
              + " bytes and no NUL, and this has "
              + bytes.length
              + ": \""
              + path
              + "\"");
    }
    MemorySegment address = allocator.allocate(PATH_OFFSET + bytes.length + 1, 2); // and a NUL
    address.fill((byte) 0);
    address.set(JAVA_SHORT, 0, (short) SocketAbi.AF_UNIX);
    MemorySegment.copy(bytes, 0, address, JAVA_BYTE, PATH_OFFSET, bytes.length);
    return address;
  }
}
