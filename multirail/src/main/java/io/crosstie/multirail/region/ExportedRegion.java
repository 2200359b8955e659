// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory that this node exported, as long as it is open. */
public final class ExportedRegion {
  /** Peers may put into it. */
  public static final int PUT = 1;

  /** Peers may get from it. */
  public static final int GET = 2;

  /** Peers may have words of it changed. */
  public static final int ATOMIC = 4;

  private final long key;
  private final MemorySegment memory;
  private final long length;
  private final int rights;
  private final @Nullable String who;
  private final Object owner;
  private boolean open = true;

  ExportedRegion(long key, MemorySegment memory, int rights, @Nullable String who, Object owner) {
    this.key = key;
    this.memory = memory;
    this.length = memory.byteSize();
    this.rights = rights;
    this.who = who;
    this.owner = owner;
  }

  /** What peers know it by; never 0. */
  public long key() {
    return key;
  }

  /** What was exported. */
  public MemorySegment memory() {
    return memory;
  }

  /** What the layer above knows it as. */
  public Object owner() {
    return owner;
  }

  /** Whether the peer of that name has that right. */
  boolean mayUse(String peer, int right) {
    return (rights & right) != 0 && (who == null || who.equals(peer));
  }

  /** Whether peers may use it; the engine. */
  boolean isOpen() {
    return open;
  }

  void close() {
    open = false;
  }

  /** Whether a word of 64 bits lies there that can be changed at once. */
  boolean holdsWord(long offset) {
    return holds(offset, Long.BYTES) && (memory.address() + offset) % Long.BYTES == 0;
  }

  boolean holds(long offset, long bytes) {
    return offset >= 0 && bytes >= 0 && offset <= length && bytes <= length - offset;
  }
}
