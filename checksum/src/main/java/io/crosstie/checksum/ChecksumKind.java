// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The checksum algorithms a connection can agree on.
 *
 * <p>Every kind yields 32 bits. {@link #CRC32C} is the default: it is the strongest of them against
 * errors of transmission and, with the instructions of today's processors, also the fastest. None
 * of them is a defence against an adversary who can alter a message and its checksum.
 */
public enum ChecksumKind {
  /** No checksum: always 0. A fused copy is a plain copy. */
  NONE(0),

  /**
   * CRC-32C, the Castagnoli polynomial 0x1EDC6F41, reflected, initial value and final XOR all ones;
   * RFC 3720 section 12.1 and appendix B.4, RFC 9260 appendix A.
   */
  CRC32C(1),

  /**
   * The sum modulo 2<sup>32</sup> of the little-endian 32-bit words, the last one padded with zero
   * bytes; NewMadeleine's "plain sum". Detects a single flipped bit, not words that changed places.
   */
  SUM(2),

  /**
   * The exclusive or of the little-endian 32-bit words, the last one padded with zero bytes.
   * Detects a single flipped bit, not two in the same column.
   */
  XOR(3),

  /** Adler-32, RFC 1950 section 8.2; the high half is the sum of sums. */
  ADLER32(4),

  /**
   * Fletcher-64 over little-endian 32-bit words, the last one padded with zero bytes, both sums
   * modulo M = 2<sup>32</sup> &minus; 1 and starting at 0 (Fletcher 1982; Maxino and Koopman 2009,
   * the paper NewMadeleine cites). The first sum A and the sum of sums B are folded to 32 bits as
   * (A + 2 B) mod M. An exclusive or would let one flipped top bit in the last word vanish, which
   * changes both sums alike; with the odd weights 2 k + 1 that the fold gives to the k-th word from
   * the end, one flipped bit anywhere in up to 8 GiB always shows.
   */
  FLETCHER64(5),

  /**
   * 32-bit FNV-1a, byte by byte, offset basis 0x811C9DC5, prime 0x01000193 (Fowler, Noll, Vo; RFC
   * 9923).
   */
  FNV1A(6),

  /** Jenkins's one-at-a-time hash, byte by byte (Dr. Dobb's Journal, September 1997). */
  JENKINS_OAAT(7),

  /** MurmurHash3_x86_32 with seed 0 (Appleby); stands for the paper's MurmurHash2a. */
  MURMUR(8),

  /**
   * Hsieh's SuperFastHash (2004) in its incremental form: the original starts from the length,
   * which is not known in advance when data comes in pieces, so the start is the constant
   * 0x9E3779B9, and a range given in pieces hashes as the same range given whole.
   */
  SUPERFAST(9);

  private static final ChecksumKind[] BY_CODE = byCode();

  private final byte wireCode;

  ChecksumKind(int wireCode) {
    this.wireCode = (byte) wireCode;
  }

  /** Returns the code that stands for this kind on the wire; it never changes. */
  public byte wireCode() {
    return wireCode;
  }

  /** Whether a code, 0 to 255 as it stands on the wire, is that of a kind. */
  public static boolean isWireCode(int code) {
    return code >= 0 && code < BY_CODE.length;
  }

  /**
   * Returns the kind with a given wire code.
   *
   * @throws IllegalArgumentException if no kind has this code
   */
  public static ChecksumKind fromWireCode(byte code) {
    if (code < 0 || code >= BY_CODE.length) {
      throw new IllegalArgumentException(
          "Unknown checksum code " + code + "; the codes are 0 to " + (BY_CODE.length - 1));
    }
    return BY_CODE[code];
  }

  /**
   * Returns the kind with a given name, for use in configuration. Case, surrounding blanks, and
   * hyphens for underscores do not matter.
   *
   * @throws IllegalArgumentException if there is no such kind; the message lists the choices
   */
  public static ChecksumKind parse(String name) {
    String wanted = name.strip().replace('-', '_').toUpperCase(Locale.ROOT);
    for (ChecksumKind kind : BY_CODE) {
      if (kind.name().equals(wanted)) {
        return kind;
      }
    }
    throw new IllegalArgumentException(
        "Unknown checksum \"" + name + "\"; choose one of " + choices());
  }

  private static String choices() {
    return Arrays.stream(BY_CODE)
        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  private static ChecksumKind[] byCode() {
    ChecksumKind[] kinds = new ChecksumKind[values().length];
    for (ChecksumKind kind : values()) {
      kinds[kind.wireCode] = kind;
    }
    return kinds;
  }
}
