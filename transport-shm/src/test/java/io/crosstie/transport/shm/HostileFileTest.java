// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

/** The same in segments that are files. */
class HostileFileTest extends HostileMemoryTest {
  @Override
  String memory() {
    return "&memory=file";
  }
}
