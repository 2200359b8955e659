// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.CRC32C;

/**
 * The checksums once more, whole arrays at a time and as plainly as their definitions, to compare
 * with.
 */
final class Reference {

  private Reference() {}

  static int checksum(ChecksumKind kind, byte[] data) {
    return switch (kind) {
      case NONE -> 0;
      case CRC32C -> crc32c(data);
      case SUM -> sum(data);
      case XOR -> xor(data);
      case ADLER32 -> adler32(data);
      case FLETCHER64 -> {
        long sums = fletcher64(data);
        yield (int) (((sums & 0xFFFF_FFFFL) + 2 * (sums >>> 32)) % 0xFFFF_FFFFL);
      }
      case FNV1A -> fnv1a(data);
      case JENKINS_OAAT -> jenkinsOneAtATime(data);
      case MURMUR -> murmur3(data, 0);
      case SUPERFAST -> superFast(data, 0x9E3779B9);
    };
  }

  static int crc32c(byte[] data) {
    CRC32C crc = new CRC32C();
    crc.update(data);
    return (int) crc.getValue();
  }

  static int adler32(byte[] data) {
    Adler32 adler = new Adler32();
    adler.update(data);
    return (int) adler.getValue();
  }

  static int sum(byte[] data) {
    return Arrays.stream(words(data)).sum();
  }

  static int xor(byte[] data) {
    return Arrays.stream(words(data)).reduce(0, (a, b) -> a ^ b);
  }

  static long fletcher64(byte[] data) {
    long low = 0;
    long high = 0;
    for (int word : words(data)) {
      low = (low + Integer.toUnsignedLong(word)) % 0xFFFF_FFFFL;
      high = (high + low) % 0xFFFF_FFFFL;
    }
    return (high << 32) | low;
  }

  static int fnv1a(byte[] data) {
    int hash = 0x811C9DC5;
    for (byte b : data) {
      hash ^= b & 0xFF;
      hash *= 16777619;
    }
    return hash;
  }

  static int jenkinsOneAtATime(byte[] data) {
    int hash = 0;
    for (byte b : data) {
      hash += b & 0xFF;
      hash += hash << 10;
      hash ^= hash >>> 6;
    }
    hash += hash << 3;
    hash ^= hash >>> 11;
    hash += hash << 15;
    return hash;
  }

  static int murmur3(byte[] data, int seed) {
    int hash = seed;
    int[] words = words(data);
    int whole = data.length / 4;
    for (int i = 0; i < words.length; i++) {
      int k = words[i];
      k *= 0xCC9E2D51;
      k = (k << 15) | (k >>> 17);
      k *= 0x1B873593;
      hash ^= k;
      if (i < whole) {
        hash = (hash << 13) | (hash >>> 19);
        hash = hash * 5 + 0xE6546B64;
      }
    }
    hash ^= data.length;
    hash ^= hash >>> 16;
    hash *= 0x85EBCA6B;
    hash ^= hash >>> 13;
    hash *= 0xC2B2AE35;
    hash ^= hash >>> 16;
    return hash;
  }

  static int superFast(byte[] data, int seed) {
    int hash = seed;
    int at = 0;
    for (; at + 4 <= data.length; at += 4) {
      hash += get16(data, at);
      int tmp = (get16(data, at + 2) << 11) ^ hash;
      hash = (hash << 16) ^ tmp;
      hash += hash >>> 11;
    }
    int rest = data.length - at;
    if (rest == 3) {
      hash += get16(data, at);
      hash ^= hash << 16;
      hash ^= data[at + 2] << 18;
      hash += hash >>> 11;
    } else if (rest == 2) {
      hash += get16(data, at);
      hash ^= hash << 11;
      hash += hash >>> 17;
    } else if (rest == 1) {
      hash += data[at];
      hash ^= hash << 10;
      hash += hash >>> 1;
    }
    hash ^= hash << 3;
    hash += hash >>> 5;
    hash ^= hash << 4;
    hash += hash >>> 17;
    hash ^= hash << 25;
    hash += hash >>> 6;
    return hash;
  }

  private static int get16(byte[] data, int at) {
    return (data[at] & 0xFF) | (data[at + 1] & 0xFF) << 8;
  }

  private static int[] words(byte[] data) {
    int[] words = new int[(data.length + 3) / 4];
    for (int i = 0; i < data.length; i++) {
      words[i / 4] |= (data[i] & 0xFF) << (i % 4 * 8);
    }
    return words;
  }
}
