// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

/** The request was cancelled before it was done. */
public final class RequestCancelledException extends RanksException {
  private static final long serialVersionUID = 1L;

  /** With a message for a person. */
  public RequestCancelledException(String message) {
    super(message);
  }
}
