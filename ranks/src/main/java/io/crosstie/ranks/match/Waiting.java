// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

/** A message that waits for whoever asks for it, in a {@link MessageTable}. */
public abstract class Waiting {
  @SuppressWarnings("this-escape") // it is only kept
  final Link<Waiting> exact = new Link<>(this);

  @SuppressWarnings("this-escape") // it is only kept
  final Link<Waiting> anyTag = new Link<>(this);

  @SuppressWarnings("this-escape") // it is only kept
  final Link<Waiting> anySource = new Link<>(this);

  @SuppressWarnings("this-escape") // it is only kept
  final Link<Waiting> any = new Link<>(this);

  private final int context;
  private final int source;
  private final int tag;

  /** What it is. */
  protected Waiting(int context, int source, int tag) {
    this.context = context;
    this.source = source;
    this.tag = tag;
  }

  /** Its context. */
  public final int context() {
    return context;
  }

  /** The rank at its other end. */
  public final int source() {
    return source;
  }

  /** Its tag. */
  public final int tag() {
    return tag;
  }
}
