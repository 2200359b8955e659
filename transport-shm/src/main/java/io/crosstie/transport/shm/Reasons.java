// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.nio.file.FileSystemException;

/** Words for what went wrong. */
final class Reasons {
  private Reasons() {}

  /** The message, with the kind of the failure where the message is but a path. */
  static String of(Exception e) {
    String message = e.getMessage();
    if (message == null || e instanceof FileSystemException) {
      String kind = e.getClass().getSimpleName();
      return message == null ? kind : kind + ": " + message;
    }
    return message;
  }
}
