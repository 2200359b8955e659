// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.region.ExportedRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that this node has exported: peers put into it, get from it and change words of it, at
 * places that they name, without a poll or a copy in between. Its {@link #key()} is told to them by
 * any message; whoever knows it may use it, or one peer alone ({@link Node#export}).
 *
 * <p>What is under way to a place is undefined until it is told: by the notification of a put, or
 * by a message that the peer sends once its put is complete. What a get reads is what lies there as
 * its parts leave: who writes meanwhile has to agree with the peer on when. Words that peers change
 * are to be read and written here by atomic accesses (as of the {@code VarHandle} of {@code
 * ValueLayout.JAVA_LONG}), which are as atomic towards theirs. After {@link #close()} nothing reads
 * or writes the memory any more.
 *
 * <p>Threads: as for {@link Node}.
 */
public final class Region implements AutoCloseable {
  /** What peers may do. */
  public enum Right {
    /** {@link RemoteRegion#put}. */
    PUT(ExportedRegion.PUT),
    /** {@link RemoteRegion#get}. */
    GET(ExportedRegion.GET),
    /**
     * {@link RemoteRegion#fetchAdd}, {@link RemoteRegion#compareAndSet} and {@link
     * RemoteRegion#swap}.
     */
    ATOMIC(ExportedRegion.ATOMIC);

    final int bit;

    Right(int bit) {
      this.bit = bit;
    }
  }

  private final Node node;
  private final MemorySegment memory;
  private final long key;
  private volatile boolean open = true;

  Region(Node node, MemorySegment memory, int rights, @Nullable String who) {
    this.node = node;
    this.memory = memory;
    this.key = node.openRegion(this, memory, rights, who);
  }

  /** What peers know it by: random, never 0, and never that of another region. */
  public long key() {
    return key;
  }

  /** What was exported. */
  public MemorySegment memory() {
    return memory;
  }

  /** Whether {@link #close()} was not called. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Peers use it no more. When this returns nothing reads or writes the memory, whatever is under
   * way: it may be freed, or used for something else. What peers still want there fails at their
   * end. An interrupt does not end the wait for the engine. May be done again.
   *
   * @throws CrosstieException if the node is being closed, and hangs at that: peers may still use
   *     it
   */
  @Override
  public void close() {
    node.closeRegion(key);
    open = false;
  }

  static Region of(ExportedRegion exported) {
    return (Region) exported.owner();
  }

  @Override
  public String toString() {
    return "region of " + memory.byteSize() + " bytes" + (open ? "" : " (closed)");
  }
}
