// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

/**
 * All the memory that messages take in a node, by what it is for; each part has a bound of its own,
 * so that none can starve another: an application that answers before it polls on needs room for
 * the answers, and a large message that arrives needs room though others are being sent (R31).
 *
 * <ul>
 *   <li>small messages that were received: chunks, slots, and the windows that were promised;
 *   <li>small messages that were sent and are not accepted yet: logs and their indexes;
 *   <li>copies of large messages that were sent and are not accepted yet;
 *   <li>large messages that are being received: the pool.
 * </ul>
 */
public final class NodeMemory {
  /** What a channel takes in which nothing lies. */
  private static final long CHANNEL_BYTES = 1 << 10;

  /** What a rail takes over which nothing was sent. */
  private static final long RAIL_BYTES = 9 << 10;

  /** What the channels of one peer take from, and the accounts that are charged for it. */
  public static final class Share {
    public final BufferPool pool;
    public final ChunkPool chunks;
    public final MemoryBudget.Account received;
    public final MemoryBudget.Account sent;
    public final MemoryBudget.Account largeSent;

    /** What the way to the peer holds. */
    public final PathBytes path;

    private long opened; // what channels and rails that the peer began are charged with

    private Share(NodeMemory of, PathBytes path) {
      this.path = path;
      pool = of.pool;
      chunks = of.chunks;
      received = of.received.account();
      sent = of.sent.account();
      largeSent = of.largeSent.account();
    }

    /**
     * Charges a channel that the peer opens, before it is made; false if there is no room for it.
     */
    public boolean tryOpen() {
      return tryBegin(CHANNEL_BYTES);
    }

    /** The same for a rail that the peer begins. */
    public boolean tryBeginRail() {
      return tryBegin(RAIL_BYTES);
    }

    private boolean tryBegin(long bytes) {
      boolean may = received.tryTake(bytes);
      opened += may ? bytes : 0;
      return may;
    }

    /** A channel that was charged was not made, or is over. */
    public void closeOne() {
      opened -= CHANNEL_BYTES;
      received.give(CHANNEL_BYTES);
    }

    /** It is over: nothing is sent to the peer any more. What it sent may still be polled. */
    public void closeSending() {
      received.give(opened);
      opened = 0;
      sent.close();
      largeSent.close();
    }
  }

  private final BufferPool pool;
  private final ChunkPool chunks;
  private final MemoryBudget received;
  private final MemoryBudget sent;
  private final MemoryBudget largeSent;

  /**
   * @param smallBytes bound of what small messages take, half of it for each direction
   * @param pool memory for large messages that are received; those sent have the same bound
   */
  public NodeMemory(long smallBytes, BufferPool pool) {
    this.pool = pool;
    this.received = new MemoryBudget(smallBytes / 2);
    this.sent = new MemoryBudget(smallBytes / 2);
    this.largeSent = new MemoryBudget(pool.capacityBytes());
    this.chunks = new ChunkPool(smallBytes / 2);
  }

  /** For another peer, of the way to which nothing is known. */
  public Share share() {
    return share(new PathBytes());
  }

  /** For another peer. */
  public Share share(PathBytes path) {
    return new Share(this, path);
  }

  /** What is charged in all, apart from the pool. */
  public long usedBytes() {
    return received.usedBytes() + sent.usedBytes() + largeSent.usedBytes();
  }

  /** How often something was refused. */
  public long refusals() {
    return received.refusals() + sent.refusals() + largeSent.refusals();
  }

  /** The chunks of small messages that were received. */
  public ChunkPool chunks() {
    return chunks;
  }

  /** Charged for small messages that are received. */
  public MemoryBudget received() {
    return received;
  }

  /** Charged for small messages that are sent. */
  public MemoryBudget sent() {
    return sent;
  }

  /** Charged for copies of large messages that are sent. */
  public MemoryBudget largeSent() {
    return largeSent;
  }
}
