// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

/** Numbers of Linux's memory calls, which are the same on x86-64 and aarch64. */
public final class MemoryAbi {
  /** memfd_create flag: closed on exec. */
  public static final int MFD_CLOEXEC = 1;

  /** memfd_create flag: seals may be added. */
  public static final int MFD_ALLOW_SEALING = 2;

  /** memfd_create flag: can never be executed; unknown to kernels before 6.3. */
  public static final int MFD_NOEXEC_SEAL = 8;

  /** fcntl: add seals. */
  public static final int F_ADD_SEALS = 1033;

  /** fcntl: the seals of a file; EINVAL if it can have none. */
  public static final int F_GET_SEALS = 1034;

  /** Seal: no more seals. */
  public static final int F_SEAL_SEAL = 1;

  /** Seal: the file never becomes shorter, so that a mapping of it never faults. */
  public static final int F_SEAL_SHRINK = 2;

  /** Seal: the file never becomes longer. */
  public static final int F_SEAL_GROW = 4;

  /** mmap: readable. */
  public static final int PROT_READ = 1;

  /** mmap: writable. */
  public static final int PROT_WRITE = 2;

  /** mmap: stores are seen by all who map the file. */
  public static final int MAP_SHARED = 1;

  /** mmap: of this process alone. */
  public static final int MAP_PRIVATE = 2;

  /** mmap: of no file. */
  public static final int MAP_ANONYMOUS = 0x20;

  /** mmap: reserves nothing of what it might take one day. */
  public static final int MAP_NORESERVE = 0x4000;

  /**
   * madvise: the pages of private memory go back to the system; they read as zeros from then on.
   */
  public static final int MADV_DONTNEED = 4;

  /** mmap: pages are there at once and not at the first touch. */
  public static final int MAP_POPULATE = 0x8000;

  static final int SEEK_END = 2;

  private MemoryAbi() {}
}
