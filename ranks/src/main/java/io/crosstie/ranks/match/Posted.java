// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

/** A receive that waits for its message. */
public abstract class Posted {
  /** Any source, any tag. */
  public static final int ANY = -1;

  @SuppressWarnings("this-escape") // it is only kept
  final Link<Posted> link = new Link<>(this);

  private final int context;
  private final int source;
  private final int tag;

  /** When it was posted, among all of its table. */
  long order;

  /**
   * What it waits for.
   *
   * @param source or {@link #ANY}
   * @param tag or {@link #ANY}
   */
  protected Posted(int context, int source, int tag) {
    this.context = context;
    this.source = source;
    this.tag = tag;
  }

  /** Of what context. */
  public final int context() {
    return context;
  }

  /** From whom. */
  public final int source() {
    return source;
  }

  /** With what tag. */
  public final int tag() {
    return tag;
  }
}
