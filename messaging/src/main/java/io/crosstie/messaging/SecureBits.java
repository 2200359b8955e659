// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * Random numbers that nobody outside can foresee, since connection ids and cookies keep forged
 * packets out; drawn from the system in batches, so that one costs and allocates nothing. Not
 * thread safe.
 */
final class SecureBits implements RandomGenerator {
  private final SecureRandom source = new SecureRandom();
  private final byte[] bytes = new byte[512];
  private final ByteBuffer pool = ByteBuffer.wrap(bytes).limit(0);

  @Override
  public long nextLong() {
    if (pool.remaining() < Long.BYTES) {
      source.nextBytes(bytes);
      pool.clear();
    }
    return pool.getLong();
  }
}
