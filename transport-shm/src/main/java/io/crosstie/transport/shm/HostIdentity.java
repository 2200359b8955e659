// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Tells hosts apart, by the boot id of their kernel and never by name: two containers of one host
 * share it whatever they are called, and two clones of one image do not. Whether memory can be
 * shared is then decided by trying; the number of the mount namespace is there only to say why it
 * failed.
 *
 * @param boot 32 hexadecimal digits, or {@value #UNKNOWN_BOOT} where the system does not tell
 * @param mountNamespace hexadecimal, {@code "0"} where there is none
 */
record HostIdentity(String boot, String mountNamespace) {
  static final String UNKNOWN_BOOT = "unknown";

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path MOUNT_NAMESPACE = Path.of("/proc/self/ns/mnt");

  /** That of this process. */
  static HostIdentity here() {
    return new HostIdentity(readBootId(), readMountNamespace());
  }

  private static String readBootId() {
    try {
      String id =
          Files.readString(BOOT_ID, StandardCharsets.US_ASCII)
              .strip()
              .replace("-", "")
              .toLowerCase(Locale.ROOT);
      return id.matches("[0-9a-f]{32}") ? id : UNKNOWN_BOOT;
    } catch (IOException e) {
      return UNKNOWN_BOOT;
    }
  }

  private static String readMountNamespace() {
    try {
      String digits = Files.readSymbolicLink(MOUNT_NAMESPACE).toString().replaceAll("[^0-9]", "");
      return Long.toHexString(Long.parseLong(digits));
    } catch (IOException | NumberFormatException e) {
      return "0";
    }
  }
}
