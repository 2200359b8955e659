// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/** Jenkins's one-at-a-time hash. */
final class JenkinsOneAtATime extends BlockChecksum {

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.JENKINS_OAAT;
  }

  @Override
  public long begin() {
    return 0;
  }

  @Override
  long absorb(long state, int length) {
    int hash = (int) state;
    for (int i = 0; i < length; i++) {
      hash += Byte.toUnsignedInt(scratch[i]);
      hash += hash << 10;
      hash ^= hash >>> 6;
    }
    return hash;
  }

  @Override
  public int finish(long state) {
    int hash = (int) state;
    hash += hash << 3;
    hash ^= hash >>> 11;
    hash += hash << 15;
    return hash;
  }
}
